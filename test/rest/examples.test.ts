import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Examples, openApiDocument } from '../../src/http/openapi.ts'
import { endpoints } from '../../src/rest/index.ts'
import { sampleMarket, samplePool, sampleUser, sampleVault } from '../../src/sample/index.ts'
import { asAdmin, type Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'
import { type Json, jsonOf, nobody } from './fixture.ts'

/** The examples in OpenAPI are real: what the sample answers. `npm run generate` renews them. */

const now = new Date('2026-11-21T10:20:30.456Z')
const midnight = Date.UTC(2026, 10, 20) / 1000
let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 30, days: 6, now: () => now })
}, 120_000)
afterAll(() => gateway?.close())

interface Case {
  path?: object
  query?: object
  body?: object
}
type Failures = Record<number, Case & { text?: string; anonymous?: true }>

it('are what the sample answers', async () => {
  const pools: Json[] = await jsonOf(gateway, '/pools/all', 201)
  const pool = pools.find(({ id }) => id === samplePool.address)
  const { nextCursor: cursor } = await jsonOf(gateway, '/points/breakdown-by-assets?limit=2')
  const { chainId: chain_id } = sampleMarket
  const path = { address: sampleUser }
  const page = { page: 1, page_size: 2, chain_id }
  const window = {
    from_timestamp: String(midnight - 3 * 86_400),
    to_timestamp: String(midnight),
    should_group_by_timestamp: 'true',
  }
  const wrong = { 400: { path: { address: 'vitalik.eth' } } }
  const points = { cursor, limit: 2 }
  const byAssets: [Case, Failures] = [
    { query: { ...points, asset: pool.asset_1_address } },
    { 400: { query: { asset: 'USDC', limit: 101 } } },
  ]
  const run: [Case, Failures] = [
    { query: { date: '2026-11-20' } },
    { 400: { query: { date: 'yesterday' } }, 401: { anonymous: true } },
  ]
  const calls: Record<string, [Case, Failures]> = {
    getHome: [{}, {}],
    getHealth: [{}, {}],
    getLiveness: [{}, {}],
    getReadiness: [{}, {}],
    getLeaderboard: [
      { query: { account: sampleUser } },
      { 400: { query: { account: 'vitalik.eth' } } },
    ],
    getUserPoints: [
      { query: { account: sampleUser } },
      { 400: { query: { account: 'vitalik.eth' } } },
    ],
    getPointsBreakdownByAssets: byAssets,
    getReports: [{}, {}],
    getPointsOfAddress: [{ path, query: { cursor: '2026-11-16T00:00:00.000Z', limit: 1 } }, wrong],
    manualUpdate: [run[0], { ...run[1], 503: {} }],
    resync: [run[0], { ...run[1], 404: { query: { date: '2020-01-01' } } }],
    updateMultipliers: [
      { body: [{ poolAddress: samplePool.address, deposit_tokenA: 2 }] },
      { 400: { body: [] }, 401: { anonymous: true }, 404: { body: { poolAddress: nobody } } },
    ],
    getMultipliers: [{}, {}],
    getPools: [{}, {}],
    getPositionsBreakdownByAssets: byAssets,
    getPositionsBreakdownByMarkets: [
      { query: { ...points, market: samplePool.address } },
      { 400: { query: { cursor: 'no-such-record' } } },
    ],
    getPositionsOfAddress: [{ path }, wrong],
    getMarketPositionSnapshots: [
      { path, query: { ...page, ...window, market: sampleMarket.address } },
      wrong,
    ],
    getVaultPositionSnapshots: [
      { path, query: { ...page, ...window, vault: sampleVault.address } },
      wrong,
    ],
    getMarketLiquidationRewards: [
      { path, query: { ...page, market: sampleMarket.address } },
      { 400: { path }, 404: { path, query: { market: nobody } } },
    ],
    getVaultLiquidationRewards: [
      { path, query: { ...page, vault: sampleVault.address } },
      { 400: { path }, 404: { path, query: { vault: nobody } } },
    ],
    getEarnings: [{ path, query: page }, wrong],
    getNetApr: [{ path, query: page }, wrong],
  }

  const missing = endpoints.map(([, , { operationId }]) => operationId).filter((id) => !calls[id])
  expect(missing, 'endpoints without an example').toEqual([])
  const { paths } = await jsonOf(gateway, '/openapi.json')
  const examples: Examples = {}
  for (const [template, item] of Object.entries<Json>(paths))
    for (const [method, operation] of Object.entries<Json>(item)) {
      const [sent, failures] = calls[operation.operationId] ?? []
      if (!sent || !failures) continue
      const sendCase = async (request: Case, anonymous = false) => {
        const path = template.replace(
          /\{(\w+)\}/g,
          (_, name) => (request.path ?? sent.path ?? ({} as Json))[name],
        )
        const search = new URLSearchParams(
          Object.entries(request.query ?? {}).map(([name, value]) => [name, String(value)]),
        )
        const body = request.body ?? (method === 'post' && sent.body)
        return fetch(`${gateway.base}${path}?${search}`, {
          method: method.toUpperCase(),
          headers: { 'cache-control': 'no-cache', ...(anonymous ? {} : asAdmin) },
          ...(body && { body: JSON.stringify(body) }),
        })
      }
      const responses: Record<string, Json> = {}
      let link: string | null = null
      const answers = [
        ...(operation.operationId === 'manualUpdate' ? [] : [await sendCase(sent)]),
        ...(await Promise.all(
          Object.values(failures).map((failure) => sendCase(failure, failure.anonymous)),
        )),
      ]
      for (const response of answers) {
        const text = await response.text()
        link ??= response.headers.get('link')
        responses[response.status] = /json/.test(response.headers.get('content-type') ?? '')
          ? example(text)
          : text
      }
      expect(Object.keys(responses), operation.operationId).toEqual(
        expect.arrayContaining(Object.keys(failures)),
      )
      examples[operation.operationId] = {
        parameters: { ...sent.path, ...sent.query },
        ...(sent.body && { body: sent.body }),
        ...(link && { link }),
        responses,
      }
    }
  // There is no source to update from: a run has the same answer.
  Object.assign(examples.manualUpdate?.responses ?? {}, { 200: examples.resync?.responses[200] })
  expect(Object.keys(examples).sort()).toEqual(Object.keys(calls).sort())
  await expect(`${JSON.stringify(examples, null, 2)}\n`).toMatchFileSnapshot(
    '../../src/generated/examples.json',
  )
  const document = openApiDocument('', examples)
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(
    '../../src/generated/openapi.json',
  )
}, 120_000)

/** Whole lists are cut to two, and moments of this run are the sample's. */
function example(text: string): Json {
  const today = new Date().toISOString().slice(0, 10)
  return JSON.parse(text, (_, value) => {
    if (Array.isArray(value)) return value.slice(0, 2)
    return typeof value === 'string' && value.startsWith(`${today}T`) ? now.toISOString() : value
  })
}
