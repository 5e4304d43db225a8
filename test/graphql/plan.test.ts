import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Operations } from '../../src/graphql/execution/operations.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { sampleUser } from '../../src/sample/index.ts'
import { LONG, runs, SAMPLE, sampleOf } from '../support/extent.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Known, randomQuery } from '../support/random-query.ts'
import { startOnSample } from '../support/sample.ts'
import { post } from '../support/send.ts'

const schema = buildSchema(
  readFileSync(new URL('../../src/generated/rest-schema.graphql', import.meta.url), 'utf8'),
)
const operations = new Operations(createSchema())

let gateway: Gateway
let resolving: Gateway
/** Texts that arguments take, all of which name something in the store, and some that do not. */
const examples: Known = {}
beforeAll(async () => {
  gateway = await startOnSample({ users: 30, days: 6, plan: true })
  resolving = await startGateway({ on: gateway, plan: false })
  const { pool } = gateway.deps.store
  // What must be escaped, signs that SQL knows, and characters of several bytes.
  await pool.query(
    `UPDATE pool SET name = E'a "b" \\\\ \\n %s '' $1 {é} 🦊' WHERE id = (SELECT min(id) FROM pool)`,
  )
  await pool.query(`UPDATE stored_position SET a_token_price = 1e-7, b_token_price = 1e21
    WHERE id IN (SELECT id FROM position ORDER BY distribution_date DESC, id LIMIT 3)`)
  const texts = async (sql: string) =>
    (await pool.query<{ text: string }>(sql)).rows.map((row) => row.text)
  Object.assign(examples, {
    user: [
      sampleUser,
      ...(await texts('SELECT user_address AS text FROM account ORDER BY rank LIMIT 6')),
    ],
    pool: await texts('SELECT id AS text FROM pool ORDER BY id LIMIT 4'),
    market: await texts('SELECT id AS text FROM market ORDER BY id LIMIT 4'),
    vault: await texts('SELECT id AS text FROM vault ORDER BY id LIMIT 3'),
    token: await texts('SELECT asset_1_address AS text FROM pool ORDER BY id LIMIT 4'),
    date: await texts('SELECT date::text AS text FROM distribution ORDER BY date'),
    run: await texts('SELECT id::text AS text FROM run ORDER BY id'),
  })
})
afterAll(async () => {
  await resolving?.close()
  await gateway?.close()
})

/** Sends a query to the gateway whose queries all run on resolvers. */
const RESOLVED = true

/** The answer's text, without the request id of its errors. */
async function answerTo(query: string, resolved = false, variables?: object): Promise<string> {
  const { base } = resolved ? resolving : gateway
  return (await post(base, { query, variables })).replace(/"requestId":"[^"]*"/g, '"requestId":""')
}

test('one gateway runs plans, the other resolvers', async () => {
  const query = '{ positions(first: 3) { nodes { points user { rank } } } }'
  const statements = async (one: Gateway, resolved: boolean) => {
    one.statements.length = 0
    await answerTo(query, resolved)
    return one.statements.length
  }
  expect(await statements(gateway, false)).toBe(1)
  expect(await statements(resolving, RESOLVED)).toBeGreaterThan(1)
})

test('random selections give the same, planned and resolved', { timeout: 120_000 }, async () => {
  let planned = 0
  let all = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 5039 }), { minLength: 40, maxLength: 120 }),
      async (seed) => {
        const query = randomQuery(examples, seed)
        all++
        if (operations.find(query, undefined)?.plan.covers()) planned++
        const [fast, slow] = [await answerTo(query), await answerTo(query, RESOLVED)]
        expect(fast, query).toBe(slow)
      },
    ),
    { numRuns: runs({ sample: 12, all: 120, long: 400 }) },
  )
  // About four of five are planned: a sample strays from that.
  expect(planned / all).toBeGreaterThan(0.5)
})

test('random selections of variable addresses give the same each time, planned and resolved', {
  timeout: 120_000,
}, async () => {
  const { user = [], token = [], pool = [] } = examples
  const all = [...user, ...token, ...pool, '0x0000000000000000000000000000000000000001']
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 5039 }), { minLength: 40, maxLength: 120 }),
      fc.array(fc.nat({ max: all.length - 1 }), { minLength: 40, maxLength: 40 }),
      async (seed, others) => {
        const variables: Record<string, string | string[]> = {}
        const variable = (value: string | string[]) => {
          const name = `v${Object.keys(variables).length}`
          variables[name] = value
          return `$${name}`
        }
        const text = randomQuery(examples, seed).replace(
          /((?:address|addresses|user|asset|assets): )((?:"0x\w{40}"(?:, )?)+|\[(?:"0x\w{40}"(?:, )?)+\])/g,
          (_, name: string, list: string) => {
            if (list.startsWith('[') && Object.keys(variables).length % 2 === 0)
              return name + variable(JSON.parse(list))
            return name + list.replace(/"(0x\w{40})"/g, (_, address: string) => variable(address))
          },
        )
        const names = Object.keys(variables)
        if (names.length === 0) return
        const typeOf = (name: string) =>
          Array.isArray(variables[name]) ? '[Address!]!' : 'Address!'
        const query = `query (${names.map((name) => `$${name}: ${typeOf(name)}`).join(', ')}) ${text}`
        const filled = (addressAt: (nth: number) => number | undefined) => {
          let nth = 0
          const next = () => all[addressAt(nth++) as number] as string
          const entries = Object.entries(variables)
          return Object.fromEntries(
            entries.map(([name, one]) => [name, Array.isArray(one) ? one.map(next) : next()]),
          )
        }
        const assigned = (at: number) => filled((nth) => others[(at + nth) % others.length])
        const same = filled(() => others[0])
        for (const values of [variables, assigned(0), assigned(5), same, variables, assigned(9)])
          expect(await answerTo(query, false, values), `${query} ${JSON.stringify(values)}`).toBe(
            await answerTo(query, RESOLVED, values),
          )
      },
    ),
    { numRuns: runs({ sample: 5, all: 40, long: 150 }) },
  )
})

test('an address that is given twice, by variables or by the document too, is one', async () => {
  const [one = '', other = ''] = examples.token ?? []
  const page = 'first: 50) { totalCount nodes { id } }'
  const two = `query ($a: Address!, $b: Address!) { positions(where: { assets: [$a, $b] }, ${page} }`
  const literal = `query ($a: Address!) { positions(where: { assets: [$a, "${one}"] }, ${page} }`
  for (const [query, variables] of [
    [two, { a: one, b: other }],
    [two, { a: one, b: one }],
    [two, { a: one, b: one.toUpperCase() }],
    [literal, { a: other }],
    [literal, { a: one }],
  ] as const) {
    const planned = JSON.parse(await answerTo(query, false, variables))
    expect(planned.data.positions.nodes.length).toBeGreaterThan(0)
    expect(planned, JSON.stringify(variables)).toEqual(
      JSON.parse(await answerTo(query, RESOLVED, variables)),
    )
  }
})

test('the key of a group without users has no user, planned and resolved', async () => {
  const query =
    '{ series(groupBy: POOL) { key { user { activity(first: 1) { nodes { time } } } } } }'
  const planned = await answerTo(query)
  expect(planned).toBe(await answerTo(query, RESOLVED))
  expect(JSON.parse(planned).data.series[0].key.user).toBe(null)
})

test('an invalid address is refused, also after valid ones were answered', async () => {
  const query = 'query ($a: Address!) { user(address: $a) { points: totalPoints } }'
  for (const a of [sampleUser, sampleUser.slice(1), '', 5, null, sampleUser]) {
    const [planned, resolved] = [
      await answerTo(query, false, { a }),
      await answerTo(query, RESOLVED, { a }),
    ]
    expect(planned, String(a)).toBe(resolved)
    expect('errors' in JSON.parse(planned)).toBe(a !== sampleUser)
  }
})

test('numbers of any size give the same each time, planned and resolved, and bad ones the same refusal', async () => {
  const [user] = examples.user ?? []
  const { pool } = gateway.deps.store
  const { rows } = await pool.query<{ at: string }>(
    'SELECT timestamp::text AS at FROM market_snapshot ORDER BY 1',
  )
  const [first = '', middle = '', last = ''] = [0, Math.floor(rows.length / 2), -1].map(
    (i) => rows.at(i)?.at,
  )
  const snapshots = (args: string) =>
    `query ($from: BigInt, $to: BigInt) { user(address: "${user}") { legacy { marketSnapshots(${args} first: 3) {
      totalCount nodes { time } pageInfo { hasNextPage hasPreviousPage } } } } }`
  const offset = (args: string) =>
    `query ($from: BigInt) { positions(offset: $from ${args}) { nodes { id } pageInfo { hasNextPage hasPreviousPage } } }`
  const bad = ['-1', '01', 1.5, '', true, 'x', '9'.repeat(30)]
  for (const [query, all] of [
    [
      snapshots('from: $from, to: $to'),
      [first, middle, last, 0, 1, String(2n ** 62n), null, ...bad],
    ],
    [snapshots('from: $from, to: $to, grouped: true'), [first, middle, last]],
    [
      snapshots('where: { timestamp: { gte: $from, notIn: [$to] } }'),
      [first, middle, last, ...bad],
    ],
    [snapshots('where: { timestamp: { in: [$from, $to] } }'), [first, middle, last]],
    [
      offset('first: 3'),
      [0, 1, 2, '2', 3, 4, 10_000, '1999999999', '2147483648', String(2n ** 62n + 1n), ...bad],
    ],
    [offset('last: 3'), [0, 1, 2, 0, 2]],
    [offset(`first: 3, where: { assets: ${JSON.stringify(examples.token)} }`), [1, 2, 3, 4, 0, 10]],
  ] as const)
    for (const [i, from] of [...all, ...(SAMPLE ? [] : all)].entries()) {
      const variables = { from, to: all[(i * 2 + 1) % all.length] }
      const planned = await answerTo(query, false, variables)
      expect(planned, `${query} ${JSON.stringify(variables)}`).toBe(
        await answerTo(query, RESOLVED, variables),
      )
    }
})

test('cursors as variables give the same each time, planned and resolved, and bad ones the same refusal', async () => {
  const [user] = examples.user ?? []
  const of = (name: string, ...values: unknown[]) =>
    Buffer.from(JSON.stringify([name, ...values])).toString('base64url')
  for (const [nth, list] of [
    'positions(PAGE)',
    'positions(where: { assets: $assets } PAGE)',
    'leaderboard(PAGE)',
    'pools(orderBy: [UTILIZATION, TOTAL_POINTS] PAGE)',
    'pools(orderBy: TVL_USD, orderDirection: DESC PAGE)',
    `user(address: "${user}") { dailyPoints(PAGE) }`,
    `user(address: "${user}") { activity(PAGE) }`,
  ].entries()) {
    const rows = 'edges { cursor node { __typename } } pageInfo { hasNextPage hasPreviousPage }'
    const page = ', first: 2, after: $after, before: $before'
    const variables = `$after: String, $before: String${list.includes('$assets') ? ', $assets: [Address!]' : ''}`
    const filled = list.replace(/,? ?PAGE/, list.includes('(PAGE') ? page.slice(2) : page)
    const text = filled.replace(/\)( \})?$/, `) { ${rows} }$1`)
    const query = `query (${variables}) { ${text} }`
    const same = async (after: unknown, before?: unknown) => {
      const values = { after, before, ...(list.includes('$assets') && { assets: examples.token }) }
      const planned = await answerTo(query, false, values)
      expect(planned, `${query} ${JSON.stringify(values)}`).toBe(
        await answerTo(query, RESOLVED, values),
      )
      return planned
    }
    const cursors: string[] = []
    for (let after: string | undefined; cursors.length < (SAMPLE ? 4 : 8); ) {
      const page = [...(await same(after)).matchAll(/"cursor":"([^"]+)"/g)].map(
        ([, cursor = '']) => cursor,
      )
      cursors.push(...page)
      after = page.at(-1)
      if (after === undefined) break
    }
    expect(cursors.length, query).toBeGreaterThan(2)
    for (const before of cursors.toReversed()) await same(undefined, before)
    await same(cursors[0], cursors.at(-1))
    const [name, ...values] = JSON.parse(Buffer.from(cursors[0] as string, 'base64url').toString())
    const bad = [
      '',
      'x',
      5,
      of(name),
      of(name, ...values, '1'),
      of(`${name}x`, ...values),
      of('other', ...values),
    ]
    for (const value of ['x', '\0', "1'", 7, null, '9'.repeat(20), 'NaN', '1'.repeat(3000)])
      bad.push(of(name, ...values.map(() => value)))
    // Also after valid ones, whose statement it would have.
    const someBad = bad.filter((_, i) => !SAMPLE || (i + nth) % 4 === 0)
    for (const cursor of someBad)
      for (const after of [cursor, cursors[0], cursors[1], cursor]) await same(after)
    await same(cursors[1], bad[5])
  }
})

/**
 * Values of a filter's condition: of the usual kinds, twice the same, and at the ends of what is
 * accepted.
 */
function conditionsOf(type: string): unknown[] {
  const { user = [], pool = [], token = [], market = [], date = [] } = examples
  const [first, second, third] = date
  const addresses = [...user, ...pool, ...token, ...market]
  const bounds = (a: unknown, b: unknown, c: unknown) => [
    { gt: a },
    { gt: b },
    { gte: b, lt: c },
    { gte: c, lt: a },
    { gt: c },
  ]
  const exact = (a: unknown, b: unknown) => [
    { eq: a },
    { eq: b },
    { in: [a, b] },
    { in: [b, a] },
    { in: [a, a] },
  ]
  switch (type) {
    case 'Address':
      return [
        ...addresses.map((one) => [one]),
        addresses.slice(0, 2),
        addresses.slice(1, 3),
        [user[0], user[0]],
        'x',
        [],
      ]
    case 'DateRange':
      return [
        ...bounds(first, second, third),
        ...exact(first, third),
        { gte: first, lte: first },
        { eq: '2026-02-30' },
        { gt: null },
      ]
    case 'DateTimeRange':
      return bounds(`${first}T00:00:00.000Z`, `${second}T10:00:00.500Z`, `${third}T00:00:00Z`)
    case 'FloatRange':
      return [
        ...bounds(10.5, 1000, 1e6),
        ...bounds(0, -1, 1e20),
        ...exact(1, 2.5),
        { gt: 1e308 },
        { gt: '5' },
      ]
    case 'IntRange':
      return [...bounds(1, 2, 3), ...exact(1, 2)]
    case 'SafeInt':
      return [[1], [146], [1, 146], 8453, -1]
    case 'Boolean':
      return [true, false]
    case 'String':
      return [['a'], ['b', 'a'], 'a']
    default:
      return []
  }
}

/**
 * The filtered lists of the schema: how each is asked for, and its type of filter. A sample has one
 * of each type.
 */
function filteredLists(): {
  selectionOf: (page: string) => string
  filter: GraphQLInputObjectType
}[] {
  const { user = [], pool = [] } = examples
  const owners = {
    Query: '',
    User: `user(address: "${user[0]}")`,
    Pool: `pool(address: "${pool[0]}")`,
  }
  const all = Object.entries(owners).flatMap(([owner, text]) =>
    Object.values((schema.getType(owner) as GraphQLObjectType).getFields()).flatMap(
      ({ name, args, type }) => {
        const filter = getNamedType(args.find((one) => one.name === 'where')?.type)
        const isList = String(getNamedType(type)).endsWith('Connection')
        if (!isInputObjectType(filter) || !isList || args.some((one) => isNonNullType(one.type)))
          return []
        const selectionOf = (page: string) => (text ? `${text} { ${name}${page} }` : name + page)
        return [{ selectionOf, filter }]
      },
    ),
  )
  return all.filter(
    ({ filter }, i) => !SAMPLE || all.findIndex((one) => one.filter === filter) === i,
  )
}

test('filters as variables give the same each time, planned and resolved, and bad ones the same refusal', {
  timeout: 300_000,
}, async () => {
  const lists = filteredLists()
  expect(lists.length).toBeGreaterThan(SAMPLE ? 5 : 10)
  const turns = new Map<string, number>()
  for (const [nth, { selectionOf: list, filter }] of lists.entries()) {
    const rows = '{ edges { cursor node { __typename } } pageInfo { hasNextPage endCursor } }'
    const query = `query ($where: ${filter.name}, $after: String) { ${list(`(first: 2, where: $where, after: $after) ${rows}`)} }`
    const conditions = Object.values(filter.getFields()).map(({ name, type }) => {
      const named = getNamedType(type)
      const values = isEnumType(named)
        ? named.getValues().map((one) => one.name)
        : conditionsOf(named.name)
      // Some of them: the next field of this type has the next. In a sample the first field has
      // all.
      const turn = turns.get(named.name) ?? 0
      turns.set(named.name, turn + 1)
      const isWhole = LONG || isEnumType(named) || (SAMPLE && turn === 0)
      const parts = isWhole ? 1 : Math.min(values.length, SAMPLE ? 24 : 6)
      return values.filter((_, i) => i % parts === turn % parts).map((value) => ({ [name]: value }))
    })
    const same = async (variables: object) => {
      const planned = await answerTo(query, false, variables)
      expect(planned, `${query} ${JSON.stringify(variables)}`).toBe(
        await answerTo(query, RESOLVED, variables),
      )
      return planned
    }
    const some = conditions.map(([one]) => one).filter((one) => one !== undefined)
    const nested = some.map((one, i) => {
      const other = some[(i * 7 + 3) % some.length]
      return [{ AND: [one, other] }, { OR: [one, other] }, { NOT: one, ...other }][i % 3]
    })
    for (const where of [
      ...conditions.flat(),
      ...sampleOf(conditions, 4).flatMap((all) => all.slice(0, 1)),
      ...sampleOf(nested, 2),
      null,
      { x: 1 },
    ])
      await same({ where })
    // Pages of one shape, each after a cursor of the same filter, and of another; of a third of the
    // fields.
    let former: string | undefined
    const paged = conditions.filter((_, i) => LONG || (i + nth) % (SAMPLE ? 6 : 3) === 0)
    for (const where of paged.flatMap((all) =>
      all.slice(0, runs({ sample: 1, all: 2, long: 4 })),
    )) {
      const [, after] = /"endCursor":"([\w-]+)"/.exec(await same({ where })) ?? []
      if (after) await same({ where, after })
      if (former) await same({ where, after: former })
      former = after
    }
  }
})

test('dates as variables give the same each time, planned and resolved, and bad ones the same refusal', {
  timeout: 120_000,
}, async () => {
  const { user = [], pool = [], date = [] } = examples
  const dates = [...date, '2020-01-01', '2099-01-01', '2026-02-30', 'x', 5, null]
  let fields = 0
  for (const owner of ['Query', 'User', 'Pool', 'Program'])
    for (const { name, args, type } of Object.values(
      (schema.getType(owner) as GraphQLObjectType).getFields(),
    )) {
      const dated = args.filter((one) => String(getNamedType(one.type)) === 'Date')
      const required = args.filter((one) => isNonNullType(one.type) && !dated.includes(one))
      if (dated.length === 0 || required.length > 0) continue
      fields++
      const named = getNamedType(type)
      const selected = isObjectType(named) ? `{ ${scalarsOf(named)} }` : ''
      const field = `${name}(${dated.map((one) => `${one.name}: $${one.name}`).join(', ')}) ${selected}`
      const variables = dated
        .map((one) => `$${one.name}: Date${isNonNullType(one.type) ? '!' : ''}`)
        .join(', ')
      const inOwner = {
        Query: field,
        User: `user(address: "${user[0]}") { ${field} }`,
        Pool: `pool(address: "${pool[0]}") { ${field} }`,
        Program: `program { ${field} }`,
      }[owner]
      const query = `query (${variables}) { ${inOwner} }`
      for (const [i, value] of [...dates, ...(SAMPLE ? [] : dates)].entries()) {
        const values = Object.fromEntries(
          dated.map((one, nth) => [
            one.name,
            nth === 0 ? value : dates[(i * 3 + nth) % dates.length],
          ]),
        )
        expect(await answerTo(query, false, values), `${query} ${JSON.stringify(values)}`).toBe(
          await answerTo(query, RESOLVED, values),
        )
      }
    }
  expect(fields).toBeGreaterThan(2)
})

/** The fields of a type, or of the rows of a list, that have no arguments and nothing below. */
function scalarsOf(type: GraphQLObjectType): string {
  const fields = Object.values(type.getFields())
  const nodes = fields.find(({ name }) => name === 'nodes')
  const node = nodes && getNamedType(nodes.type)
  if (isObjectType(node)) return `nodes { ${scalarsOf(node)} }`
  const plain = fields.filter(
    ({ args, type }) => args.length === 0 && isLeafType(getNamedType(type)),
  )
  return plain.map(({ name }) => name).join(' ') || '__typename'
}

for (const [name, list] of Object.entries({
  positions: 'positions(PAGE)',
  'positions of a token': 'positions(where: { assets: [TOKEN] } PAGE)',
  leaderboard: 'leaderboard(PAGE)',
  pools: 'pools(PAGE)',
  'pools by TVL': 'pools(orderBy: TVL_USD, orderDirection: DESC PAGE)',
  'pools by utilization, null last': 'pools(orderBy: [UTILIZATION, TOTAL_POINTS] PAGE)',
  assets: 'assets(PAGE)',
  "a user's current positions":
    'user(address: USER) { worth { netUsd } currentPositions(PAGE) REST }',
  "a user's positions": 'user(address: USER) { positions(PAGE) REST }',
  "a user's days": 'user(address: USER) { dailyPoints(PAGE) REST }',
  "a user's snapshots": 'user(address: USER) { legacy { marketSnapshots(PAGE) REST } }',
  "a user's activity": 'user(address: USER) { activity(PAGE) REST }',
  "a user's activity, filtered, oldest first":
    'user(address: USER) { activity(where: { NOT: { kinds: LIQUIDATION_REWARD } }, orderBy: TIME PAGE) REST }',
  "a user's grouped snapshots":
    'user(address: USER) { legacy { marketSnapshots(grouped: true PAGE) REST } }',
}))
  test(`the pages of ${name} are the same, planned and resolved, forward and backward`, async () => {
    const asked = (page: string) => {
      const rest =
        '{ edges { cursor node { __typename } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }'
      const filled = list
        .replace('PAGE', page)
        .replace('USER', JSON.stringify(sampleUser))
        .replace('TOKEN', JSON.stringify(examples.token?.[0]))
      return `{ ${filled.includes('REST') ? filled.replace('REST', rest) : `${filled} ${rest}`} }`
    }
    for (const backward of [false, true]) {
      let place = ''
      for (let page = 0; page < (SAMPLE ? 2 : 4); page++) {
        const query = asked(`${backward ? 'last' : 'first'}: 7 ${place}`)
        const fast = await answerTo(query)
        expect(operations.find(query, undefined)?.plan.covers(), query).toBe(true)
        expect(fast, query).toBe(await answerTo(query, RESOLVED))
        const cursor = fast.match(backward ? /"startCursor":"(\w+)"/ : /"endCursor":"(\w+)"/)?.[1]
        if (!cursor) break
        place = `${backward ? 'before' : 'after'}: "${cursor}"`
      }
    }
  })

const EARNED = `earnings { entityCount breakdown(PAGE) { entityAddress worthUsd earningsUsd } }
  netApr(chainId: 146) { entityCount breakdown(PAGE) { entityAddress depositUsd depositApr } }`
test('the pages of breakdowns are the same, planned and resolved, and so is the refusal of a size', async () => {
  for (const page of [
    'first: 2',
    'first: 2, offset: 1',
    'offset: "100"',
    'first: 0',
    'first: null',
  ]) {
    const query = `{ user(address: "${sampleUser}") { ${EARNED.replaceAll('PAGE', page)} } }`
    const fast = await answerTo(query)
    expect(operations.find(query, undefined)?.plan.covers(), query).toBe(true)
    expect(fast, query).toBe(await answerTo(query, RESOLVED))
    expect(JSON.parse(fast).data.user.earnings.breakdown.length).toBeLessThanOrEqual(
      page.includes('2') ? 2 : 100,
    )
  }
  for (const page of ['first: 1001', 'first: -1', 'offset: "9223372036854775808"']) {
    const query = `{ user(address: "${sampleUser}") { ${EARNED.replaceAll('PAGE', page)} } }`
    const refused = await answerTo(query)
    expect(refused).toContain('BAD_INPUT')
    expect(refused, query).toBe(await answerTo(query, RESOLVED))
  }
  const query = `{ user(address: "${sampleUser}") { ${EARNED.replaceAll('PAGE', 'offset: "9223372036854775807"')} } }`
  expect(await answerTo(query)).toContain('COST_LIMIT_EXCEEDED')
  expect(await answerTo(query, RESOLVED)).toContain('COST_LIMIT_EXCEEDED')
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
    `first: 4, where: { assets: ["${examples.token?.[0]}", "${examples.token?.[1]}"] }`,
    `first: 4, where: { pools: "${examples.pool?.[0]}", points: { gt: 0 } }`,
    'first: 2, orderBy: DATE',
  ]
  const selections = [
    'nodes { id }',
    'totalCount edges { cursor } pageInfo { hasPreviousPage endCursor }',
  ]
  for (const [i, id] of [...ids, 'none', '', 'a\u0000b'].entries())
    for (const [j, list] of lists.entries()) {
      // A sample has each id and each list once.
      if (SAMPLE && i % lists.length !== j) continue
      // Each id and each list has both.
      const selected = selections[(i + j) % 2]
      const query = `{ legacy { positions(${list}, afterRecord: ${JSON.stringify(id)}) { ${selected} } } }`
      expect(await answerTo(query), query).toBe(await answerTo(query, RESOLVED))
      const variable = `query ($id: String) { legacy { positions(${list}, afterRecord: $id) { ${selected} } } }`
      for (const values of [{ id }, { id: ids[0] }, { id }])
        expect(await answerTo(variable, false, values), variable).toBe(
          await answerTo(variable, RESOLVED, values),
        )
    }
})

for (const [name, selection] of Object.entries({
  'rows without any':
    'pools(first: 3) { nodes { name positions(first: 2, where: { date: { eq: "2020-01-01" } }) { nodes { points } } } }',
  'no rows at all':
    'pools(first: 3, offset: 1000) { nodes { name positions { nodes { points } } } }',
  'none requested':
    'pools(first: 3) { nodes { name positions(first: 0) { nodes { points } pageInfo { hasNextPage } } } }',
  'backward in both':
    'pools(last: 3) { nodes { name positions(last: 2) { nodes { id } pageInfo { hasPreviousPage } } } pageInfo { hasPreviousPage } }',
  'more in some':
    'pools { nodes { positions(first: 400) { totalCount nodes { id } pageInfo { hasNextPage } } } }',
  'two in one, and one within': `pools(first: 2) { nodes { currentPositions(first: 2, orderBy: POINTS, orderDirection: DESC) { nodes { points } }
      positions(first: 3) { nodes { id user { dailyPoints(first: 2) { nodes { points positions { points } } } } } } } }`,
  'behind an object':
    'leaderboard(first: 4) { totalCount nodes { rank user { positions(first: 2) { nodes { points } } } } }',
}))
  test(`lists within lists are the same, planned and resolved: ${name}`, async () => {
    const query = `{ ${selection} }`
    expect(operations.find(query, undefined)?.plan.covers()).toBe(true)
    expect(await answerTo(query)).toBe(await answerTo(query, RESOLVED))
  })

/** Lists that JavaScript writes, and those within them that Postgres writes. */
const PRICES = 'sideA { priceUsd } sideB { priceUsd }'
const DEPTHS = {
  'a list': `positions(first: 1000) { nodes { ${PRICES} } }`,
  'a list within a list': `users(first: 30) { nodes { positions(first: 20) { nodes { ${PRICES} } } } }`,
  'lists within a list': `users(first: 30) { nodes { dailyPoints(first: 9) { nodes { points positions { ${PRICES} } } } } }`,
  'two lists': `positions(first: 500) { nodes { ${PRICES} } } users(first: 9) { nodes { positions { nodes { ${PRICES} } } } }`,
}

describe('a double is written alike, planned and resolved', () => {
  const EDGES = [
    ...[
      '0',
      '1e-4',
      '9.999999999999999e-5',
      '1e-6',
      '9.999999999999999e-7',
      '1e-7',
      '1e-9',
      '5e-324',
    ],
    ...[
      '2.2250738585072014e-308',
      '1e14',
      '100000000000000.02',
      '999999999999999.9',
      '1e15',
      '9007199254740994',
    ],
    ...[
      '61472681624271940',
      '1e20',
      '999999999999999900000',
      '1e21',
      '1e22',
      '1e23',
      '1.7976931348623157e308',
    ],
    ...['0.1', '0.30000000000000004', '1234.5'],
  ].map(Number)
  const double = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(...EDGES, ...EDGES.map((edge) => -edge)),
    fc.integer({ min: -1074, max: 1023 }).map((exponent) => 2 ** exponent),
    fc
      .tuple(fc.nat(99_999), fc.integer({ min: -30, max: 30 }))
      .map(([digits, exponent]) => Number(`${digits}e${exponent}`)),
  )
  const texts = (values: number[]) =>
    values.map((value) => (Object.is(value, -0) ? '-0' : String(value)))

  test('in lists at every depth, and by REST', { timeout: 180_000 }, async () => {
    const { pool } = gateway.deps.store
    const before = await pool.query('SELECT id, a_token_price, b_token_price FROM stored_position')
    const store = (values: string[]) =>
      pool.query(
        `UPDATE stored_position p SET a_token_price = v.values[1 + n % $2], b_token_price = v.values[1 + (7 * n + 3) % $2]
          FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM stored_position) numbered, (SELECT $1::float8[] AS values) v
          WHERE numbered.id = p.id`,
        [values, values.length],
      )
    try {
      for (const selection of Object.values(DEPTHS))
        expect(operations.find(`{ ${selection} }`, undefined)?.plan.covers(), selection).toBe(true)
      const property = fc.asyncProperty(
        fc.array(double, { minLength: 500, maxLength: 800 }),
        async (values) => {
          await store(texts(values))
          for (const selection of Object.values(DEPTHS)) {
            const planned = await answerTo(`{ ${selection} }`)
            expect(planned).not.toContain('"errors"')
            expect(planned, selection).toBe(await answerTo(`{ ${selection} }`, RESOLVED))
          }
          const path = '/positions/breakdown-by-assets?limit=100'
          const text = await (await gateway.get(path)).text()
          expect(text).toBe(await (await resolving.get(path)).text())
          // Each number is as JSON.stringify writes it.
          const { items } = JSON.parse(text)
          expect(text).toContain(JSON.stringify(items))
        },
      )
      await fc.assert(property, {
        numRuns: runs({ sample: 1, all: 8, long: 60 }),
        examples: [[[...EDGES, ...EDGES.map((edge) => -edge)]]],
      })
    } finally {
      await pool.query(
        `UPDATE stored_position p SET a_token_price = v.a, b_token_price = v.b
          FROM unnest($1::text[], $2::float8[], $3::float8[]) v(id, a, b) WHERE v.id = p.id::text`,
        [
          before.rows.map(({ id }) => String(id)),
          before.rows.map((row) => row.a_token_price),
          before.rows.map((row) => row.b_token_price),
        ],
      )
    }
  })
})

describe('an argument that resolvers refuse is refused by the plan too, of whatever nothing is selected', () => {
  const query = schema.getQueryType() as GraphQLObjectType
  const value = (field: GraphQLField<unknown, unknown>, name: string) => {
    const kind = field.name === 'asset' ? 'token' : field.name
    if (name === 'address') return JSON.stringify(examples[kind]?.[0] ?? sampleUser)
    if (name === 'addresses') return JSON.stringify([sampleUser])
    if (name === 'user') return JSON.stringify(sampleUser)
    if (name === 'chainId') return '146'
    if (name === 'date') return JSON.stringify(examples.date?.at(-1))
    if (name === 'groupBy') return 'POOL'
    if (name === 'where') return '{}'
    if (name === 'text') return '"a"'
    return undefined
  }
  const requiredOf = (
    field: GraphQLField<unknown, unknown>,
  ): Record<string, string> | undefined => {
    const required = field.args.filter(
      (arg) => isNonNullType(arg.type) && arg.defaultValue === undefined,
    )
    const values = required.map(({ name }) => [name, value(field, name)])
    return values.some(([, one]) => one === undefined) ? undefined : Object.fromEntries(values)
  }
  const written = (args: Record<string, string>) => {
    const list = Object.entries(args).map(([name, one]) => `${name}: ${one}`)
    return list.length > 0 ? `(${list.join(', ')})` : ''
  }

  /** Each object type, and a selection that leads to it. */
  function places(): Map<GraphQLObjectType, string[]> {
    const paths = new Map<GraphQLObjectType, string[]>([[query, []]])
    // A list has rows; what is looked up may not be there.
    for (const looksUp of [false, true])
      for (const [type, path] of paths)
        for (const field of Object.values(type.getFields())) {
          const to = getNamedType(field.type)
          const required = requiredOf(field)
          if (!isObjectType(to) || !required || paths.has(to)) continue
          // A preview is a run, and takes its time.
          if (
            (!looksUp && Object.keys(required).length > 0) ||
            field.name === 'previewDistribution'
          )
            continue
          paths.set(to, [...path, field.name + written(required)])
        }
    return paths
  }

  /** Wrong values of a field's arguments, which are valid by their types. */
  function wrongValues({ args }: GraphQLField<unknown, unknown>): Record<string, string>[] {
    const names = new Set(args.map(({ name }) => name))
    const wrong: Record<string, string>[] = []
    const add = (args: Record<string, string>) => {
      if (Object.keys(args).every((name) => names.has(name))) wrong.push(args)
    }
    add({ first: '-1' })
    add({ first: '1001' })
    add({ last: '1001' })
    add({ first: '1', last: '1' })
    add({ offset: '"9223372036854775808"' })
    add({ after: '"x"' })
    add({ before: '"WyJ4Il0"' })
    add({ days: '0' })
    add({ days: '100000' })
    add({ from: '"2026-01-02T00:00:00Z"', to: '"2020-01-01T00:00:00Z"' })
    add({ from: '"9"', to: '"1"' })
    add({ asOf: '"1970-01-01T00:00:01Z"' })
    add({ at: '"yesterday"' })
    add({ since: '"2026-01-02"', at: '"2020-01-01"' })
    add({ date: '"1970-01-01T00:00:01Z"' })
    add({ afterRecord: '"none"' })
    add({ scope: '{ window: { from: "2026-01-02", to: "2020-01-01" } }' })
    for (const { name, type } of args) {
      const named = getNamedType(type)
      if (name === 'orderBy' && isEnumType(named)) {
        const [one] = named.getValues()
        add({ orderBy: `[${one?.name}, ${one?.name}]` })
      }
      if (name === 'where' && isInputObjectType(named)) {
        add({ where: '{ AND: [{ AND: [{ AND: [{ AND: [{ AND: [{ AND: [] }] }] }] }] }] }' })
        add({ where: `{ AND: [${'{},'.repeat(51)}] }` })
        for (const field of Object.values(named.getFields()))
          if (String(field.type) === 'String') add({ where: `{ ${field.name}: "\\u0000" }` })
      }
    }
    return wrong
  }

  const SELECTIONS = ['__typename @skip(if: true)', 'alias: __typename @include(if: $none)']

  const lists = [...places()].flatMap(([type, path]) =>
    Object.values(type.getFields())
      .filter(
        (field) =>
          isObjectType(getNamedType(field.type)) && field.args.length > 0 && requiredOf(field),
      )
      .filter(({ name }) => name !== 'previewDistribution')
      .map((field) => [`${type.name}.${field.name}`, path, field] as const),
  )

  test('every list is reached', () => {
    const paged = [...Object.values(schema.getTypeMap())].flatMap((type) =>
      isObjectType(type) && !['Subscription', 'Mutation'].includes(type.name)
        ? Object.values(type.getFields())
            .filter(({ args }) => args.some(({ name }) => name === 'first'))
            .map(({ name }) => `${type.name}.${name}`)
        : [],
    )
    const reached: string[] = lists.map(([name]) => name)
    expect(paged.filter((name) => !reached.includes(name))).toEqual(['Query.previewDistribution'])
  })

  /**
   * Every row of a list is refused. Which one is first depends on the turns that the operation
   * takes.
   */
  const ofAnyRow = (answer: string) => answer.replace(/("path":\["\w+","nodes",)\d+/, '$1"any"')

  test.each(lists.map((list, nth) => [...list, nth] as const))(
    '%s',
    async (_, path, field, nth) => {
      let refused = 0
      // A sample has one in three of a list's, with one selection: the next lists have the others.
      const all = wrongValues(field)
      for (const [i, wrong] of all.entries())
        for (const [j, nothing] of SELECTIONS.entries()) {
          if (SAMPLE && ((i + nth) % Math.min(3, all.length) !== 0 || nth % 2 !== j)) continue
          const inner = `${field.name}${written({ ...requiredOf(field), ...wrong })} { ${nothing} }`
          const selection = path.reduceRight((within, step) => `${step} { ${within} }`, inner)
          const document = `query ($none: Boolean = false) { ${selection} ${nothing.includes('$') ? '' : '__typename @include(if: $none)'} }`
          const planned = await answerTo(document)
          expect(ofAnyRow(planned), document).toBe(ofAnyRow(await answerTo(document, RESOLVED)))
          if (planned.includes('"errors"')) refused++
        }
      if (field.args.some(({ name }) => name === 'first'))
        expect(refused).toBeGreaterThan(SAMPLE ? 0 : 3)
    },
  )
})

test('a number that JSON has no word for is an error, planned and resolved', async () => {
  const { pool } = gateway.deps.store
  const { rows } = await pool.query(
    `UPDATE vault SET deposit_rate = 'NaN' WHERE id = (SELECT min(id) FROM vault) RETURNING id`,
  )
  const vaults = `vaults(where: { addresses: "${rows[0].id}" }) { nodes { depositRate: depositApr } }`
  for (const query of [`{ ${vaults} }`, `{ ${vaults} positions(first: 1) { nodes { points } } }`]) {
    expect(operations.find(query, undefined)?.plan.covers()).toBe(true)
    const planned = await answerTo(query)
    expect(JSON.parse(planned).errors).toHaveLength(1)
    expect(planned).toBe(await answerTo(query, RESOLVED))
  }
  await pool.query(`UPDATE vault SET deposit_rate = 0 WHERE id = $1`, [rows[0].id])
})
