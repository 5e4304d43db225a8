import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { taskTable } from '../../src/bench/index.ts'
import type { ReadScope } from '../../src/db/connect/scope.ts'
import { LOCKS } from '../../src/db/locks.ts'
import { migrate } from '../../src/db/server/migrate.ts'
import { distribute } from '../../src/db/topology/distribute.ts'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { preview } from '../../src/domain/distribution/preview.ts'
import { resync, resyncPlan } from '../../src/domain/distribution/resync.ts'
import { updateMultipliers } from '../../src/domain/multiplier/update.ts'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { lookAtClock } from '../../src/hooks/clock.ts'
import { lookAtWallets } from '../../src/hooks/watch.ts'
import { openDirectory } from '../../src/sources/index.ts'
import { NO_CITUS, SHARDS, startCitus } from '../support/citus.ts'
import { command } from '../support/command-line.ts'
import { conformanceCases, conformanceData, failedCases } from '../support/conformance.ts'
import { asAdmin, type Gateway, type GatewayOptions, startGateway } from '../support/gateway.ts'
import { MIGRATIONS } from '../support/migrations.ts'
import { openStore, silent } from '../support/store.ts'

const skipped = NO_CITUS

describe.skipIf(skipped !== '')(`a store on Citus${skipped}`, () => {
  let citus: Awaited<ReturnType<typeof startCitus>>
  let pool: pg.Pool
  const started: Gateway[] = []
  /** Reads REST in the first tests. */
  let gateway: Gateway | undefined
  const gatewayWith = async (options: GatewayOptions = {}) => {
    const gateway = await startGateway({ ...options, url: citus.url })
    started.push(gateway)
    return gateway
  }

  beforeAll(async () => {
    citus = await startCitus({ spare: true })
    pool = new pg.Pool({ connectionString: citus.url, max: 2 })
    const deps = { pool, basePoints: { deposit: 1, borrow: 0.5 }, log: silent }
    await importDataset(deps, await openDirectory(conformanceData))
  }, 120_000)
  afterAll(async () => {
    for (const gateway of started) await gateway.close()
    await pool?.end()
    await citus?.close()
  })

  test('gateway distribute waits for no writer, shards a filled store once, and says what is missing', async () => {
    const env = { DATABASE_URL: citus.url }
    const writer = await pool.connect()
    await writer.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCKS.writers})`)
    expect(await command(['distribute'], env)).toMatchObject({
      code: 6,
      err: expect.stringContaining('is writing'),
    })
    await writer.query('ROLLBACK')
    writer.release()
    expect(await command(['distribute'], env)).toMatchObject({
      code: 0,
      out: expect.stringContaining('2 workers now'),
    })
    expect(await command(['distribute'], env)).toMatchObject({
      code: 0,
      out: expect.stringContaining('already'),
    })
    const shards = await pool.query(
      "SELECT FROM pg_dist_shard WHERE logicalrelid = 'stored_position'::regclass",
    )
    expect(shards.rowCount).toBe(SHARDS)
    const plain = await openStore()
    await expect(distribute(plain.url)).rejects.toThrow('CREATE EXTENSION citus')
    await plain.close()
  })

  test.each(Object.entries(taskTable))('%s: %s', async (endpoint, expected) => {
    gateway ??= await gatewayWith()
    const [, path = ''] = endpoint.split(' ')
    const pattern = new RegExp(`^${path.replace('{address}', '0x[0-9a-f]{40}')}(\\?|$)`)
    const cases = conformanceCases().filter(
      (one) => one.status === 200 && !one.method && pattern.test(one.path),
    )
    const every = Math.ceil(cases.length / 20)
    const kinds = new Set<string>()
    const { reads } = gateway.deps.store
    const { send, exclusive, onDemand } = reads
    const sent: pg.QueryConfig[] = []
    const recorded = (client: Pick<pg.ClientBase, 'query'>) => {
      const query = (statement: pg.QueryConfig, ...more: []) => {
        if (typeof statement === 'object') sent.push(statement)
        return client.query(statement, ...more)
      }
      return { query } as pg.PoolClient
    }
    // An operation goes one way or the other: files share what is known of operations.
    const sendRecorded: typeof send = (name, work, done, scope) =>
      send.call(
        reads,
        name,
        (client, ended) => work(recorded(client), ended as never),
        done as never,
        scope,
      )
    const exclusiveRecorded = (
      scope: ReadScope,
      work: (client: pg.PoolClient) => Promise<unknown>,
      slow?: boolean,
    ) => exclusive.call(reads, scope, (client) => work(recorded(client)), slow)
    const onDemandRecorded: typeof onDemand = (scope, start, slow) =>
      onDemand.call(
        reads,
        scope,
        (demand) =>
          start({
            ...demand,
            connection: async () => recorded(await demand.connection()),
          }) as never,
        slow,
      ) as never
    Object.assign(reads, {
      send: sendRecorded,
      exclusive: exclusiveRecorded,
      onDemand: onDemandRecorded,
    })
    for (const { path } of cases.filter((_, i) => i % every === 0)) {
      sent.length = 0
      expect((await gateway.get(path)).status, path).toBe(200)
      expect(sent.length, path).toBeGreaterThan(0)
      for (const { text, values } of sent) kinds.add(await tasksOf(text, values))
    }
    Object.assign(reads, { send, exclusive, onDemand })
    expect([...kinds].filter((reads) => reads !== 'one task')).toEqual(
      expected === 'one task' ? [] : [expected],
    )
  })

  /** What a statement reads of the workers, or its plan if the table lacks that kind. */
  async function tasksOf(text: string, values: unknown[] | undefined): Promise<string> {
    const { rows } = await pool.query(`EXPLAIN ${text.replace(/^EXPLAIN /, '')}`, values)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    const [, ...reads] = plan.split('Task Count: ')
    const ofAll = reads.filter((tasks) => Number.parseInt(tasks, 10) > 1)
    if (ofAll.length === 0) return 'one task'
    return ofAll.every((tasks) => /-> {2}Limit |Index Cond: \(id = /.test(tasks))
      ? 'the first of each shard'
      : plan
  }

  test.each([true, false])(
    'passes the conformance suite, plans: %s',
    async (plan) => {
      expect(await failedCases(await gatewayWith({ plan }), 5)).toBe(0)
    },
    300_000,
  )

  test('several multipliers are set at once, and answered with their pools', async () => {
    const { base, get } = await gatewayWith()
    const several = (await (await get('/multipliers/all')).json()).slice(0, 3)
    const response = await fetch(`${base}/multipliers/update`, {
      method: 'POST',
      headers: { ...asAdmin, 'content-type': 'application/json' },
      body: JSON.stringify(several),
    })
    expect(response.status).toBe(200)
    const named = (all: { poolAddress: string; poolName: string }[]) =>
      all.map((one) => [one.poolAddress, one.poolName])
    expect(named(await response.json())).toEqual(named(several))
  })

  test('multipliers, resync, previews and rank history write as on one server, and raise the data version', async () => {
    const gateway = await gatewayWith()
    const deps = { ...gateway.deps, pool: gateway.deps.store.pool }
    const version = async () =>
      (await pool.query<{ version: string }>('SELECT version FROM data_version WHERE id = 1'))
        .rows[0]?.version
    const totals = async () =>
      (await pool.query('SELECT total_points, position_count, account_count FROM program')).rows
    const accounts = async () => (await pool.query('SELECT * FROM account ORDER BY rank')).rows
    await resync(deps, null, 'test')
    const [before, ranks, first] = [await totals(), await accounts(), await version()]
    const { rows } = await pool.query<{ poolAddress: string }>(
      'SELECT pool_address AS "poolAddress" FROM multiplier LIMIT 1',
    )
    const [update] = rows.map(({ poolAddress }) => ({
      poolAddress,
      depositA: 7,
      depositB: 7,
      borrowA: 7,
      borrowB: 7,
    }))
    if (!update) throw new Error('no multiplier')
    const { programPointsBefore, programPointsAfter } = await preview(
      deps,
      resyncPlan(deps, null),
      {
        multipliers: [update],
        first: 1,
      },
    )
    expect(programPointsAfter).not.toBe(programPointsBefore)
    expect([await totals(), await accounts(), await version()]).toEqual([before, ranks, first])
    const [change] = await updateMultipliers(deps, [update], 'test')
    await resync(deps, null, 'test')
    expect(Number((await totals())[0].total_points) / 1e6).toBeCloseTo(programPointsAfter, 5)
    expect(Number(await version())).toBeGreaterThan(Number(first))
    if (change?.before)
      await updateMultipliers(deps, [{ poolAddress: update.poolAddress, ...change.before }], 'test')
    await resync(deps, null, 'test')
    expect([await totals(), await accounts()]).toEqual([before, ranks])
    const ofPast = 'SELECT * FROM rank_history ORDER BY distribution_date, user_address'
    await rebuildRankHistory(pool)
    const { rows: past } = await pool.query(ofPast)
    await pool.query('DELETE FROM rank_history_date')
    await rebuildRankHistory(pool)
    expect((await pool.query(ofPast)).rows).toEqual(past)
    expect(past.length).toBeGreaterThan(0)
  }, 120_000)

  test('hooks receive runs, rules and ranks', async () => {
    const now = () => new Date(Date.now() + 3 * 86_400_000)
    const gateway = await gatewayWith({ now })
    const env = { DATABASE_URL: citus.url, HOOKS_PRIVATE: 'true' }
    const { leaderboard, pools } = await gateway.ask(
      '{ leaderboard(first: 1) { nodes { user { address } } } pools(first: 1) { nodes { address } } }',
    )
    const [{ user }] = leaderboard.nodes
    const add = ['hooks', 'add', 'http://127.0.0.1:9/']
    for (const args of [add, [...add, '--wallet', user.address, '--rank', '1']])
      expect(await command(args, env)).toMatchObject({ code: 0 })
    const store = gateway.deps.store.pool
    expect(await lookAtWallets(store, new Date())).toBe(0)
    await store.query("UPDATE hook_watch SET passed = false WHERE event = 'wallet.rank'")
    expect(await lookAtWallets(store, new Date())).toBe(1)
    expect(await lookAtClock(gateway.deps)).toBe(1)
    expect(await command(['resync'], env)).toMatchObject({ code: 0 })
    const announce = { poolAddress: pools.nodes[0].address, depositA: 3, from: '2090-01-01' }
    await gateway.ask(
      'mutation ($input: UpdateMultipliersInput!) { updateMultipliers(input: $input) { problems { code } } }',
      { input: { multipliers: [announce] } },
      asAdmin,
    )
    const { rows } = await store.query('SELECT DISTINCT event FROM hook_delivery ORDER BY 1')
    expect(rows.map(({ event }) => event)).toEqual([
      'distribution.computed',
      'distribution.late',
      'rules.announced',
      'wallet.rank',
    ])
    await store.query('DELETE FROM multiplier_revision WHERE from_date IS NOT NULL')
    await store.query('TRUNCATE hook, hook_watch, hook_delivery, hook_noted')
  })

  test('a migration changes the tables of all workers', async () => {
    const migrationsDir = await mkdtemp(join(tmpdir(), 'gateway-migrations-'))
    try {
      await cp(MIGRATIONS, migrationsDir, { recursive: true })
      await mkdir(join(migrationsDir, '20990101000000_note'))
      await writeFile(
        join(migrationsDir, '20990101000000_note/migration.sql'),
        `ALTER TABLE "stored_position" ADD COLUMN "note" TEXT; CREATE INDEX "stored_position_note_idx" ON "stored_position" ("note");
         UPDATE "stored_position" SET "note" = 'of ' || "user_address"`,
      )
      expect((await migrate({ url: citus.url, migrationsDir, log: silent })).applied).toEqual([
        '20990101000000_note',
      ])
      const noted =
        "SELECT count(*) FILTER (WHERE note = 'of ' || user_address) = count(*) AS all FROM stored_position"
      expect((await pool.query(noted)).rows).toEqual([{ all: true }])
      expect((await (await gatewayWith()).get('/points/leaderboard')).status).toBe(200)
    } finally {
      await pool.query('ALTER TABLE stored_position DROP COLUMN IF EXISTS note')
      await pool.query(
        "DELETE FROM _prisma_migrations WHERE migration_name = '20990101000000_note'",
      )
      await rm(migrationsDir, { recursive: true })
    }
  })

  test('a worker that is added takes over users, who are read meanwhile', async () => {
    const gateway = await gatewayWith()
    await citus.addSpare()
    const users = (
      await pool.query<{ user: string }>(
        'SELECT user_address AS "user" FROM account ORDER BY rank LIMIT 40',
      )
    ).rows
    const answers = () =>
      Promise.all(
        users.map(async ({ user }) => {
          const response = await gateway.get(`/points/${user}`, { 'cache-control': 'no-cache' })
          return [response.status, await response.text()]
        }),
      )
    const before = await answers()
    const moved = pool
      .query('SELECT rebalance_table_shards(max_shard_moves => 2)')
      .then(() => 'moved')
    do expect(await answers()).toEqual(before)
    while ((await Promise.race([moved, setTimeout(200)])) !== 'moved')
    expect(await answers()).toEqual(before)
    const { rows } = await pool.query(
      `SELECT count(DISTINCT nodeport)::int AS servers FROM citus_shards WHERE table_name = 'stored_position'::regclass`,
    )
    expect(rows).toEqual([{ servers: 3 }])
  }, 120_000)

  test('while a worker is down its users get a 503, and others their answers', async () => {
    const gateway = await gatewayWith()
    const { rows } = await pool.query<{ user: string }>(
      'SELECT user_address AS "user" FROM account ORDER BY rank LIMIT 40',
    )
    const statuses = async () =>
      Promise.all(rows.map(async ({ user }) => (await gateway.get(`/points/${user}`)).status))
    await citus.stop(1)
    const answered = await statuses()
    expect(new Set(answered)).toEqual(new Set([200, 503]))
    const refused = await gateway.get(`/points/${rows[answered.indexOf(503)]?.user}`)
    expect(await refused.json()).toMatchObject({
      status: 503,
      detail: expect.stringContaining('Try again'),
    })
    expect((await gateway.get('/points/leaderboard')).status).toBe(200)
    await citus.start(1)
    await expect.poll(async () => new Set(await statuses())).toEqual(new Set([200]))
  }, 60_000)
})
