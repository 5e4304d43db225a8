import { RunsOfDatesDocument, type RunsOfDatesQuery } from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer } from './answer.tsx'
import { day, isoDay } from './format.ts'
import { Section } from './page-frame.tsx'
import { useGraph } from './use-graph.ts'

const DAYS = 30
const DAY_MS = 86_400_000

type State = 'computed' | 'again' | 'failed' | 'missing'
interface Cell {
  date: string
  state: State
  text: string
}

const WORDS: Record<State, string> = {
  computed: 'computed',
  again: 'computed again',
  failed: 'a run failed',
  missing: 'missing',
}

/** Each of the last 30 distribution dates as a cell: how it was computed, and a link to it. */
export function RunStrip({ newest }: { newest: string }) {
  const end = Date.parse(isoDay(newest))
  const dates = Array.from({ length: DAYS }, (_, at) =>
    new Date(end - (DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  )
  const variables = { from: dates[0] ?? isoDay(newest) }
  const answer = useGraph(RunsOfDatesDocument, variables)
  return (
    <Section
      id="strip"
      title="The last 30 dates"
      operation={{ query: RunsOfDatesDocument, variables }}
    >
      <Answer of={answer} rows={1}>
        {(data) => {
          const cells = dates.map((date) => cellOf(date, data))
          return (
            <>
              <ol className="strip">
                {cells.map(({ date, state, text }) => (
                  <li key={date}>
                    <Link
                      href={`/distributions/${date}`}
                      className={state}
                      title={text}
                      aria-label={text}
                    />
                  </li>
                ))}
              </ol>
              <p className="strip-key">
                {(Object.keys(WORDS) as State[]).map((state) => (
                  <span key={state}>
                    <span className={`key ${state}`} aria-hidden="true" />
                    {WORDS[state]}: {cells.filter((cell) => cell.state === state).length}
                  </span>
                ))}
              </p>
            </>
          )
        }}
      </Answer>
    </Section>
  )
}

/** A date's newest run decides, unless it failed and the date is stored, which is said too. */
function cellOf(date: string, { runs, distributions }: RunsOfDatesQuery): Cell {
  const own = runs.nodes.filter((run) => run.date && isoDay(run.date) === date)
  const isStored = distributions.nodes.some((one) => isoDay(one.date) === date)
  const failed = own.find(({ status }) => status === 'FAILED')
  const succeeded = own.filter(({ status }) => status === 'SUCCEEDED').length
  const state = stateOf(isStored, succeeded, failed !== undefined)
  const why = failed?.error ? `: ${failed.error}` : ''
  return { date, state, text: `${day(date)}: ${WORDS[state]}${state === 'failed' ? why : ''}` }
}

function stateOf(isStored: boolean, succeeded: number, hasFailed: boolean): State {
  if (hasFailed) return 'failed'
  if (!isStored) return 'missing'
  return succeeded > 1 ? 'again' : 'computed'
}
