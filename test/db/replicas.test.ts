import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { command, parsed, type Serving, serve } from '../support/command-line.ts'
import { conformanceData, failedCases } from '../support/conformance.ts'
import {
  hasReplicas,
  NO_REPLICAS,
  type OwnPostgres,
  postgresPrograms,
  startOwnPostgres,
} from '../support/own-postgres.ts'

const PATIENCE = { timeout: 60_000 }
const ADMIN_TOKEN = 'test-admin-token'
/** How many reads look for one that goes back in time. */
const READS = Number(process.env.REPLICA_READS ?? 3000)

describe.skipIf(!hasReplicas)(`a primary and two streaming replicas${NO_REPLICAS}`, () => {
  let primary: OwnPostgres
  let replicas: OwnPostgres[]
  let pool: pg.Pool
  const gateways: Serving[] = []
  const host = (server: OwnPostgres) => new URL(server.url('postgres')).host

  beforeAll(async () => {
    primary = await startOwnPostgres(postgresPrograms ?? '')
    const env = { DATABASE_URL: primary.url('postgres') }
    expect(await command(['import', conformanceData], env)).toMatchObject({ code: 0 })
    replicas = [await startReplica(), await startReplica()]
    pool = new pg.Pool({ connectionString: primary.url('postgres'), max: 2 })
    pool.on('error', () => {})
  }, 180_000)
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) expect(await gateway.stop('SIGTERM')).toBe(0)
  })
  afterAll(async () => {
    await pool?.end()
    for (const server of [...(replicas ?? []), primary]) await server?.close()
  })

  const startReplica = () => startOwnPostgres(postgresPrograms ?? '', primary)

  /** Starts a gateway, and waits until it reads from those replicas that are well. */
  async function start(
    env: Record<string, string> = {},
    urls = replicas.map((one) => one.url('postgres')),
  ) {
    const gateway = await serve({
      DATABASE_URL: primary.url('postgres'),
      DATABASE_REPLICA_URLS: urls.join(','),
      ADMIN_TOKEN,
      LOG_LEVEL: 'info',
      ...env,
    })
    gateways.push(gateway)
    return gateway
  }

  const metric = async ({ base }: Serving, name: string, ...labels: string[]) => {
    const lines = (await (await fetch(`${base}/metrics`)).text())
      .split('\n')
      .filter((line) => line.startsWith(name))
    return Number(
      lines
        .find((line) => labels.every((label) => line.includes(`"${label}"`)))
        ?.split(' ')
        .at(-1) ?? 0,
    )
  }
  const readsOn = (gateway: Serving, server: OwnPostgres) =>
    metric(gateway, 'gateway_replica_reads_total', host(server), 'ok')
  const isUp = (gateway: Serving, server: OwnPostgres, up: boolean) =>
    vi.waitFor(
      async () =>
        expect(await metric(gateway, 'gateway_replica_up', host(server))).toBe(Number(up)),
      PATIENCE,
    )
  /** Waits until a replica answers reads of a gateway. */
  const isRead = async (gateway: Serving, server: OwnPostgres) => {
    const before = await readsOn(gateway, server)
    await vi.waitFor(async () => {
      await total(gateway)
      expect(await readsOn(gateway, server)).toBeGreaterThan(before)
    }, PATIENCE)
  }

  const get = async ({ base }: Serving, headers: Record<string, string> = {}) => {
    const response = await fetch(`${base}/points/leaderboard?limit=1`, { headers })
    const body = (await response.json()) as any
    return { status: response.status, body, total: Number(body.total), headers: response.headers }
  }
  const resolved = async ({ base }: Serving, headers: Record<string, string>) => {
    const response = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'x-graphql-cost': '1' },
      body: JSON.stringify({ query: '{ leaderboard(first: 1) { totalCount } }' }),
    })
    const body = (await response.json()) as any
    const total = Number(body.data.leaderboard.totalCount)
    return { status: response.status, body, total, headers: response.headers }
  }
  const total = async (
    gateway: Serving,
    headers: Record<string, string> = { 'cache-control': 'no-cache' },
  ) => (await get(gateway, headers)).total
  const write = async (count: number) => {
    await pool.query('UPDATE program SET account_count = $1', [count])
  }
  let count = 1000
  const dataVersion = async () =>
    Number((await pool.query('SELECT sum(version) AS version FROM data_version')).rows[0].version)

  test('the conformance suite passes', { timeout: 300_000 }, async () => {
    const gateway = await start()
    for (const one of replicas) await isRead(gateway, one)
    expect(await failedCases(gateway, 3)).toBe(0)
    for (const one of replicas) expect(await readsOn(gateway, one)).toBeGreaterThan(50)
  })

  test('answers carry the data version, also from memory and as a 304, and clients may require one', async () => {
    const gateway = await start()
    for (const one of replicas) await isRead(gateway, one)
    await write(++count)
    const version = await dataVersion()
    const required = { 'x-data-version': String(version) }
    for (let i = 0; i < 20; i++) {
      const answer = await get(gateway, required)
      expect(answer.total).toBe(count)
      expect(Number(answer.headers.get('x-data-version'))).toBeGreaterThanOrEqual(version)
      expect(answer.headers.get('access-control-expose-headers')).toContain('x-data-version')
    }
    const { headers } = await get(gateway)
    const again = await fetch(`${gateway.base}/points/leaderboard?limit=1`, {
      headers: { 'if-none-match': String(headers.get('etag')) },
    })
    expect([again.status, again.headers.get('x-data-version')]).toEqual([
      304,
      headers.get('x-data-version'),
    ])
    // A version that the primary has not reached is answered from the primary.
    expect(await total(gateway, { 'x-data-version': '999999999999' })).toBe(count)

    const query = async (text: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${gateway.base}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: text }),
      })
      return {
        status: response.status,
        version: Number(response.headers.get('x-data-version')),
        text: await response.text(),
      }
    }
    for (const text of [
      '{ leaderboard(first: 1) { totalCount } }',
      '{ program { totalPoints } a: __typename }',
    ])
      expect(await query(text, required)).toMatchObject({
        status: 200,
        version: expect.toSatisfy((v) => v >= version),
      })
    // Requested costs make the GraphQL server execute it.
    const costly = await query('{ leaderboard(first: 1) { totalCount } }', {
      'x-graphql-cost': '1',
    })
    expect(costly.version).toBeGreaterThanOrEqual(version)

    for (const wrong of ['', 'abc', '-1', '1.5', '9'.repeat(30)]) {
      const path = ['/points/leaderboard', '/graphql?query={dataVersion}', '/v1/pools']
      for (const one of path) {
        const response = await fetch(gateway.base + one, { headers: { 'x-data-version': wrong } })
        expect([wrong, one, response.status]).toEqual([wrong, one, 400])
        expect(await response.text()).toContain('x-data-version must be a whole number')
      }
    }
    const preflight = await fetch(`${gateway.base}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://example.org',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-data-version',
      },
    })
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-data-version')
  })

  test('a change over HTTP is in every later answer, and its answer has the version', async () => {
    const gateway = await start()
    for (const one of replicas) await isRead(gateway, one)
    const [{ poolAddress }] = (await (await fetch(`${gateway.base}/multipliers/all`)).json()) as [
      { poolAddress: string },
    ]
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_TOKEN}` }
    const query = `mutation ($factor: Float!) {
      updateMultipliers(input: { multipliers: [{ poolAddress: "${poolAddress}", depositA: $factor }] }) { multipliers { depositA } } }`
    for (let factor = 2; factor < 12; factor++) {
      const [path, body] =
        factor % 2 === 0
          ? ['/multipliers/update', { poolAddress, deposit_tokenA: factor }]
          : ['/graphql', { query, variables: { factor } }]
      const changed = await fetch(gateway.base + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      const text = await changed.text()
      expect([changed.ok, text]).toEqual([true, expect.not.stringContaining('errors')])
      expect(Number(changed.headers.get('x-data-version'))).toBe(await dataVersion())
      const all = (await (await fetch(`${gateway.base}/multipliers/all`)).json()) as Record<
        string,
        unknown
      >[]
      expect(all.find((one) => one.poolAddress === poolAddress)?.deposit_tokenA).toBe(factor)
    }
  })

  test(`of ${READS} reads beside a writer none goes back in time`, {
    timeout: 1_200_000,
  }, async () => {
    const both = [await start(), await start()]
    for (const gateway of both) for (const one of replicas) await isRead(gateway, one)
    const [near, far] = replicas as [OwnPostgres, OwnPostgres]
    await delayed(near, 3)
    await delayed(far, 40)
    await write(++count)
    const highest = new Map<Serving, number>()
    let begun = 0
    let violations = 0
    const one = async (client: number) => {
      let required = '0'
      let last = 0
      while (begun < READS) {
        const number = begun++
        if (number % 40 === 0) {
          count++
          // Two of them may be committed in any order.
          await pool.query('UPDATE program SET account_count = account_count + 1')
        }
        // Some clients stay with a gateway; others go from one to the other with the version of
        // their last answer.
        const roams = client % 2 === 0
        const gateway = both[(roams ? number : client >> 1) % 2] as Serving
        const floor = Math.max(roams ? last : 0, highest.get(gateway) ?? 0)
        const headers: Record<string, string> =
          number % 3 === 0 ? {} : { 'cache-control': 'no-cache' }
        // The server that counts the cost has no plans: it reads by resolvers.
        const read = gateway === both[0] ? get : resolved
        const answer = await read(gateway, {
          ...headers,
          ...(roams && { 'x-data-version': required }),
        })
        expect(answer.status).toBe(200)
        if (answer.total < floor) violations++
        required = String(answer.headers.get('x-data-version'))
        last = answer.total
        highest.set(gateway, Math.max(highest.get(gateway) ?? 0, answer.total))
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, client) => one(client)))
    for (const one of replicas) await delayed(one, 0)
    expect(violations).toBe(0)
    const served = await Promise.all(
      both.flatMap((gateway) => replicas.map((server) => readsOn(gateway, server))),
    )
    expect(served.reduce((sum, reads) => sum + reads, 0)).toBeGreaterThan(READS / 20)
  })

  test('a replica that does not replay is skipped until it has', async () => {
    const gateway = await start()
    const [paused, other] = replicas as [OwnPostgres, OwnPostgres]
    for (const one of replicas) await isRead(gateway, one)
    await queried(paused, 'SELECT pg_wal_replay_pause()')
    await write(++count)
    await vi.waitFor(async () => expect(await total(gateway)).toBe(count), PATIENCE)
    const before = await readsOn(gateway, paused)
    for (let i = 0; i < 50; i++) expect(await total(gateway)).toBe(count)
    expect(await readsOn(gateway, paused)).toBe(before)
    await isRead(gateway, other)
    await vi.waitFor(
      () => expect(gateway.printed()).toContain('it is far behind the primary'),
      PATIENCE,
    )
    await isUp(gateway, paused, false)
    await queried(paused, 'SELECT pg_wal_replay_resume()')
    await isRead(gateway, paused)
    await isUp(gateway, paused, true)
  })

  test('a replica that dies is skipped, fails no read, and is read again when it is back', async () => {
    const gateway = await start()
    const [killed] = replicas as [OwnPostgres]
    for (const one of replicas) await isRead(gateway, one)
    const messages = () => {
      const lines = gateway.printed().split('\n')
      return lines.filter((line) => line.includes(host(killed))).map((line) => JSON.parse(line).msg)
    }
    // A busy machine may have skipped it before, too.
    const before = messages().length
    let over = false
    const reading = async () => {
      while (!over) expect((await get(gateway, { 'cache-control': 'no-cache' })).status).toBe(200)
    }
    const readers = Promise.all(Array.from({ length: 4 }, reading))
    await killed.kill()
    await isUp(gateway, killed, false)
    over = true
    await readers
    await write(++count)
    await vi.waitFor(async () => expect(await total(gateway)).toBe(count), PATIENCE)
    await killed.start()
    await isRead(gateway, killed)
    expect(messages().slice(before)).toEqual(['a replica is skipped', 'a replica is read'])
    expect(gateway.printed()).not.toContain('"level":50')
  })

  test('a role that may not read its data is skipped, and others are read', async () => {
    await pool.query('CREATE ROLE stranger LOGIN')
    const version = await dataVersion()
    for (const one of replicas)
      await vi.waitFor(async () => {
        const [row] = await queried(one, 'SELECT FROM pg_roles WHERE rolname = $1', ['stranger'])
        expect(row).toBeDefined()
      }, PATIENCE)
    const [one, two] = replicas as [OwnPostgres, OwnPostgres]
    const gateway = await start({}, [
      one.url('postgres').replace('postgres@', 'stranger@'),
      two.url('postgres'),
    ])
    await isUp(gateway, one, false)
    await isRead(gateway, two)
    expect(await total(gateway, { 'x-data-version': String(version) })).toBe(count)
    expect(await readsOn(gateway, one)).toBe(0)
  })

  test('a Postgres that is not a copy is skipped with one clear line', async () => {
    const stranger = await startOwnPostgres(postgresPrograms ?? '')
    try {
      expect(await command(['migrate'], { DATABASE_URL: stranger.url('postgres') })).toMatchObject({
        code: 0,
      })
      const standby = await startOwnPostgres(postgresPrograms ?? '', stranger)
      try {
        const gateway = await start({}, [
          standby.url('postgres'),
          (replicas[1] as OwnPostgres).url('postgres'),
        ])
        await isRead(gateway, replicas[1] as OwnPostgres)
        await isUp(gateway, standby, false)
        expect(await total(gateway)).toBe(count)
        expect(await readsOn(gateway, standby)).toBe(0)
        const cause = 'it is not a copy of the server of DATABASE_URL, or that cannot be proven yet'
        expect(gateway.printed().split(cause)).toHaveLength(2)
      } finally {
        await standby.close()
      }
    } finally {
      await stranger.close()
    }
  })

  test('while the primary is away, replicas answer; when it is back, changes are seen', async () => {
    const gateway = await start()
    for (const one of replicas) await isRead(gateway, one)
    await primary.kill()
    const health = async () => (await fetch(`${gateway.base}/health`)).status
    await vi.waitFor(async () => expect(await health()).toBe(503), PATIENCE)
    try {
      for (let i = 0; i < 50; i++) expect(await total(gateway)).toBe(count)
    } finally {
      await primary.start()
    }
    await vi.waitFor(() => write(++count), PATIENCE)
    await vi.waitFor(async () => expect(await total(gateway)).toBe(count), PATIENCE)
    for (const one of replicas) await isRead(gateway, one)
    expect(await total(gateway)).toBe(count)
  })

  test('the doctor says of each replica whether it is reached, is a copy of the same server, and has the newest data', async () => {
    const [paused, other] = replicas as [OwnPostgres, OwnPostgres]
    const away = primary.url('postgres').replace(/:\d+\//, ':1/')
    await caughtUp(other)
    await caughtUp(paused)
    await queried(paused, 'SELECT pg_wal_replay_pause()')
    try {
      // The doctor compares sums too: this restores one that other tests have changed.
      await pool.query('UPDATE program SET account_count = (SELECT count(*) FROM account)')
      await caughtUp(other)
      const examined = async (...urls: string[]) => {
        const env = { DATABASE_URL: primary.url('postgres'), DATABASE_REPLICA_URLS: urls.join(',') }
        const { code, out } = await command(['doctor', '--json'], env)
        const checks = parsed(out).filter(({ check }) => check.startsWith('replica'))
        return {
          code,
          checks: checks.map(({ check, status, message }) => [check, status, message]),
        }
      }
      const fine = await examined(other.url('postgres'), paused.url('postgres'))
      expect(fine).toEqual({
        code: 0,
        checks: [
          [
            `replica ${host(other)}`,
            'ok',
            'It is a copy of the same server, and has the newest data.',
          ],
          [
            `replica ${host(paused)}`,
            'warning',
            expect.stringMatching(/^It is 1 data versions? behind\. /),
          ],
        ],
      })
      const stranger = await startOwnPostgres(postgresPrograms ?? '')
      try {
        expect(
          await command(['migrate'], { DATABASE_URL: stranger.url('postgres') }),
        ).toMatchObject({ code: 0 })
        expect(await examined(stranger.url('postgres'), away)).toEqual({
          code: 1,
          checks: [
            [
              `replica ${host(stranger)}`,
              'problem',
              'It is not in recovery, so it does not follow the primary and is not read.',
            ],
            ['replica 127.0.0.1:1', 'problem', expect.stringContaining('ECONNREFUSED')],
          ],
        })
      } finally {
        await stranger.close()
      }
    } finally {
      await queried(paused, 'SELECT pg_wal_replay_resume()')
    }
  })

  test('a replica that is promoted is no longer read', async () => {
    const other = replicas[1] as OwnPostgres
    const promoted = await startReplica()
    try {
      const gateway = await start({}, [promoted.url('postgres'), other.url('postgres')])
      await write(++count)
      await vi.waitFor(async () => expect(await total(gateway)).toBe(count), PATIENCE)
      for (const one of [promoted, other]) await isRead(gateway, one)
      await queried(promoted, 'SELECT pg_promote()')
      await queried(promoted, 'UPDATE program SET account_count = 7')
      for (let i = 0; i < 100; i++) expect(await total(gateway)).toBe(count)
      await isUp(gateway, promoted, false)
      await isRead(gateway, other)
      expect(gateway.printed()).toContain(
        'it is not in recovery, so it no longer follows the primary',
      )
    } finally {
      await promoted.close()
    }
  })

  /** Makes a replica replay commits so much later. */
  const delayed = async (replica: OwnPostgres, ms: number) => {
    await queried(replica, `ALTER SYSTEM SET recovery_min_apply_delay = ${ms}`)
    await queried(replica, 'SELECT pg_reload_conf()')
  }

  /** Waits until a replica has replayed what is committed. */
  const caughtUp = async (replica: OwnPostgres) => {
    const version = await dataVersion()
    await vi.waitFor(async () => {
      const [row] = await queried(replica, 'SELECT sum(version) AS version FROM data_version')
      expect(Number(row.version)).toBeGreaterThanOrEqual(version)
    }, PATIENCE)
  }

  async function queried(server: OwnPostgres, text: string, values: unknown[] = []) {
    const client = new pg.Client(server.url('postgres'))
    await client.connect()
    try {
      return (await client.query(text, values)).rows
    } finally {
      await client.end()
    }
  }
})
