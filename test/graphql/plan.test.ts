import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Operations } from '../../src/graphql/execution/operations.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { sampleUser } from '../../src/sample/sample.ts'
import type { Gateway } from '../support/gateway.ts'
import { LONG } from '../support/long.ts'
import { type Known, randomQuery } from '../support/random-query.ts'
import { startOnSample } from '../support/sample.ts'

const operations = new Operations(createSchema())

let gateway: Gateway
/** Texts that arguments take, all of which name something in the store, and some that do not. */
const known: Known = {}
beforeAll(async () => {
  gateway = await startOnSample({ users: 30, days: 6, env: { PLAN: 'on' } })
  const { pool } = gateway.deps.store
  // What must be escaped, signs that SQL knows, and characters of several bytes.
  await pool.query(`UPDATE pool SET name = E'a "b" \\\\ \\n %s '' $1 {é} 🦊' WHERE id = (SELECT min(id) FROM pool)`)
  await pool.query(`UPDATE stored_position SET a_token_price = 1e-7, b_token_price = 1e21
    WHERE id IN (SELECT id FROM position ORDER BY distribution_date DESC, id LIMIT 3)`)
  const texts = async (sql: string) => (await pool.query<{ text: string }>(sql)).rows.map((row) => row.text)
  Object.assign(known, {
    user: [sampleUser, ...(await texts('SELECT user_address AS text FROM account ORDER BY rank LIMIT 6'))],
    pool: await texts('SELECT id AS text FROM pool ORDER BY id LIMIT 4'),
    market: await texts('SELECT id AS text FROM market ORDER BY id LIMIT 4'),
    vault: await texts('SELECT id AS text FROM vault ORDER BY id LIMIT 3'),
    token: await texts('SELECT asset_1_address AS text FROM pool ORDER BY id LIMIT 4'),
    date: await texts('SELECT date::text AS text FROM distribution ORDER BY date'),
  })
})
afterAll(() => gateway.close())

/** Extensions that the graph does not know: what has any is left to its resolvers. */
const RESOLVED = { resolved: true }

/** The answer's text, without the request id of its errors. */
async function ask(query: string, extensions?: object, variables?: object): Promise<string> {
  const response = await fetch(`${gateway.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'cache-control': 'no-cache' },
    body: JSON.stringify({ query, extensions, variables }),
  })
  return (await response.text()).replace(/"requestId":"[^"]*"/g, '"requestId":""')
}

test('random selections give the same, planned and resolved', { timeout: 120_000 }, async () => {
  let planned = 0
  let all = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 5039 }), { minLength: 40, maxLength: 120 }), async (seed) => {
      const query = randomQuery(known, seed)
      all++
      if (operations.find(query, undefined)?.plan.covers()) planned++
      const [fast, slow] = [await ask(query), await ask(query, RESOLVED)]
      expect(JSON.parse(fast), query).toEqual(JSON.parse(slow))
    }),
    { numRuns: LONG ? 400 : 120 },
  )
  expect(planned / all).toBeGreaterThan(0.8)
})

test('random selections of variable addresses give the same each time, planned and resolved', {
  timeout: 120_000,
}, async () => {
  const { user = [], token = [], pool = [] } = known
  const all = [...user, ...token, ...pool, '0x0000000000000000000000000000000000000001']
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 5039 }), { minLength: 40, maxLength: 120 }),
      fc.array(fc.nat({ max: all.length - 1 }), { minLength: 40, maxLength: 40 }),
      async (seed, others) => {
        const variables: Record<string, string> = {}
        const text = randomQuery(known, seed).replace(
          /((?:address|addresses|user|asset|assets): \[?)((?:"0x\w{40}"(?:, )?)+)/g,
          (_, name: string, list: string) =>
            name +
            list.replace(/"(0x\w{40})"/g, (_, address: string) => {
              const variable = `v${Object.keys(variables).length}`
              variables[variable] = address
              return `$${variable}`
            }),
        )
        const names = Object.keys(variables)
        if (names.length === 0) return
        const query = `query (${names.map((name) => `$${name}: Address!`).join(', ')}) ${text}`
        const assigned = (at: number) =>
          Object.fromEntries(names.map((name, i) => [name, all[others[(at + i) % others.length] as number]]))
        const same = Object.fromEntries(names.map((name) => [name, all[others[0] as number]]))
        for (const given of [variables, assigned(0), assigned(names.length), same, variables])
          expect(JSON.parse(await ask(query, undefined, given)), `${query} ${JSON.stringify(given)}`).toEqual(
            JSON.parse(await ask(query, RESOLVED, given)),
          )
      },
    ),
    { numRuns: LONG ? 150 : 40 },
  )
})

test('an address that is given twice, by variables or by the document too, is one', async () => {
  const [one = '', other = ''] = known.token ?? []
  const page = 'first: 50) { totalCount nodes { recordId } }'
  const two = `query ($a: Address!, $b: Address!) { positions(where: { assets: [$a, $b] }, ${page} }`
  const literal = `query ($a: Address!) { positions(where: { assets: [$a, "${one}"] }, ${page} }`
  for (const [query, variables] of [
    [two, { a: one, b: other }],
    [two, { a: one, b: one }],
    [two, { a: one, b: one.toUpperCase().replace('0X', '0x') }],
    [literal, { a: other }],
    [literal, { a: one }],
  ] as const) {
    const planned = JSON.parse(await ask(query, undefined, variables))
    expect(planned.data.positions.nodes.length).toBeGreaterThan(0)
    expect(planned, JSON.stringify(variables)).toEqual(JSON.parse(await ask(query, RESOLVED, variables)))
  }
})

test('an invalid address is refused, also after valid ones were answered', async () => {
  const query = 'query ($a: Address!) { user(address: $a) { points } }'
  for (const a of [sampleUser, sampleUser.slice(1), '', 5, null, sampleUser]) {
    const [planned, resolved] = [await ask(query, undefined, { a }), await ask(query, RESOLVED, { a })]
    expect(JSON.parse(planned), String(a)).toEqual(JSON.parse(resolved))
    expect('errors' in JSON.parse(planned)).toBe(a !== sampleUser)
  }
})

for (const [name, list] of Object.entries({
  positions: 'positions(PAGE)',
  'positions of a token': 'positions(where: { assets: [TOKEN] } PAGE)',
  leaderboard: 'leaderboard(PAGE)',
  pools: 'pools(PAGE)',
  'pools by TVL': 'pools(orderBy: TVL_USD_DESC PAGE)',
  'pools by utilization, null last': 'pools(orderBy: [UTILIZATION_ASC, POINTS_ASC] PAGE)',
  assets: 'assets(PAGE)',
  "a user's current positions": 'user(address: USER) { worth { netUsd } currentPositions(PAGE) REST }',
  "a user's positions": 'user(address: USER) { positions(PAGE) REST }',
  "a user's days": 'user(address: USER) { dailyPoints(PAGE) REST }',
  "a user's snapshots": 'user(address: USER) { marketSnapshots(PAGE) REST }',
  "a user's activity": 'user(address: USER) { activity(PAGE) REST }',
  "a user's activity, filtered, oldest first":
    'user(address: USER) { activity(where: { NOT: { kind: LIQUIDATION_REWARD } }, orderBy: TIME_ASC PAGE) REST }',
  "a user's earnings": 'user(address: USER) { earnings { totalEarningsUsd breakdown(PAGE) REST } }',
  "a user's earnings, sorted":
    'user(address: USER) { earnings { breakdown(where: { chainIds: [146, 1] }, orderBy: EARNINGS_USD_DESC PAGE) REST } }',
  "a user's net APR": 'user(address: USER) { netApr(chainId: 146) { earnNetApr breakdown(PAGE) REST } }',
  "a user's grouped snapshots": 'user(address: USER) { marketSnapshots(grouped: true PAGE) REST }',
}))
  test(`the pages of ${name} are the same, planned and resolved, forward and backward`, async () => {
    const asked = (page: string) => {
      const rest =
        '{ edges { cursor node { __typename } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }'
      const filled = list
        .replace('PAGE', page)
        .replace('USER', JSON.stringify(sampleUser))
        .replace('TOKEN', JSON.stringify(known.token?.[0]))
      return `{ ${filled.includes('REST') ? filled.replace('REST', rest) : `${filled} ${rest}`} }`
    }
    for (const backward of [false, true]) {
      let place = ''
      for (let page = 0; page < 4; page++) {
        const query = asked(`${backward ? 'last' : 'first'}: ${list.includes('breakdown') ? 2 : 7} ${place}`)
        const fast = await ask(query)
        expect(operations.find(query, undefined)?.plan.covers(), query).toBe(true)
        expect(JSON.parse(fast), query).toEqual(JSON.parse(await ask(query, RESOLVED)))
        const cursor = fast.match(backward ? /"startCursor":"(\w+)"/ : /"endCursor":"(\w+)"/)?.[1]
        if (!cursor) break
        place = `${backward ? 'before' : 'after'}: "${cursor}"`
      }
    }
  })

test('pages after a record are the same, planned and resolved, and so is the refusal of one that is not there', async () => {
  const { rows } = await gateway.deps.store.pool.query<{ id: string }>(
    'SELECT id FROM position ORDER BY distribution_date DESC, id',
  )
  const ids = [0, 1, 40, rows.length - 2, rows.length - 1].map((n) => rows[n]?.id ?? '')
  const lists = [
    'first: 3',
    'first: 0',
    'last: 2',
    'first: 2, offset: 1',
    `first: 4, where: { assets: ["${known.token?.[0]}", "${known.token?.[1]}"] }`,
    `first: 4, where: { pool: "${known.pool?.[0]}", points: { gt: 0 } }`,
    'first: 2, orderBy: DATE_ASC',
  ]
  for (const id of [...ids, 'none', '', 'a\u0000b'])
    for (const list of lists)
      for (const selected of [
        'nodes { recordId }',
        'totalCount edges { cursor } pageInfo { hasPreviousPage endCursor }',
      ]) {
        const query = `{ positions(${list}, afterRecord: ${JSON.stringify(id)}) { ${selected} } }`
        expect(JSON.parse(await ask(query)), query).toEqual(JSON.parse(await ask(query, RESOLVED)))
      }
})

for (const [name, selection] of Object.entries({
  'rows without any':
    'pools(first: 3) { nodes { name positions(first: 2, where: { date: { eq: "2020-01-01" } }) { nodes { points } } } }',
  'no rows at all': 'pools(first: 3, offset: 1000) { nodes { name positions { nodes { points } } } }',
  'none requested':
    'pools(first: 3) { nodes { name positions(first: 0) { nodes { points } pageInfo { hasNextPage } } } }',
  'backward in both':
    'pools(last: 3) { nodes { name positions(last: 2) { nodes { recordId } pageInfo { hasPreviousPage } } } pageInfo { hasPreviousPage } }',
  'more in some':
    'pools { nodes { positions(first: 400) { totalCount nodes { recordId } pageInfo { hasNextPage } } } }',
  'two in one, and one within': `pools(first: 2) { nodes { topUsers(first: 2) { points }
      positions(first: 3) { nodes { recordId user { dailyPoints(first: 2) { nodes { points positions { points } } } } } } } }`,
  'behind an object':
    'leaderboard(first: 4) { totalCount nodes { rank user { positions(first: 2) { nodes { points } } } } }',
}))
  test(`lists within lists are the same, planned and resolved: ${name}`, async () => {
    const query = `{ ${selection} }`
    expect(operations.find(query, undefined)?.plan.covers()).toBe(true)
    expect(JSON.parse(await ask(query))).toEqual(JSON.parse(await ask(query, RESOLVED)))
  })

test('a number that JSON has no word for is an error, planned and resolved', async () => {
  const { pool } = gateway.deps.store
  const { rows } = await pool.query(
    `UPDATE vault SET deposit_rate = 'NaN' WHERE id = (SELECT min(id) FROM vault) RETURNING id`,
  )
  for (const extensions of [undefined, RESOLVED])
    expect(
      JSON.parse(await ask(`{ vaults(where: { vault: "${rows[0].id}" }) { nodes { depositRate } } }`, extensions))
        .errors,
    ).toHaveLength(1)
  await pool.query(`UPDATE vault SET deposit_rate = 0 WHERE id = $1`, [rows[0].id])
})
