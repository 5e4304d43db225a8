import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql'
import pMap from 'p-map'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { sampleMarket, samplePool, sampleUser, sampleVault } from '../../src/sample/index.ts'
import { LONG, SAMPLE } from '../support/extent.ts'
import { ADMIN_TOKEN, type Gateway } from '../support/gateway.ts'
import { addLiquidations, addRewards } from '../support/rewards.ts'
import { startOnSample } from '../support/sample.ts'

const schema = createSchema()
const daysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample()
  await addRewards(gateway)
  await addLiquidations(gateway)
  await addHistory(gateway)
})
afterAll(() => gateway.close())

type Row = Record<string, any>

/**
 * How a test reaches a list, and what the list is ordered by: ascending, a negated number descends.
 */
interface Way {
  /** The fields around the list, `LIST` in their middle. */
  through: string
  /** Arguments next to the paging ones. */
  filter?: string
  /** What the order needs next to the row's own scalars. */
  select?: string
  order(row: Row): (number | bigint | string)[]
  /** The rows that the list must have at least, for its tests to mean something. */
  atLeast?: number
}

const newestFirst = (row: Row) => [-Date.parse(row.date), atob(row.id)]
const snapshotOrder = (row: Row) => [
  Date.parse(row.time),
  row.chainId,
  row.entityAddress,
  row.user.address,
  row.positionId ?? '',
  row.entityType,
]
const rewardOrder = (row: Row) => [
  -Date.parse(row.time),
  -row.logIndex,
  row.txHash,
  row.chainId,
  row.user.address,
  row.entityType,
]
const liquidationOrder = (row: Row) => [
  -Date.parse(row.time),
  -row.logIndex,
  row.txHash,
  row.chainId,
  row.user.address,
]
const ofBorrower = { order: liquidationOrder, select: 'user { address }' }
/** Records of one event: what happened to a borrower, then rewards in markets and in vaults. */
const placeOf = ({ kind, entityType }: Row) => {
  if (kind !== 'LIQUIDATION_REWARD') return 0
  return entityType === 'MARKET' ? 1 : 2
}
const activityOrder = (row: Row) => [
  -Date.parse(row.time),
  -row.logIndex,
  row.txHash,
  row.chainId,
  row.user.address,
  placeOf(row),
]
const byChain = (row: Row) => [row.chainId, row.address]
const byPool = (row: Row) => [row.number, row.address]

/** Text whose order is the reverse. */
const backwards = (text: string) =>
  [...text].map((one) => String.fromCharCode(65_535 - one.charCodeAt(0))).join('')

const newestNumber = (row: Row) => [-BigInt(row.recordId)]

const ofUser = `user(address: "${sampleUser}") { LIST }`
const ofLegacyUser = `user(address: "${sampleUser}") { legacy { LIST } }`
const ofPool = `pool(address: "${samplePool.address}") { LIST }`
const ofMarket = `market(chainId: ${sampleMarket.chainId}, address: "${sampleMarket.address}") { LIST }`
const ofVault = `vault(chainId: ${sampleVault.chainId}, address: "${sampleVault.address}") { LIST }`
const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)

/**
 * Every list of the schema, by the field that gives it; a filter that changes the SQL is a separate
 * way.
 */
const ways: Record<string, Way[]> = {
  'Query.users': [
    { through: 'LIST', order: (row) => [row.address] },
    {
      through: 'LIST',
      filter: 'orderBy: WORTH_USD',
      order: (row) => [row.worth.netUsd],
      select: 'address worth { netUsd }',
    },
  ],
  'Query.assets': [
    { through: 'LIST', order: byChain },
    {
      through: 'LIST',
      filter: 'orderBy: SYMBOL',
      order: (row) => [row.symbol, ...byChain(row)],
    },
  ],
  'Asset.pools': [
    { through: `asset(chainId: ${samplePool.chainId}, address: "OTHER") { LIST }`, order: byPool },
    {
      through: `asset(chainId: ${samplePool.chainId}, address: "OTHER") { LIST }`,
      filter: 'orderBy: TVL_USD, orderDirection: DESC',
      order: (row) => [-row.tvlUsd, ...byPool(row)],
    },
  ],
  'Query.distributions': [{ through: 'LIST', order: (row) => [-Date.parse(row.date)] }],
  'Query.leaderboard': [
    { through: 'LIST', order: (row) => [row.rank] },
    {
      through: 'LIST',
      filter: 'where: { rank: { gte: 5 } }, orderBy: POINTS',
      order: (row) => [-row.rank],
    },
    { through: 'LIST', filter: 'orderBy: USER', order: (row) => [row.user.address] },
    {
      through: 'LIST',
      filter: `scope: { window: { pool: "${samplePool.address}" } }`,
      order: (row) => [row.rank],
    },
    {
      through: 'LIST',
      filter: `scope: { window: { from: "${daysAgo(20)}" } }`,
      order: (row) => [row.rank],
    },
    {
      through: 'LIST',
      filter: `scope: { window: { from: "${daysAgo(9)}", to: "${daysAgo(3)}", chainId: ${samplePool.chainId} } }`,
      order: (row) => [row.rank],
    },
    {
      through: 'LIST',
      filter: `scope: { window: { to: "${daysAgo(3)}" } }`,
      order: (row) => [row.rank],
    },
    { through: 'LIST', filter: `scope: { asOf: "${daysAgo(5)}" }`, order: (row) => [row.rank] },
    { through: 'LIST', filter: `scope: { asOf: "${daysAgo(0)}" }`, order: (row) => [row.rank] },
  ],
  'Query.markets': [
    { through: 'LIST', order: byChain },
    { through: 'LIST', filter: 'where: { chainIds: 146 }', order: byChain },
    {
      through: 'LIST',
      filter: 'where: { chainIds: [146] }, orderBy: BORROW_APR, orderDirection: DESC',
      order: (row) => [-row.borrowApr, ...byChain(row)],
    },
    {
      through: 'LIST',
      filter: 'orderBy: UTILIZATION',
      order: (row) => [row.utilization ?? Number.POSITIVE_INFINITY, ...byChain(row)],
    },
  ],
  'Query.multipliers': [
    {
      through: 'LIST',
      select: 'pool { number }',
      order: (row) => [row.pool.number, row.poolAddress],
    },
  ],
  'Query.pools': [
    { through: 'LIST', order: byPool },
    { through: 'LIST', filter: 'where: { chainIds: 146 }', order: byPool },
    { through: 'LIST', filter: 'where: { assets: "COMMON" }', order: byPool },
    {
      through: 'LIST',
      filter: 'where: { assets: "COMMON" }, orderBy: NAME',
      order: (row) => [row.name, ...byPool(row)],
    },
    {
      through: 'LIST',
      filter:
        'where: { tvlUsd: { gte: 0 } }, orderBy: [TVL_USD, TOTAL_POINTS], orderDirection: [DESC, ASC]',
      order: (row) => [-row.tvlUsd, row.totalPoints, ...byPool(row)],
    },
    {
      through: 'LIST',
      filter: 'orderBy: UTILIZATION, orderDirection: DESC',
      order: (row) => [-(row.utilization ?? Number.NEGATIVE_INFINITY), ...byPool(row)],
    },
  ],
  'Query.positions': [
    { through: 'LIST', order: newestFirst, atLeast: 200 },
    { through: 'LIST', filter: 'where: { assets: ["ASSET"] }', order: newestFirst },
    {
      through: 'LIST',
      filter: `where: { assets: ["ASSET", "OTHER"], pools: "${samplePool.address}" }`,
      order: newestFirst,
    },
    { through: 'LIST', filter: `where: { users: "${sampleUser}" }`, order: newestFirst },
    { through: 'LIST', filter: `where: { pools: "${samplePool.address}" }`, order: newestFirst },
    { through: 'LIST', filter: `where: { date: { eq: "${yesterday}" } }`, order: newestFirst },
    { through: 'LIST', filter: `asOf: "${yesterday}"`, order: newestFirst },
    { through: 'LIST', filter: 'where: { assets: ["ASSET", "OTHER"] }', order: newestFirst },
    {
      through: 'LIST',
      filter: `orderBy: DATE, where: { date: { gte: "${daysAgo(30)}", lte: "${daysAgo(0)}" }, NOT: { assets: ["OTHER"] } }`,
      order: (row) => [Date.parse(row.date), backwards(atob(row.id))],
    },
    {
      through: 'LIST',
      filter: `where: { users: "${sampleUser}" }, orderBy: [POINTS, POOL], orderDirection: [DESC, ASC]`,
      order: (row) => [-row.points, row.poolAddress, ...newestFirst(row)],
    },
  ],
  'Query.activity': [
    {
      through: 'LIST',
      filter: `where: { time: { gte: "${daysAgo(30)}", lte: "${daysAgo(0)}" } }`,
      order: activityOrder,
      atLeast: 110,
    },
    {
      through: 'LIST',
      filter: `where: { users: "${sampleUser}", NOT: { kinds: LIQUIDATION_REWARD } }`,
      order: activityOrder,
    },
    {
      through: 'LIST',
      filter: `orderBy: TIME, where: { users: "${sampleUser}" }`,
      order: (row) => [
        Date.parse(row.time),
        row.logIndex,
        backwards(row.txHash),
        -row.chainId,
        -placeOf(row),
      ],
    },
  ],
  'Query.liquidations': [
    {
      through: 'LIST',
      filter: `where: { users: "${sampleUser}" }`,
      ...ofBorrower,
      atLeast: 54,
    },
    {
      through: 'LIST',
      filter: `orderBy: DEBT_REPAID_USD, where: { users: "${sampleUser}", debtRepaidUsd: { gt: 0 } }`,
      select: 'user { address } debtRepaid { usd }',
      order: (row) => [row.debtRepaid.usd, ...liquidationOrder(row)],
    },
  ],
  'User.liquidations': [{ through: ofUser, ...ofBorrower, atLeast: 54 }],
  'Pool.liquidations': [{ through: ofPool, ...ofBorrower, atLeast: 54 }],
  'Liquidation.rewards': [
    {
      through: `liquidations(last: 1, where: { users: "${sampleUser}" }) { nodes { LIST } }`,
      order: rewardOrder,
    },
  ],
  'Query.liquidationRewards': [
    {
      through: 'LIST',
      filter: `where: { time: { gte: "${daysAgo(30)}", lte: "${daysAgo(0)}" } }`,
      order: rewardOrder,
    },
    {
      through: 'LIST',
      filter: `orderBy: CHAIN_ID, where: { users: "${sampleUser}" }`,
      order: (row) => [row.chainId, ...rewardOrder(row)],
    },
  ],
  'Query.vaults': [{ through: 'LIST', order: byChain }],
  'Query.runs': [
    { through: 'LIST', order: newestNumber },
    {
      through: 'LIST',
      filter: 'where: { kinds: RESYNC, statuses: SUCCEEDED }',
      order: newestNumber,
    },
    { through: 'LIST', filter: `where: { date: { eq: "${yesterday}" } }`, order: newestNumber },
  ],
  'Query.multiplierRevisions': [
    {
      through: 'LIST',
      filter: 'at: "2999-01-01"',
      order: (row) => [row.poolAddress],
      atLeast: 10,
    },
    {
      through: 'LIST',
      filter: 'at: "2999-01-01", orderBy: DEPOSIT_A, orderDirection: DESC',
      order: (row) => [-row.depositA, row.poolAddress],
    },
    { through: 'LIST', order: newestNumber, atLeast: 10 },
    {
      through: 'LIST',
      filter: `where: { NOT: { pools: "${samplePool.address}" } }, orderBy: DEPOSIT_A`,
      order: (row) => [row.depositA, ...newestNumber(row)],
    },
  ],
  'Multiplier.revisions': [
    {
      through: `pool(address: "${samplePool.address}") { multiplier { LIST } }`,
      order: newestNumber,
    },
  ],
  'Distribution.runs': [
    { through: `distribution(date: "${yesterday}") { LIST }`, order: newestNumber },
  ],
  'Run.multipliers': [
    {
      through: 'runs(first: 1) { nodes { LIST } }',
      order: (row) => [row.poolAddress],
      atLeast: 10,
    },
  ],
  'Run.changes': [
    {
      through: `distribution(date: "${yesterday}") { runs(first: 1) { nodes { LIST } } }`,
      order: (row) => [-Math.round(Math.abs(row.pointsChange) * 1e6), row.user.address],
    },
    {
      through: `distribution(date: "${yesterday}") { runs(first: 1) { nodes { LIST } } }`,
      filter: 'since: "SINCE"',
      order: (row) => [-Math.round(Math.abs(row.pointsChange) * 1e6), row.user.address],
    },
  ],
  'Distribution.positions': [
    { through: `distribution(date: "${yesterday}") { LIST }`, order: newestFirst },
  ],
  'Market.activity': [
    { through: ofMarket, order: activityOrder },
    {
      through: ofMarket,
      filter: 'where: { kinds: [DEPOSIT, BORROW] }, orderBy: TIME',
      order: (row) => [Date.parse(row.time), row.logIndex],
    },
  ],
  'Pool.activity': [
    { through: ofPool, order: activityOrder },
    {
      through: ofPool,
      filter: 'where: { NOT: { kinds: BORROW } }, orderBy: TIME',
      order: (row) => [Date.parse(row.time), row.logIndex],
    },
  ],
  'Market.holders': [
    { through: ofMarket, order: (row) => [row.rank] },
    {
      through: ofMarket,
      filter: `asOf: "${daysAgo(2)}", orderBy: USER`,
      order: (row) => [row.user.address],
      select: 'user { address }',
    },
  ],
  'Market.snapshots': [{ through: ofMarket, order: snapshotOrder }],
  'Pool.sides': [
    { through: ofPool, order: (row) => [row.side], atLeast: 2 },
    {
      through: ofPool,
      filter: 'orderBy: DEPOSIT_APR, orderDirection: DESC, where: { depositApr: { gte: 0 } }',
      order: (row) => [-row.depositApr],
      atLeast: 2,
    },
  ],
  'Pool.positions': [
    { through: ofPool, order: newestFirst },
    { through: ofPool, filter: `where: { date: { eq: "${yesterday}" } }`, order: newestFirst },
  ],
  'Query.currentPositions': [
    { through: 'LIST', order: newestFirst },
    {
      through: 'LIST',
      filter: 'orderBy: POINTS, orderDirection: DESC',
      order: (row) => [-row.points, ...newestFirst(row)],
    },
    {
      through: 'LIST',
      filter: 'where: { healthFactor: { lt: 5 } }, orderBy: HEALTH_FACTOR',
      order: (row) => [row.healthFactor, ...newestFirst(row)],
    },
    {
      through: 'LIST',
      filter: 'where: { liquidationDrop: { lt: 0.7 } }, orderBy: LIQUIDATION_DROP',
      order: (row) => [row.liquidationDrop, ...newestFirst(row)],
    },
  ],
  'Pool.currentPositions': [
    { through: ofPool, order: newestFirst },
    {
      through: ofPool,
      filter: 'orderBy: POINTS, orderDirection: DESC',
      order: (row) => [-row.points, ...newestFirst(row)],
    },
  ],
  'User.currentPositions': [{ through: ofUser, order: newestFirst, atLeast: 2 }],
  'User.activity': [
    { through: ofUser, order: activityOrder, atLeast: 110 },
    {
      through: ofUser,
      filter: 'where: { kinds: LIQUIDATION_REWARD }, orderBy: TIME',
      order: (row) => [
        Date.parse(row.time),
        row.logIndex,
        backwards(row.txHash),
        -row.chainId,
        row.entityType === 'MARKET' ? 1 : 0,
      ],
      atLeast: 100,
    },
    {
      through: ofUser,
      filter: `where: { OR: [{ entities: "${sampleVault.address}" }, { time: { lt: "1970-01-01T00:00:07.500Z" } }] }`,
      order: activityOrder,
      atLeast: 30,
    },
  ],
  'User.dailyPoints': [
    { through: ofUser, order: (row) => [Date.parse(row.date)] },
    {
      through: ofUser,
      filter: `where: { date: { gt: "2020-01-01", lte: "${yesterday}" } }`,
      order: (row) => [Date.parse(row.date)],
    },
  ],
  // Each run of `addHistory` changes one date of one pool.
  'User.ledger': [{ through: ofUser, order: (row) => [-BigInt(row.runRecordId)] }],
  'User.liquidationRewards': [
    { through: ofUser, order: rewardOrder, atLeast: 108 },
    {
      through: ofUser,
      filter:
        'where: { claimed: false, entityTypes: MARKET }, orderBy: [CLAIMED_AT, CHAIN_ID], orderDirection: [DESC, ASC]',
      order: (row) => [row.chainId, ...rewardOrder(row)],
      atLeast: 54,
    },
  ],
  'User.snapshots': [
    { through: ofUser, order: snapshotOrder },
    { through: ofUser, filter: 'where: { entityTypes: VAULT }', order: snapshotOrder },
    {
      through: ofUser,
      filter: 'orderBy: [BORROWED_USD, CHAIN_ID], orderDirection: DESC',
      select: 'borrowed { usd }',
      order: (row) => [
        -(row.borrowed?.usd ?? Number.NEGATIVE_INFINITY),
        -row.chainId,
        ...snapshotOrder(row),
      ],
    },
  ],
  'LegacyUser.marketSnapshots': [
    { through: ofLegacyUser, order: snapshotOrder },
    { through: ofLegacyUser, filter: 'grouped: true', order: snapshotOrder },
    {
      through: ofLegacyUser,
      filter: `grouped: true, where: { entities: "${sampleMarket.address}" }`,
      order: snapshotOrder,
    },
    {
      through: ofLegacyUser,
      filter: `where: { chainIds: ${sampleMarket.chainId} }, from: "1", to: "99999999999"`,
      order: snapshotOrder,
    },
    {
      through: ofLegacyUser,
      filter: 'grouped: true, orderBy: [BORROWED_USD, CHAIN_ID], orderDirection: DESC',
      select: 'borrowed { usd }',
      order: (row) => [
        -(row.borrowed.usd ?? Number.NEGATIVE_INFINITY),
        -row.chainId,
        ...snapshotOrder(row),
      ],
    },
  ],
  'LegacyQuery.positions': [
    { through: 'legacy { LIST }', filter: `where: { users: "${sampleUser}" }`, order: newestFirst },
  ],
  'LegacyUser.vaultSnapshots': [
    { through: ofLegacyUser, order: snapshotOrder },
    {
      through: ofLegacyUser,
      filter: `grouped: true, where: { entities: "${sampleVault.address}" }`,
      order: snapshotOrder,
    },
  ],
  'User.positions': [
    { through: ofUser, order: newestFirst },
    {
      through: ofUser,
      filter: `where: { date: { eq: "${yesterday}" } }`,
      order: newestFirst,
      atLeast: 2,
    },
  ],
  'Vault.activity': [{ through: ofVault, order: activityOrder }],
  'Vault.holders': [{ through: ofVault, order: (row) => [row.rank], atLeast: 2 }],
  'Vault.snapshots': [{ through: ofVault, order: snapshotOrder }],
}

test('every list of the schema is tested here', () => {
  expect(Object.keys(ways).sort()).toEqual(connectionFields(schema).sort())
})

interface Paging {
  first?: number | null
  after?: string | null
  last?: number | null
  before?: string | null
  offset?: string | null
}

const encode = (cursor: unknown) => Buffer.from(JSON.stringify(cursor)).toString('base64url')

/**
 * Cursors with one value replaced. In short each of `values` is in one column, the next one in the
 * next; many lists have the same columns. With TESTS=long each value is in each column.
 */
function eachOnce(decoded: unknown[], values: unknown[]): unknown[][] {
  const columns = decoded.length - 1
  return values.flatMap((value, number) =>
    Array.from({ length: columns }, (_, i) => i)
      .filter((i) => LONG || number % columns === i)
      .map((i) => decoded.with(i + 1, value)),
  )
}

interface Connection {
  totalCount: number
  edges: { cursor: string; node: Row }[]
  nodes?: Row[]
  pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: string | null
    endCursor: string | null
  }
}

for (const [nth, [field, several]] of Object.entries(ways).entries())
  for (const way of SAMPLE ? several.slice(0, 1) : several)
    describe(`${field} ${way.filter ?? ''}`, () => {
      const [parent = '', name = ''] = field.split('.')
      /**
       * Bounds and counts of pages depend neither on the filter nor on the order; a sample tries
       * them on one list in four.
       */
      const isWhole = LONG || (way === several[0] && (!SAMPLE || nth % 4 === 0))
      /** One in three of what every list refuses: other lists refuse the others. */
      const someRefused = <T>(all: T[]) => all.filter((_, i) => LONG || (i + nth) % 3 === 0)
      /** The values of a cursor depend on the order only. */
      const hasOtherCursors = isWhole || way.filter?.includes('orderBy')
      const rowType = rowTypeOf(parent, name)

      const sendPage = async (paging: Paging, rows = 'edges { cursor }') => {
        const filter = way.filter && (await withTokens(way.filter))
        const list = `list: ${name}(first: $first, after: $after, last: $last, before: $before, offset: $offset ${filter ? `, ${filter}` : ''}) {
          totalCount ${rows} pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`
        const query = `query ($first: Int, $after: String, $last: Int, $before: String, $offset: BigInt) {
          ${(await withTokens(way.through)).replace('LIST', list)} }`
        return gateway.graphql(query, paging)
      }
      /** A page without its rows, which their cursors name. */
      const page = async (paging: Paging, rows?: string): Promise<Connection> => {
        const { data, errors } = await sendPage(paging, rows)
        expect(errors).toBeUndefined()
        const list = listIn(data)
        expect(list.pageInfo.startCursor).toBe(list.edges[0]?.cursor ?? null)
        expect(list.pageInfo.endCursor).toBe(list.edges.at(-1)?.cursor ?? null)
        return list
      }
      const pageOfRows = async (paging: Paging): Promise<Connection & { nodes: Row[] }> => {
        const user = 'user' in rowType.getFields() ? 'user { address }' : ''
        const row = `${scalarsOf(rowType)} ${user} ${way.select ?? ''}`
        const list = await page(
          paging,
          `edges { cursor node { ${row} } } ${isWhole ? `nodes { ${row} }` : ''}`,
        )
        const nodes = list.edges.map((edge) => edge.node)
        if (isWhole) expect(nodes).toEqual(list.nodes)
        return { ...list, nodes }
      }
      const cursorsOf = ({ edges }: Connection) => edges.map((edge) => edge.cursor)
      const refused = async (paging: Paging) => {
        const { errors } = await sendPage(paging)
        expect(
          errors?.map((error) => error.extensions.code),
          JSON.stringify(paging).slice(0, 300),
        ).toEqual(['BAD_INPUT'])
      }
      /** The whole list, which other tests compare with. */
      let rows: Connection['edges'] = []
      const nodes = () => rows.map((edge) => edge.node)
      const cursors = () => rows.map((edge) => edge.cursor)
      const at = (place: number) => rows.at(place)?.cursor ?? ''

      beforeAll(async () => {
        const all = await pageOfRows({ first: 1000 })
        expect(all.pageInfo.hasNextPage, 'the list fits one page of 1000').toBe(false)
        rows = all.edges
        expect(all.totalCount).toBe(rows.length)
        expect(rows.length).toBeGreaterThanOrEqual(way.atLeast ?? 3)
      })

      test('is in its order, with no row and no cursor twice', () => {
        const keys = nodes().map((row) => way.order(row))
        for (const [i, key] of keys.entries())
          if (i > 0) expect(compare(keys[i - 1] ?? [], key)).toBe(-1)
        expect(new Set(cursors()).size).toBe(rows.length)
        expect(new Set(nodes().map((row) => JSON.stringify(row))).size).toBe(rows.length)
      })

      if (rowType.getInterfaces().some((one) => one.name === 'Node'))
        test('its rows are the objects of their ids', async () => {
          const some = nodes().slice(0, 50)
          const query = `query ($ids: [ID!]!, $id: ID!) {
            nodes(ids: $ids) { ... on ${rowType.name} { ${scalarsOf(rowType)} } }
            node(id: $id) { ... on ${rowType.name} { ${scalarsOf(rowType)} } } }`
          const ids = some.map((row) => row.id)
          const data = await gateway.ask(query, { ids, id: ids[0] })
          const expected = some.map((row) =>
            Object.fromEntries(Object.keys(data.node ?? row).map((name) => [name, row[name]])),
          )
          expect(data.nodes).toEqual(expected)
          expect(data.node).toEqual(expected[0])
        })

      test('forward pages make up the whole list', async () => {
        const size = pageSize(rows.length)
        const seen: Row[] = []
        let after: string | null = null
        for (let pages = 0; ; pages++) {
          expect(pages).toBeLessThan(20)
          const one = await pageOfRows({ first: size, after })
          expect(one.totalCount).toBe(rows.length)
          expect(one.pageInfo.hasPreviousPage).toBe(after !== null)
          seen.push(...one.nodes)
          expect(one.pageInfo.hasNextPage).toBe(seen.length < rows.length)
          if (!one.pageInfo.hasNextPage) break
          expect(one.nodes).toHaveLength(size)
          after = one.pageInfo.endCursor
        }
        expect(seen).toEqual(nodes())
      })

      test('backward pages make up the whole list', async () => {
        const size = pageSize(rows.length)
        const seen: Row[] = []
        let before: string | null = null
        for (let pages = 0; ; pages++) {
          expect(pages).toBeLessThan(20)
          const one = await pageOfRows({ last: size, before })
          expect(one.totalCount).toBe(rows.length)
          expect(one.pageInfo.hasNextPage).toBe(before !== null)
          seen.unshift(...one.nodes)
          expect(one.pageInfo.hasPreviousPage).toBe(seen.length < rows.length)
          if (!one.pageInfo.hasPreviousPage) break
          expect(one.nodes).toHaveLength(size)
          before = one.pageInfo.startCursor
        }
        expect(seen).toEqual(nodes())
      })

      if (isWhole) {
        test('numbered pages make up the whole list', async () => {
          const size = pageSize(rows.length)
          const seen: string[] = []
          for (let offset = 0; offset < rows.length + size; offset += size) {
            const one = await page({ first: size, offset: String(offset) })
            expect(one.pageInfo.hasPreviousPage).toBe(offset > 0)
            expect(one.pageInfo.hasNextPage).toBe(offset + size < rows.length)
            expect(one.totalCount).toBe(rows.length)
            seen.push(...cursorsOf(one))
          }
          expect(seen).toEqual(cursors())
        })

        test('a page past the end is empty', async () => {
          for (const paging of [
            { offset: String(rows.length) },
            { offset: String(rows.length + 1) },
            { first: 2, after: at(-1) },
            { last: 2, before: at(0) },
            { first: 5, after: at(-1), offset: '3' },
          ]) {
            const one = await page(paging)
            expect(one.edges, JSON.stringify(paging)).toEqual([])
            expect(one.totalCount).toBe(rows.length)
            expect(one.pageInfo).toMatchObject({ startCursor: null, endCursor: null })
          }
        })

        test('an offset that skips too many rows is refused for its cost', async () => {
          const { errors } = await sendPage({ offset: String(2n ** 63n - 1n) })
          expect(errors?.map((error) => error.extensions.code)).toEqual(['COST_LIMIT_EXCEEDED'])
        })
      }

      test('after and before are the bounds of a window', async () => {
        const window = cursors().slice(1, -1)
        const bounds = { after: at(0), before: at(-1) }
        expect(cursorsOf(await page({ first: 1000, ...bounds }))).toEqual(window)
        expect(cursorsOf(await page({ last: 1000, ...bounds }))).toEqual(window)
        expect(cursorsOf(await page({ first: 1, ...bounds }))).toEqual(window.slice(0, 1))
        expect(cursorsOf(await page({ last: 1, ...bounds }))).toEqual(window.slice(-1))
        expect(cursorsOf(await page({ first: 5, after: at(-1), before: at(0) }))).toEqual([])
        expect(cursorsOf(await page({ first: 2, after: at(0), offset: '1' }))).toEqual(
          cursors().slice(2, 4),
        )
      })

      if (isWhole) {
        test('a page may be as small as nothing and as large as 1000', async () => {
          expect(cursorsOf(await page({ first: 0 }))).toEqual([])
          expect(cursorsOf(await page({ last: 0 }))).toEqual([])
          // Without a cursor to go on from, there is no next page.
          for (const paging of [
            { first: 0 },
            { first: 0, after: at(0) },
            { first: 0, offset: '1' },
            { last: 0 },
          ]) {
            const { pageInfo } = await page(paging)
            const none = {
              hasNextPage: false,
              hasPreviousPage: false,
              startCursor: null,
              endCursor: null,
            }
            expect(pageInfo, JSON.stringify(paging)).toEqual(none)
          }
          expect(cursorsOf(await page({ last: 1000 }))).toEqual(cursors())
          expect(cursorsOf(await page({}))).toEqual(cursors().slice(0, 100))
        })

        test('a page beyond the bounds is refused', async () => {
          const beyond = [
            { first: 1001 },
            { last: 1001 },
            { first: -1 },
            { last: -1 },
            { first: 2, last: 2 },
            { last: 2, offset: '1' },
            { first: 2 ** 31 },
            { offset: '-1' },
            { offset: String(2n ** 63n) },
            { offset: '9'.repeat(2000) },
          ]
          await Promise.all(someRefused(beyond).map(refused))
        })

        test('cursors are the same on every page', async () => {
          expect(cursorsOf(await page({ first: 3 }))).toEqual(cursors().slice(0, 3))
          expect(cursorsOf(await page({ last: 2 }))).toEqual(cursors().slice(-2))
        })
      }

      if (isWhole)
        test('what is no cursor of this list is refused', async () => {
          const decoded: unknown[] = JSON.parse(Buffer.from(at(0), 'base64url').toString())
          const bad = [
            '',
            'x',
            '%00',
            'é€😀',
            'A'.repeat(100_000),
            'null',
            encode(null),
            encode({}),
            encode([]),
            encode(['elsewhere', ...decoded.slice(1)]),
            encode(decoded.slice(0, -1)),
            encode([...decoded, '1']),
          ]
          await Promise.all(
            someRefused(bad).map((cursor, i) =>
              refused(i % 2 ? { last: 2, before: cursor } : { first: 2, after: cursor }),
            ),
          )
          const wrong = [null, true, 1, -1.5, {}, ['1'], '\0', '1\0', 'x'.repeat(5000)]
          await Promise.all(
            someRefused(eachOnce(decoded, wrong)).map((changed, i) =>
              refused(
                i % 2 ? { last: 2, before: encode(changed) } : { first: 2, after: encode(changed) },
              ),
            ),
          )
        })

      if (hasOtherCursors)
        test('a cursor with other values is refused or names a place, but is no fault of ours', async () => {
          const decoded: unknown[] = JSON.parse(Buffer.from(at(0), 'base64url').toString())
          const values = [
            '',
            ' ',
            "'",
            '-1',
            '1e3',
            '0x10',
            'NaN',
            '9'.repeat(18),
            '9'.repeat(19),
            '9'.repeat(10),
            '2147483647',
            '2147483648',
            '9223372036854775807',
            '9223372036854775808',
            '2025-02-30',
            '0000-01-01',
            '9999-12-31',
            '\ud800',
            'x'.repeat(1000),
          ]
          for (const changed of eachOnce(decoded, values)) {
            const { errors } = await sendPage({ first: 2, after: encode(changed) })
            for (const error of errors ?? [])
              expect(error.extensions.code, `${changed} ${error.message}`).toBe('BAD_INPUT')
          }
        })
    })

/** Values of the types of conditions, of which no stored row has one. */
const VALUES: Record<string, unknown[]> = {
  Address: [`0x${'ab'.repeat(20)}`],
  BigInt: ['9', '9223372036854775807', String(2n ** 256n - 1n)],
  Boolean: [true],
  Date: ['2031-02-03'],
  DateTime: ['2031-02-03T04:05:06.789Z'],
  Float: [1.5, 1e300],
  Int: [7, 2147483647],
  SafeInt: [7, 9007199254740991],
  String: ['text'],
}

/** Values of a condition: each value of each of its types, alone in a list or in a range. */
function valuesOf(type: GraphQLInputType): unknown[] {
  const named = getNamedType(type)
  if (isListType(getNullableType(type))) return valuesOf(named).map((value) => [value])
  if (isEnumType(named)) return [named.getValues()[0]?.name]
  if (isInputObjectType(named))
    return Object.values(named.getFields()).flatMap((field) =>
      valuesOf(field.type).map((value) => ({ [field.name]: value })),
    )
  const values = VALUES[named.name]
  if (!values) throw new Error(`no value of ${named.name}`)
  return values
}

test('each condition of each filter can be sent with a cursor', async () => {
  const paged = new Set<string>()
  const seen = new Set<string>()
  const types = new Set<string>()
  /** Of types that another condition has, a sample has one value. */
  const valuesOnce = (type: GraphQLInputType) => {
    const isNew = !types.has(String(type))
    types.add(String(type))
    return valuesOf(type).slice(0, SAMPLE && !isNew ? 1 : undefined)
  }
  for (const [field, [way]] of Object.entries(ways)) {
    const [parent = '', name = ''] = field.split('.')
    const where = argumentsOf(parent, name).find((one) => one.name === 'where')
    if (!way || !where || seen.has(String(where.type))) continue
    seen.add(String(where.type))
    const query = `query ($where: ${where.type}, $after: String) { ${(
      await withTokens(way.through)
    ).replace(
      'LIST',
      `list: ${name}(first: 1, after: $after, where: $where) { edges { cursor } }`,
    )} }`
    const conditions = Object.values(
      (getNamedType(where.type) as GraphQLInputObjectType).getFields(),
    )
    const tried = conditions
      .filter((one) => !['AND', 'OR', 'NOT'].includes(one.name))
      .flatMap(({ name, type }) => valuesOnce(type).map((value) => ({ [name]: value })))
      // A row has the value or not. Null matches neither, nor do all lists take a filter of all
      // rows.
      .flatMap((one) => [...(SAMPLE ? [] : [one]), { OR: [one, { NOT: one }] }])
    const send = async (where: object) => {
      const about = `${field} ${JSON.stringify(where)}`
      const { data, errors } = await gateway.graphql(query, { where })
      if (errors) return expect(errors[0].extensions.code, about).toBe('BAD_INPUT')
      const after = listIn(data).edges[0]?.cursor
      if (after === undefined) return
      const next = await gateway.graphql(query, { where, after })
      expect(next.errors, about).toBeUndefined()
      paged.add(about)
    }
    // The gateway refuses requests that wait for a connection too long.
    await pMap(tried, send, { concurrency: 8 })
  }
  const run = { runs: ['9'] }
  expect([...paged]).toContain(`Run.changes ${JSON.stringify({ OR: [run, { NOT: run }] })}`)
})

test('a list is counted for each of its owners', async () => {
  const { data } = await gateway.graphql(
    '{ leaderboard(first: 20) { nodes { user { address } } } }',
  )
  const addresses = data.leaderboard.nodes.map((row: Row) => row.user.address)
  const many = await gateway.graphql(
    'query ($addresses: [Address!]!) { lookupUsers(addresses: $addresses) { positions(first: 3) { totalCount nodes { id user { address } } } } }',
    { addresses },
  )
  for (const [i, { positions }] of many.data.lookupUsers.entries()) {
    const one = await gateway.graphql(
      'query ($address: Address!) { positions(first: 3, where: { users: [$address] }) { totalCount nodes { id user { address } } } }',
      { address: addresses[i] },
    )
    expect(positions).toEqual(one.data.positions)
    expect(positions.totalCount).toBeGreaterThan(0)
  }
})

test('lists of one kind keep to their owners when an operation has several of them', async () => {
  const list = 'positions(first: 5) { totalCount nodes { id } }'
  const parts = [
    `user(address: "${sampleUser}") { ${list} }`,
    `pool(address: "${samplePool.address}") { ${list} }`,
    `distribution(date: "${yesterday}") { ${list} }`,
  ]
  const alone = await Promise.all(
    parts.map(async (part) => (await gateway.graphql(`{ ${part} }`)).data),
  )
  const together = await gateway.graphql(`{ ${parts.join(' ')} }`)
  expect(together).toEqual({ data: Object.assign({}, ...alone) })
})

/** The fields of the schema that give a connection. */
function connectionFields(of: GraphQLSchema): string[] {
  return Object.values(of.getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields())
          .filter((field) => isConnection(getNamedType(field.type)))
          .map((field) => `${type.name}.${field.name}`)
          // It is the query of that name, again and again; a page of the leaderboard.
          .filter((name) => !name.startsWith('Subscription.') && name !== 'Query.leaderboardAround')
      : [],
  )
}

function isConnection(type: unknown): type is GraphQLObjectType {
  return isObjectType(type) && 'pageInfo' in type.getFields()
}

const argumentsOf = (parent: string, name: string) =>
  (schema.getType(parent) as GraphQLObjectType).getFields()[name]?.args ?? []

function rowTypeOf(parent: string, name: string): GraphQLObjectType {
  const field = (schema.getType(parent) as GraphQLObjectType).getFields()[name]
  const connection = field && getNamedType(field.type)
  if (!isConnection(connection)) throw new Error(`${parent}.${name} gives no connection`)
  return getNamedType(connection.getFields().nodes?.type) as GraphQLObjectType
}

const scalarsOf = (type: GraphQLObjectType) =>
  Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)) && field.args.length === 0)
    .map((field) => field.name)
    .join(' ')

/** The list somewhere inside an answer. */
/** Changes of a multiplier, each with a run that used it. */
async function addHistory({ graphql }: Gateway): Promise<void> {
  for (const factor of [2, 3, 4, 5]) {
    const { errors } = await graphql(
      `mutation ($pool: Address!, $factor: Float!, $date: Date!) {
        updateMultipliers(input: { multipliers: [{ poolAddress: $pool, depositA: $factor }] }) { multipliers { updatedAt } }
        resyncDistribution(input: { date: $date }) { run { status } }
      }`,
      { pool: samplePool.address, factor, date: yesterday },
      { authorization: `Bearer ${ADMIN_TOKEN}` },
    )
    expect(errors).toBeUndefined()
  }
}

function listIn(data: any): Connection {
  let value = data
  while (!('list' in value)) value = Object.values(value)[0]
  return value.list
}

/** A page size that makes some four pages, the last one mostly not full. */
const pageSize = (rows: number) => Math.max(1, Math.ceil(rows / 3) - 1)

function compare(a: (number | bigint | string)[], b: (number | bigint | string)[]): number {
  for (const [i, value] of a.entries()) {
    const other = b[i] ?? ''
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}

let tokens: Promise<Record<string, string>> | undefined

/**
 * A text with addresses of tokens: ASSET and OTHER are those of the sample pool, COMMON is in most
 * pools.
 */
async function withTokens(text: string): Promise<string> {
  tokens ??= findTokens()
  const addresses = await tokens
  return text.replace(/ASSET|OTHER|COMMON|SINCE/g, (name) => addresses[name] ?? '')
}

async function findTokens(): Promise<Record<string, string>> {
  const { data } = await gateway.graphql(`{
    distribution(date: "${yesterday}") { runs(first: 4) { nodes { recordId } } }
    pool(address: "${samplePool.address}") { assetA { address } assetB { address } }
    pools { nodes { assetA { address } assetB { address } } } }`)
  const all: string[] = data.pools.nodes.flatMap((pool: Row) => [
    pool.assetA.address,
    pool.assetB.address,
  ])
  const times = (token: string) => all.filter((one) => one === token).length
  const [common = ''] = all.toSorted((a, b) => times(b) - times(a))
  const SINCE = data.distribution.runs.nodes.at(-1).recordId
  return { ASSET: data.pool.assetA.address, OTHER: data.pool.assetB.address, COMMON: common, SINCE }
}
