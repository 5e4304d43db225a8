import type { PreviewDistributionQuery } from 'lending-graph-client'
import { Empty } from './answer.tsx'
import { Fact, Facts } from './facts.tsx'
import { pointsChangeColumns } from './points-change-columns.tsx'
import { KIND } from './run-words.ts'
import { type Column, Table } from './table.tsx'
import { Day, Num, PoolLink, RankChange, WalletLink } from './values.tsx'
import { Changes } from './views/run.tsx'

const ROWS = 10

type Previewed = PreviewDistributionQuery['previewDistribution']
type Mover = Previewed['movers'][number]
type PoolMover = Previewed['pools'][number] & { pointsChange: number }

interface ResultProps {
  preview: Previewed
  /** The TVL of all pools. */
  tvlUsd: number
  nameOf(pool: string): string | undefined
}

/** The cost of a run, the winners and losers, and the pools. */
export function WhatIfResult({ preview, tvlUsd, nameOf }: ResultProps) {
  const { movers, pools, totalsBefore, totalsAfter } = preview
  const cost = totalsAfter.points - totalsBefore.points
  return (
    <>
      <Facts>
        <Fact name="Distribution">
          <Day iso={preview.date} />
          <small>{KIND[preview.kind]}</small>
        </Fact>
        <Fact name="Points more per day">
          <Num value={cost} unit="points" change="signed" />
          <small>
            <Num value={preview.totalPointsAfter} unit="points" /> in all
          </small>
        </Fact>
        <Fact name="Points per $1,000 of TVL">
          <Num value={perThousand(totalsAfter.points, tvlUsd)} unit="points" />
          <small>
            <Num value={perThousand(totalsBefore.points, tvlUsd)} unit="points" /> before
          </small>
        </Fact>
        <Fact name="Winners">
          <Num value={preview.gainingUserCount} unit="count" />
        </Fact>
        <Fact name="Losers">
          <Num value={preview.losingUserCount} unit="count" />
        </Fact>
        <Fact name="Wallets with another rank">
          <Num value={preview.changedRankCount} unit="count" />
        </Fact>
      </Facts>
      <Changes title="What would change" run={preview} />
      {preview.changedUserCount === 0 ? (
        <Empty>The run would change the points of no wallet.</Empty>
      ) : (
        <>
          <Movers title="Largest winners" movers={movers.filter((one) => one.pointsChange > 0)} />
          <Movers title="Largest losers" movers={movers.filter((one) => one.pointsChange < 0)} />
        </>
      )}
      {pools.length > 0 && (
        <>
          <h2>By pool</h2>
          <Table
            caption="By pool"
            columns={poolColumns(nameOf)}
            rows={pools.slice(0, ROWS).map(withChange)}
            rowKey={({ poolAddress }) => poolAddress}
          />
        </>
      )}
    </>
  )
}

const withChange = (pool: Previewed['pools'][number]): PoolMover => ({
  ...pool,
  pointsChange: pool.pointsAfter - pool.pointsBefore,
})

const perThousand = (points: number, tvlUsd: number) =>
  tvlUsd > 0 ? (points / tvlUsd) * 1000 : null

const Movers = ({ title, movers }: { title: string; movers: readonly Mover[] }) =>
  movers.length > 0 && (
    <>
      <h2>{title}</h2>
      <Table
        caption={title}
        columns={moverColumns}
        rows={movers.slice(0, ROWS)}
        rowKey={({ user }) => user.address}
      />
    </>
  )

const moverColumns: Column<Mover>[] = [
  { name: 'Wallet', heads: true, cell: ({ user }) => <WalletLink address={user.address} /> },
  ...pointsChangeColumns('Points before'),
  {
    name: 'Rank after',
    numeric: true,
    cell: ({ rankAfter }) => <Num value={rankAfter} unit="count" />,
  },
  {
    name: 'Ranks',
    numeric: true,
    cell: ({ rankBefore, rankAfter }) => (
      <RankChange
        ranks={rankBefore === null || rankAfter === null ? null : rankBefore - rankAfter}
      />
    ),
  },
]

const poolColumns = (nameOf: ResultProps['nameOf']): Column<PoolMover>[] => [
  {
    name: 'Pool',
    heads: true,
    cell: ({ poolAddress }) => <PoolLink address={poolAddress} name={nameOf(poolAddress)} />,
  },
  ...pointsChangeColumns('Points per day before'),
]
