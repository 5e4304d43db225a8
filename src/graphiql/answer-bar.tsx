import { useEditorContext } from '@graphiql/react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { asCurl, asFetch } from '../web/copy-as.ts'
import { saveCsv } from '../web/csv.ts'
import { AnswerChart } from './answer-chart.tsx'
import { newestAnswer, type Work } from './answers.ts'
import { type List, listsOf, seriesOf } from './lists.ts'
import { served } from './served.ts'

/** Rows that the table shows. The CSV has all. */
const MAX_ROWS = 1000
const COPIED_MS = 1500

type View = 'JSON' | 'Table' | 'Chart'

/**
 * The bar under an answer: the work that it took, its lists as a table, a chart or CSV, and its
 * operation to copy.
 */
export function AnswerBar() {
  const answer = useSyncExternalStore(newestAnswer.subscribe, newestAnswer.get)
  const [view, setView] = useState<View>('JSON')
  const [path, setPath] = useState<string>()
  if (!answer) return null
  const lists = listsOf(answer.data)
  const list = lists.find((one) => one.path === path) ?? lists[0]
  const series = list && seriesOf(list)
  const views: View[] = [
    'JSON',
    ...(list ? ['Table' as const] : []),
    ...(series ? ['Chart' as const] : []),
  ]
  const shown = views.includes(view) ? view : 'JSON'
  return (
    <>
      {list && shown === 'Table' && <AnswerTable list={list} />}
      {list && series && shown === 'Chart' && <AnswerChart list={list} series={series} />}
      <div className="answer-bar">
        <p className="work" role="status">
          {wordsOf(answer.work)}
        </p>
        {lists.length > 1 && shown !== 'JSON' && (
          <select
            aria-label="List"
            value={list?.path}
            onChange={(event) => setPath(event.target.value)}
          >
            {lists.map((one) => (
              <option key={one.path} value={one.path}>
                {one.path} ({one.rows.length})
              </option>
            ))}
          </select>
        )}
        <fieldset>
          <legend className="visually-hidden">Show the answer as</legend>
          {views.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === shown}
              onClick={() => setView(one)}
            >
              {one}
            </button>
          ))}
        </fieldset>
        {list && (
          <button type="button" onClick={() => download(list)}>
            CSV
          </button>
        )}
        <CopyButtons />
      </div>
    </>
  )
}

function wordsOf({ cost, statements, ms, cache }: Work): string {
  const queries = statements === '1' ? '1 SQL statement' : `${statements} SQL statements`
  return [
    cost !== undefined && `cost ${Number(cost).toLocaleString('en-US')}`,
    statements !== undefined && cache !== 'hit' && queries,
    `${Math.round(ms)} ms`,
    cache !== undefined && cache !== 'none' && `cache ${cache}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

const AnswerTable = ({ list: { path, columns, rows } }: { list: List }) => (
  <section
    className="answer-view"
    aria-label={`${path}: table`}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard too
    tabIndex={0}
  >
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, MAX_ROWS).map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of an answer have no names
          <tr key={at}>
            {columns.map((column) => (
              <td key={column} className={typeof row[column] === 'number' ? 'numeric' : undefined}>
                {String(row[column] ?? '–')}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
    {rows.length > MAX_ROWS && (
      <p>
        The first {MAX_ROWS} of {rows.length} rows. The CSV has all.
      </p>
    )}
  </section>
)

function download({ path, columns, rows }: List): void {
  const cells = rows.map((row) =>
    columns.map((column) => {
      const value = row[column]
      return typeof value === 'boolean' ? String(value) : value
    }),
  )
  saveCsv(`${path}.csv`, columns, cells)
}

function CopyButtons() {
  const { queryEditor, variableEditor } = useEditorContext({ nonNull: true })
  const [copied, setCopied] = useState<string>()
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(setCopied, COPIED_MS, undefined)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async (name: string, write: typeof asCurl) => {
    const url = location.origin + served('/graphql')
    const operation = {
      url,
      query: queryEditor?.getValue() ?? '',
      variables: variablesOf(variableEditor?.getValue()),
    }
    try {
      await navigator.clipboard.writeText(write(operation))
      setCopied(`${name} copied`)
    } catch {
      setCopied('The browser forbids it')
    }
  }
  return (
    <>
      <button type="button" onClick={() => copy('curl', asCurl)}>
        Copy as curl
      </button>
      <button type="button" onClick={() => copy('TypeScript', asFetch)}>
        Copy as TypeScript
      </button>
      <span className="copied" role="status">
        {copied}
      </span>
    </>
  )
}

/** The variables in the editor, or none while they are not JSON. */
function variablesOf(text = ''): object {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
