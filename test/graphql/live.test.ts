import { once } from 'node:events'
import { connect } from 'node:net'
import { createClient } from 'graphql-sse'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type EventStream, subscribe as open, type Subscription } from '../support/events.ts'
import { makeFaulty, mendFaulty } from '../support/faulty.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let one: Gateway
let two: Gateway
let streams: EventStream[] = []

beforeAll(async () => {
  // Some events here are as large as can be.
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

async function dates(): Promise<string[]> {
  const { data } = await one.graphql('{ distributions(first: 10) { nodes { date } } }')
  return data.distributions.nodes.map((node: { date: string }) => node.date)
}

async function resync(gateway: Gateway, date: string): Promise<string> {
  const { data } = await gateway.graphql(
    'mutation ($date: Date!) { resyncDistribution(input: { date: $date }) { run { recordId } } }',
    { date },
    asAdmin,
  )
  return data.resyncDistribution.run.recordId
}

const version = async () => {
  const { data } = await one.graphql('{ dataVersion }')
  return data.dataVersion as string
}

test('a client of another gateway gets a run, with everything that it links to', async () => {
  const stream = await subscribe(
    two,
    `subscription { distributionComputed {
      recordId kind status date requestedBy totalsAfter { totalPoints: points }
      distribution { date totalPoints: points positionCount positions(first: 2) { totalCount nodes { points pool { name } user { rank } } } }
    } }`,
  )
  const [date = ''] = await dates()
  const id = await resync(one, date)
  const { data, errors } = await stream.next()
  expect(errors).toBeUndefined()
  const run = data.distributionComputed
  expect(run).toMatchObject({
    recordId: id,
    kind: 'RESYNC',
    status: 'SUCCEEDED',
    date,
    requestedBy: 'admin',
  })
  expect(run.distribution).toMatchObject({ date, totalPoints: run.totalsAfter.totalPoints })
  expect(run.distribution.positions.totalCount).toBe(run.distribution.positionCount)
  expect(run.distribution.positions.nodes).toHaveLength(2)
  expect(run.distribution.positions.nodes[0].pool.name).toEqual(expect.any(String))
})

test('each run is reported once, in order, and only runs for the requested date', async () => {
  const query = 'subscription ($date: Date) { distributionComputed(date: $date) { recordId } }'
  const [a = '', b = ''] = await dates()
  const all = await subscribe(two, query)
  const ofB = await subscribe(one, query, { variables: { date: b } })
  const ids: string[] = []
  for (const date of [a, b, a, b]) ids.push(await resync(two, date))
  for (const id of ids) expect((await all.next()).data.distributionComputed.recordId).toBe(id)
  expect((await ofB.next()).data.distributionComputed.recordId).toBe(ids[1])
  expect((await ofB.next()).data.distributionComputed.recordId).toBe(ids[3])
  expect([all.events.length, ofB.events.length]).toEqual([4, 2])
})

test('a run that fails is not reported', async () => {
  const stream = await subscribe(two, 'subscription { distributionComputed { recordId } }')
  await sql(`INSERT INTO run (kind, status, requested_by, started_at, finished_at, error, base_deposit, base_borrow)
    VALUES ('import', 'failed', 'test', now(), now(), 'no', 1, 1)`)
  const [date = ''] = await dates()
  const id = await resync(one, date)
  expect((await stream.next()).data.distributionComputed.recordId).toBe(id)
})

test('dataChanged says at once where the data stands, then what SQL from elsewhere has made of it', async () => {
  const stream = await subscribe(
    two,
    'subscription { dataChanged { version distribution { date totalPoints: points } } }',
  )
  const [newest] = await dates()
  const first = await stream.next()
  expect(first.data.dataChanged).toMatchObject({
    version: await version(),
    distribution: { date: newest },
  })
  await sql(`UPDATE distribution SET total_points = 12345500000 WHERE date = '${newest}'`)
  const second = await stream.next()
  expect(second.data.dataChanged).toEqual({
    version: String(BigInt(first.data.dataChanged.version) + 1n),
    distribution: { date: newest, totalPoints: 12345.5 },
  })
})

test('many commits are one event, of the last of them', async () => {
  const stream = await subscribe(one, 'subscription { dataChanged { version } }')
  await stream.next()
  for (let i = 0; i < 20; i++) await touch()
  const last = await version()
  await expect.poll(() => stream.events.at(-1).data.dataChanged.version).toBe(last)
  expect(stream.events.length).toBeLessThanOrEqual(4)
})

test('all fields of an event are read from one snapshot', async () => {
  const stream = await subscribe(
    one,
    `subscription { dataChanged { version query {
      dataVersion program { totalPoints } leaderboard(first: 3) { totalCount nodes { rank points user { points: totalPoints } } } } } }`,
  )
  const { data, errors } = await stream.next()
  expect(errors).toBeUndefined()
  const { version: told, query } = data.dataChanged
  expect(query.dataVersion).toBe(told)
  for (const node of query.leaderboard.nodes) expect(node.user.points).toBe(node.points)
})

test('the statements of an event do not grow with the number of its rows', async () => {
  const query = (first: number) =>
    `subscription { dataChanged { distribution { positions(first: ${first}) { nodes { pool { name } user { rank } } } } } }`
  const counts: number[] = []
  for (const first of [2, 40]) {
    one.statements.length = 0
    const stream = await subscribe(one, query(first))
    await stream.next()
    counts.push(one.statements.filter((statement) => /^\s*select/i.test(statement)).length)
    stream.leave()
  }
  expect(counts[0]).toBe(counts[1])
})

test('the streams have the headers that proxies, browsers and operators need', async () => {
  for (const method of ['GET', 'POST'] as const) {
    const stream = await subscribe(one, 'subscription { dataChanged { version } }', {
      method,
      headers: { 'request-id': 'mine', origin: 'https://example.org' },
    })
    const { status, headers } = stream.response
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('request-id')).toBe('mine')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('vary')).toContain('Origin')
    expect(headers.get('etag')).toBeNull()
    expect(headers.get('content-encoding')).toBeNull()
    await stream.next()
    expect(stream.text()).toMatch(/^:\n\n/)
  }
})

test('comments keep a quiet stream open', async () => {
  const stream = await subscribe(one, 'subscription { distributionComputed { recordId } }')
  await vi.waitFor(() => expect(stream.text().match(/^:$/gm)?.length).toBeGreaterThan(2), {
    timeout: 3000,
  })
})

test('a query over the same protocol is one event', async () => {
  const stream = await subscribe(one, '{ program { totalPoints } }')
  expect((await stream.next()).data.program.totalPoints).toEqual(expect.any(Number))
  await expect.poll(() => stream.text()).toMatch(/event: complete\ndata:\n\n$/)
})

test('the client of graphql-sse understands it', async () => {
  const client = createClient({ url: `${two.base}/graphql`, retryAttempts: 0 })
  const events = client.iterate<{ dataChanged: { version: string } }>({
    query: 'subscription { dataChanged { version } }',
  })
  const first = await events.next()
  expect(first.value?.data?.dataChanged.version).toBe(await version())
  await touch()
  const second = await events.next()
  expect(second.value?.data?.dataChanged.version).toBe(await version())
  await events.return?.()
  client.dispose()
})

test('mistakes are errors with a code, and take no place', async () => {
  for (const query of [
    'subscription { nothing }',
    'subscription { distributionComputed(date: "yesterday") { id } }',
    'subscription ($date: Date!) { distributionComputed(date: $date) { recordId } }',
  ]) {
    const stream = await subscribe(one, query)
    const { errors, data } = await stream.next()
    expect(data ?? null).toBeNull()
    expect(errors[0].extensions.code, query).toMatch(/BAD_INPUT|GRAPHQL/)
    await expect.poll(() => stream.ended()).toBe(true)
  }
  const json = await fetch(`${one.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: 'subscription { dataChanged { version } }' }),
  })
  expect(json.status).toBe(406)
  const head = await fetch(
    `${one.base}/graphql?query=${encodeURIComponent('subscription{dataChanged{version}}')}`,
    {
      method: 'HEAD',
      headers: { accept: 'text/event-stream' },
    },
  )
  expect(head.status).toBe(200)
})

test('a client that leaves frees its place', async () => {
  const opened = await Promise.all(
    Array.from({ length: 20 }, () =>
      subscribe(one, 'subscription { distributionComputed { recordId } }'),
    ),
  )
  expect(await openAt(one)).toBe(20)
  for (const stream of opened) stream.leave()
  await expect.poll(() => openAt(one)).toBe(0)
})

test('a fault of ours is reported only by the id of the request', async () => {
  await sql(makeFaulty('program'))
  try {
    const stream = await subscribe(
      one,
      'subscription { dataChanged { query { program { totalPoints } } } }',
      {
        headers: { 'request-id': 'find-me' },
      },
    )
    const { errors } = await stream.next()
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({ extensions: { code: 'INTERNAL', requestId: 'find-me' } })
    expect(JSON.stringify(errors)).not.toMatch(/program_gone|division|prisma/i)
  } finally {
    await sql(mendFaulty('program'))
  }
})

test('more subscriptions than MAX_SUBSCRIPTIONS are refused until one is free', async () => {
  const small = await startGateway({ on: one, env: { MAX_SUBSCRIPTIONS: '2' } })
  try {
    const query = 'subscription { dataChanged { version } }'
    const first = await subscribe(small, query)
    await subscribe(small, query)
    const refused = await subscribe(small, query)
    expect(refused.response.status).toBe(503)
    expect(refused.response.headers.get('retry-after')).toBe('10')
    const { errors } = await refused.next()
    expect(errors[0]).toMatchObject({
      extensions: { code: 'UNAVAILABLE' },
      message: expect.stringContaining('2 open'),
    })
    expect(errors[0].extensions.http).toBeUndefined()
    expect((await small.graphql('{ __typename }')).data).toEqual({ __typename: 'Query' })
    first.leave()
    await expect.poll(async () => (await subscribe(small, query)).response.status).toBe(200)
  } finally {
    await small.close()
  }
})

test('a gateway that closes ends its streams at once, without the word that they are complete', async () => {
  const closing = await startGateway({ on: one })
  const query = 'subscription { dataChanged { version } }'
  const opened = await Promise.all(Array.from({ length: 10 }, () => subscribe(closing, query)))
  for (const stream of opened) await stream.next()
  const unused = connect(Number(new URL(closing.base).port), '127.0.0.1')
  await once(unused, 'connect')
  const started = performance.now()
  await closing.close()
  expect(performance.now() - started).toBeLessThan(15_000)
  await expect.poll(() => opened.every((stream) => stream.ended())).toBe(true)
  for (const stream of opened) expect(stream.text()).not.toContain('complete')
})

test('a listening connection that is cut comes back, and nothing is lost', async () => {
  const changes = await subscribe(two, 'subscription { dataChanged { version } }')
  const runs = await subscribe(two, 'subscription { distributionComputed { recordId } }')
  const before = await changes.next()
  const [a = '', b = ''] = await dates()
  const { notifications } = two.deps
  // What is committed before it is notified again is what it could miss.
  const ids: string[] = []
  const down = new Promise<void>((resolve) => {
    const end = notifications.onDown(() => {
      end()
      resolve()
    })
  })
  await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'gateway-listen' AND datname = current_database()`)
  await down
  ids.push(await resync(one, a), await resync(one, b))
  await vi.waitFor(() => expect(notifications.connectedUntil).toBeGreaterThan(0), {
    timeout: 60_000,
  })
  for (const id of ids) expect((await runs.next()).data.distributionComputed.recordId).toBe(id)
  await vi.waitFor(
    async () => expect(changes.events.at(-1).data.dataChanged.version).toBe(await version()),
    {
      timeout: 5000,
    },
  )
  expect(BigInt(await version())).toBeGreaterThan(BigInt(before.data.dataChanged.version))
  ids.push(await resync(one, a))
  expect((await runs.next()).data.distributionComputed.recordId).toBe(ids[2])
  expect(runs.events).toHaveLength(3)
})

test('an event waits for a store that is away', async () => {
  const changes = await subscribe(two, 'subscription { dataChanged { version } }')
  await changes.next()
  const operator = new pg.Client({ connectionString: one.deps.config.DATABASE_URL as string })
  await operator.connect()
  try {
    await operator.query('UPDATE program SET total_points = total_points')
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`
    for (let i = 0; i < 20; i++) {
      await operator.query(cut)
      await pause(50)
    }
  } finally {
    await operator.end()
  }
  await vi.waitFor(
    async () => expect(changes.events.at(-1).data.dataChanged.version).toBe(await version()),
    {
      timeout: 10_000,
    },
  )
  expect(changes.events.filter((event) => event.errors)).toEqual([])
})

test('subscribers get an event after a lost connection, even if nothing was written', async () => {
  const changes = await subscribe(two, 'subscription { dataChanged { version } }')
  const { data } = await changes.next()
  await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'gateway-listen' AND datname = current_database()`)
  expect((await changes.next(10_000)).data).toEqual(data)
})
