import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setSeason } from '../../src/domain/season/change-seasons.ts'
import { closeSeasonsDue } from '../../src/domain/season/close-seasons.ts'
import { type Gateway, hasPlans } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** The final board of a season as a claim file. */

const NAME = 'Spring "No. 1"/a.b'
const at = (name: string, end: string) => `/tables/seasons/${encodeURIComponent(name)}.${end}`

let gateway: Gateway

beforeAll(async () => {
  gateway = await startOnSample({ users: 60, days: 12 })
  const { store, now } = gateway.deps
  const { distributions } = await gateway.ask('{ distributions(orderBy: DATE) { nodes { date } } }')
  const days = distributions.nodes.map(({ date }: any) => date)
  const change = { requestedBy: 'test' }
  const deps = { pool: store.pool, now }
  await store.pool.query('DELETE FROM season')
  await setSeason(deps, { name: NAME, startsAt: days[1], endsAt: days[6] }, change)
  await setSeason(deps, { name: 'Open', startsAt: days[7], endsAt: null }, change)
  await closeSeasonsDue(store.pool, now())
})
afterAll(() => gateway?.close())

const millionths = (points: string) => BigInt(points.replace('.', ''))

describe.runIf(hasPlans)('claim files', () => {
  test('have exact points and shares, and lead to the digest of the final board', async () => {
    const response = await gateway.get(at(NAME, 'json'))
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const file: any = await response.json()
    const { program } = await gateway.ask(
      '{ program { seasons { name startsAt endsAt digest closedAt } } }',
    )
    const season = program.seasons.find(({ name }: any) => name === NAME)
    const { claims, points, season: name, ...rest } = file
    expect({ name, ...rest }).toEqual(season)
    const sorted = claims.toSorted((a: any, b: any) => (a.address < b.address ? -1 : 1))
    const lines = sorted.map((claim: any) => `${claim.address} ${claim.points}\n`).join('')
    expect(createHash('sha256').update(lines).digest('hex')).toBe(season.digest)
    expect(claims.map(({ rank }: any) => rank)).toEqual(claims.map((_: any, at: number) => at + 1))
    const total = claims.reduce((sum: bigint, claim: any) => sum + millionths(claim.points), 0n)
    expect(millionths(points)).toBe(total)
    for (const claim of claims) {
      expect(claim.share).toMatch(/^[01]\.\d{18}$/)
      expect(millionths(claim.share)).toBe((millionths(claim.points) * 10n ** 18n) / total)
    }
    const csv = await (await gateway.get(at(NAME, 'csv'))).text()
    const rows = claims.map((one: any) => [one.address, one.rank, one.points, one.share].join(','))
    expect(csv).toBe(['address,rank,points,share', ...rows, ''].join('\n'))
    const tag = `"${season.digest}"`
    expect(response.headers.get('etag')).toBe(tag)
    const again = await gateway.get(at(NAME, 'csv'), { 'if-none-match': tag })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const head = await fetch(gateway.base + at(NAME, 'json'), { method: 'HEAD' })
    expect([head.status, head.headers.get('etag')]).toEqual([200, tag])
  })

  test.each([
    [at('Open', 'csv'), 409, 'not final'],
    [at('None', 'json'), 404, 'no season'],
    ['/tables/seasons/%00.csv', 400, 'NUL'],
    [at(NAME, 'parquet'), 406, 'csv, json'],
    ['/tables/seasons/none', 406, 'csv, json'],
    [`${at(NAME, 'csv')}?first=3`, 400, 'first'],
  ])('%s is a %i', async (path, status, words) => {
    const response = await gateway.get(path)
    expect([response.status, (await response.json()).detail]).toEqual([
      status,
      expect.stringContaining(words),
    ])
  })
})
