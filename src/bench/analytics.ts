/**
 * An update of a day of snapshots from a GraphQL server on this machine, next to downloading its
 * pages: at most 1.5 times the time; and from a Postgres, next to a COPY of the same rows into the
 * same table: at most twice. At most 250 MB each.
 *
 *     npm run bench -- analytics [--snapshots 200000] [--users 50000] [--rounds 3] [--page 1000]
 *       [--profile 1] [--small]
 *
 * Both directions alternate, each in a separate process. The store has a day of snapshots already;
 * each step takes the next.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { createSchema, createYoga } from 'graphql-yoga'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { updateLeg } from '../domain/update/update.ts'
import { openAnalyticsSource, openClient } from '../sources/index.ts'
import { median, megabytes, options, report, round } from './report.ts'
import { type Measured, measured, startRole, tellStatements } from './roles.ts'
import { addressOf, BASE, openBenchStore, POOLS, progress, serverCpu, settleDown } from './store.ts'

const flags = options(
  {
    ...{ snapshots: 200_000, users: 50_000, rounds: 3, page: 1000, profile: 0 },
    ...{ role: 'compare', source: '', database: '', day: 0 },
  },
  { snapshots: 20_000, users: 5000, rounds: 2 },
)
const { snapshots, users, rounds, page, profile, role, source, database, day } = flags
const LEG = 'market-snapshots' as const
const FIRST = Date.parse('2026-03-01T18:00:00Z') / 1000
const COLUMNS = `user_address, chain_id, market_id, timestamp, position_id, collateral_assets,
  collateral_usd, protected_assets,
  protected_usd, debt_assets, debt_usd`
/** The snapshots of a day in a Postgres. */
const ofDay = (day: number) => `SELECT user_address AS account_id, chain_id, market_id,
  ${FIRST + day * 86_400}::bigint AS timestamp, position_id,
  collateral_assets + ${day} AS collateral_assets, collateral_usd, protected_assets, protected_usd,
  debt_assets, debt_usd FROM source`

const roles: Record<string, () => Promise<unknown>> = {
  compare,
  serve,
  download: () => measured(download),
  update: () => measured(() => update(false)),
  copy: () => measured(copy),
  select: () => measured(() => update(true)),
}
const client = () => openClient({ timeoutMs: 30_000, retries: 0, maxBytes: 1 << 26 })

const record = (n: number, day: number) => ({
  id: String(n).padStart(9, '0'),
  chainId: 1,
  accountId: addressOf('user', (n % users) + 1),
  marketId: addressOf('unit', 2 + ((Math.floor(n / users) + n) % (2 * POOLS))),
  positionId: 'main',
  timestamp: String(FIRST + day * 86_400),
  collateralAssets: String(10n ** 18n * BigInt(n) + BigInt(day)),
  collateralUsd: n + 0.25,
  protectedAssets: '0',
  protectedUsd: 0,
  debtAssets: String(n),
  debtUsd: 0.5,
})

/** A GraphQL server of a subgraph's kind; the path says of which day. */
async function serve(): Promise<string> {
  const all = Array.from({ length: snapshots }, (_, n) => record(n, 0))
  const schema = createSchema({
    typeDefs: `scalar BigInt enum OrderDirection { asc desc } enum MarketSnapshot_orderBy { id }
      input MarketSnapshot_filter { timestamp_gte: BigInt id_gt: ID }
      type Named { id: ID! }
      type MarketSnapshot { id: ID! chainId: Int! account: Named! market: Named! positionId: String!
      timestamp: BigInt!
        collateralAssets: BigInt! collateralUsd: Float protectedAssets: BigInt! protectedUsd: Float
        debtAssets: BigInt! debtUsd: Float }
      type Query { marketSnapshots(first: Int = 100, orderBy: MarketSnapshot_orderBy,
      orderDirection: OrderDirection,
        where: MarketSnapshot_filter): [MarketSnapshot!]! }`,
    resolvers: {
      Query: {
        marketSnapshots(_: unknown, { first, where }: any, { request }: { request: Request }) {
          const day = Number(new URL(request.url).searchParams.get('day'))
          const start = where?.id_gt === undefined ? 0 : Number(where.id_gt) + 1
          return all.slice(start, start + first).map((one) => ({
            ...one,
            account: { id: one.accountId },
            market: { id: one.marketId },
            timestamp: String(FIRST + day * 86_400),
            collateralAssets: String(BigInt(one.collateralAssets) + BigInt(day)),
          }))
        },
      },
    },
  })
  const yoga = createYoga({ logging: false, schema })
  const server = createServer((request, response) => void yoga(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
}

const graphMapping = {
  paging: 'key' as const,
  pageSize: page,
  arguments: 'orderBy: id, orderDirection: asc',
  constants: {},
  names: {
    ...{ records: 'marketSnapshots', nodes: '', key: 'id', first: 'first' },
    ...{
      since: 'where.timestamp_gte: BigInt',
      after: 'where.id_gt: ID',
      accountId: 'account.id',
      marketId: 'market.id',
    },
    ...Object.fromEntries(
      [
        'chainId',
        'positionId',
        'timestamp',
        'collateralAssets',
        'collateralUsd',
        'protectedAssets',
      ].map((name) => [name, name]),
    ),
    ...Object.fromEntries(['protectedUsd', 'debtAssets', 'debtUsd'].map((name) => [name, name])),
  },
}

const FIELDS = `id chainId account { id } market { id } positionId timestamp collateralAssets
  collateralUsd protectedAssets
  protectedUsd debtAssets debtUsd`

/** All pages, one after the other, parsed. */
async function download(): Promise<void> {
  const http = client()
  let count = 0
  for (let after: string | undefined; ; ) {
    const query = `query Records($since: BigInt, $first:
      Int${after === undefined ? '' : ', $after: ID'}) {
      records: marketSnapshots(where: {timestamp_gte:
      $since${after === undefined ? '' : ', id_gt: $after'}}, first: $first,
        orderBy: id, orderDirection: asc) { ${FIELDS} } }`
    const json = { query, variables: { since: '0', first: page, after } }
    const { records } = JSON.parse(
      (await http.bytes('The source', source, { json })).toString(),
    ).data
    count += records.length
    if (records.length === 0) break
    after = records.at(-1).id
  }
  if (count !== snapshots) throw new Error(`${count} snapshots were downloaded`)
  await http.close()
}

async function update(isPostgres: boolean): Promise<void> {
  const http = client()
  const pool = new pg.Pool({ connectionString: database, max: 4 })
  if (profile) tellStatements()
  const mapping = isPostgres ? { query: ofDay(day), constants: {} } : graphMapping
  const opened = openAnalyticsSource(
    { source: isPostgres ? database : source, mapping, timeoutMs: 60_000 },
    http,
  )
  if (!opened) throw new Error('there is no source')
  const analytics = { sources: new Map([[LEG, opened] as const]), overlapMs: 0, maxDrop: 0.1 }
  const deps = { pool, basePoints: BASE, now: () => new Date('2027-01-01'), analytics }
  const { written } = await updateLeg(deps, LEG, 'bench')
  if (written !== snapshots) throw new Error(`${written} snapshots were stored`)
  await pool.end()
  await http.close()
}

/** The floor: the rows of the source into the table, in one transaction. */
async function copy(): Promise<void> {
  const [from, to] = [new pg.Client(database), new pg.Client(database)]
  await Promise.all([from.connect(), to.connect()])
  await to.query('BEGIN')
  await pipeline(
    from.query(copyTo(`COPY (${ofDay(day)}) TO STDOUT`)),
    to.query(copyFrom(`COPY market_snapshot (${COLUMNS}) FROM STDIN`)),
  )
  await to.query('COMMIT')
  await Promise.all([from.end(), to.end()])
}

function child<T>(role: string, more: Record<string, string> = {}) {
  return startRole<T>(import.meta.filename, { ...flags, ...more, role })
}

async function compare(): Promise<void> {
  const store = await openBenchStore({ positions: 1000, dates: 1, users })
  const server = child<string>('serve')
  try {
    const { pool } = store
    await pool.query(`CREATE TABLE source (LIKE market_snapshot INCLUDING DEFAULTS)`)
    for (let from = 0; from < snapshots; from += 10_000) {
      const rows = Array.from({ length: Math.min(10_000, snapshots - from) }, (_, at) =>
        record(from + at, 0),
      )
      const plain = rows.map(({ accountId, ...row }) =>
        Object.fromEntries(
          Object.entries({ ...row, userAddress: accountId }).map(([name, value]) => [
            name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
            value,
          ]),
        ),
      )
      await pool.query(
        `INSERT INTO source (${COLUMNS}) SELECT ${COLUMNS} FROM ` +
          'json_populate_recordset(NULL::source, $1)',
        [JSON.stringify(plain)],
      )
    }
    await pool.query(`INSERT INTO market_snapshot (${COLUMNS}) ${ofDay(0)}`)
    const base = await server.result
    let day = 0
    const of = (role: string) => async () => {
      await pool.query('DELETE FROM leg_progress')
      await settleDown(pool)
      day++
      const before = await serverCpu(store)
      const own = { source: `${base}?day=${day}`, database: store.url, day: String(day) }
      const result = await child<Measured>(role, own).result
      return { ...result, postgres: (await serverCpu(store)) - before }
    }
    const names = ['download', 'update', 'copy', 'select']
    const times = new Map<string, (Measured & { postgres: number })[]>(
      names.map((name) => [name, []]),
    )
    // The source's own code must be warm, too.
    await of('download')()
    for (let nth = 1; nth <= rounds; nth++)
      for (const name of names) {
        const result = await of(name)()
        times.get(name)?.push(result)
        progress(`round ${nth}: ${name} ${result.seconds.toFixed(2)} s`)
      }
    const took = (name: string) => median((times.get(name) ?? []).map((one) => one.seconds))
    const peak = (name: string) =>
      megabytes(Math.max(...(times.get(name) ?? []).map((one) => one.peak)))
    const titles: Record<string, string> = {
      download: 'download of the pages',
      update: 'update from GraphQL',
      copy: 'COPY into the table',
      select: 'update from Postgres',
    }
    const rows = names.map((name) => ({
      what: titles[name] ?? name,
      'median s': round(took(name)),
      's, each': (times.get(name) ?? []).map((one) => one.seconds.toFixed(2)).join(' '),
      'CPU s': round(median((times.get(name) ?? []).map((one) => one.cpu))),
      'CPU s of Postgres': round(median((times.get(name) ?? []).map((one) => one.postgres))),
      'peak RSS, MB': peak(name),
    }))
    report('analytics', { snapshots, users, page }, rows, [
      {
        name: 'time, update from GraphQL to download',
        value: took('update') / took('download'),
        atMost: 1.5,
      },
      {
        name: 'time, update from Postgres to COPY',
        value: took('select') / took('copy'),
        atMost: 2,
      },
      { name: 'MB, update from GraphQL', value: peak('update'), atMost: 250 },
      { name: 'MB, update from Postgres', value: peak('select'), atMost: 250 },
    ])
  } finally {
    server.made.kill()
    await store.close()
  }
}

const told = await roles[role]?.()
if (role !== 'compare') process.send?.(told)
