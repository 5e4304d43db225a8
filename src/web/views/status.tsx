import { type RunRowFragment, StatusDocument, type StatusQuery } from 'lending-graph-client'
import { Link } from 'wouter'
import { Age } from '../age.tsx'
import { Answer, Empty, NothingStored } from '../answer.tsx'
import { chainName } from '../chains.ts'
import { Fact, Facts } from '../facts.tsx'
import { MissingSummary } from '../missing-data.tsx'
import { Page, Section } from '../page-frame.tsx'
import { RunStrip } from '../run-strip.tsx'
import { KIND } from '../run-words.ts'
import { type State, StateDot } from '../state-dot.tsx'
import { type Column, Table } from '../table.tsx'
import { useGraph } from '../use-graph.ts'
import { Day, DistributionLink, Moment, Unknown } from '../values.tsx'

type StatusOfQuery = StatusQuery['status']

/** True if the newest data is the sample, which ends, so that it cannot be late. */
export const isSample = ({ lastImport }: StatusOfQuery) => lastImport?.requestedBy === 'sample'

/** How new the data is, when more is expected, and what is late. */
export function Status() {
  const answer = useGraph(StatusDocument, {})
  return (
    <Page ofNow title="Status" operation={{ query: StatusDocument, variables: {} }}>
      <Answer of={answer} rows={8}>
        {({ status }) => (
          <>
            <p className="lede">
              {isSample(status)
                ? 'This is sample data. It ends on the day before it was loaded, and no more is expected. A chain that ends before the others is late.'
                : 'Points are computed once for each date, and every chain has new snapshots each day.'}
            </p>
            <Details status={status} />
          </>
        )}
      </Answer>
    </Page>
  )
}

function Details({ status }: { status: StatusOfQuery }) {
  const {
    distribution,
    nextDistributionDate,
    nextDistributionExpectedAt,
    chains,
    legs,
    lastRun,
    lastImport,
  } = status
  return (
    <>
      <h2>Distributions</h2>
      {distribution ? (
        <Facts>
          <Fact name="Newest">
            <DistributionLink date={distribution.date} />
          </Fact>
          <Fact name="Computed">
            <Age iso={distribution.finishedAt} />
          </Fact>
          {!isSample(status) && (
            <>
              <Fact name="Next">
                {nextDistributionDate ? <Day iso={nextDistributionDate} /> : <Unknown />}
              </Fact>
              <Fact name="Expected">
                {nextDistributionExpectedAt ? (
                  <Moment iso={nextDistributionExpectedAt} />
                ) : (
                  <Unknown />
                )}
              </Fact>
            </>
          )}
          <Fact name="State">
            <StateDot state={stateOf(status, status.distributionLate)} />
          </Fact>
        </Facts>
      ) : (
        <NothingStored of="positions" />
      )}
      {distribution && <RunStrip newest={distribution.date} />}
      <h2>Snapshots</h2>
      {chains.length === 0 ? (
        <Empty>No markets and no vaults are stored.</Empty>
      ) : (
        <Table
          caption="Snapshots"
          columns={chainColumns(status).filter(
            ({ name }) => name !== EXPECTED || !isSample(status),
          )}
          rows={chains}
          rowKey={({ chainId }) => String(chainId)}
        />
      )}
      {legs.length > 0 && (
        <>
          <h2>Updates</h2>
          <Table
            caption="Updates"
            columns={legColumns}
            rows={byChain(legs)}
            rowKey={({ key }) => key}
          />
        </>
      )}
      <h2>Missing data</h2>
      <MissingSummary />
      <Section id="runs" title="Runs" more={<Link href="/operate">Preview a run</Link>}>
        <Facts>
          <Fact name="Last run">
            <RunLink run={lastRun} />
          </Fact>
          <Fact name="Data of its sources is from">
            {lastRun?.sources[0]?.time ? <Age iso={lastRun.sources[0].time} /> : <Unknown />}
          </Fact>
          <Fact name="Last import">
            <RunLink run={lastImport} />
          </Fact>
        </Facts>
      </Section>
    </>
  )
}

/** How newest data is: a sample ends, so only a chain that ends before the others is late there. */
const stateOf = (status: StatusOfQuery, late: boolean): State =>
  isSample(status) ? 'sample' : lateness(late)

const lateness = (late: boolean): State => (late ? 'late' : 'ok')

const EXPECTED = 'Next expected'

type Chain = StatusOfQuery['chains'][number]

const stateOfChain = (status: StatusOfQuery, { newestRecordAt, late }: Chain): State => {
  const newest = Math.max(...status.chains.map((one) => Date.parse(one.newestRecordAt ?? '0')))
  const endsWithOthers = newestRecordAt !== null && Date.parse(newestRecordAt) === newest
  return isSample(status) && endsWithOthers ? 'sample' : lateness(late)
}

const chainColumns = (status: StatusOfQuery): Column<Chain>[] => [
  { name: 'Chain', heads: true, cell: ({ chainId }) => chainName(chainId) },
  {
    name: 'Newest snapshot',
    cell: ({ newestRecordAt }) => (newestRecordAt ? <Age iso={newestRecordAt} /> : <Unknown />),
  },
  {
    name: EXPECTED,
    cell: ({ expectedAt }) => (expectedAt ? <Moment iso={expectedAt} /> : <Unknown />),
  },
  {
    name: 'State',
    cell: (chain) =>
      chain.newestRecordAt ? <StateDot state={stateOfChain(status, chain)} /> : <Unknown />,
  },
]

type Leg = StatusOfQuery['legs'][number]

/**
 * The chains of each leg. A leg is late on a chain if its update is, or the chain's records are.
 */
const byChain = (legs: Leg[]) =>
  legs.flatMap(({ chains, ...leg }) =>
    chains.map((chain) => ({
      ...leg,
      ...chain,
      key: `${leg.leg} ${chain.chainId}`,
      late: leg.late || chain.late,
    })),
  )

const legColumns: Column<ReturnType<typeof byChain>[number]>[] = [
  { name: 'Records', heads: true, cell: ({ leg }) => leg },
  { name: 'Chain', cell: ({ chainId }) => chainName(chainId) },
  {
    name: 'Newest record',
    cell: ({ newestRecordAt }) => (newestRecordAt ? <Age iso={newestRecordAt} /> : <Unknown />),
  },
  { name: 'Updated', cell: ({ updatedAt }) => <Age iso={updatedAt} /> },
  { name: 'Source', cell: ({ source }) => source },
  { name: 'State', cell: ({ late }) => <StateDot state={lateness(late)} /> },
]

const RUN_STATE = { SUCCEEDED: 'succeeded', FAILED: 'failed', RUNNING: 'running' } as const

const RunLink = ({ run }: { run: RunRowFragment | null }) =>
  run ? (
    <>
      <Link href={`/runs/${run.recordId}`}>
        {KIND[run.kind]} {run.recordId}
      </Link>
      <small>
        <StateDot state={RUN_STATE[run.status]} /> <Moment iso={run.startedAt} />
      </small>
    </>
  ) : (
    <Unknown />
  )
