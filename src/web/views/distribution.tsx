import { DistributionDocument, PositionOriginsDocument } from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer, Empty } from '../answer.tsx'
import { Fact, Facts } from '../facts.tsx'
import { day, isDay } from '../format.ts'
import { NoDistribution } from '../no-distribution.tsx'
import { NotADate } from '../not-a-date.tsx'
import { Page, Section } from '../page-frame.tsx'
import { PositionsTable } from '../positions-table.tsx'
import { runColumns } from '../run-columns.tsx'
import { KIND } from '../run-words.ts'
import { Table, usePage } from '../table.tsx'
import { useGraph } from '../use-graph.ts'
import { Moment, Num } from '../values.tsx'

const ROWS = 20
const BY_POINTS = { orderBy: 'POINTS', orderDirection: 'DESC' } as const

/**
 * A distribution date: its totals, its runs, and its positions with their prices and multipliers.
 */
export function Distribution({ date }: { date: string }) {
  const isValid = isDay(date)
  const answer = useGraph(DistributionDocument, { date }, { pause: !isValid })
  if (!isValid)
    return (
      <Page title="Distribution">
        <NotADate text={date} />
      </Page>
    )
  return (
    <Page
      title={`Distribution of ${day(date)}`}
      operation={{ query: DistributionDocument, variables: { date } }}
    >
      <Answer of={answer} rows={8}>
        {({ distribution, ...dates }) =>
          distribution ? (
            <>
              <Facts>
                <Fact name="Points">
                  <Num value={distribution.points} unit="points" />
                </Fact>
                <Fact name="Wallets">
                  <Num value={distribution.userCount} unit="count" />
                </Fact>
                <Fact name="Positions">
                  <Num value={distribution.positionCount} unit="count" />
                </Fact>
                <Fact name="Computed by">{KIND[distribution.kind]}</Fact>
                <Fact name="Computed at">
                  <Moment iso={distribution.finishedAt} />
                </Fact>
              </Facts>
              <h2>Runs</h2>
              {distribution.runs.nodes.length === 0 ? (
                <Empty>No run of this date is recorded.</Empty>
              ) : (
                <Table
                  caption="Runs"
                  columns={runColumns}
                  rows={distribution.runs.nodes}
                  rowKey={({ id }) => id}
                />
              )}
              <p>
                <Link href={`/leaderboard?asOf=${date}`}>The leaderboard as of this date</Link>
              </p>
              <Positions date={date} />
            </>
          ) : (
            <NoDistribution date={date} dates={dates} />
          )
        }
      </Answer>
    </Page>
  )
}

function Positions({ date }: { date: string }) {
  const variables = { where: { date: { eq: date } }, ...BY_POINTS, ...usePage(ROWS) }
  const positions = useGraph(PositionOriginsDocument, variables)
  return (
    <Section
      id="positions"
      title="Positions"
      operation={{ query: PositionOriginsDocument, variables }}
    >
      <Answer of={positions} rows={ROWS}>
        {({ positions }) => (
          <PositionsTable
            caption="Positions of the date"
            list={positions}
            rows={ROWS}
            whole={{ name: 'positions', arguments: variables }}
            ofWallets
          />
        )}
      </Answer>
    </Section>
  )
}
