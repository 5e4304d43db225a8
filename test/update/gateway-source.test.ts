import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openAnalytics } from '../../src/deps.ts'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { type LegName, legNames } from '../../src/domain/update/legs.ts'
import { updateLeg } from '../../src/domain/update/update.ts'
import { type Client, openClient, withMirror } from '../../src/sources/index.ts'
import { runProcess } from '../support/command-line.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { documented, type ProxyOptions, type ProxyServer, startProxy } from '../support/proxy.ts'
import { startOnSample } from '../support/sample.ts'
import { emptyTables, silent } from '../support/store.ts'

let client: Client
let server: Gateway
let gateway: Gateway
let proxy: ProxyServer | undefined
beforeAll(async () => {
  client = openClient({ timeoutMs: 20_000, retries: 0, maxBytes: 64 << 20, waitMs: 10 })
  server = await startOnSample({ users: 8, days: 5 })
  gateway = await startGateway()
  const { store, basePoints } = gateway.deps
  await withMirror({ client, base: server.base }, (dataset) =>
    importDataset({ pool: store.pool, basePoints, log: silent }, dataset),
  )
})
afterAll(async () => {
  await gateway.close()
  await server.close()
  await client.close()
})
afterEach(async () => {
  await proxy?.close()
  proxy = undefined
})

type Dated = Exclude<LegName, 'pools' | 'markets' | 'vaults' | 'tokens' | 'thresholds'>
const TABLES: Record<Dated, string> = {
  'market-snapshots': 'market_snapshot',
  'vault-snapshots': 'vault_snapshot',
  'market-liquidation-rewards': 'market_liquidation_reward',
  'vault-liquidation-rewards': 'vault_liquidation_reward',
  liquidations: 'liquidation',
  'cash-flows': 'cash_flow',
  prices: 'asset_price',
  rates: `(SELECT DISTINCT ON (entity_type, chain_id, entity_id, date_trunc('day', changed_at, 'UTC'))
    entity_type, chain_id, entity_id, date_trunc('day', changed_at, 'UTC') AS day, deposit_rate, borrow_rate
    FROM rate_revision ORDER BY entity_type, chain_id, entity_id, date_trunc('day', changed_at, 'UTC'), changed_at DESC)`,
}
const rows = async ({ deps }: Gateway, table: string) =>
  (
    await deps.store.pool.query(`SELECT to_jsonb(t)::text AS row FROM ${table} t ORDER BY 1`)
  ).rows.map(({ row }) => row)
const empty = () =>
  emptyTables(gateway.deps.store.pool, [
    ...Object.values({ ...TABLES, rates: 'rate_revision' }),
    ...['leg_progress', 'run'],
  ])
const update = (base: string, leg: LegName) => {
  const { deps } = gateway
  const analytics = openAnalytics(readConfig({ ANALYTICS_SOURCE: base }), client)
  return updateLeg({ ...deps, pool: deps.store.pool, analytics }, leg, 'test')
}
const start = async (options?: ProxyOptions) => {
  proxy = await startProxy(server.base, options)
  return proxy
}

describe('another gateway', () => {
  test('gives all legs, and from then on what is new', async () => {
    await empty()
    const { base, requests } = await start()
    for (const [leg, table] of Object.entries(TABLES)) {
      const { fetched, since } = await update(base, leg as LegName)
      const there = await rows(server, table)
      expect(since).toBeNull()
      expect(there).not.toEqual([])
      expect(await rows(gateway, table)).toEqual(there)
      expect(fetched).toBe(there.length)
    }
    requests.length = 0
    const again = await update(base, 'market-snapshots')
    expect(again).toMatchObject({ written: 0, since: expect.any(Date) })
    expect(again.fetched).toBeLessThan((await rows(server, 'market_snapshot')).length)
    const from = (again.since as Date).getTime() / 1000
    expect(
      requests.filter(({ path }) => path.includes(`from_timestamp=${from}&`)).length,
    ).toBeGreaterThanOrEqual(8)
    for (const leg of ['cash-flows', 'liquidations', 'prices', 'rates'] as const)
      expect((await update(base, leg)).written).toBe(0)
  })

  test('gives its pools, markets, vaults and tokens to a store that is not a copy', async () => {
    const other = await startGateway()
    const { base } = await start()
    const analytics = openAnalytics(readConfig({ ANALYTICS_SOURCE: base }), client)
    const { deps } = other
    try {
      for (const leg of ['pools', 'markets', 'vaults', 'tokens'] as const) {
        const table =
          leg === 'pools' ? "(SELECT to_jsonb(p) - 'key' AS pool FROM pool p)" : leg.slice(0, -1)
        const there = await rows(server, table)
        const update = () => updateLeg({ ...deps, pool: deps.store.pool, analytics }, leg, 'test')
        expect(await update()).toMatchObject({ fetched: there.length, written: there.length })
        expect(await rows(other, table)).toEqual(there)
        expect(await update()).toMatchObject({ fetched: there.length, written: 0 })
      }
      await deps.store.pool.query('UPDATE market SET max_ltv = NULL, liquidation_threshold = NULL')
      await updateLeg({ ...deps, pool: deps.store.pool, analytics }, 'thresholds', 'test')
      expect(await rows(other, 'market')).toEqual(await rows(server, 'market'))
    } finally {
      await other.close()
    }
  })

  test('whose records are refused while others are requested ends with one sentence', {
    timeout: 60_000,
  }, async () => {
    await empty()
    let requested = 0
    const { base } = await start({
      async answer({ path }, response) {
        // The requests of other users are pending when the first one is refused.
        if (path.includes('market-position') && requested++ > 0) {
          response.on('error', () => {})
          await new Promise((resolve) => setTimeout(resolve, 20_000).unref())
        }
        return false
      },
      change: (path, body) =>
        path.includes('market-position')
          ? { ...body, data: body.data.map((row: object) => ({ ...row, collateralAssets: 'x' })) }
          : body,
    })
    const settings = { DATABASE_URL: gateway.deps.config.DATABASE_URL as string, LOG_LEVEL: 'warn' }
    const { code, out, err } = await runProcess(['update', 'market-snapshots'], {
      ...settings,
      ANALYTICS_SOURCE: base,
    })
    expect({ code, out }).toEqual({ code: 5, out: '' })
    expect(err).toMatch(/^The source of market-snapshots, \S+ failed: .*\n$/)
  })

  test('that answers with data of another user fails the leg, which changes nothing', async () => {
    await empty()
    const other = `0x${'9'.repeat(40)}`
    const { base } = await start({
      change: (path, body) =>
        path.includes('market-position')
          ? { ...body, data: body.data.map((row: object) => ({ ...row, accountId: other })) }
          : body,
    })
    await expect(update(base, 'market-snapshots')).rejects.toThrow(
      new RegExp(
        `The source of market-snapshots, ${base}.* failed: asked for data of 0x.*, it returned some of ${other}`,
      ),
    )
    expect(await rows(gateway, 'market_snapshot')).toEqual([])
  })
})

test('a legacy server gives snapshots and rewards, and has no cash flows, liquidations, prices or rates', async () => {
  await empty()
  const { base } = await start({ answer: documented })
  for (const leg of legNames) await update(base, leg)
  for (const [leg, table] of Object.entries(TABLES))
    expect(await rows(gateway, table)).toEqual(
      /cash-flows|liquidations|prices|rates/.test(leg) ? [] : await rows(server, table),
    )
})
