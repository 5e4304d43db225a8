import { StoredDocument } from 'lending-graph-client'
import { type ReactNode, useDeferredValue } from 'react'
import type { CombinedError } from 'urql'
import { useOutage } from './outage.tsx'
import { served } from './paths.ts'
import { type GraphAnswer, useGraph } from './use-graph.ts'

/** Shows what the graph answered, or that it is loading, or what is wrong and what to do. */
export function Answer<Data>({
  of: { data, error, retry },
  children,
  rows = 10,
  charts = 0,
}: {
  of: GraphAnswer<Data>
  /** Renders the data. */
  children: (data: Data) => ReactNode
  /** About as many rows as the answer will have: their place is left free. */
  rows?: number
  /** The number of charts that the answer will have, instead of rows. */
  charts?: number
}) {
  // The numbers above charts are painted before them.
  const later = useDeferredValue(data)
  const shown = charts > 0 ? later : data
  const isOutage = error !== undefined && isOfGateway(error)
  useOutage(isOutage ? sentence(error) : undefined, retry)
  return (
    <>
      {error && !isOutage && (
        <div className="fault" role="alert">
          <p>{sentence(error)}</p>
          {retry && (
            <button type="button" onClick={retry}>
              Try again
            </button>
          )}
        </div>
      )}
      {shown
        ? children(shown)
        : (!error || isOutage) &&
          (charts > 0 ? <LoadingCharts charts={charts} /> : <Loading rows={rows} />)}
    </>
  )
}

function Loading({ rows }: { rows: number }) {
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: equal rows
        <div key={row} className="placeholder" />
      ))}
    </div>
  )
}

const LoadingCharts = ({ charts }: { charts: number }) =>
  Array.from({ length: charts }, (_, chart) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: equal charts
    <div key={chart} className="loading chart" role="status">
      <span className="visually-hidden">Loading</span>
    </div>
  ))

/** True if the gateway is at fault, not the question: each section of the page has the same fault. */
function isOfGateway({ networkError, response }: CombinedError): boolean {
  const status: number | undefined = response?.status
  return status === 429 || status === 503 || (networkError !== undefined && status === undefined)
}

/** The failure in one sentence, with the remedy. */
function sentence({ networkError, graphQLErrors, response }: CombinedError): string {
  const status: number | undefined = response?.status
  const seconds = response?.headers?.get('retry-after')
  const later = seconds ? `in ${seconds} s` : 'in a moment'
  if (status === 429)
    return `This gateway has a limit of requests, which is used up: try again ${later}.`
  if (status === 503) return `The gateway cannot read its store now: try again ${later}.`
  const [fault] = graphQLErrors
  if (fault) {
    const id =
      fault.extensions?.code === 'INTERNAL' ? ` (request ${fault.extensions.requestId})` : ''
    return `${fault.message}${id}`
  }
  if (networkError && status === undefined)
    return 'The gateway cannot be reached. This page goes on when it is back.'
  return `The gateway answered with the status ${status}: try again ${later}.`
}

/** Says why there is nothing to show. */
export const Empty = ({ children }: { children: ReactNode }) => <p className="empty">{children}</p>

/**
 * Why a list of everything that is stored has no rows: the store is empty, or has only other
 * records.
 */
export function NothingStored({ of }: { of: 'pools' | 'positions' | 'vaults' }) {
  const stored = useGraph(StoredDocument, {})
  return (
    <Answer of={stored} rows={1}>
      {({ pools, vaults, users }) =>
        [pools, vaults, users].some(({ nodes }) => nodes.length > 0) ? (
          <div className="empty">
            <p>
              No {of} are stored. An import with <code>{of}.jsonl</code> adds them, and they appear
              here at once: <a href={served('/docs/cli#import')}>its format</a>.
            </p>
          </div>
        ) : (
          <EmptyStore />
        )
      }
    </Answer>
  )
}

const EmptyStore = () => (
  <div className="empty">
    <p>The store is empty. Load data, and it appears here at once:</p>
    <ul>
      <li>
        <code>npm start</code> loads sample data
      </li>
      <li>
        <code>npm run gateway -- import DIR</code> imports your own:{' '}
        <a href={served('/docs/cli#import')}>its format</a>
      </li>
    </ul>
  </div>
)
