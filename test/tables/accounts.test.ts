import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleUser } from '../../src/sample/index.ts'
import { type Gateway, hasPlans } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** All records of an account as one file. */

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 60, days: 110 })
})
afterAll(() => gateway?.close())

const at = (address: string) => `/tables/accounts/${address}.jsonl`

async function linesAt(path: string): Promise<any[]> {
  const response = await gateway.get(path)
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'application/x-ndjson; charset=utf-8',
  ])
  const lines = (await response.text()).split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((line) => JSON.parse(line))
}

describe.runIf(hasPlans)('the file of an account', () => {
  test('has every record of its lists once, over pages, each with the name of its list', async () => {
    const lines = await linesAt(at(sampleUser.toUpperCase().replace('0X', '0x')))
    const { user } = await gateway.ask(
      `query ($address: Address!) { user(address: $address) {
        dailyPoints(first: 1000) { totalCount nodes { date points } }
        positions(first: 1000) { totalCount nodes { date points pool { displayName } } }
        snapshots { totalCount } activity { totalCount } liquidationRewards { totalCount }
        liquidations { totalCount } ledger { totalCount } } }`,
      { address: sampleUser },
    )
    const of = (list: string) => lines.filter((line) => line.list === list)
    for (const [list, { totalCount }] of Object.entries<any>(user))
      expect([list, of(list).length]).toEqual([list, totalCount])
    expect(lines).toHaveLength(
      Object.values<any>(user).reduce((sum, { totalCount }) => sum + totalCount, 0),
    )
    const pick = ({ date, points }: any) => ({ date, points })
    expect(of('dailyPoints').map(pick)).toEqual(user.dailyPoints.nodes)
    expect(of('positions').map((one) => ({ ...pick(one), pool: one['pool.displayName'] }))).toEqual(
      user.positions.nodes.map((one: any) => ({ ...pick(one), pool: one.pool.displayName })),
    )
    for (const list of ['dailyPoints', 'positions', 'activity'])
      expect([list, of(list).length > 0]).toEqual([list, true])
    expect(of('snapshots').length).toBeGreaterThan(1000)
    expect(new Set(lines.map((line) => JSON.stringify(line))).size).toBe(lines.length)
  })

  test('of an account without records is empty; bad addresses and formats are refused', async () => {
    expect(await linesAt(at(`0x${'0'.repeat(39)}1`))).toEqual([])
    for (const [path, status, words] of [
      [at('0x12'), 400, 'hexadecimal'],
      [at('ann.eth'), 406, 'jsonl'],
      [`/tables/accounts/${sampleUser}.csv`, 406, 'jsonl'],
      [`/tables/accounts/${sampleUser}`, 406, 'jsonl'],
      [`${at(sampleUser)}?fields=points`, 400, 'fields'],
    ] as const) {
      const response = await gateway.get(path)
      expect([path, response.status, (await response.json()).detail]).toEqual([
        path,
        status,
        expect.stringContaining(words),
      ])
    }
    const head = await fetch(gateway.base + at(sampleUser), { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})
