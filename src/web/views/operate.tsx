import {
  type DistributionKind,
  PreviewDistributionDocument,
  type PreviewDistributionQuery,
  type RunRowFragment,
  RunsDocument,
  StatusDocument,
} from 'lending-graph-client'
import { type FormEvent, useState } from 'react'
import { type CombinedError, useClient } from 'urql'
import { Answer, Empty } from '../answer.tsx'
import { DateField } from '../date-field.tsx'
import { Fact, Facts } from '../facts.tsx'
import { Page, Section } from '../page-frame.tsx'
import { runColumns, sourceColumns } from '../run-columns.tsx'
import { KIND } from '../run-words.ts'
import { type Column, PagedTable, Table, usePage } from '../table.tsx'
import { useGraph } from '../use-graph.ts'
import { Day, DistributionLink, Num, RankChange, Unknown, WalletLink } from '../values.tsx'
import { Changes } from './run.tsx'

const ROWS = 10

type Previewed = PreviewDistributionQuery['previewDistribution']
type Mover = Previewed['movers'][number]

/** The admin token. It lasts as long as the page: no address and no storage has it. */
let token = ''

/** For operators: what a run would change, the runs so far, and what the last one fetched. */
export function Operate() {
  return (
    <Page ofNow title="Operate">
      <p className="lede">
        A preview computes a date as a run would, and stores nothing. It needs the admin token of
        the gateway, which this page forgets when it is closed.
      </p>
      <Preview />
      <Runs />
      <Sources />
    </Page>
  )
}

function Preview() {
  const client = useClient()
  const [isRunning, setRunning] = useState(false)
  const [{ data, error }, setAnswer] = useState<{
    data?: PreviewDistributionQuery
    error?: CombinedError | 'token'
  }>({})
  const preview = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const date = String(form.get('date'))
    const variables = {
      kind: form.get('kind') as DistributionKind,
      ...(date && { date }),
      first: ROWS,
    }
    token = String(form.get('token')).trim()
    // A header has no other characters.
    if (!/^[!-~]+$/.test(token)) return setAnswer({ error: 'token' })
    setRunning(true)
    const headers = {
      accept: 'application/graphql-response+json, application/json',
      authorization: `Bearer ${token}`,
    }
    const { data, error } = await client
      .query(PreviewDistributionDocument, variables, {
        requestPolicy: 'network-only',
        fetchOptions: { headers },
      })
      .toPromise()
    setRunning(false)
    const isRefused = error?.graphQLErrors[0]?.extensions.code === 'UNAUTHENTICATED'
    setAnswer({ ...(data && { data }), ...(error && { error: isRefused ? 'token' : error }) })
  }
  return (
    <Section id="preview" title="Preview of a run">
      <form className="choices" onSubmit={preview}>
        <label>
          Admin token
          <input
            name="token"
            type="password"
            autoComplete="off"
            defaultValue={token}
            maxLength={1000}
            required
          />
        </label>
        <label>
          Kind
          <select name="kind">
            <option value="RESYNC">{KIND.RESYNC}: stored positions</option>
            <option value="MANUALUPDATE">{KIND.MANUALUPDATE}: new positions</option>
          </select>
        </label>
        <DateField label="Date" name="date" value="" />
        <button type="submit" disabled={isRunning}>
          {isRunning ? 'Computing' : 'Preview'}
        </button>
      </form>
      {error === 'token' && (
        <p className="fault" role="alert">
          The gateway does not accept this token.
        </p>
      )}
      {error && error !== 'token' && (
        <Answer of={{ data: undefined, error, fetching: false, retry: undefined }}>
          {() => null}
        </Answer>
      )}
      {!error && data && <Result preview={data.previewDistribution} />}
    </Section>
  )
}

const Result = ({ preview }: { preview: Previewed }) => (
  <>
    <Facts>
      <Fact name="Distribution">
        <Day iso={preview.date} />
      </Fact>
      <Fact name="Kind">{KIND[preview.kind]}</Fact>
      <Fact name="Wallets with other points">
        <Num value={preview.changedUserCount} unit="count" />
      </Fact>
      <Fact name="Wallets with another rank">
        <Num value={preview.changedRankCount} unit="count" />
      </Fact>
      <Fact name="Points of all dates">
        <Num value={preview.totalPointsAfter} unit="points" />
        <small>
          <Num
            value={preview.totalPointsAfter - preview.totalPointsBefore}
            unit="points"
            change="gain"
          />
        </small>
      </Fact>
    </Facts>
    <Changes title="What would change" run={preview} />
    <h2>Movers</h2>
    {preview.movers.length === 0 ? (
      <Empty>The run would change the points of no wallet.</Empty>
    ) : (
      <Table
        caption="Movers"
        columns={moverColumns}
        rows={preview.movers}
        rowKey={({ user }) => user.address}
      />
    )}
  </>
)

const moverColumns: Column<Mover>[] = [
  { name: 'Wallet', heads: true, cell: ({ user }) => <WalletLink address={user.address} /> },
  {
    name: 'Points before',
    numeric: true,
    cell: ({ pointsBefore }) => <Num value={pointsBefore} unit="points" />,
  },
  {
    name: 'After',
    numeric: true,
    cell: ({ pointsAfter }) => <Num value={pointsAfter} unit="points" />,
  },
  {
    name: 'Change',
    numeric: true,
    cell: ({ pointsChange }) => <Num value={pointsChange} unit="points" change="gain" />,
  },
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

const [number, ...others] = runColumns
const columnsOfRuns: Column<RunRowFragment>[] = [
  ...(number ? [number] : []),
  { name: 'Date', cell: ({ date }) => (date ? <DistributionLink date={date} /> : <Unknown />) },
  ...others,
]

function Runs() {
  const variables = usePage(ROWS)
  const answer = useGraph(RunsDocument, variables)
  return (
    <Section id="runs" title="Runs" operation={{ query: RunsDocument, variables }}>
      <Answer of={answer} rows={ROWS}>
        {({ runs }) => (
          <PagedTable
            caption="Runs"
            columns={columnsOfRuns}
            list={runs}
            rows={ROWS}
            rowKey={({ id }) => id}
            empty={<Empty>No run is recorded.</Empty>}
          />
        )}
      </Answer>
    </Section>
  )
}

function Sources() {
  const answer = useGraph(StatusDocument, {})
  return (
    <Section
      id="sources"
      title="Sources of the last run"
      operation={{ query: StatusDocument, variables: {} }}
    >
      <Answer of={answer} rows={1}>
        {({ status: { lastRun } }) =>
          lastRun?.sources.length ? (
            <Table
              caption="Sources"
              columns={sourceColumns}
              rows={lastRun.sources}
              rowKey={({ kind, name }) => `${kind} ${name}`}
            />
          ) : (
            <Empty>
              {lastRun
                ? 'The last run fetched nothing: a resync reads the stored positions.'
                : 'There was no run yet.'}
            </Empty>
          )
        }
      </Answer>
    </Section>
  )
}
