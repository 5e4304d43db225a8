import { type RunRowFragment, StatusDocument, type StatusQuery } from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer, Empty, NothingStored } from '../answer.tsx'
import { Fact, Facts } from '../facts.tsx'
import { Page } from '../page-frame.tsx'
import { KIND, STATUS } from '../run-words.ts'
import { type Column, Table } from '../table.tsx'
import { useGraph } from '../use-graph.ts'
import { Day, DistributionLink, Moment, Unknown } from '../values.tsx'

type StatusOfQuery = StatusQuery['status']

/** How new the data is, when more is expected, and what is late. */
export function Status() {
  const answer = useGraph(StatusDocument, {})
  return (
    <Page title="Status" operation={{ query: StatusDocument, variables: {} }}>
      <p>Points are computed once for each date, and every chain has new snapshots each day.</p>
      <Answer of={answer} rows={8}>
        {({ status }) => <Details status={status} />}
      </Answer>
    </Page>
  )
}

function Details({ status: { chains, lastRun, lastImport, ...status } }: { status: StatusOfQuery }) {
  return (
    <>
      <h2>Distributions</h2>
      {status.distribution ? <Distributions status={status} /> : <NothingStored of="positions" />}
      <h2>Snapshots</h2>
      {chains.length === 0 ? (
        <Empty>No markets and no vaults are stored.</Empty>
      ) : (
        <Table caption="Snapshots" columns={chainColumns} rows={chains} rowKey={({ chainId }) => String(chainId)} />
      )}
      <h2>Runs</h2>
      <Facts>
        <Fact name="Last run">
          <RunLink run={lastRun} />
        </Fact>
        <Fact name="Data of its sources is from">
          {lastRun?.sources[0]?.time ? <Moment iso={lastRun.sources[0].time} /> : <Unknown />}
        </Fact>
        <Fact name="Last import">
          <RunLink run={lastImport} />
        </Fact>
      </Facts>
    </>
  )
}

function Distributions({ status }: { status: Omit<StatusOfQuery, 'chains' | 'lastRun' | 'lastImport'> }) {
  const { distribution, nextDistributionDate, nextDistributionExpectedAt, distributionLate } = status
  return (
    <Facts>
      <Fact name="Newest">{distribution ? <DistributionLink date={distribution.date} /> : <Unknown />}</Fact>
      <Fact name="Computed">{distribution ? <Moment iso={distribution.finishedAt} /> : <Unknown />}</Fact>
      <Fact name="Next">{nextDistributionDate ? <Day iso={nextDistributionDate} /> : <Unknown />}</Fact>
      <Fact name="Expected">
        {nextDistributionExpectedAt ? <Moment iso={nextDistributionExpectedAt} /> : <Unknown />}
      </Fact>
      <Fact name="State">{state(distributionLate)}</Fact>
    </Facts>
  )
}

const chainColumns: Column<StatusOfQuery['chains'][number]>[] = [
  { name: 'Chain', heads: true, cell: ({ chainId }) => chainId },
  {
    name: 'Newest snapshot',
    cell: ({ newestSnapshotAt }) => (newestSnapshotAt ? <Moment iso={newestSnapshotAt} /> : <Unknown />),
  },
  { name: 'Next expected', cell: ({ expectedAt }) => (expectedAt ? <Moment iso={expectedAt} /> : <Unknown />) },
  { name: 'State', cell: ({ newestSnapshotAt, late }) => (newestSnapshotAt ? state(late) : <Unknown />) },
]

const state = (late: boolean) => (late ? <strong className="loss">late</strong> : 'on time')

const RunLink = ({ run }: { run: RunRowFragment | null }) =>
  run ? (
    <Link href={`/runs/${run.recordId}`}>
      {KIND[run.kind]}, {STATUS[run.status]}, <Moment iso={run.startedAt} />
    </Link>
  ) : (
    <Unknown />
  )
