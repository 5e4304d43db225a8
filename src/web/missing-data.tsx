import {
  MissingDataDocument,
  type MissingDataQuery,
  type MissingSideFragment,
} from 'lending-graph-client'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Answer, Empty } from './answer.tsx'
import { chainName } from './chains.ts'
import { isoDay } from './format.ts'
import { TokenSymbol } from './name.tsx'
import { Section } from './page-frame.tsx'
import { type Column, PagedTable, Table, usePage } from './table.tsx'
import { useGraph } from './use-graph.ts'
import { Day, Num, PoolLink, Unknown } from './values.tsx'

const ROWS = 5

type Asset = MissingDataQuery['assets']['nodes'][number]
type Pool = MissingDataQuery['pools']['nodes'][number]

interface Gap {
  key: string
  chainId: number
  /** The debt or the TVL that depends on it. */
  usd: number
}
interface PriceGap extends Gap {
  asset: Asset
}
interface PoolGap extends Gap {
  pool: Pool
  /** The token without a threshold. */
  token?: Pool['assetA']
}

interface Gaps {
  prices: PriceGap[]
  thresholds: PoolGap[]
  multipliers: PoolGap[]
}

/** Finds the data that the store lacks, largest first. */
function gapsOf({ assets, pools, newest }: MissingDataQuery): Gaps {
  const date = newest.nodes[0]?.date
  const tvl = new Map<string, number>()
  for (const { assetA, assetB, marketA, marketB } of pools.nodes) {
    tvl.set(assetA.id, (tvl.get(assetA.id) ?? 0) + (marketA?.tvlUsd ?? 0))
    tvl.set(assetB.id, (tvl.get(assetB.id) ?? 0) + (marketB?.tvlUsd ?? 0))
  }
  const hasPrice = ({ price }: Asset) =>
    price !== null && price.source !== 'positions' && (!date || isoDay(price.date) >= isoDay(date))
  const unbounded = (
    pool: Pool,
    token: Pool['assetA'],
    collateral: MissingSideFragment | null,
    debt: MissingSideFragment | null,
  ): PoolGap[] =>
    collateral && collateral.liquidationThreshold === null && (debt?.borrowedUsd ?? 0) > 0
      ? [gapOf(pool, debt?.borrowedUsd ?? 0, token)]
      : []
  return {
    prices: assets.nodes
      .filter((asset) => !hasPrice(asset))
      .map((asset) => ({
        key: asset.id,
        chainId: asset.chainId,
        usd: tvl.get(asset.id) ?? 0,
        asset,
      }))
      .sort(byUsd),
    thresholds: pools.nodes
      .flatMap((pool) => [
        ...unbounded(pool, pool.assetA, pool.marketA, pool.marketB),
        ...unbounded(pool, pool.assetB, pool.marketB, pool.marketA),
      ])
      .sort(byUsd),
    multipliers: pools.nodes
      .filter(({ multiplier, positionCount }) => multiplier === null && positionCount > 0)
      .map((pool) => gapOf(pool, pool.tvlUsd))
      .sort(byUsd),
  }
}

const gapOf = (pool: Pool, usd: number, token?: Pool['assetA']): PoolGap => ({
  key: `${pool.id} ${token?.id ?? ''}`,
  chainId: pool.chainId,
  usd,
  pool,
  ...(token && { token }),
})

const byUsd = (one: Gap, other: Gap) => other.usd - one.usd

/** The data that the store lacks, by chain, and the commands that mend it. */
export function Missing() {
  const answer = useGraph(MissingDataDocument, {})
  return (
    <Section
      id="missing"
      title="Missing data"
      operation={{ query: MissingDataDocument, variables: {} }}
    >
      <Answer of={answer} rows={6}>
        {(data) => <Lists data={data} />}
      </Answer>
    </Section>
  )
}

function Lists({ data }: { data: MissingDataQuery }) {
  const gaps = gapsOf(data)
  const date = data.newest.nodes[0]?.date
  const from = date ? ` --from ${isoDay(date)}` : ''
  const [pool] = gaps.multipliers
  const factors = '--deposit-a 1 --deposit-b 1 --borrow-a 1 --borrow-b 1'
  const resync = date ? `\u201cgateway resync --date ${isoDay(date)}\u201d` : 'a resync'
  if (data.pools.totalCount === 0)
    return <Empty>No pools are stored, so nothing is missing yet.</Empty>
  return (
    <>
      <Table
        caption="Missing data by chain"
        columns={chainColumns}
        rows={byChain(data, gaps)}
        rowKey={({ chainId }) => String(chainId)}
      />
      {data.pools.totalCount > data.pools.nodes.length && (
        <p className="lede">These are the {data.pools.nodes.length} largest pools.</p>
      )}
      <List
        title="Tokens without a price of the newest date"
        note="Values in USD of these tokens are unknown, or older than the rest."
        command="gateway update prices"
        then="fetches them from ANALYTICS_SOURCE, and an import of prices.jsonl adds them."
        parameter="prices"
        columns={priceColumns}
        rows={gaps.prices}
      />
      <List
        title="Collateral without a liquidation threshold"
        note="The health factors of these loans are unknown."
        command="gateway import DIR"
        then="with markets.jsonl adds them."
        parameter="thresholds"
        columns={thresholdColumns}
        rows={gaps.thresholds}
      />
      <List
        title="Pools without a multiplier"
        note="Their positions earn no points."
        command={`gateway multipliers set ${pool?.pool.address ?? 'POOL'} ${factors}${from}`}
        then={`sets the first one; then ${resync} computes the points.`}
        parameter="unscored"
        columns={multiplierColumns}
        rows={gaps.multipliers}
      />
    </>
  )
}

interface ListProps<Row extends Gap> {
  title: string
  /** Its consequence. */
  note: string
  /** The command that mends it, and the end of its sentence. */
  command: string
  then: string
  parameter: string
  columns: Column<Row>[]
  rows: readonly Row[]
}

function List<Row extends Gap>({ title, note, command, then, ...list }: ListProps<Row>) {
  const { parameter, rows, columns } = list
  const { offset = 0 } = usePage(ROWS, parameter)
  if (rows.length === 0) return null
  return (
    <>
      <h3>
        {title} (<Num value={rows.length} unit="count" />)
      </h3>
      <p className="lede">
        {note} <code>{command}</code> {then}
      </p>
      <PagedTable
        caption={title}
        columns={columns}
        list={{ nodes: rows.slice(offset, offset + ROWS), totalCount: rows.length }}
        rows={ROWS}
        parameter={parameter}
        rowKey={({ key }) => key}
        empty={null}
      />
    </>
  )
}

const chainColumn = {
  name: 'Chain',
  cell: ({ chainId }: Gap): ReactNode => chainName(chainId),
}

const affected = (name: string) => ({
  name,
  numeric: true,
  cell: ({ usd }: Gap): ReactNode => <Num value={usd} unit="usd" ifZero="nothing" />,
})

const priceColumns: Column<PriceGap>[] = [
  { name: 'Token', heads: true, cell: ({ asset }) => <TokenSymbol token={asset} /> },
  chainColumn,
  {
    name: 'Newest price',
    cell: ({ asset: { price } }) =>
      price === null ? (
        <Unknown why="no price is stored" />
      ) : (
        <>
          <Num value={price.usd} unit="usd" />
          <small>
            {' '}
            {price.source === 'positions' ? 'of a position, ' : ''}
            <Day iso={price.date} />
          </small>
        </>
      ),
  },
  affected('TVL'),
]

const poolColumn: Column<PoolGap> = {
  name: 'Pool',
  heads: true,
  cell: ({ pool }) => <PoolLink address={pool.address} name={pool.displayName} />,
}

const thresholdColumns: Column<PoolGap>[] = [
  poolColumn,
  { name: 'Collateral', cell: ({ token }) => token && <TokenSymbol token={token} /> },
  chainColumn,
  affected('Debt against it'),
]

const multiplierColumns: Column<PoolGap>[] = [
  poolColumn,
  chainColumn,
  {
    name: 'Positions',
    numeric: true,
    cell: ({ pool }) => <Num value={pool.positionCount} unit="count" />,
  },
  affected('TVL'),
]

interface ChainGaps {
  chainId: number
  prices: readonly Gap[]
  thresholds: readonly Gap[]
  multipliers: readonly Gap[]
}

function byChain({ pools, assets }: MissingDataQuery, gaps: Gaps): ChainGaps[] {
  const ids = [...pools.nodes, ...assets.nodes].map(({ chainId }) => chainId)
  return [...new Set(ids)]
    .sort((one, other) => one - other)
    .map((chainId) => {
      const here = (list: readonly Gap[]) => list.filter((gap) => gap.chainId === chainId)
      return {
        chainId,
        prices: here(gaps.prices),
        thresholds: here(gaps.thresholds),
        multipliers: here(gaps.multipliers),
      }
    })
}

const countColumn = (
  name: string,
  of: 'prices' | 'thresholds' | 'multipliers',
  usdOf: string,
): Column<ChainGaps> => ({
  name,
  numeric: true,
  cell: (row) => (
    <>
      <Num value={row[of].length} unit="count" ifZero="none is missing" />
      {row[of].length > 0 && (
        <small className="below-number">
          <Num value={row[of].reduce((sum, { usd }) => sum + usd, 0)} unit="usd" /> {usdOf}
        </small>
      )}
    </>
  ),
})

const chainColumns: Column<ChainGaps>[] = [
  { name: 'Chain', heads: true, cell: ({ chainId }) => chainName(chainId) },
  countColumn('Without a price', 'prices', 'TVL'),
  countColumn('Without a threshold', 'thresholds', 'debt'),
  countColumn('Without a multiplier', 'multipliers', 'TVL'),
]

/** How much is missing, in a sentence that leads to the list. */
export function MissingSummary() {
  const answer = useGraph(MissingDataDocument, {})
  return (
    <Answer of={answer} rows={1}>
      {(data) => {
        const { prices, thresholds, multipliers } = gapsOf(data)
        const parts = [
          counted(prices.length, 'token without a price', 'tokens without a price'),
          counted(
            thresholds.length,
            'collateral without a threshold',
            'collaterals without a threshold',
          ),
          counted(multipliers.length, 'pool without a multiplier', 'pools without a multiplier'),
        ].filter(Boolean)
        if (parts.length === 0)
          return <p>No price, liquidation threshold or multiplier is missing.</p>
        return (
          <p>
            {parts.join(', ')}: <Link href="/operate#missing">the list</Link>.
          </p>
        )
      }}
    </Answer>
  )
}

const counted = (count: number, one: string, many: string) =>
  count > 0 ? `${count} ${count === 1 ? one : many}` : ''
