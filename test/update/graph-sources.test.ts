import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createSchema, createYoga } from 'graphql-yoga'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openAnalytics } from '../../src/deps.ts'
import type { LegName } from '../../src/domain/update/legs.ts'
import { updateLeg } from '../../src/domain/update/update.ts'
import { openClient } from '../../src/sources/index.ts'
import { everything } from '../support/dump.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { DAY_SECONDS, entities, marketSnapshot, NOON, TOKEN } from '../support/legs.ts'
import { importFiles } from '../support/one-pool.ts'
import { answerJson, type FakeServer, startServer } from '../support/positions-server.ts'
import { emptyTables, openStore } from '../support/store.ts'

const MAPPINGS = join(import.meta.dirname, '../../src/sources/analytics/mappings')

/** What the indexers have: a record and its id. */
let stored: (ReturnType<typeof marketSnapshot> & { id: string })[] = []
/** The prices that they have of a token. */
let prices: { id: string; chainId: number; asset: string; timestamp: string; priceUsd: string }[] =
  []
const COMMON = `timestamp: BigInt! collateralAssets: BigInt! collateralUsd: BigDecimal protectedAssets: BigInt!
  protectedUsd: BigDecimal debtAssets: BigInt! debtUsd: BigDecimal`
const SCALARS = 'scalar BigInt scalar BigDecimal scalar numeric'
/** A server gives fewer records than requested. */
const CAP = 2
const after = <T extends { id: string; timestamp: string }>(
  rows: T[],
  since: unknown,
  key: string | undefined,
) =>
  rows
    .filter(
      (row) => Number(row.timestamp) >= Number(since ?? 0) && (key === undefined || row.id > key),
    )
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
const written = (row: (typeof stored)[number]) => ({
  ...row,
  collateralUsd: String(row.collateralUsd),
})

const ponderPage = <T extends { id: string }>(rows: T[]) => ({
  items: rows.slice(0, CAP),
  pageInfo: {
    hasNextPage: rows.length > CAP,
    endCursor: rows[Math.min(CAP, rows.length) - 1]?.id ?? null,
  },
  totalCount: rows.length,
})

const servers = {
  subgraph: {
    typeDefs: `${SCALARS} enum OrderDirection { asc desc } enum MarketSnapshot_orderBy { id timestamp }
      input MarketSnapshot_filter { timestamp_gte: BigInt id_gt: ID }
      enum AssetPrice_orderBy { id timestamp } input AssetPrice_filter { timestamp_gte: BigInt id_gt: ID }
      type Account { id: ID! } type Market { id: ID! } type Asset { id: ID! }
      type AssetPrice { id: ID! asset: Asset! timestamp: BigInt! priceUsd: BigDecimal! }
      type MarketSnapshot { id: ID! account: Account! market: Market! ${COMMON} }
      type Query { marketSnapshots(first: Int = 100, orderBy: MarketSnapshot_orderBy, orderDirection: OrderDirection,
        where: MarketSnapshot_filter): [MarketSnapshot!]!
        assetPrices(first: Int = 100, orderBy: AssetPrice_orderBy, orderDirection: OrderDirection,
          where: AssetPrice_filter): [AssetPrice!]! }`,
    query: {
      assetPrices: (_: unknown, { where }: any) =>
        after(prices, where?.timestamp_gte, where?.id_gt)
          .slice(0, CAP)
          .map((row) => ({ ...row, asset: { id: row.asset } })),
      marketSnapshots: (_: unknown, { where }: any) =>
        after(stored, where?.timestamp_gte, where?.id_gt)
          .slice(0, CAP)
          .map((row) => ({
            ...written(row),
            account: { id: row.accountId },
            market: { id: row.marketId },
          })),
    },
  },
  ponder: {
    typeDefs: `${SCALARS} input marketSnapshotsFilter { timestamp_gte: BigInt } input assetPriceFilter { timestamp_gte: BigInt }
      type assetPrice { id: String! chainId: Int! asset: String! timestamp: BigInt! priceUsd: BigDecimal! }
      type assetPricePage { items: [assetPrice!]! pageInfo: PageInfo! totalCount: Int! }
      type marketSnapshots { chainId: Int! accountId: String! marketId: String! positionId: String! ${COMMON} }
      type PageInfo { hasNextPage: Boolean! endCursor: String }
      type marketSnapshotsPage { items: [marketSnapshots!]! pageInfo: PageInfo! totalCount: Int! }
      type Query { marketSnapshots(where: marketSnapshotsFilter, orderBy: String, orderDirection: String, after: String,
        before: String, limit: Int): marketSnapshotsPage!
        assetPrices(where: assetPriceFilter, orderBy: String, orderDirection: String, after: String,
          before: String, limit: Int): assetPricePage! }`,
    query: {
      assetPrices: (_: unknown, { where, after: cursor }: any) =>
        ponderPage(after(prices, where?.timestamp_gte, cursor ?? undefined)),
      marketSnapshots: (_: unknown, { where, after: cursor }: any) =>
        ponderPage(after(stored, where?.timestamp_gte, cursor ?? undefined).map(written)),
    },
  },
  envio: {
    typeDefs: `${SCALARS} enum order_by { asc desc } input numeric_comparison_exp { _gte: numeric }
      input String_comparison_exp { _gt: String } input MarketSnapshot_order_by { id: order_by }
      input MarketSnapshot_bool_exp { timestamp: numeric_comparison_exp id: String_comparison_exp }
      type MarketSnapshot { id: String! chainId: Int! account_id: String! market_id: String! ${COMMON} }
      input AssetPrice_bool_exp { timestamp: numeric_comparison_exp id: String_comparison_exp }
      type AssetPrice { id: String! chainId: Int! asset_id: String! timestamp: numeric! priceUsd: numeric! }
      type Query { MarketSnapshot(where: MarketSnapshot_bool_exp, order_by: [MarketSnapshot_order_by!], limit: Int): [MarketSnapshot!]!
        AssetPrice(where: AssetPrice_bool_exp, order_by: [MarketSnapshot_order_by!], limit: Int): [AssetPrice!]! }`,
    query: {
      AssetPrice: (_: unknown, { where }: any) =>
        after(prices, where?.timestamp?._gte, where?.id?._gt)
          .slice(0, CAP)
          .map((row) => ({ ...row, asset_id: row.asset })),
      MarketSnapshot: (_: unknown, { where }: any) =>
        after(stored, where?.timestamp?._gte, where?.id?._gt)
          .slice(0, CAP)
          .map((row) => ({ ...written(row), account_id: row.accountId, market_id: row.marketId })),
    },
  },
}

let gateway: Gateway
/** Answers in place of the indexer. */
let instead: ((number: number, answer: any) => unknown) | undefined
const open: FakeServer[] = []
const bases: Record<string, string> = {}

beforeAll(async () => {
  gateway = await startGateway()
  await importFiles(gateway, entities)
  for (const [name, { typeDefs, query }] of Object.entries(servers)) {
    const yoga = createYoga({
      schema: createSchema({ typeDefs, resolvers: { Query: query } as any }),
      logging: false,
    })
    const server = await startServer(async ({ body }, response, number) => {
      const answer = await yoga.fetch('http://indexer/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const value = await answer.json()
      answerJson(response, instead ? instead(number, value) : value)
    })
    open.push(server)
    bases[name] = server.base
  }
})
afterAll(async () => {
  await gateway.close()
  for (const server of open) await server.close()
})
beforeEach(async () => {
  instead = undefined
  stored = ['ann', 'ben', 'cat', 'dan', 'eve'].map((user, at) => row(user, at))
  prices = [0, 1, 2, 3, 4].map((days) => priceRow(days))
  const tables = ['asset_price', 'market_snapshot', 'market_holding', 'leg_progress', 'run']
  await emptyTables(gateway.deps.store.pool, tables)
})

const row = (user: string, days: number, usd = 10.5) => ({
  ...marketSnapshot(user, NOON + days * DAY_SECONDS, usd),
  id: `${user}-${days}`,
})
const priceRow = (days: number, usd = '2000.5') => ({
  ...{
    id: `${TOKEN}-${days}`,
    chainId: 1,
    asset: TOKEN,
    timestamp: String(NOON + days * DAY_SECONDS),
    priceUsd: usd,
  },
})
const openClientOf = (timeoutMs: number) =>
  openClient({ timeoutMs, retries: 0, maxBytes: 1 << 20, waitMs: 1 })
const patient = openClientOf(20_000)
afterAll(() => patient.close())
const analyticsOf = (env: Record<string, string>, client = patient) =>
  openAnalytics(readConfig(env), client)
const update = (env: Record<string, string>, leg: LegName = 'market-snapshots', client = patient) =>
  updateLeg(
    {
      ...gateway.deps,
      pool: gateway.deps.store.pool,
      now: () => new Date((NOON + 30 * DAY_SECONDS) * 1000),
      analytics: analyticsOf(env, client),
    },
    leg,
    'test',
  )
const from = (indexer: string) => ({
  ANALYTICS_SOURCE: bases[indexer] ?? '',
  ANALYTICS_MAPPING: join(MAPPINGS, `${indexer}.json`),
})
const failure = (env: Record<string, string>, leg?: LegName, client = patient) =>
  update(env, leg, client).then(
    () => 'it succeeded',
    (error: Error) => error.message,
  )
const snapshots = async () =>
  (
    await gateway.deps.store.pool.query(
      'SELECT timestamp::float8, collateral_usd AS usd, collateral_assets::text AS assets FROM market_snapshot ORDER BY 1, 2',
    )
  ).rows

describe.each(Object.keys(servers))('%s', (indexer) => {
  test('gives all pages, and from then on those of the overlap', async () => {
    expect(await update(from(indexer))).toMatchObject({ fetched: 5, written: 5 })
    expect((await snapshots())[0]).toEqual({ timestamp: NOON, usd: 10.5, assets: '1000' })
    stored[4] = row('eve', 4, 99)
    stored.push(row('ann', 5))
    const next = await update(from(indexer))
    expect(next).toMatchObject({ fetched: 4, written: 2 })
    expect(await snapshots()).toHaveLength(6)
  })

  test('gives prices with their moment, page by page, and corrects them', async () => {
    expect(await update(from(indexer), 'prices')).toMatchObject({ fetched: 5, written: 5 })
    prices[4] = priceRow(4, '3')
    prices.push(priceRow(5))
    expect(await update(from(indexer), 'prices')).toMatchObject({ fetched: 4, written: 2 })
    const { rows } = await gateway.deps.store.pool.query(
      'SELECT asset_address, date::text, price_usd, source, time FROM asset_price ORDER BY date DESC LIMIT 2',
    )
    const at = (days: number) => ({
      time: new Date((NOON + days * DAY_SECONDS) * 1000),
      source: null,
    })
    expect(rows).toEqual([
      { asset_address: TOKEN, date: '2026-03-07', price_usd: 2000.5, ...at(5) },
      { asset_address: TOKEN, date: '2026-03-06', price_usd: 3, ...at(4) },
    ])
    instead = () => ({ data: { records: { rows: [] } } })
    expect(await failure(from(indexer), 'prices')).toMatch(/failed: page 1: .* must be /)
  })

  test.each(['market-snapshots', 'prices'] as const)(
    'that lags behind what it had of %s fails, and changes nothing',
    async (leg) => {
      await update(from(indexer), leg)
      const before = await everything(gateway.deps.store.pool)
      stored.pop()
      prices.pop()
      expect(await failure(from(indexer), leg)).toContain(
        'failed: it went back in time: its newest record is of',
      )
      stored = []
      prices = []
      expect(await failure(from(indexer), leg)).toContain(
        'failed: it went back in time: it has no records',
      )
      expect(await everything(gateway.deps.store.pool)).toEqual(before)
    },
  )

  test.each(['market-snapshots', 'prices'] as const)(
    'that repeats a page of %s fails',
    async (leg) => {
      let first: unknown
      instead = (_, answer) => (first ??= answer)
      expect(await failure(from(indexer), leg)).toMatch(
        /failed: page 2 (repeats|leads back to) a page before it/,
      )
      const { rows } = await gateway.deps.store.pool.query(
        'SELECT FROM market_snapshot UNION ALL SELECT FROM asset_price',
      )
      expect(rows).toEqual([])
    },
  )

  test('that has another schema fails', async () => {
    instead = () => ({ errors: [{ message: 'Cannot query field "debtUsd" on type "Snapshot".' }] })
    expect(await failure(from(indexer))).toContain(
      'failed: it answered: Cannot query field "debtUsd"',
    )
    instead = () => ({
      errors: [{ message: 'Cannot query field "debtUsd". Did you mean "debt"?' }],
    })
    expect(await failure(from(indexer))).toMatch(/Did you mean "debt"\?$/)
    instead = () => ({ data: { records: { rows: [] } } })
    expect(await failure(from(indexer))).toMatch(/failed: page 1: .* must be /)
  })
})

describe('a server that is no source', () => {
  const mapping = join(MAPPINGS, 'subgraph.json')
  const against = async (handler: Parameters<typeof startServer>[0], client = patient) => {
    const server = await startServer(handler)
    try {
      const env = { ANALYTICS_SOURCE: `${server.base}/graphql`, ANALYTICS_MAPPING: mapping }
      return await failure(env, undefined, client)
    } finally {
      await server.close()
    }
  }
  test('answers with a login page', async () => {
    expect(
      await against((_, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      ),
    ).toContain('failed: its answer is not JSON, but HTML: <html>.')
  })
  test('stalls', async () => {
    const hasty = openClientOf(500)
    try {
      expect(await against(() => {}, hasty)).toContain('failed: it did not answer within 0.5 s.')
    } finally {
      await hasty.close()
    }
  })
  test('redirects to another host', async () => {
    const other = await startServer((_, response) =>
      answerJson(response, { data: { records: [] } }),
    )
    const location = other.base.replace('127.0.0.1', 'localhost')
    expect(await against((_, response) => response.writeHead(307, { location }).end())).toContain(
      `failed: it redirects to another host, ${new URL(location).host}.`,
    )
    await other.close()
  })
  test('answers too much', async () => {
    expect(
      await against((_, response) => answerJson(response, { data: 'x'.repeat(2 << 20) })),
    ).toContain('failed: its answer is longer than 1048576 bytes, the limit of SOURCE_MAX_BYTES.')
  })
})

describe('a Postgres that an indexer writes', () => {
  let database: Awaited<ReturnType<typeof openStore>>
  let mapping: string
  beforeAll(async () => {
    database = await openStore()
    await database.pool.query(
      `CREATE TABLE snapshot (account text, market text, at bigint, collateral numeric, usd float8)`,
    )
    const { mkdtemp, writeFile } = await import('node:fs/promises')
    const { tmpdir } = await import('node:os')
    mapping = join(await mkdtemp(join(tmpdir(), 'gateway-mapping-')), 'mapping.json')
    const query = `SELECT account AS account_id, market AS market_id, at AS timestamp, collateral AS collateral_assets,
      usd AS collateral_usd FROM snapshot WHERE at >= $1::bigint`
    const zero = { protectedAssets: '0', protectedUsd: 0, debtAssets: '0', debtUsd: 0 }
    await writeFile(
      mapping,
      JSON.stringify({ 'market-snapshots': { query, constants: { chainId: 1, ...zero } } }),
    )
  })
  afterAll(() => database.close())
  const fill = async (rows: typeof stored) => {
    await database.pool.query('DELETE FROM snapshot')
    for (const { accountId, marketId, timestamp, collateralAssets, collateralUsd } of rows)
      await database.pool.query('INSERT INTO snapshot VALUES ($1, $2, $3, $4, $5)', [
        ...[accountId, marketId, timestamp, collateralAssets, collateralUsd],
      ])
  }
  const env = () => ({ ANALYTICS_SOURCE: database.url, ANALYTICS_MAPPING: mapping })

  test('is read by a query, from the overlap on', async () => {
    await fill(stored)
    expect(await update(env())).toMatchObject({
      fetched: 5,
      written: 5,
      source: expect.not.stringContaining('@'),
    })
    await fill([...stored.slice(1), row('ann', 5)].concat(stored.slice(0, 1)))
    expect(await update(env())).toMatchObject({ fetched: 4, written: 1 })
    expect((await snapshots())[0]).toEqual({ timestamp: NOON, usd: 10.5, assets: '1000' })
  })

  test('that has another schema, or a query that writes, fails', async () => {
    await database.pool.query('ALTER TABLE snapshot RENAME COLUMN usd TO dollars')
    expect(await failure(env())).toContain(
      'failed: it cannot be read: column "usd" does not exist (42703).',
    )
    await database.pool.query('ALTER TABLE snapshot RENAME COLUMN dollars TO usd')
    await fill([{ ...(stored[0] as (typeof stored)[number]), collateralAssets: '-5' }])
    expect(await failure(env())).toContain(
      'row:1: collateralAssets must be a decimal string from 0',
    )
  })
})

describe('a mapping', () => {
  const parse = async (value: unknown) => {
    const { mkdtemp, writeFile } = await import('node:fs/promises')
    const { tmpdir } = await import('node:os')
    const path = join(await mkdtemp(join(tmpdir(), 'gateway-mapping-')), 'mapping.json')
    await writeFile(path, JSON.stringify(value))
    return () => readConfig({ ANALYTICS_MAPPING: path })
  }
  test.each([
    [
      'of an unknown leg',
      { snapshots: {} },
      'names snapshots, which is not one of pools, markets, vaults',
    ],
    [
      'without a required field',
      { 'cash-flows': { names: { accountId: '' } } },
      'must not leave out accountId',
    ],
    [
      'with an unknown field',
      { 'cash-flows': { names: { user: 'x' } } },
      'names "user", which is not one of',
    ],
    [
      'with an unknown constant',
      { 'cash-flows': { constants: { chain: 1 } } },
      'has a constant "chain"',
    ],
    ['with another paging', { 'cash-flows': { paging: 'page' } }, 'must have a query, or names'],
    ['with wrong arguments', { 'cash-flows': { arguments: '}' } }, 'must have arguments such as'],
  ])('%s is refused', async (_, value, reason) => {
    expect(await parse(value)).toThrow(reason)
  })
})

test('an invalid certificate is refused', async () => {
  const { execFileSync } = await import('node:child_process')
  const { mkdtemp, readFile } = await import('node:fs/promises')
  const { tmpdir } = await import('node:os')
  const dir = await mkdtemp(join(tmpdir(), 'gateway-tls-'))
  const paths = ['-keyout', join(dir, 'key.pem'), '-out', join(dir, 'cert.pem')]
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', ...paths],
    {
      stdio: 'ignore',
    },
  )
  const server = createTlsServer({
    key: await readFile(join(dir, 'key.pem')),
    cert: await readFile(join(dir, 'cert.pem')),
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  const env = {
    ANALYTICS_SOURCE: `https://localhost:${port}`,
    ANALYTICS_MAPPING: join(MAPPINGS, 'subgraph.json'),
  }
  expect(await failure(env)).toMatch(
    /failed: it cannot be read: self-signed certificate \(DEPTH_ZERO_SELF_SIGNED_CERT\)\.$/,
  )
  server.close()
})
