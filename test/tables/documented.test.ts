import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleUser } from '../../src/sample/index.ts'
import { type Gateway, hasPlans } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** The lists of the REST documents as whole tables. */

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 60, days: 150 })
})
afterAll(() => gateway?.close())

const all = 'from_timestamp=0&to_timestamp=99999999999'

const paged = (path: string, query = '') => `${path}?limit=100&${query}`

async function bodyAt(path: string): Promise<any> {
  const response = await gateway.get(path)
  expect([path, response.status]).toEqual([
    path,
    expect.toSatisfy((one) => one === 200 || one === 201),
  ])
  return response.json()
}

/** The rows of all pages of an endpoint. */
async function rowsAt(path: string, query: string): Promise<any[]> {
  const rows: any[] = []
  for (let more = 'page=1&page_size=700'; ; ) {
    const body = await bodyAt(`${paged(path, query)}&${more}`)
    rows.push(...(body.items ?? body.data ?? body.topAccounts ?? body))
    const { nextCursor, pagination } = body
    if (nextCursor) more = `cursor=${encodeURIComponent(nextCursor)}`
    else if (pagination?.has_more) more = `page=${pagination.page + 1}&page_size=700`
    else return rows
  }
}

async function textAt(path: string): Promise<string> {
  const response = await gateway.get(path)
  const text = await response.text()
  expect([path, response.status, text.slice(0, 200)]).toEqual([path, 200, text.slice(0, 200)])
  return text
}

describe.runIf(hasPlans)('a documented list', () => {
  test('has the rows of all pages of its endpoint, with the keys of its records', async () => {
    const { marketLiquidationRewards, pools } = await gateway.ask(
      `query ($address: Address!) {
        marketLiquidationRewards: user(address: $address) {
          liquidationRewards(first: 1, where: { entityTypes: MARKET }) { nodes { entityAddress } }
        }
        pools(first: 2) { nodes { assetA { address } } } }`,
      { address: sampleUser },
    )
    const [{ entityAddress }] = marketLiquidationRewards.liquidationRewards.nodes
    const user = `/v1/users/${sampleUser}`
    const lists: [path: string, query?: string][] = [
      ['/pools/all'],
      ['/multipliers/all'],
      ['/points/reports'],
      ['/points/leaderboard', `account=${sampleUser}`],
      [`/points/${sampleUser}`],
      ['/positions/breakdown-by-assets', `asset=${pools.nodes[0].assetA.address}`],
      ['/positions/breakdown-by-markets', 'sort=points'],
      ['/points/breakdown-by-assets'],
      [`${user}/market-position-snapshots`, all],
      [`${user}/market-position-snapshots`, `${all}&should_group_by_timestamp=true`],
      [`${user}/vault-position-snapshots`, all],
      [`${user}/market-liquidation-rewards`, `market=${entityAddress}`],
    ]
    for (const [path, query = ''] of lists) {
      const rows = await rowsAt(path, query)
      const text = await textAt(`${path}.jsonl?${query}`)
      const lines = text.split('\n').slice(0, -1)
      expect([path, lines.length]).toEqual([path, rows.length])
      expect([path, lines.map((line) => JSON.parse(line))]).toEqual([path, rows])
      expect([path, rows.length > 0]).toEqual([path, true])
      const csv = await textAt(`${path}.csv?${query}&for=spreadsheet`)
      const [head = ''] = csv.split('\n')
      if (rows[0]) expect(head.split(',').sort()).toEqual(Object.keys(rows[0]).sort())
    }
    const snapshots = await rowsAt(`${user}/market-position-snapshots`, all)
    expect(snapshots.length).toBeGreaterThan(1000)
  })

  test('has the time of the request where its endpoint has it', async () => {
    const text = await textAt(`/positions/${sampleUser}.jsonl`)
    const { points } = await bodyAt(`/positions/${sampleUser}`)
    const { timestamp, ...row } = JSON.parse(text)
    expect([row]).toEqual(points.map(({ timestamp: _, ...point }: any) => point))
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(60_000)
  })

  test('is a Parquet file with the same values', async () => {
    const buffer = await (await gateway.get('/points/reports.parquet')).arrayBuffer()
    const rows = await parquetReadObjects({ file: buffer })
    const { items } = await bodyAt('/points/reports')
    const known = items.map((item: any) => ({ ...item, positionCount: BigInt(item.positionCount) }))
    expect(rows).toEqual(known)
  })

  test('has an etag; wrong parameters, pages and formats are refused as by its endpoint', async () => {
    const response = await gateway.get('/pools/all.csv')
    const tag = response.headers.get('etag') ?? ''
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="getPools.csv"')
    expect(await response.text()).toContain('\n')
    expect((await gateway.get('/pools/all.csv', { 'if-none-match': tag })).status).toBe(304)
    const head = await fetch(`${gateway.base}/pools/all.csv`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    for (const [path, words] of [
      ['/points/0x12.csv', 'hexadecimal'],
      ['/points/breakdown-by-assets.csv?asset=0x12', 'addresses'],
      ['/points/breakdown-by-assets.csv?cursor=none', 'cursor names no record'],
      ['/points/breakdown-by-assets.csv?limit=10', 'limit must be left out'],
      [`/v1/users/${sampleUser}/market-position-snapshots.csv?page=2`, 'page must be left out'],
      [`/v1/users/${sampleUser}/market-liquidation-rewards.csv`, 'market'],
      ['/pools/all.jsonl?for=spreadsheet', 'spreadsheet reads CSV'],
      ['/pools/all.csv?for=print', 'must be spreadsheet'],
    ] as const) {
      const refused = await gateway.get(path)
      expect([path, refused.status, (await refused.json()).detail]).toEqual([
        path,
        400,
        expect.stringContaining(words),
      ])
    }
    const unknown = `/v1/users/${sampleUser}/market-liquidation-rewards.csv?market=${sampleUser}`
    expect((await gateway.get(unknown)).status).toBe(404)
  })
})
