import { keccak_256 } from '@noble/hashes/sha3'
import { bytesToHex } from '@noble/hashes/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Json,
  markets,
  NOW,
  nobody,
  pools,
  startOnFixture,
  tokens,
  upper,
  users,
} from '../rest/fixture.ts'
import { ADMIN_TOKEN, type Gateway } from '../support/gateway.ts'

/** Callers that were written against the older services, each as it is written. */

let gateway: Gateway
let now = NOW

beforeAll(async () => {
  gateway = await startOnFixture({ now: () => now })
})
afterAll(() => gateway?.close())

/** EIP-55: the form that ethers and viem give an address. */
function checksum(address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = bytesToHex(keccak_256(new TextEncoder().encode(digits)))
  return `0x${[...digits].map((digit, i) => (parseInt(hash[i] as string, 16) > 7 ? digit.toUpperCase() : digit)).join('')}`
}

const { ada, fay } = users
const alternating = (address: string) =>
  `0x${[...address.slice(2)].map((digit, i) => (i % 2 ? digit.toUpperCase() : digit.toLowerCase())).join('')}`
const formats: [string, (address: string) => string][] = [
  ['lower case', (address) => address.toLowerCase()],
  ['upper case', upper],
  ['a checksum', checksum],
  ['any mixture', alternating],
]

describe('a list in a query, as axios and others write it', () => {
  const breakdown = '/points/breakdown-by-assets?limit=100'
  const itemsOf = async (path: string) =>
    ((await (await fetch(gateway.base + path)).json()) as { items: Json[] }).items

  it.each([
    ['with brackets', ['asset[]', 'asset[]']],
    ['with indices', ['asset[0]', 'asset[1]']],
    ['without brackets', ['asset', 'asset']],
  ])('%s', async (_, [one = '', other = '']) => {
    const { eth, dai } = tokens
    const all = await itemsOf(breakdown)
    const expected = all.filter(({ aTokenAddress: a, bTokenAddress: b }) =>
      [eth, dai].some((t) => t === a || t === b),
    )
    expect(expected.length).toBeLessThan(all.length)
    expect(await itemsOf(`${breakdown}&${one}=${eth}&${other}=${dai}`)).toEqual(expected)
  })

  it('is refused where one value is due, with what is wrong in the message', async () => {
    const response = await fetch(`${gateway.base}/points/leaderboard?account[]=0x12`)
    expect(await response.json()).toMatchObject({
      statusCode: 400,
      error: 'Bad Request',
      message: 'account must be given once, without brackets.',
    })
  })
})

describe('a points adapter', () => {
  /** Reads the fourth entry, or looks the address up, no matter its case. */
  async function readPoints(address: string) {
    const response = await fetch(`${gateway.base}/points/leaderboard?account=${address}`)
    const { topAccounts, total }: Json = await response.json()
    const entry = topAccounts.find(
      (one: Json) => one.account.toLowerCase() === address.toLowerCase(),
    )
    const fourth = topAccounts[3]
    return {
      fourth: fourth && { ...fourth, rank: parseInt(fourth.rank, 10) },
      entry,
      total: parseInt(total, 10),
    }
  }

  it.each(formats)('requests an account in %s', async (_, format) => {
    const top: Json = await (await fetch(`${gateway.base}/points/leaderboard`)).json()
    expect(top.topAccounts).toHaveLength(3)
    for (const address of Object.values(users)) {
      const points: Json = await (
        await fetch(`${gateway.base}/points/userpoints?account=${address}`)
      ).json()
      const { fourth, entry, total } = await readPoints(format(address))
      if (entry === undefined) expect([fourth, points.userPoints]).toEqual([undefined, 0])
      else {
        expect(fourth).toEqual({
          account: address,
          points: points.userPoints,
          rank: parseInt(entry.rank, 10),
        })
        expect(fourth.rank).toBeGreaterThanOrEqual(1)
        expect(fourth.rank).toBeLessThanOrEqual(total)
      }
    }
  })

  it('finds an account of the top 3 in the fourth entry too', async () => {
    const { topAccounts }: Json = await (await fetch(`${gateway.base}/points/leaderboard`)).json()
    const { fourth } = await readPoints(topAccounts[0].account)
    expect(fourth).toMatchObject({ account: topAccounts[0].account, rank: 1 })
  })

  it('finds no fourth entry for an address without an account', async () => {
    expect(await readPoints(nobody)).toMatchObject({ fourth: undefined, entry: undefined })
  })
})

describe('an address with a checksum', () => {
  it('is that of EIP-55', () => {
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    expect(checksum(address.toLowerCase())).toBe(address)
  })

  const paths = (write: (address: string) => string) => [
    `/points/${write(ada)}`,
    `/points/leaderboard?account=${write(ada)}`,
    `/points/userpoints?account=${write(ada)}`,
    `/points/breakdown-by-assets?asset[]=${write(tokens.eth)}`,
    `/positions/breakdown-by-assets?asset=${write(tokens.eth)},${write(tokens.dai)}`,
    `/positions/breakdown-by-markets?market=${write(pools.ethUsdc)}`,
    `/positions/${write(ada)}`,
    `/v1/users/${write(ada)}/market-position-snapshots?market=${write(markets.first)}`,
    `/v1/users/${write(ada)}/market-liquidation-rewards?market=${write(markets.first)}`,
    `/v1/users/${write(ada)}/earnings`,
    `/v1/users/${write(fay)}/net-apr`,
  ]
  it.each(formats)('has the answer of the same address in lower case: %s', async (_, format) => {
    const lower = paths((address) => address)
    for (const [i, path] of paths(format).entries()) {
      const [one, other] = await Promise.all(
        [path, lower[i] as string].map((each) => fetch(gateway.base + each)),
      )
      expect([path, one?.status, await one?.text()]).toEqual([path, 200, await other?.text()])
    }
  })
})

describe('a bot that compares ETags', () => {
  const watched = [
    '/',
    '/points/leaderboard',
    '/points/reports',
    '/pools/all',
    '/multipliers/all',
    `/positions/${ada}`,
  ]
  const poll = async (path: string, etag?: string) =>
    fetch(gateway.base + path, {
      headers: { 'cache-control': 'no-cache', ...(etag && { 'if-none-match': etag }) },
    })

  it('sees a change only when there is one', async () => {
    const tags = new Map<string, string>()
    for (const path of watched) tags.set(path, (await poll(path)).headers.get('etag') ?? '')
    now = new Date(NOW.getTime() + 5000)
    for (const [path, tag] of tags) {
      expect(tag, path).toMatch(/^(W\/)?"[^"]+"$/)
      expect([path, (await poll(path)).headers.get('etag')]).toEqual([path, tag])
      expect([path, (await poll(path, tag)).status]).toEqual([path, 304])
    }
    const update = await fetch(`${gateway.base}/multipliers/update`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      body: JSON.stringify({ poolAddress: pools.ethUsdc, deposit_tokenA: 7 }),
    })
    expect(update.status).toBe(200)
    const changed: string[] = []
    for (const [path, tag] of tags) if ((await poll(path, tag)).status !== 304) changed.push(path)
    expect(changed).toEqual(['/pools/all', '/multipliers/all'])
  })

  it('gets the health each time, with a stable ETag', async () => {
    const [one, other] = await Promise.all([poll('/health'), poll('/health')])
    const tag = one.headers.get('etag') ?? ''
    expect(tag).toBe(other.headers.get('etag'))
    expect((await poll('/health', tag)).status).toBe(200)
  })
})

describe('a cron job that POSTs an empty body', () => {
  const post = (path: string, init: RequestInit = {}) =>
    fetch(gateway.base + path, {
      method: 'POST',
      ...init,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...init.headers },
    })

  it.each<[string, () => RequestInit]>([
    ['nothing', () => ({})],
    ['an empty text', () => ({ body: '' })],
    ['no bytes of JSON', () => ({ body: '', headers: { 'content-type': 'application/json' } })],
    ['an empty form', () => ({ body: new URLSearchParams() })],
    ['no length', () => ({ body: new Blob([]).stream(), duplex: 'half' }) as RequestInit],
  ])('resyncs the newest date: %s', async (_, init) => {
    for (const path of ['/points/resync', '/Points/Resync/']) {
      const response = await post(path, init())
      const run: Json = await response.json()
      expect([response.status, run.distributionDate]).toEqual([200, '2026-03-03T00:00:00.000Z'])
    }
  })

  it('gets an error if there is no source to update from', async () => {
    const response = await post('/points/manualupdate')
    const problem: Json = await response.json()
    expect(problem).toMatchObject({ status: 503, statusCode: 503, error: 'Service Unavailable' })
    expect(problem.message).toMatch(/source/)
  })
})
