import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openAnalytics } from '../../src/deps.ts'
import type { LegName } from '../../src/domain/update/legs.ts'
import { type UpdateOptions, updateLeg } from '../../src/domain/update/update.ts'
import { command, parsed } from '../support/command-line.ts'
import { addressOf } from '../support/datasets.ts'
import { everything } from '../support/dump.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { entities, marketSnapshot, NOON, TOKEN } from '../support/legs.ts'
import { POOL, pool } from '../support/one-pool.ts'
import { answerJson, startServer } from '../support/positions-server.ts'
import { emptyTables } from '../support/store.ts'

/** Pools, markets, vaults and tokens come from a source, without an operator. */
const [market, vault] = [entities.markets?.[0] as object, entities.vaults?.[0] as object]
const token = { chainId: 1, address: TOKEN, name: 'Staked S' }
const stored = { pools: [pool], markets: [market], vaults: [vault], tokens: [token] }
type Listed = keyof typeof stored
const LISTED = Object.keys(stored) as Listed[]

const MAPPINGS = join(import.meta.dirname, '../../src/sources/analytics/mappings')

let gateway: Gateway
let dir: string
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-entities-'))
  await emptyTables(gateway.deps.store.pool, [
    ...['market_snapshot', 'market_holding', 'rate_revision'],
    ...['token', 'market', 'vault', 'pool', 'leg_progress', 'run'],
  ])
  return () => rm(dir, { recursive: true })
})

const write = (leg: LegName, rows: object[]) =>
  writeFile(join(dir, `${leg}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
const update = (leg: LegName, options?: UpdateOptions, env: object = { ANALYTICS_SOURCE: dir }) => {
  const { deps } = gateway
  const analytics = openAnalytics(readConfig({ ...env }), deps.client)
  return updateLeg({ ...deps, pool: deps.store.pool, analytics }, leg, 'test', options)
}
const failure = (leg: LegName) =>
  update(leg).then(
    () => 'it succeeded',
    (error: Error) => error.message.replaceAll(dir, 'DIR'),
  )
const contents = () => everything(gateway.deps.store.pool)
/** All but the records of runs, which failures have too. */
const unchanged = async (work: () => Promise<unknown>) => {
  const { run: _, ...before } = await contents()
  await work()
  const { run: __, ...after } = await contents()
  expect(after).toEqual(before)
}
const load = async (files: Partial<Record<Listed, object[]>> = stored) => {
  for (const leg of LISTED) {
    await write(leg, files[leg] ?? [])
    await update(leg)
  }
}

describe('an update', () => {
  test('stores a new pool, its market, its vault and their token before what is in them', async () => {
    for (const leg of LISTED) await write(leg, stored[leg])
    await write('market-snapshots', [marketSnapshot('ann', NOON, 10)])
    const env = {
      DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '',
      ANALYTICS_SOURCE: dir,
    }
    const named = ['market-snapshots', 'tokens', 'vaults', 'markets', 'pools']
    const { code, out, err } = await command(['update', ...named, '--json'], env)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(parsed(out).map(({ leg, written }) => [leg, written])).toEqual([
      ...LISTED.map((leg) => [leg, 1]),
      ['market-snapshots', 1],
    ])
    const { data } = await gateway.graphql(
      `{ markets { nodes { address depositApr asset { name decimals } pool { address } } }
         status { legs { leg newestRecordAt updatedAt chains { chainId newestRecordAt expectedAt } } } }`,
    )
    expect(data.markets.nodes).toMatchObject([
      { depositApr: 0.01, asset: { name: 'Staked S', decimals: 18 }, pool: { address: POOL } },
    ])
    const [first] = data.status.legs
    expect(first).toMatchObject({ leg: 'market-snapshots' })
    const tokens = data.status.legs.find(({ leg }: { leg: string }) => leg === 'tokens')
    expect(tokens.chains).toEqual([
      { chainId: 1, newestRecordAt: tokens.newestRecordAt, expectedAt: null },
    ])
  })

  test('reads all records each time, and stores the new and changed ones', async () => {
    await load()
    const before = await contents()
    expect(await update('markets')).toMatchObject({ since: null, fetched: 1, written: 0 })
    expect((await contents()).data_version).toEqual(before.data_version)
    await write('markets', [
      { ...market, depositRate: 0.5 },
      { ...market, id: addressOf('new') },
    ])
    expect(await update('markets')).toMatchObject({ fetched: 2, written: 2 })
  })

  test('without a file of them stores nothing, until there is one', async () => {
    await write('markets', [])
    expect(await update('pools')).toMatchObject({ fetched: 0, written: 0, newest: null })
    await load()
    await rm(join(dir, 'pools.jsonl'))
    expect(await failure('pools')).toBe(
      'The source of pools, DIR, failed: it has no pools any more.',
    )
  })

  test('whose source has fewer fails, until that is accepted; none is removed', async () => {
    const other = { ...market, id: addressOf('other') }
    await load({ ...stored, markets: [market, other] })
    await write('markets', [market])
    await unchanged(async () =>
      expect(await failure('markets')).toBe(
        'The source of markets, DIR, failed: it shrank: it has 1 of 2 records. If that is right, ' +
          'run `gateway update markets --accept`.',
      ),
    )
    expect(await update('markets', { accept: true })).toMatchObject({ fetched: 1, written: 0 })
    expect((await contents()).market).toHaveLength(2)
    expect(await update('markets')).toMatchObject({ fetched: 1 })
  })
})

describe('thresholds', () => {
  const { chainId, id } = market as { chainId: number; id: string }
  const limits = async () => {
    const { data } = await gateway.graphql(
      '{ markets { nodes { maxLtv liquidationThreshold depositApr asset { symbol } } } }',
    )
    return data.markets.nodes
  }
  const of = (maxLtv: number, liquidationThreshold: number) => ({
    chainId,
    id,
    maxLtv,
    liquidationThreshold,
  })
  const others = { depositApr: 0.01, asset: { symbol: 'S' } }

  test('are those of stored markets, of which nothing else changes', async () => {
    await load()
    await write('thresholds', [of(0.7, 0.8)])
    expect(await update('thresholds')).toMatchObject({ fetched: 1, written: 1 })
    expect(await limits()).toEqual([{ maxLtv: 0.7, liquidationThreshold: 0.8, ...others }])
    const before = (await contents()).data_version
    expect(await update('thresholds')).toMatchObject({ fetched: 1, written: 0 })
    // The leg of markets has no limits, and keeps those.
    await write('markets', [{ ...market, depositRate: 0.03 }])
    await update('markets')
    expect(await limits()).toEqual([
      { ...others, maxLtv: 0.7, liquidationThreshold: 0.8, depositApr: 0.03 },
    ])
    expect((await contents()).data_version).not.toEqual(before)
  })

  test.each([
    [
      'of an unknown market',
      { ...of(0.7, 0.8), id: addressOf('no') },
      `id names ${addressOf('no')}, which is no market on chain 1, neither in the import nor in the store.`,
    ],
    [
      'that liquidate at once',
      of(0.9, 0.8),
      'maxLtv must not be above liquidationThreshold, 0.8, but is 0.9.',
    ],
    ['in percent', of(70, 80), 'maxLtv must be a number from 0 to 1 or null, not 70.'],
  ])('%s fail the leg', async (_, record, reason) => {
    await load()
    await write('thresholds', [record])
    await unchanged(async () =>
      expect(await failure('thresholds')).toBe(
        `The source of thresholds, DIR, failed: thresholds.jsonl:1: ${reason}`,
      ),
    )
  })
})

interface Selected {
  alias?: { value: string }
  name: { value: string }
  selectionSet?: { selections: Selected[] }
}

/** What a GraphQL server selects of a value, without a schema. */
function select({ selectionSet }: Pick<Selected, 'selectionSet'>, value: any): unknown {
  if (!selectionSet) return value ?? null
  if (Array.isArray(value)) return value.map((one) => select({ selectionSet }, one))
  return Object.fromEntries(
    selectionSet.selections.map((field) => [
      field.alias?.value ?? field.name.value,
      select(field, value[field.name.value]),
    ]),
  )
}

/** A record with an indexer's names. Its whole numbers are texts. */
function theirs(record: object, names: Record<string, string>): Record<string, unknown> {
  const named: Record<string, any> = { id: 'key' }
  for (const [field, value] of Object.entries(record)) {
    const path = (names[field] ?? field).split('.')
    const last = path.pop() as string
    const parent = path.reduce((at, step) => (at[step] ??= {}), named)
    parent[last] = /Timestamp|Updated|marketId/.test(field) ? String(value) : value
  }
  return named
}

describe.each(['subgraph', 'ponder', 'envio'])('the mapping for %s', (indexer) => {
  const mapping = join(MAPPINGS, `${indexer}.json`)
  const limits = {
    chainId: 1,
    id: (market as { id: string }).id,
    maxLtv: 0.7,
    liquidationThreshold: 0.8,
  }
  const listed = { ...stored, thresholds: [limits] }

  test('reads all legs of entities', async () => {
    const mappings = JSON.parse(await readFile(mapping, 'utf8'))
    let leg: keyof typeof listed = 'pools'
    const server = await startServer(({ body }, response) => {
      const { query, variables } = JSON.parse(body)
      const { names, paging } = mappings[leg]
      const rows = variables.after ? [] : listed[leg].map((record) => theirs(record, names))
      const records =
        paging === 'key' ? rows : { items: rows, pageInfo: { hasNextPage: false, endCursor: null } }
      const [operation] = parse(query).definitions as unknown as Selected[]
      return answerJson(response, {
        data: select(operation as Selected, { [names.records ?? leg]: records }),
      })
    })
    try {
      const env = { ANALYTICS_SOURCE: server.base, ANALYTICS_MAPPING: mapping }
      for (leg of [...LISTED, 'thresholds'] as const) {
        expect(await update(leg, {}, env)).toMatchObject({ fetched: 1, written: 1 })
        expect(await update(leg, {}, env)).toMatchObject({ fetched: 1, written: 0 })
      }
    } finally {
      await server.close()
    }
    const found = await contents()
    await emptyTables(gateway.deps.store.pool, [
      'rate_revision',
      'token',
      'market',
      'vault',
      'pool',
    ])
    await load()
    await write('thresholds', [limits])
    await update('thresholds')
    const expected = await contents()
    const withoutKeys = (rows: any) => rows.map(({ key: _, ctid: _at, ...row }: any) => row)
    expect(withoutKeys(found.pool)).toEqual(withoutKeys(expected.pool))
    for (const table of ['market', 'vault', 'token'])
      expect(withoutKeys(found[table])).toEqual(withoutKeys(expected[table]))
  })
})

test('a Postgres gives markets by a query, and a changed token of one is refused', async () => {
  await load({ pools: [pool] })
  const mapping = join(dir, 'mapping.json')
  const env = { ANALYTICS_SOURCE: gateway.deps.config.DATABASE_URL, ANALYTICS_MAPPING: mapping }
  const map = (decimals: number) => {
    const query = `SELECT address AS id, '${POOL}' AS pool_id, '${TOKEN}' AS asset_address, 'S' AS asset_symbol,
      ${decimals} AS asset_decimals, 0.01 AS deposit_rate, 0.02 AS borrow_rate, 0.7 AS max_ltv
      FROM (VALUES ('${pool.unit_1_id}'), ('${addressOf('other')}')) AS market (address)`
    return writeFile(mapping, JSON.stringify({ markets: { query, constants: { chainId: 1 } } }))
  }
  await map(18)
  expect(await update('markets', {}, env)).toMatchObject({ fetched: 2, written: 2 })
  await map(6)
  await unchanged(() =>
    expect(update('markets', {}, env)).rejects.toThrow(
      'row:1: assetDecimals is 18 in the store, and an update does not change it to 6.',
    ),
  )
})

describe('a record that contradicts the store fails its leg, and nothing is stored:', () => {
  const of = (field: string, was: string, is: string) =>
    `${field} is ${was} in the store, and an update does not change it to ${is}. ` +
    'If that is right, import the record.'
  const otherToken = addressOf('other')
  test.each<[what: string, leg: Listed, record: object, reason: string]>([
    [
      'a market of another token',
      'markets',
      { ...market, assetAddress: otherToken },
      of('assetAddress', `"${TOKEN}"`, `"${otherToken}"`),
    ],
    [
      'a market of other decimals',
      'markets',
      { ...market, assetDecimals: 6 },
      of('assetDecimals', '18', '6'),
    ],
    [
      'a market with a renamed token',
      'markets',
      { ...market, assetSymbol: 'USDC' },
      of('assetSymbol', '"S"', '"USDC"'),
    ],
    [
      'a pool of another token',
      'pools',
      { ...pool, asset_2_address: otherToken },
      of('asset_2_address', `"${pool.asset_2_address}"`, `"${otherToken}"`),
    ],
    ['a pool on another chain', 'pools', { ...pool, chainId: 10 }, of('chainId', '1', '10')],
    [
      'a vault of other decimals',
      'vaults',
      { ...vault, assetDecimals: 8 },
      of('assetDecimals', '18', '8'),
    ],
    [
      'a renamed token',
      'tokens',
      { ...token, name: 'USD Coin' },
      of('name', '"Staked S"', '"USD Coin"'),
    ],
  ])('%s', async (_, leg, record, reason) => {
    await load()
    const fresh = { ...record, id: addressOf('fresh'), address: addressOf('fresh') }
    await write(
      leg,
      leg === 'tokens'
        ? [{ ...token, address: addressOf('fresh') }, record]
        : [{ ...stored[leg][0], id: fresh.id }, record],
    )
    await unchanged(async () =>
      expect(await failure(leg)).toBe(
        `The source of ${leg}, DIR, failed: ${leg}.jsonl:2: ${reason}`,
      ),
    )
  })

  test.each<[what: string, leg: Listed, rows: object[], reason: string]>([
    [
      'a market of an unknown pool',
      'markets',
      [{ ...market, id: addressOf('new'), poolId: addressOf('no') }],
      `markets.jsonl:1: poolId names ${addressOf('no')}, which is no pool, neither in the import nor in the store.`,
    ],
    [
      'a market without decimals',
      'markets',
      [{ ...market, assetDecimals: undefined }],
      'markets.jsonl:1: assetDecimals is missing.',
    ],
    [
      'a market that comes twice',
      'markets',
      [market, market],
      'markets.jsonl:2: repeats the record of line 1.',
    ],
    [
      'a token with two names',
      'tokens',
      [token, { ...token, name: 'T' }],
      'tokens.jsonl:2: has the same key as line 1 (chainId, address), but other values.',
    ],
    [
      'limits that liquidate at once',
      'markets',
      [{ ...market, maxLtv: 0.9, liquidationThreshold: 0.8 }],
      'markets.jsonl:1: maxLtv must not be above liquidationThreshold, 0.8, but is 0.9.',
    ],
  ])('%s', async (_, leg, rows, reason) => {
    await load()
    await write(leg, rows)
    await unchanged(async () =>
      expect(await failure(leg)).toBe(`The source of ${leg}, DIR, failed: ${reason}`),
    )
  })
})
