import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleMarket, sampleUser } from '../../src/sample/index.ts'
import { DAY_MS, isoDay } from '../../src/time.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 20, days: 8 })
})
afterAll(() => gateway.close())

const kinds = 'kinds: DEPOSIT'
const time = (days: number) => `time: { gte: "2026-01-01", lte: "2026-01-${days + 1}" }`
const daysAgo = (days: number) => isoDay(new Date(Date.now() - days * DAY_MS))
const allowed = [
  'nodes { kind }',
  `(where: { time: { gte: "2020-01-01" } }) { nodes { kind } }`,
  '(where: { unpriced: true }) { nodes { kind } }',
  `(where: { unpriced: true, time: { gte: "2020-01-01" } }) { nodes { kind } }`,
  `(where: { users: "${sampleUser}", ${kinds} }) { totalCount }`,
  `(where: { ${time(30)}, ${kinds} }) { totalCount }`,
  `(where: { AND: [{ ${time(30)} }, { ${kinds} }] }) { totalCount }`,
  `(where: { amountUsd: { gte: 10000 }, time: { gte: "${daysAgo(7)}" } }) { nodes { kind } }`,
  `(where: { OR: [{ users: "${sampleUser}", ${kinds} }, { time: { eq: "2026-01-01" } }] }) { nodes { kind } }`,
]
// Both feeds, with what each calls the kind of a row and an amount. Only activity has `unpriced`.
const feedsOf = (selection: string) => feeds.slice(0, selection.includes('unpriced') ? 1 : 2)
const feeds = [
  { feed: 'activity', records: 'activity', own: (text: string) => text },
  {
    feed: 'liquidationRewards',
    records: 'liquidation rewards',
    own: (text: string) =>
      text
        .replaceAll(kinds, 'claimed: true')
        .replaceAll('kind ', 'txHash ')
        .replaceAll('amountUsd', 'supplySentUsd'),
  },
]
test.each(allowed)('a feed may be read so: %s', async (selection) => {
  for (const { feed, own } of feedsOf(selection)) {
    const read = own(selection)
    await gateway.ask(`{ ${feed} ${read.startsWith('(') ? read : `{ ${read} }`} }`)
  }
})

test.each([
  ['where', `(where: { ${kinds} }) { nodes { kind } }`],
  ['where', '(where: { unpriced: false }) { nodes { kind } }'],
  ['where', `(where: { unpriced: true, ${kinds} }) { nodes { kind } }`],
  ['totalCount', '(where: { unpriced: true }) { totalCount }'],
  ['where', `(where: { entities: "${sampleMarket.address}" }) { nodes { kind } }`],
  ['where', `(where: { amountUsd: { gte: 5 }, time: { gte: "2026-01-01" } }) { nodes { kind } }`],
  ['where', `(where: { amountUsd: { gte: 5 }, time: { lt: "${daysAgo(7)}" } }) { nodes { kind } }`],
  [
    'where',
    `(where: { ${kinds}, time: { gte: "2026-01-01", lte: "2026-02-02" } }) { nodes { kind } }`,
  ],
  ['where', `(where: { OR: [{ users: "${sampleUser}" }, { ${kinds} }] }) { nodes { kind } }`],
  ['where', `(where: { NOT: { users: "${sampleUser}" } }) { nodes { kind } }`],
  ['totalCount', '{ totalCount }'],
  ['totalCount', '(where: { time: { gte: "2026-01-01" } }) { totalCount }'],
])('a feed without bounds is refused by its %s: %s', async (name, selection) => {
  for (const { feed, records, own } of feedsOf(selection)) {
    const { errors } = await gateway.graphql(`{ ${feed} ${own(selection)} }`)
    expect(errors?.[0]?.message).toMatch(
      new RegExp(
        `^${name} would (scan|count) the ${records} of all users: add where.users \\(at most 1000\\), or where.time .*/graphql#example=LargeMoves`,
      ),
    )
  }
})

test('the rewards of all users are sorted only within bounds', async () => {
  const sorted = (where: string) =>
    gateway.graphql(`{ liquidationRewards(orderBy: SUPPLY_SENT_USD${where}) { nodes { txHash } } }`)
  expect((await sorted(`, where: { ${time(30)} }`)).errors).toBeUndefined()
  expect((await sorted(`, where: { users: "${sampleUser}" }`)).errors).toBeUndefined()
  expect((await sorted('')).errors?.[0]?.message).toMatch(
    /^orderBy would sort the liquidation rewards of all users: add where.users/,
  )
})

test('a page of the newest reads an index from its end', async () => {
  const { pool } = gateway.deps.store
  gateway.statements.length = 0
  await gateway.ask('{ activity(first: 5) { nodes { kind txHash } } }')
  expect(gateway.statements).toHaveLength(1)
  const client = await pool.connect()
  try {
    await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off')
    const { rows } = await client.query(
      `EXPLAIN SELECT * FROM cash_flow ORDER BY timestamp DESC, log_index DESC LIMIT 5`,
    )
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(
      'Backward using cash_flow_timestamp_idx',
    )
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})

test('records without a price are read by indexes of them', async () => {
  const { pool } = gateway.deps.store
  gateway.statements.length = 0
  await gateway.ask('{ activity(first: 5, where: { unpriced: true }) { nodes { kind } } }')
  const client = await pool.connect()
  try {
    await client.query('BEGIN; SET LOCAL enable_seqscan = off')
    const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN) ${gateway.statements[0]}`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    const rewards = ['market_liquidation_reward', 'vault_liquidation_reward']
    for (const table of ['cash_flow', 'liquidation', ...rewards])
      expect(plan).toContain(`using ${table}_unpriced_idx`)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})
