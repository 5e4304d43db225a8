import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isoDay } from '../../src/time.ts'
import { command } from '../support/command-line.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { memorySource } from '../support/memory-source.ts'
import { type ProxyServer, startProxy } from '../support/proxy.ts'
import { startOnSample } from '../support/sample.ts'

const positions = memorySource()
let source: Gateway
let copy: Gateway
let pools: string[]
beforeAll(async () => {
  source = await startOnSample({
    users: 8,
    days: 5,
    positionsSource: positions,
    env: { PROGRAM_NAME: 'Points One' },
  })
  copy = await startGateway()
  pools = (await source.ask('{ pools { nodes { address } } }')).pools.nodes.map(
    (one: { address: string }) => one.address,
  )
})
afterAll(() => Promise.all([source.close(), copy.close()]))

const day = (offset: number) => isoDay(new Date(Date.now() + offset * 86_400_000))

async function run(gateway: Gateway, args: string[], settings: Record<string, string> = {}) {
  const done = await command(args, {
    DATABASE_URL: gateway.deps.config.DATABASE_URL as string,
    ...settings,
  })
  expect(done.code, `${args.join(' ')}: ${done.err}`).toBe(0)
  return done
}
const onSource = (...args: string[]) => run(source, args)
const copyAgain = (...args: string[]) => run(copy, ['import', source.base, ...args])
const update = (base = source.base, ...args: string[]) =>
  run(copy, ['update', ...args], { ANALYTICS_SOURCE: base })
const dataVersion = async ({ deps } = copy) =>
  (await deps.store.pool.query('SELECT sum(version)::text AS version FROM data_version')).rows[0]
    .version

/** All rules of dates up to next week, and what they make of the current positions. */
async function rulesOf(gateway: Gateway) {
  const dates = [-400, ...Array.from({ length: 15 }, (_, at) => at - 7)].map(day)
  const revisions = 'recordId from changedAt changedBy revokedAt revokedBy'
  return gateway.ask(`{
    ${dates.map((date, at) => `d${at}: basePoints(asOf: "${date}") { deposit borrow }`).join('\n')}
    basePointsRevisions { deposit borrow ${revisions} }
    multiplierRevisions(first: 1000) {
      nodes { poolAddress depositA depositB borrowA borrowB recordedAt ${revisions} }
    }
    pools(first: 1000) { nodes { address multiplier { depositA depositB borrowA borrowB updatedAt } } }
    program { seasons { name startsAt endsAt status digest closedAt } }
    currentPositions(first: 1000) { nodes { id pointsPerDay } }
  }`)
}

/** The positions of today: those of yesterday, with other amounts. */
async function positionsOfToday() {
  const { items } = await (await source.get('/positions/breakdown-by-assets?limit=100')).json()
  const newest = items[0].distributionDate
  return items
    .filter((one: { distributionDate: string }) => one.distributionDate === newest)
    .map(({ id, points, pointsA, pointsB, ...position }: Record<string, number | string>) => ({
      ...position,
      aSuppliedAmount: Number(position.aSuppliedAmount) * 2,
      aSuppliedAmountUsd: Number(position.aSuppliedAmountUsd) * 2,
      distributionDate: `${day(0)}T00:00:00.000Z`,
    }))
}

async function digestOfToday(gateway: Gateway) {
  const { distributions } = await gateway.ask(
    `{ distributions(first: 1) { nodes { date digest points } } }`,
  )
  return distributions.nodes[0]
}

describe('a copy of a gateway', () => {
  test('has its rules: base points, multipliers of dates, announcements, and seasons', {
    timeout: 300_000,
  }, async () => {
    await onSource('base-points', 'set', '--deposit', '2', '--borrow', '0.25')
    await onSource('base-points', 'set', '--deposit', '3', '--borrow', '1', '--from', day(-2))
    await onSource('base-points', 'set', '--deposit', '9', '--borrow', '9', '--from', day(5))
    await onSource(
      'multipliers',
      'set',
      pools[0] as string,
      '--deposit-a',
      '7',
      '--from',
      day(-1),
      '--yes',
    )
    await onSource(
      'multipliers',
      'set',
      pools[1] as string,
      '--deposit-a',
      '8',
      '--from',
      day(3),
      '--yes',
    )
    await onSource('seasons', 'set', 'One', '--from', day(-5), '--to', day(-3))
    await onSource('seasons', 'set', 'Two', '--from', day(-2))

    const { err } = await copyAgain()
    expect(err).toContain('is called "Points One": set PROGRAM_NAME')
    const rules = await rulesOf(source)
    expect(rules.currentPositions.nodes.length).toBeGreaterThan(5)
    expect(rules.program.seasons[0]).toMatchObject({ status: 'ENDED', digest: expect.any(String) })
    expect(await rulesOf(copy)).toEqual(rules)
  })

  test('counts copied rates from the end of their day on, when they are known', async () => {
    const { rows } = await copy.deps.store.pool.query<{ at: string }>(
      `SELECT DISTINCT (changed_at AT TIME ZONE 'UTC')::time::text AS at FROM rate_revision WHERE changed_at < $1`,
      [day(0)],
    )
    expect(rows).toEqual([{ at: '23:59:59.999' }])
    const apr = '{ netDepositApr netBorrowApr }'
    const moments = [-4, -3, -2].map((offset) => `${day(offset)}T23:59:59.999Z`)
    const query = `{ users(first: 1000) { nodes {
      address ${moments.map((moment, at) => `at${at}: netApr(at: "${moment}") ${apr}`).join(' ')}
    } } }`
    expect(await copy.ask(query)).toEqual(await source.ask(query))
  })

  test('computes the same points from the next day on', { timeout: 300_000 }, async () => {
    positions.rows = await positionsOfToday()
    const response = await fetch(`${source.base}/points/manualupdate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${source.deps.config.ADMIN_TOKEN}` },
    })
    expect(response.status).toBe(200)
    await run(copy, ['manualupdate'], { POSITIONS_SOURCE: source.base })
    const expected = await digestOfToday(source)
    expect(expected).toMatchObject({ date: day(0), digest: expect.any(String) })
    expect(await digestOfToday(copy)).toEqual(expected)
    expect(await rulesOf(copy)).toEqual(await rulesOf(source))
  })

  test('follows changes and revocations by updates', { timeout: 300_000 }, async () => {
    const { multiplierRevisions, basePointsRevisions } = await rulesOf(source)
    const announced = (revisions: any[], from: string) =>
      revisions.find((one) => one.from === from).recordId
    await onSource('multipliers', 'revoke', announced(multiplierRevisions.nodes, day(3)))
    await onSource('base-points', 'revoke', announced(basePointsRevisions, day(5)))
    await onSource('multipliers', 'set', pools[2] as string, '--borrow-b', '5', '--yes')
    await onSource(
      'multipliers',
      'set',
      pools[0] as string,
      '--borrow-b',
      '5',
      '--from',
      day(2),
      '--yes',
    )
    await onSource('seasons', 'set', 'Two', '--from', day(-2), '--to', day(9))

    const preview = await update(source.base, 'rules', '--dry-run')
    expect(preview.out).toMatch(/^rules: [1-9]\d* records would be new or changed$/m)
    const done = await update()
    expect(done.out).toMatch(/^rules: [1-9]\d* records new or changed$/m)
    expect(await rulesOf(copy)).toEqual(await rulesOf(source))

    const before = await dataVersion()
    expect((await update(source.base, 'rules')).out).toContain('rules: 0 records new or changed')
    expect(await dataVersion()).toBe(before)
  })

  test('follows them by a second copy too', { timeout: 300_000 }, async () => {
    await onSource('base-points', 'set', '--deposit', '4', '--borrow', '4', '--from', day(1))
    await source.deps.store.pool.query('DELETE FROM multiplier WHERE pool_address = $1', [pools[3]])
    await copyAgain()
    const rules = await rulesOf(source)
    expect(
      rules.pools.nodes.filter((pool: any) => pool.multiplier === null).length,
    ).toBeGreaterThan(0)
    expect(await rulesOf(copy)).toEqual(rules)
    const before = await dataVersion()
    await copyAgain()
    expect(await dataVersion()).toBe(before)
  })

  describe('of a gateway of an older version', () => {
    let older: ProxyServer
    beforeAll(async () => {
      older = await startProxy(source.base, {
        async answer({ path }) {
          if (path === '/points/reports') await sleep(1500)
          return false
        },
        change(path, body: any) {
          const { query, program, revision } = (path === '/graphql' && body.data) || {}
          for (const type of [query, program, revision])
            if (type?.fields)
              type.fields = type.fields.filter(
                ({ name }: any) => !/seasons|basePoints|revokedAt/.test(name),
              )
          return body
        },
      })
    })
    afterAll(() => older.close())

    test('names what it does not show, and keeps what is stored', {
      timeout: 300_000,
    }, async () => {
      const before = await rulesOf(copy)
      const { out } = await run(copy, ['import', older.base])
      // The time of reading counts too: both before and after the copy.
      expect(Number(/^Imported .* in ([\d.]+) s;/m.exec(out)?.[1])).toBeGreaterThan(3)
      expect(out).toContain('does not show its multipliers of dates, base points, and seasons')
      expect(await rulesOf(copy)).toEqual(before)
    })
  })

  test('that has other rules keeps them, and says so', { timeout: 300_000 }, async () => {
    await run(copy, ['base-points', 'set', '--deposit', '1', '--borrow', '1'])
    const before = await rulesOf(copy)
    await onSource('base-points', 'set', '--deposit', '5', '--borrow', '5')
    expect((await update(source.base, 'rules')).out).toContain('this store is not a copy of')
    expect(await rulesOf(copy)).toEqual(before)
    expect((await copyAgain()).err).toContain('The base points of this store are not those of')
    expect(await rulesOf(copy)).toEqual(before)
  })
})

describe('the base points of the settings of a gateway', () => {
  let plain: Gateway
  let other: Gateway
  beforeAll(async () => {
    plain = await startOnSample({ users: 8, days: 5 })
    other = await startGateway({ env: { POINTS_BASE_DEPOSIT: '3', POINTS_BASE_BORROW: '2' } })
  })
  afterAll(() => Promise.all([plain.close(), other.close()]))

  test('count in a copy whose settings differ', { timeout: 300_000 }, async () => {
    const settings = { POINTS_BASE_DEPOSIT: '3', POINTS_BASE_BORROW: '2' }
    await run(other, ['import', plain.base], settings)
    const query =
      '{ basePoints { deposit borrow } currentPositions(first: 1000) { nodes { id pointsPerDay } } }'
    expect(await other.ask(query)).toEqual(await plain.ask(query))
    const before = await dataVersion(other)
    await run(other, ['import', plain.base], settings)
    expect(await dataVersion(other)).toBe(before)

    const third = await startGateway()
    try {
      await run(third, ['import', other.base])
      expect((await run(third, ['import', other.base])).err).not.toContain('are not those of')
      expect(await third.ask(query)).toEqual(await plain.ask(query))
    } finally {
      await third.close()
    }
  })
})
