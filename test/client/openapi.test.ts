import { readFileSync } from 'node:fs'
import openapiTypes, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { markets, pools, startOnFixture, tokens, users, vault } from '../rest/fixture.ts'
import { type Consumer, compileConsumer } from '../support/consumer.ts'
import { ADMIN_TOKEN, type Gateway } from '../support/gateway.ts'

const documentUrl = new URL('../../src/generated/openapi.json', import.meta.url)
const { paths } = JSON.parse(readFileSync(documentUrl, 'utf8'))

/** A program that calls every endpoint. What is marked as an error for TypeScript must be one. */
const program = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api.js'

const ada = '${users.ada}'
const path = { address: ada }

export async function callAll(baseUrl: string, token: string): Promise<string[]> {
  const called: string[] = []
  const client = createClient<paths>({ baseUrl, headers: { 'cache-control': 'no-cache' } })
  client.use({
    onRequest({ request, schemaPath }) {
      called.push(request.method + ' ' + schemaPath)
    },
  })
  const headers = { authorization: 'Bearer ' + token }

  const home = await client.GET('/', { parseAs: 'text' })
  const link: string = must(home.data)
  const health = must((await client.GET('/health')).data)
  if (!link.includes('<a ') || health.status !== 'ok') throw new Error('it is not well')
  const alive = must((await client.GET('/livez')).data)
  const ready = must((await client.GET('/readyz')).data)
  if (alive.status !== 'ok' || ready.status !== 'ok') throw new Error('it is not ready')
  const metrics: string = must((await client.GET('/metrics', { parseAs: 'text' })).data)

  const leaderboard = must((await client.GET('/points/leaderboard', { params: { query: { account: ada } } })).data)
  const best: string | undefined = leaderboard.topAccounts[0]?.rank
  const points = must((await client.GET('/points/userpoints', { params: { query: { account: ada } } })).data)
  const total: number = points.totalPoints
  if ('account' in points) must(points.userPoints)
  const byAssets = await client.GET('/points/breakdown-by-assets', {
    params: { query: { asset: ['${tokens.eth}', '${tokens.usdc}'], limit: 1 } },
  })
  const next: string | null = must(byAssets.data).nextCursor
  const cursor = must(next)
  must((await client.GET('/points/breakdown-by-assets', { params: { query: { asset: '${tokens.eth}', cursor } } })).data)
  const reports = must((await client.GET('/points/reports')).data)
  const days: number[] = reports.items.map((day) => day.totalPoints)
  const ofAddress = must((await client.GET('/points/{address}', { params: { path, query: { limit: 2 } } })).data)
  const symbols: string[] = ofAddress.items.flatMap((day) => day.positions.map((position) => position.aTokenSymbol))

  const update = await client.POST('/points/manualupdate', { headers, body: { date: '2026-03-03' } })
  const problem: components['schemas']['Problem'] = must(update.error)
  if (problem.status !== 503) throw new Error(problem.detail)
  const resync = must((await client.POST('/points/resync', { headers, params: { query: { date: '2026-03-03' } } })).data)
  const positionCount: number = resync.positionCount
  const multiplier = { poolAddress: '${pools.daiEth}', deposit_tokenA: 1 }
  must((await client.POST('/multipliers/update', { headers, body: multiplier })).data)
  must((await client.POST('/multipliers/update', { headers, body: [multiplier] })).data)
  must(must((await client.GET('/multipliers/all')).data).length || undefined)
  must(must((await client.GET('/pools/all')).data).length || undefined)

  must((await client.GET('/positions/breakdown-by-assets', { params: { query: { asset: '${tokens.arb}' } } })).data)
  must((await client.GET('/positions/breakdown-by-markets', { params: { query: { market: '${pools.ethUsdc}' } } })).data)
  must((await client.GET('/positions/{address}', { params: { path } })).data)

  const window = { from_timestamp: '0', should_group_by_timestamp: 'true', page_size: 2 } as const
  const snapshots = must(
    (await client.GET('/v1/users/{address}/market-position-snapshots', { params: { path, query: window } })).data,
  )
  const debts: string[] = snapshots.data.map((row) => row.debtAssets)
  const more: boolean = snapshots.pagination.has_more
  must((await client.GET('/v1/users/{address}/vault-position-snapshots', { params: { path, query: window } })).data)
  must(
    (
      await client.GET('/v1/users/{address}/market-liquidation-rewards', {
        params: { path, query: { market: '${markets.first}' } },
      })
    ).data,
  )
  must(
    (await client.GET('/v1/users/{address}/vault-liquidation-rewards', { params: { path, query: { vault: '${vault}' } } }))
      .data,
  )
  const earnings = must((await client.GET('/v1/users/{address}/earnings', { params: { path } })).data)
  const kinds: ('market' | 'vault')[] = earnings.data.breakdown.map((row) => row.entity_type)
  const apr = must((await client.GET('/v1/users/{address}/net-apr', { params: { path, query: { chain_id: 1 } } })).data)
  const rate: number = apr.data.earn_net_apr

  must([metrics, best, total, days, symbols, positionCount, debts, more, kinds, rate].every((value) => value !== undefined))
  return called
}

function must<T>(value: T): NonNullable<T> {
  if (value === undefined || value === null) throw new Error('there is no answer')
  return value
}

export const wrong = (client: ReturnType<typeof createClient<paths>>) => [
  // @ts-expect-error no such path
  () => client.GET('/nothing'),
  // @ts-expect-error the market is needed
  () => client.GET('/v1/users/{address}/market-liquidation-rewards', { params: { path } }),
  // @ts-expect-error it is a number
  () => client.GET('/points/{address}', { params: { path, query: { limit: 'many' } } }),
  // @ts-expect-error it takes no such method
  () => client.POST('/pools/all'),
  // @ts-expect-error there is no such field
  async () => (await client.GET('/points/reports')).data?.nothing,
]
`

let gateway: Gateway
let consumer: Consumer
beforeAll(async () => {
  gateway = await startOnFixture()
  const types = astToString(await openapiTypes(documentUrl))
  consumer = await compileConsumer({ 'api.ts': types, 'calls.ts': program }, ['openapi-fetch'])
})
afterAll(async () => {
  await consumer?.remove()
  await gateway?.close()
})

test('what openapi-typescript makes of the document compiles, with calls of every endpoint', () => {
  expect(consumer.faults).toEqual([])
})

test('the calls are answered, and leave no endpoint out', async () => {
  const called: string[] = await (await consumer.load('calls.js')).callAll(
    gateway.base,
    ADMIN_TOKEN,
  )
  const documented = Object.entries<object>(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect([...new Set(called)].sort()).toEqual(documented.sort())
})
