import { expect, test } from 'vitest'
import { lookAtClock } from '../../src/hooks/clock.ts'
import { command } from '../support/command-line.ts'
import { record } from '../support/datasets.ts'
import { asAdmin, type Gateway } from '../support/gateway.ts'
import { add, bodyOf, open, receiver, sendFor, until } from '../support/hooks.ts'
import { ANN, importFiles, multiplier, POOL, pool, position } from '../support/one-pool.ts'

/** Hooks that receive what time has brought: late data, and multipliers in force. */

/** The newest date, and the snapshot of a chain, are of 2026-03-02. */
const load = (gateway: Gateway) =>
  importFiles(gateway, {
    pools: [pool, record.pools],
    multipliers: [multiplier],
    positions: [position(ANN, 10)],
    markets: [{ ...record.markets, chainId: 1 }],
    'market-snapshots': [
      {
        ...record['market-snapshots'],
        chainId: 1,
        timestamp: String(Date.parse('2026-03-02T18:00:00Z') / 1000),
      },
    ],
  })

const runsAt = (gateway: Gateway, time: string) =>
  gateway.deps.store.pool.query('UPDATE run SET finished_at = $1', [time])

test('what is late is sent once, by two gateways, and again for the next date', async () => {
  let now = new Date('2026-03-03T11:00:00Z')
  const gateway = await open({ now: () => now })
  const other = await open({ on: gateway, now: () => now })
  const place = await receiver()
  await load(gateway)
  await runsAt(gateway, '2026-03-02T20:00:00Z')
  await add(gateway, place.base, ['--event', 'distribution.late', 'data.late'])
  const look = () => Promise.all([gateway, other].map(({ deps }) => lookAtClock(deps)))
  expect(await look()).toEqual([0, 0])
  for (const one of [gateway, other]) sendFor(one)
  // Either is expected a day after the newest, and late 12 hours later.
  now = new Date('2026-03-03T12:30:00Z')
  await until(() => expect(place.requests).toHaveLength(1))
  now = new Date('2026-03-04T06:30:00Z')
  await until(() => expect(place.requests).toHaveLength(2))
  expect(await look()).toEqual([0, 0])
  const [distribution, snapshots] = place.requests.map(bodyOf)
  expect(distribution).toMatchObject({
    type: 'distribution.late',
    data: { date: '2026-03-03', newest: '2026-03-02', expectedAt: '2026-03-03T00:00:00.000Z' },
  })
  expect(snapshots).toMatchObject({
    type: 'data.late',
    data: { records: 'snapshots', chainId: 1, expectedAt: '2026-03-03T18:00:00.000Z' },
  })
  const { status } = await gateway.ask(snapshots.graphql.query)
  expect(status.chains).toMatchObject([{ chainId: 1, late: true }])
  expect((await gateway.ask(distribution.graphql.query)).status.distributionLate).toBe(true)
  await importFiles(gateway, {
    positions: [position(ANN, 10, { distributionDate: '2026-03-03T00:00:00.000Z' })],
  })
  await runsAt(gateway, '2026-03-02T20:00:00Z')
  now = new Date('2026-03-04T12:30:00Z')
  await until(() => expect(place.requests).toHaveLength(3))
  expect(bodyOf(place.requests[2] as never).data.date).toBe('2026-03-04')
})

test('nothing is late in an empty store, and nothing is read for hooks that do not ask', async () => {
  const gateway = await open()
  const place = await receiver()
  await add(gateway, place.base, ['--event', 'distribution.late', 'data.late', 'rules.in_force'])
  expect(await lookAtClock(gateway.deps)).toBe(0)
  const quiet = await open()
  await load(quiet)
  await add(quiet, place.base, ['--event', 'distribution.computed'])
  expect(await lookAtClock(quiet.deps)).toBe(0)
  expect((await quiet.deps.store.pool.query('SELECT FROM hook_noted')).rowCount).toBe(0)
})

test('a multiplier is sent when it is announced and when its date has come; a revoked one is not', async () => {
  let now = new Date()
  const gateway = await open({ now: () => now })
  const place = await receiver()
  await load(gateway)
  await add(gateway, place.base, ['--event', 'rules.announced', 'rules.in_force'])
  sendFor(gateway)
  const announce = (depositA: number, from: string) =>
    gateway.ask(
      `mutation { updateMultipliers(input: { multipliers: [
        { poolAddress: "${POOL}", depositA: ${depositA}, from: "${from}" }] }) { problems { code } } }`,
      {},
      asAdmin,
    )
  await announce(3, '2090-01-01')
  await announce(4, '2090-02-01')
  await until(() => expect(place.requests).toHaveLength(2))
  const [announced] = place.requests.map(bodyOf)
  expect(announced).toMatchObject({
    type: 'rules.announced',
    data: { pool: POOL, from: '2090-01-01', depositA: 3, borrowB: 4 },
  })
  const rules = async ({ graphql: { query, variables } }: typeof announced) =>
    (await gateway.ask(query, variables)).multipliers.nodes
  expect(await rules(announced)).toMatchObject([{ poolAddress: POOL, depositA: 3 }])
  const { DATABASE_URL = '' } = gateway.deps.config
  const { rows } = await gateway.deps.store.pool.query('SELECT max(id) FROM multiplier_revision')
  const revoked = await command(['multipliers', 'revoke', rows[0].max], { DATABASE_URL })
  expect(revoked.code, revoked.err).toBe(0)
  now = new Date('2090-01-01T00:01:00Z')
  await until(() => expect(place.requests).toHaveLength(3))
  expect(bodyOf(place.requests[2] as never)).toMatchObject({
    type: 'rules.in_force',
    data: { pool: POOL, from: '2090-01-01', depositA: 3 },
  })
  now = new Date('2090-02-01T00:01:00Z')
  expect(await lookAtClock(gateway.deps)).toBe(0)
})
