import { createClient } from 'graphql-sse'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { type EventStream, subscribe as open, type Subscription } from '../support/events.ts'
import { SAMPLE } from '../support/extent.ts'
import { makeFaulty, mendFaulty } from '../support/faulty.ts'
import { asAdmin, type Gateway, hasPlans, startGateway } from '../support/gateway.ts'
import { importFiles, position } from '../support/one-pool.ts'
import { startOnSample } from '../support/sample.ts'

let one: Gateway
let two: Gateway
let streams: EventStream[] = []

beforeAll(async () => {
  one = await startOnSample({
    users: 20,
    days: 4,
    env: { MAX_QUERY_ALIASES: '0', MAX_QUERY_TOKENS: '0' },
  })
  two = await startGateway({ on: one })
  for (const { deps } of [one, two])
    await vi.waitFor(() => expect(deps.notifications.connectedUntil).toBeGreaterThan(0), {
      timeout: 60_000,
    })
})
afterEach(async () => {
  for (const stream of streams) stream.leave()
  streams = []
  await expect.poll(async () => [await openAt(one), await openAt(two)]).toEqual([0, 0])
})
afterAll(async () => {
  await two.close()
  await one.close()
})

const subscribe = async (gateway: Gateway, query: string, more?: Subscription) => {
  const stream = await open(gateway, query, more)
  streams.push(stream)
  return stream
}

const openAt = async (gateway: Gateway) =>
  Number(/^gateway_subscriptions (\d+)$/m.exec(await (await gateway.get('/metrics')).text())?.[1])

const sql = (text: string) => one.deps.store.pool.query(text)
const touch = () => sql('UPDATE program SET total_points = total_points')
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
/**
 * A stream of a gateway's reports of changes, without those so far. With each its live queries are
 * read again.
 */
const reportsOf = async (gateway: Gateway) => {
  const stream = await subscribe(gateway, 'subscription { dataChanged { version } }')
  await stream.next()
  await touch()
  await stream.next()
  return stream
}
/** The statements of a gateway's live queries since `statements.length = 0`. */
const readsOf = ({ statements }: Gateway) =>
  statements.filter((text) => !text.includes('FROM data_version'))

const top = 'leaderboard(first: 3) { totalCount nodes { rank userAddress points } }'
const ofUser = 'user(address: $address) { address points: totalPoints rank }'
const subscriptionOf = `subscription ($address: Address!) { ${ofUser} }`

const answer = async (query: string, variables?: object) =>
  (await one.graphql(query, variables)).data
const addressAt = async (rank: number) =>
  (await answer(`{ leaderboard(first: 1, offset: ${rank - 1}) { nodes { userAddress } } }`))
    .leaderboard.nodes[0].userAddress as string

/** Gives an account more points than any has, by hand. */
const raise = (address: string) =>
  sql(
    `UPDATE account SET points = (SELECT max(points) FROM account) + 1000000000 WHERE user_address = '${address}'`,
  )

async function resync(gateway: Gateway): Promise<void> {
  await gateway.ask('mutation { resyncDistribution { run { recordId } } }', {}, asAdmin)
}

test('each is a query of the same name, with the same type and arguments of it', () => {
  const schema = createSchema()
  const queries = schema.getQueryType()?.getFields() ?? {}
  const live = Object.values(schema.getSubscriptionType()?.getFields() ?? {}).filter(
    (one) => one.extensions.likeQuery,
  )
  expect(live.map(({ name }) => name)).toEqual([
    'activity',
    'currentPositions',
    'leaderboard',
    'liquidationRewards',
    'liquidations',
    'user',
  ])
  for (const { name, type, args } of live) {
    expect(String(type)).toBe(String(queries[name]?.type))
    for (const arg of args)
      expect(String(queries[name]?.args.find((one) => one.name === arg.name)?.type)).toBe(
        String(arg.type),
      )
  }
})

test('a page of the leaderboard after a cursor is live too', async () => {
  const page =
    'leaderboard(first: 2, after: $after) { nodes { rank points } pageInfo { hasNextPage } }'
  const { leaderboard } = await answer('{ leaderboard(first: 3) { pageInfo { endCursor } } }')
  const variables = { after: leaderboard.pageInfo.endCursor }
  const stream = await subscribe(two, `subscription ($after: String) { ${page} }`, { variables })
  const first = await stream.next()
  expect(first).toEqual({ data: await answer(`query ($after: String) { ${page} }`, variables) })
  expect(first.data.leaderboard.nodes.map(({ rank }: { rank: number }) => rank)).toEqual([4, 5])
  await raise(await addressAt(4))
  const second = await stream.next()
  expect(second).toEqual({ data: await answer(`query ($after: String) { ${page} }`, variables) })
  expect(second).not.toEqual(first)
})

test("the first event of the leaderboard and of a user equals the query's answer", async () => {
  const address = await addressAt(2)
  const board = await subscribe(two, `subscription { ${top} }`)
  const user = await subscribe(two, subscriptionOf, {
    variables: { address: address.toUpperCase().replace('X', 'x') },
  })
  expect(await board.next()).toEqual({ data: await answer(`{ ${top} }`) })
  expect(await user.next()).toEqual({
    data: await answer(`query ($address: Address!) { ${ofUser} }`, { address }),
  })
})

test('resolvers, fragments, directives, aliases and names work as in the query', async () => {
  const address = await addressAt(1)
  const document = (kind: string, root: string) => `
    ${kind} Other { other: leaderboard(first: 1) { totalCount } }
    ${kind} Mine($address: Address!, $all: Boolean!) { ...Root }
    fragment Root on ${root} { ... on ${root} { me: user(address: $address) { ...Fields } } }
    fragment Fields on User { __typename points: totalPoints netApr @include(if: $all) { earnNetApr: netDepositApr } dailyPoints(last: 2) { edges { cursor node { points } } } }`
  for (const all of [true, false]) {
    const variables = { address, all }
    const postAs = async (accept: string, query: string) =>
      fetch(`${one.base}/graphql`, {
        method: 'POST',
        headers: { accept, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables, operationName: 'Mine' }),
      })
    const expected = await (await postAs('application/json', document('query', 'Query'))).json()
    expect(expected.data.me.netApr === undefined).toBe(!all)
    const reader = (
      await postAs('text/event-stream', document('subscription', 'Subscription'))
    ).body?.getReader()
    let text = ''
    while (!text.includes('data: ')) text += new TextDecoder().decode((await reader?.read())?.value)
    await reader?.cancel()
    expect(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '')).toEqual(expected)
  }
})

test('the newest activity and the positions that fall first are live too', async () => {
  const newest = 'activity(first: 2) { nodes { kind txHash amount { usd } } }'
  const nearest =
    'currentPositions(first: 3, where: { liquidationDrop: { lte: 0.6 } }, orderBy: LIQUIDATION_DROP) { nodes { id liquidationDrop } }'
  const feed = await subscribe(two, `subscription { ${newest} }`)
  const risk = await subscribe(two, `subscription { ${nearest} }`)
  expect(await feed.next()).toEqual({ data: await answer(`{ ${newest} }`) })
  const first = await risk.next()
  expect(first).toEqual({ data: await answer(`{ ${nearest} }`) })
  expect(first.data.currentPositions.nodes.length).toBeGreaterThan(0)
  await sql(`INSERT INTO cash_flow (chain_id, tx_hash, log_index, user_address, entity_type, entity_id, timestamp, kind, amount_usd)
    SELECT chain_id, 'newest', 0, user_address, entity_type, entity_id, 99999999999, 'deposit', 7 FROM cash_flow LIMIT 1`)
  try {
    expect((await feed.next()).data.activity.nodes[0]).toEqual({
      kind: 'DEPOSIT',
      txHash: 'newest',
      amount: { usd: 7 },
    })
    await sql('UPDATE market SET liquidation_threshold = liquidation_threshold * 0.999')
    const second = await risk.next()
    expect(second).toEqual({ data: await answer(`{ ${nearest} }`) })
    expect(second).not.toEqual(first)
  } finally {
    await sql(`DELETE FROM cash_flow WHERE tx_hash = 'newest'`)
  }
})

test("only a changed result is sent: not after a write elsewhere, of multipliers, or of another user's points", async () => {
  const [second, fifth] = [await addressAt(2), await addressAt(5)]
  const board = await subscribe(one, `subscription { ${top} }`)
  const user = await subscribe(two, subscriptionOf, { variables: { address: second } })
  const both = await Promise.all([reportsOf(one), reportsOf(two)])
  const reported = () => Promise.all(both.map((stream) => stream.next()))
  await Promise.all([board.next(), user.next()])
  await touch()
  await reported()
  const { data } = await one.graphql(
    '{ multipliers(first: 1) { nodes { pool { address } depositA } } }',
  )
  await one.ask(
    `mutation ($pool: Address!) { updateMultipliers(input: { multipliers: [{ poolAddress: $pool, depositA: 77 }] }) { multipliers { id } } }`,
    { pool: data.multipliers.nodes[0].pool.address },
    asAdmin,
  )
  await reported()
  await sql(`UPDATE account SET points = points + 1000 WHERE user_address = '${fifth}'`)
  await reported()
  await sql(`UPDATE account SET points = points + 500000 WHERE user_address = '${second}'`)
  const before = user.events[0].data.user.points
  expect((await user.next()).data.user.points).toBeCloseTo(before + 0.5)
  expect((await board.next()).data).toEqual(await answer(`{ ${top} }`))
  expect([board.events.length, user.events.length]).toEqual([2, 2])
})

test('writes of another gateway or a command are reported: a resync, an import', async () => {
  const stream = await subscribe(
    two,
    'subscription { leaderboard(first: 20) { totalCount nodes { userAddress points } } }',
  )
  const query = '{ leaderboard(first: 20) { totalCount nodes { userAddress points } } }'
  await stream.next()
  const reported = await reportsOf(two)
  await sql('UPDATE multiplier SET deposit_token_a = deposit_token_a * 3 + 1')
  await reported.next()
  await resync(one)
  expect((await stream.next()).data).toEqual(await answer(query))
  const [{ pool: marketAddress, date: distributionDate }] = (
    await answer(
      '{ distributions(first: 1) { nodes { date positions(first: 1) { nodes { pool { address } } } } } }',
    )
  ).distributions.nodes.map((node: any) => ({
    date: node.date,
    pool: node.positions.nodes[0].pool.address,
  }))
  const newcomer = `0x${'ab'.repeat(20)}`
  const user = await subscribe(two, subscriptionOf, { variables: { address: newcomer } })
  expect((await user.next()).data.user).toEqual({ address: newcomer, points: 0, rank: null })
  await importFiles(one, {
    positions: [position(newcomer, 1e9, { marketAddress, distributionDate })],
  })
  expect((await user.next()).data.user.points).toBeGreaterThan(0)
  await stream.next()
  await vi.waitFor(async () => expect(stream.events.at(-1).data).toEqual(await answer(query)), {
    timeout: 60_000,
  })
})

test('a client of graphql-sse follows a user', async () => {
  const address = await addressAt(4)
  const client = createClient({ url: `${two.base}/graphql`, retryAttempts: 0 })
  const events = client.iterate<{ user: { rank: number } }>({
    query: subscriptionOf,
    variables: { address },
  })
  expect((await events.next()).value?.data?.user.rank).toBe(4)
  await raise(address)
  expect((await events.next()).value?.data?.user).toMatchObject(
    (await answer(`query ($address: Address!) { ${ofUser} }`, { address })).user,
  )
  await events.return?.()
  client.dispose()
})

test.runIf(hasPlans)(
  'one read serves all equal subscriptions, and each gets the change',
  async () => {
    const query = `subscription Equal { ${top} }`
    const third = await addressAt(3)
    const reported = await reportsOf(one)
    const opened = await Promise.all(
      Array.from({ length: SAMPLE ? 40 : 200 }, () => subscribe(one, query)),
    )
    for (const stream of opened) await stream.next(20_000)
    one.statements.length = 0
    await touch()
    await reported.next()
    await raise(third)
    await vi.waitFor(() => expect(opened.every(({ events }) => events.length === 2)).toBe(true), {
      timeout: 60_000,
    })
    expect(readsOf(one)).toHaveLength(2)
    expect(new Set(opened.map(({ events }) => JSON.stringify(events[1]))).size).toBe(1)
    for (const stream of opened.slice(1)) stream.leave()
    await expect.poll(() => openAt(one)).toBe(2)
    opened[0]?.leave()
    await expect.poll(() => openAt(one)).toBe(1)
    one.statements.length = 0
    await touch()
    await reported.next()
    expect(readsOf(one)).toEqual([])
  },
)

test('equal are the document and the variables as they are understood', async () => {
  const [a, b] = [await addressAt(1), await addressAt(2)]
  const reported = await reportsOf(one)
  const followers = [a, `0x${a.slice(2).toUpperCase()}`, b].map((address) =>
    subscribe(one, subscriptionOf, { variables: { address, unused: address } }),
  )
  const opened = await Promise.all(followers)
  for (const stream of opened) await stream.next()
  expect(opened.map(({ events }) => events[0].data.user.address)).toEqual([a, a, b])
  one.statements.length = 0
  await touch()
  await reported.next()
  await touch()
  await vi.waitFor(() => expect(readsOf(one).length).toBeGreaterThanOrEqual(4), { timeout: 60_000 })
  expect(readsOf(one)).toHaveLength(4)
})

test('users of their own are read a few at a time', async () => {
  const { pool } = one.deps.store
  const opened = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      subscribe(one, subscriptionOf, {
        variables: { address: `0x${i.toString(16).padStart(40, '0')}` },
      }),
    ),
  )
  for (const stream of opened) await stream.next(20_000)
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, pool.totalCount - pool.idleCount + pool.waitingCount)
  }, 0)
  one.statements.length = 0
  await touch()
  await vi.waitFor(() => expect(one.statements.length).toBe(60), { timeout: 60_000 })
  clearInterval(watch)
  expect(most).toBeLessThanOrEqual(Math.ceil(one.deps.config.DATABASE_POOL_SIZE / 2) + 1)
})

test('a later subscriber gets what is stored then, including unreported changes', async () => {
  const query = 'subscription { leaderboard(first: 1) { nodes { points } } }'
  const address = await addressAt(1)
  const early = await subscribe(one, query)
  await early.next()
  for (let points = 3e9; points < 3e9 + 5; points++) {
    await sql(`UPDATE account SET points = ${points} * 1000000 WHERE user_address = '${address}'`)
    const late = await subscribe(one, query)
    expect((await late.next()).data.leaderboard.nodes).toEqual([{ points }])
  }
  await expect.poll(() => early.events.at(-1)).toEqual(streams.at(-1)?.events[0])
})

test('a read that a change overtakes is repeated', async () => {
  const address = await addressAt(3)
  const stream = await subscribe(two, subscriptionOf, { variables: { address } })
  await stream.next()
  const writer = new pg.Client({ connectionString: one.deps.config.DATABASE_URL as string })
  await writer.connect()
  const reported = await reportsOf(two)
  const { held, release } = holdReads(two)
  const give = (points: number) =>
    writer.query(`UPDATE account SET points = ${points} WHERE user_address = '${address}'`)
  try {
    await touch()
    await held
    await reported.next()
    await give(8e15)
    await reported.next()
    release()
    expect((await stream.next()).data.user.points).toBe(8e9)
    await give(9e15)
    expect((await stream.next()).data.user.points).toBe(9e9)
  } finally {
    release()
    await writer.end()
    await resync(one)
    await sql(`UPDATE account SET points = 1000000 WHERE user_address = '${address}'`)
  }
})

/** Holds the answer of the next read of a gateway after Postgres has given it. */
function holdReads({ deps }: Gateway) {
  const { reads } = deps.store
  let release = () => {}
  let tellHeld = () => {}
  const held = new Promise<void>((resolve) => {
    tellHeld = resolve
  })
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const { send } = reads
  const sendOnce: typeof send = (name, work, done) => {
    Object.assign(reads, { send })
    const answered: typeof done = (error, result) => {
      tellHeld()
      void gate.then(() => done(error, result))
    }
    send.call(reads, name, work as never, answered as never)
  }
  Object.assign(reads, { send: sendOnce })
  return { held, release }
}

test('a gateway that lost its connection reads again when it is back, and sends only changes', async () => {
  const address = await addressAt(2)
  const user = await subscribe(two, subscriptionOf, { variables: { address } })
  const board = await subscribe(two, 'subscription { leaderboard { totalCount } }')
  await Promise.all([user.next(), board.next()])
  const { notifications } = two.deps
  const down = new Promise<void>((resolve) => {
    const end = notifications.onDown(() => {
      end()
      resolve()
    })
  })
  await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'gateway-listen' AND datname = current_database()`)
  await down
  await sql(`UPDATE account SET points = points + 250000 WHERE user_address = '${address}'`)
  await vi.waitFor(() => expect(notifications.connectedUntil).toBeGreaterThan(0), {
    timeout: 60_000,
  })
  const before = user.events[0].data.user.points
  expect((await user.next(10_000)).data.user.points).toBeCloseTo(before + 0.25)
  await sql(`UPDATE account SET points = points + 250000 WHERE user_address = '${address}'`)
  expect((await user.next()).data.user.points).toBeCloseTo(before + 0.5)
  expect([user.events.length, board.events.length]).toEqual([3, 1])
})

test('a result waits for a store that is away', async () => {
  const address = await addressAt(2)
  const stream = await subscribe(two, subscriptionOf, { variables: { address } })
  const { data } = await stream.next()
  const operator = new pg.Client({ connectionString: one.deps.config.DATABASE_URL as string })
  await operator.connect()
  try {
    await operator.query(
      `UPDATE account SET points = points + 250000 WHERE user_address = '${address}'`,
    )
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`
    for (let i = 0; i < 20; i++) {
      await operator.query(cut)
      await pause(50)
    }
  } finally {
    await operator.end()
  }
  expect((await stream.next(15_000)).data.user.points).toBeCloseTo(data.user.points + 0.25)
  expect(stream.events.filter((event) => event.errors)).toEqual([])
})

test('a fault of ours is reported once, only by the id of each request, followed by the next result', async () => {
  const query = `subscription Faulty { ${top} }`
  const opened = await Promise.all(
    ['first', 'second'].map((id) => subscribe(one, query, { headers: { 'request-id': id } })),
  )
  for (const stream of opened) await stream.next()
  await sql(makeFaulty('account'))
  try {
    await touch()
    for (const [i, id] of ['first', 'second'].entries()) {
      const { errors } = await (opened[i] as EventStream).next()
      expect(errors[0]).toMatchObject({ extensions: { code: 'INTERNAL', requestId: id } })
      expect(JSON.stringify(errors)).not.toMatch(/account_gone|division|prisma/i)
    }
    const reported = await reportsOf(one)
    one.statements.length = 0
    await touch()
    await reported.next()
    await expect.poll(() => readsOf(one).length).toBeGreaterThan(0)
  } finally {
    await sql(mendFaulty('account'))
  }
  await touch()
  for (const stream of opened) expect((await stream.next()).data).toEqual(stream.events[0].data)
})

test('mistakes are errors with a code, and take no place', async () => {
  for (const [query, variables] of [
    ['subscription { user { points: totalPoints } }', {}],
    ['subscription { user(address: "0x1") { points: totalPoints } }', {}],
    ['subscription { leaderboard(before: "x") { totalCount } }', {}],
    [`subscription { ${top} user(address: "0x${'1'.repeat(40)}") { points: totalPoints } }`, {}],
    [subscriptionOf, {}],
    [subscriptionOf, { address: '0x1' }],
  ] as const) {
    const stream = await subscribe(one, query, { variables })
    const { errors, data } = await stream.next()
    expect(data ?? null).toBeNull()
    expect(errors[0].extensions.code, query).toMatch(/BAD_INPUT|GRAPHQL/)
    await expect.poll(() => stream.ended()).toBe(true)
  }
  for (const wrong of ['first: 1001', 'after: "x"']) {
    const stream = await subscribe(one, `subscription { leaderboard(${wrong}) { nodes { rank } } }`)
    expect((await stream.next()).errors[0]).toMatchObject({
      extensions: { code: 'BAD_INPUT' },
      path: ['leaderboard'],
    })
  }
})

test('the cost limit and MAX_SUBSCRIPTIONS apply to them', async () => {
  const small = await startGateway({
    on: one,
    env: { MAX_SUBSCRIPTIONS: '2', MAX_QUERY_COST: '150' },
  })
  try {
    const query =
      'subscription ($first: Int) { leaderboard(first: $first) { nodes { rank user { points: totalPoints } } } }'
    const dear = await subscribe(small, query, { variables: { first: 30 } })
    expect((await dear.next()).errors[0].extensions).toMatchObject({
      code: 'COST_LIMIT_EXCEEDED',
      cost: { requested: 191, allowed: 150 },
    })
    const first = await subscribe(small, query, { variables: { first: 3 } })
    const second = await subscribe(small, query, { variables: { first: 3 } })
    expect((await second.next()).data.leaderboard.nodes).toHaveLength(3)
    const refused = await subscribe(small, query, { variables: { first: 3 } })
    expect(refused.response.status).toBe(503)
    expect((await refused.next()).errors[0]).toMatchObject({ extensions: { code: 'UNAVAILABLE' } })
    first.leave()
    await expect
      .poll(
        async () => (await subscribe(small, query, { variables: { first: 3 } })).response.status,
      )
      .toBe(200)
  } finally {
    await small.close()
  }
})

test('a gateway that closes ends them at once, without the word that they are complete', async () => {
  const closing = await startGateway({ on: one })
  const opened = await Promise.all(
    Array.from({ length: 10 }, () => subscribe(closing, `subscription { ${top} }`)),
  )
  for (const stream of opened) await stream.next()
  await closing.close()
  await expect.poll(() => opened.every((stream) => stream.ended())).toBe(true)
  for (const stream of opened) expect(stream.text()).not.toContain('complete')
})
