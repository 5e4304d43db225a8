import { afterAll, beforeAll, expect, test } from 'vitest'
import { Operations } from '../../src/graphql/execution/operations.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { sampleMarket, samplePool, sampleUser } from '../../src/sample/index.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 20, days: 4 })
})
afterAll(() => gateway.close())

const POSITIONS = `query ($where: PositionFilter, $orderBy: [PositionOrder!], $orderDirection: [OrderDirection!], $after: String) {
  positions(first: 3, where: $where, orderBy: $orderBy, orderDirection: $orderDirection, after: $after) {
    totalCount edges { cursor node { id legacy { recordId } } } pageInfo { endCursor } } }`

const asked = (where: object | undefined, orderBy?: string[], orderDirection?: string) =>
  gateway.graphql(POSITIONS, { where, orderBy, orderDirection })

/** The one message of a request that is refused, which must be the client's fault. */
async function refusal(answer: Promise<{ errors?: any[] }>): Promise<string> {
  const { errors } = await answer
  expect(errors?.map((error) => error.extensions.code)).toEqual(['BAD_INPUT'])
  return errors?.[0].message
}

const addresses = (count: number) =>
  Array.from({ length: count }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`)
const nested = (depth: number): object =>
  depth === 1 ? { users: sampleUser } : { users: sampleUser, NOT: nested(depth - 1) }

test('a list that is filtered and sorted has a plan, with cursors', () => {
  const plan = new Operations(createSchema()).find(POSITIONS, undefined)?.plan
  expect(plan?.covers({ where: { users: sampleUser }, orderBy: ['POINTS'] })).toBe(true)
})

test('a filter takes a thousand values and no more', async () => {
  expect((await asked({ users: addresses(1000) })).errors).toBeUndefined()
  for (const count of [1001, 10_000]) {
    expect(await refusal(asked({ users: addresses(count) }))).toMatch(
      /where\.users has \d+ values, at most 1000/,
    )
    expect(await refusal(asked({ date: { in: Array(count).fill('2026-01-01') } }))).toContain(
      'where.date.in has',
    )
  }
})

test('a filter takes fifty conditions and no more, however they are nested', async () => {
  const some = (count: number) => ({
    OR: Array.from({ length: count }, () => ({ users: sampleUser })),
  })
  expect((await asked(some(25))).errors).toBeUndefined()
  expect(await refusal(asked(some(26)))).toContain('at most 50 conditions')
  expect(await refusal(asked({ AND: Array(900).fill({}) }))).toContain('at most 50 conditions')
  expect(await refusal(asked({ AND: Array(5000).fill({}) }))).toContain('more than 1,000 objects')
})

test('a filter is nested five deep and no deeper', async () => {
  expect((await asked(nested(5))).errors).toBeUndefined()
  for (const depth of [6, 90])
    expect(await refusal(asked(nested(depth)))).toContain('more than 5 deep')
})

test('a filter that is nested without end is refused', async () => {
  for (const depth of [5_000, 50_000]) {
    const variables = `{"where":${'{"NOT":'.repeat(depth)}{}${'}'.repeat(depth)}}`
    const body = `{"query":${JSON.stringify(POSITIONS)},"variables":${variables}}`
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const response = await fetch(`${gateway.base}/graphql`, { method: 'POST', headers, body })
    expect(response.status).toBeLessThan(500)
    const { errors } = (await response.json()) as { errors: any[] }
    expect(errors[0].extensions.code).toBe('BAD_INPUT')
  }
  const literal = `{ positions(where: ${'{NOT:'.repeat(3000)}{}${'}'.repeat(3000)}) { totalCount } }`
  const { errors } = await gateway.graphql(literal)
  expect(errors?.length).toBe(1)
  expect(errors?.[0].extensions.code).not.toBe('INTERNAL')
})

test('numbers are finite', async () => {
  for (const text of ['1e400', '-1e400']) {
    const { errors } = await gateway.graphql(
      `{ positions(where: { points: { gt: ${text} } }) { totalCount } }`,
    )
    expect(errors?.map((error) => error.extensions.code)).toEqual(['BAD_INPUT'])
  }
  for (const value of ['NaN', 'Infinity', '1'])
    expect((await asked({ points: { gt: value } })).errors).toHaveLength(1)
})

test('a time within the unit of a column is before and after what it is between', async () => {
  const counter = (list: string) => async (bounds: string) => {
    const data = await gateway.ask(
      `{ user(address: "${sampleUser}") { ${list}(where: { ${bounds} }) { totalCount } } }`,
    )
    return data.user[list].totalCount as number
  }
  const { data } = await gateway.graphql(
    `{ user(address: "${sampleUser}") { snapshots(last: 1, where: { entityTypes: MARKET }) { nodes { time } } positions(first: 1) { nodes { distributionDate: date } } } }`,
  )
  const second = Date.parse(data.user.snapshots.nodes[0].time)
  const midnight = Date.parse(data.user.positions.nodes[0].distributionDate)
  for (const [count, name, start, inside] of [
    [counter('snapshots'), 'time', second, [second + 1, second + 999]],
    [counter('positions'), 'date', midnight, []],
  ] as const) {
    const at = (moment: number) =>
      new Date(moment).toISOString().slice(0, name === 'date' ? 10 : undefined)
    const range = (operator: string, moment: number) =>
      count(`${name}: { ${operator}: "${at(moment)}" }`)
    const all = await count('')
    const there = await range('eq', start)
    expect(there).toBeGreaterThan(0)
    for (const within of inside) {
      expect(await range('eq', within)).toBe(there)
      expect(await count(`${name}: { in: ["${at(within)}"] }`)).toBe(there)
      for (const operator of ['gt', 'gte']) expect(await range(operator, within)).toBe(0)
      for (const operator of ['lt', 'lte']) expect(await range(operator, within)).toBe(all)
    }
    expect(
      await Promise.all(['gt', 'gte', 'lt', 'lte'].map((operator) => range(operator, start))),
    ).toEqual([0, there, all - there, all])
    for (const operator of ['gt', 'gte', 'eq'])
      expect(await range(operator, Date.UTC(9999, 11, 31))).toBe(0)
    for (const operator of ['gt', 'gte'])
      expect(await range(operator, Date.UTC(1900, 0, 1))).toBe(all)
  }
})

test('text with a NUL character is refused', async () => {
  const message = await refusal(
    gateway.graphql(
      'query ($by: [String!]) { multiplierRevisions(where: { changedBy: $by }) { totalCount } }',
      {
        by: 'a\0b',
      },
    ),
  )
  expect(message).toBe('where.changedBy must not hold a NUL character.')
})

test('all values are sent as parameters', async () => {
  const { data } = await gateway.graphql(
    'query ($by: [String!]) { multiplierRevisions(where: { changedBy: $by }) { totalCount } }',
    { by: `' OR 1 = 1 --` },
  )
  expect(data.multiplierRevisions.totalCount).toBe(0)
})

test('all positions are sorted only within what bounds them', async () => {
  const byPoints = ['POINTS']
  for (const where of [
    undefined,
    { date: { gte: '2026-01-01' } },
    { date: { in: ['2026-01-01', '2026-01-02'] } },
    { pools: samplePool.address },
    { users: addresses(101) },
    { OR: [{ users: sampleUser }, { points: { gt: 0 } }] },
    { NOT: { users: sampleUser } },
    { pools: samplePool.address, date: { gte: '2026-01-01', lte: '2026-02-01' } },
  ])
    expect(await refusal(asked(where, byPoints)), JSON.stringify(where)).toMatch(
      /use currentPositions .*add where\.users .*where\.pools/,
    )
  const current = (orderBy: string) =>
    gateway.graphql(`{ currentPositions(first: 3, orderBy: ${orderBy}) { nodes { id } } }`)
  for (const key of ['TVL_USD', 'POINTS', 'BORROWED_USD', 'LTV', '[USER, POOL]'])
    expect((await current(key)).errors, key).toBeUndefined()
  for (const key of ['HEALTH_FACTOR', 'LIQUIDATION_DROP', '[TVL_USD, HEALTH_FACTOR]'])
    expect(await refusal(current(key)), key).toMatch(/limit where\.healthFactor/)
  for (const where of [
    { users: sampleUser },
    { users: addresses(100) },
    { AND: [{ users: sampleUser }] },
    { date: { eq: '2026-01-01' } },
    { date: { eq: '2026-01-01' }, suppliedUsd: { gt: 0 } },
    { pools: samplePool.address, date: { eq: '2026-01-01' } },
    { pools: samplePool.address, date: { gte: '2026-01-01', lte: '2026-01-05' } },
  ])
    expect((await asked(where, byPoints)).errors, JSON.stringify(where)).toBeUndefined()
  for (const direction of ['ASC', 'DESC'])
    expect((await asked(undefined, ['DATE'], direction)).errors).toBeUndefined()
  const ofUser = await gateway.graphql(
    `{ positions(where: { users: "${sampleUser}" }, orderBy: POINTS) { nodes { points } } }`,
  )
  expect(ofUser.errors).toBeUndefined()
})

test('all positions are looked through and counted only within what bounds them, planned and resolved', async () => {
  const send = async (selected: string, where: object | undefined, extensions?: object) => {
    const query = `query ($where: PositionFilter) { positions(first: 3, where: $where) { ${selected} } }`
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const body = JSON.stringify({ query, variables: { where }, extensions })
    const response = await fetch(`${gateway.base}/graphql`, { method: 'POST', headers, body })
    return (await response.json()) as { data?: any; errors?: any[] }
  }
  const [list, count] = ['nodes { id }', 'totalCount']
  const rich = { points: { gt: 0 } }
  for (const extensions of [undefined, { resolved: true }]) {
    for (const where of [
      rich,
      { chainIds: 1 },
      { NOT: { users: sampleUser } },
      { OR: [{ users: sampleUser }, rich] },
      { AND: [rich, { date: { gte: '2026-01-01' } }] },
      { date: { gte: '2026-01-01', lte: '2026-02-01' }, ...rich },
    ])
      for (const selected of [list, count])
        expect(await refusal(send(selected, where, extensions)), JSON.stringify(where)).toMatch(
          /^where would scan all positions: add where\.users/,
        )
    for (const where of [
      { date: { gte: '2026-01-01' } },
      { date: { gte: '2026-01-01', lte: '2026-02-01' } },
    ]) {
      expect((await send(list, where, extensions)).errors).toBeUndefined()
      expect(await refusal(send(count, where, extensions)), JSON.stringify(where)).toMatch(
        /^totalCount would count all positions that match the filter: add where\.users/,
      )
    }
    for (const where of [
      { users: sampleUser, ...rich },
      { AND: [{ pools: samplePool.address }, rich] },
      { OR: [{ users: sampleUser }, { pools: samplePool.address }], ...rich },
      { date: { gte: '2026-01-01', lte: '2026-01-31' }, ...rich },
    ])
      expect(
        (await send(`${list} ${count}`, where, extensions)).errors,
        JSON.stringify(where),
      ).toBeUndefined()
    // The store has the number of all of them.
    expect((await send(count, undefined, extensions)).errors).toBeUndefined()
  }
})

test("a market's snapshots are sorted only within what bounds them", async () => {
  const list = (more: string) =>
    gateway.graphql(`{ market(chainId: ${sampleMarket.chainId}, address: "${sampleMarket.address}") {
      snapshots(first: 2, ${more} orderBy: BORROWED_USD, orderDirection: DESC) { nodes { borrowed { usd } } } } }`)
  expect(await refusal(list(''))).toMatch(/add where\.users/)
  const until = (to: string) => list(`where: { time: { gte: "2026-01-01", lte: "${to}" } },`)
  expect(await refusal(until('2026-01-02T00:00:01Z'))).toMatch(/add where\.users .*where\.time/)
  expect((await until('2026-01-02')).errors).toBeUndefined()
  expect((await list('where: { time: { eq: "2026-01-01" } },')).errors).toBeUndefined()
  expect((await list(`where: { users: "${sampleUser}" },`)).errors).toBeUndefined()
})

test('the directions are one for all keys, or one for each', async () => {
  const mine = { users: sampleUser }
  const keys = ['POINTS', 'POOL']
  const sorted = (directions?: unknown) =>
    gateway.graphql(POSITIONS, { where: mine, orderBy: keys, orderDirection: directions })
  const [down, up] = [await sorted(['DESC', 'DESC']), await sorted(['ASC', 'ASC'])]
  expect(down.data.positions).not.toEqual(up.data.positions)
  for (const directions of ['DESC', ['DESC']]) expect(await sorted(directions)).toEqual(down)
  for (const directions of [undefined, null, [], 'ASC'])
    expect(await sorted(directions)).toEqual(up)
  expect(await refusal(sorted(['ASC', 'DESC', 'ASC']))).toBe(
    'orderDirection has 3 values for 2 sort keys: give one for all, or one for each.',
  )
  expect(await refusal(asked(mine, [], 'DESC'))).toBe(
    'orderDirection needs orderBy: name the sort keys.',
  )
})

test('a key is named once', async () => {
  const twice = ['DATE', 'DATE']
  expect(await refusal(asked(undefined, twice))).toContain('orderBy has DATE twice')
  expect(
    await refusal(gateway.graphql('{ leaderboard(orderBy: [RANK, POINTS]) { totalCount } }')),
  ).toContain('or what is the same')
})

test('arguments that ask for nothing leave a list as it is, with the cursors that it has always had', async () => {
  const plain = await asked(undefined)
  for (const where of [null, {}, { users: null, AND: [], date: {} }])
    expect(await gateway.graphql(POSITIONS, { where, orderBy: [] })).toEqual(plain)
  const [cursor] = plain.data.positions.edges.map((edge: any) => edge.cursor)
  expect(JSON.parse(Buffer.from(cursor, 'base64url').toString())[0]).toBe('positions')
})

test('a cursor is bound to the values of the variables in its filter', async () => {
  const query = `query ($user: Address!, $after: String) { positions(first: 1, after: $after, where: { users: [$user] }) {
    nodes { id } pageInfo { endCursor } } }`
  const other = `{ leaderboard(first: 2) { nodes { user { address } } } }`
  const entries = (await gateway.graphql(other)).data.leaderboard.nodes
  const another = entries.find(({ user }: any) => user.address !== sampleUser).user.address
  const page = async (user: string, after?: string) => gateway.graphql(query, { user, after })
  const first = (await page(sampleUser)).data.positions
  const { endCursor } = (await page(another)).data.positions.pageInfo
  expect(await refusal(page(sampleUser, endCursor))).toContain('another filter or order')
  const literal = `{ positions(first: 1, after: "${first.pageInfo.endCursor}", where: { users: "${sampleUser}" }) { nodes { id } } }`
  const { data } = await page(sampleUser, first.pageInfo.endCursor)
  expect(data.positions.nodes).toHaveLength(1)
  expect((await gateway.graphql(literal)).data.positions.nodes).toEqual(data.positions.nodes)
})

test('afterRecord keeps to the filter, and to the order', async () => {
  const { data } = await asked({ users: sampleUser })
  const [first, second] = data.positions.edges.map((edge: any) => edge.node.legacy.recordId)
  const query = `query ($id: String, $orderBy: [PositionOrder!]) {
    legacy { positions(first: 1, afterRecord: $id, where: { users: "${sampleUser}" }, orderBy: $orderBy) { nodes { legacy { recordId } } } } }`
  expect((await gateway.graphql(query, { id: first })).data.legacy.positions.nodes).toEqual([
    { legacy: { recordId: second } },
  ])
  const ranked = async (id?: string) => {
    const { data } = await gateway.graphql(query, { id, orderBy: ['SUPPLIED_USD', 'POINTS'] })
    return data.legacy.positions.nodes[0]?.legacy.recordId
  }
  const inOrder: string[] = []
  for (let id = await ranked(); id !== undefined; id = await ranked(id)) inOrder.push(id)
  const { data: now } = await gateway.graphql(`{ currentPositions(
    where: { users: "${sampleUser}" }, orderBy: [SUPPLIED_USD, POINTS]) { nodes { legacy { recordId } } } }`)
  expect(inOrder).toEqual(now.currentPositions.nodes.map((node: any) => node.legacy.recordId))
})

test('a filter that lets some rows through never takes a stored total', async () => {
  const { data } = await asked({ users: sampleUser })
  const all = await asked(undefined)
  expect(data.positions.totalCount).toBeGreaterThan(0)
  expect(data.positions.totalCount).toBeLessThan(all.data.positions.totalCount)
  const ranked = await gateway.graphql(
    '{ leaderboard(where: { rank: { lte: 3 } }) { totalCount nodes { rank } } }',
  )
  expect(ranked.data.leaderboard).toEqual({
    totalCount: 3,
    nodes: [{ rank: 1 }, { rank: 2 }, { rank: 3 }],
  })
})

test('lists within lists are filtered and sorted for each of their owners, planned and resolved', async () => {
  const query = `{ leaderboard(first: 8) { nodes { user { address
      positions(first: 2, where: { suppliedUsd: { gt: 0 } }, orderBy: SUPPLIED_USD, orderDirection: DESC) {
        totalCount pageInfo { hasNextPage } nodes { userAddress sideA { supplied { usd } protected { usd } }
          sideB { supplied { usd } protected { usd } } } } } } } }`
  expect(new Operations(createSchema()).find(query, undefined)?.plan.covers()).toBe(true)
  const planned = await gateway.graphql(query)
  const body = JSON.stringify({ query, extensions: { resolved: true } })
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const resolved = await fetch(`${gateway.base}/graphql`, { method: 'POST', headers, body })
  expect(await resolved.json()).toEqual(planned)
  for (const { user } of planned.data.leaderboard.nodes) {
    const sums = user.positions.nodes.map(({ sideA, sideB }: any) =>
      [sideA, sideB].reduce((sum, side) => sum + side.supplied.usd + side.protected.usd, 0),
    )
    expect(sums.length).toBeGreaterThan(0)
    expect(sums).toEqual(sums.toSorted((x: number, y: number) => y - x))
    expect(user.positions.nodes.every((row: any) => row.userAddress === user.address)).toBe(true)
  }
})
