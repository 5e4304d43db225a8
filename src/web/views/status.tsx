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

function Details({ status: { chains, legs, lastRun, lastImport, ...status } }: { status: StatusOfQuery }) {
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
      {legs.length > 0 && (
        <>
          <h2>Updates</h2>
          <Table caption="Updates" columns={legColumns} rows={byChain(legs)} rowKey={({ key }) => key} />
        </>
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

function Distributions({ status }: { status: Omit<StatusOfQuery, 'chains' | 'legs' | 'lastRun' | 'lastImport'> }) {
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
    cell: ({ newestRecordAt }) => (newestRecordAt ? <Moment iso={newestRecordAt} /> : <Unknown />),
  },
  { name: 'Next expected', cell: ({ expectedAt }) => (expectedAt ? <Moment iso={expectedAt} /> : <Unknown />) },
  { name: 'State', cell: ({ newestRecordAt, late }) => (newestRecordAt ? state(late) : <Unknown />) },
]

type Leg = StatusOfQuery['legs'][number]

/** The chains of each leg. A leg is late on a chain if its update is, or the chain's records are. */
const byChain = (legs: Leg[]) =>
  legs.flatMap(({ chains, ...leg }) =>
    chains.map((chain) => ({ ...leg, ...chain, key: `${leg.leg} ${chain.chainId}`, late: leg.late || chain.late })),
  )

const legColumns: Column<ReturnType<typeof byChain>[number]>[] = [
  { name: 'Records', heads: true, cell: ({ leg }) => leg },
  { name: 'Chain', cell: ({ chainId }) => chainId },
  {
    name: 'Newest record',
    cell: ({ newestRecordAt }) => (newestRecordAt ? <Moment iso={newestRecordAt} /> : <Unknown />),
  },
  { name: 'Updated', cell: ({ updatedAt }) => <Moment iso={updatedAt} /> },
  { name: 'Source', cell: ({ source }) => source },
  { name: 'State', cell: ({ late }) => state(late) },
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
