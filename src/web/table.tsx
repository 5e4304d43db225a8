import type { OrderDirection } from 'lending-graph-client'
import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { AllRows, type WholeList } from './all-rows.tsx'
import { useLive } from './live.tsx'
import { saveTable } from './table-csv.ts'
import { type UrlState, useUrlState } from './url-state.ts'

export interface Column<Row> {
  name: string
  /** Names the column in the address, without a comma: its name if it is absent. */
  key?: string
  cell(row: Row): ReactNode
  /** Numbers are aligned at their ends. */
  numeric?: boolean
  /** The sort key of the graph, without its direction. */
  sortKey?: string
  /** True if the cell names the row. */
  heads?: boolean
  /** True if the column is shown only to those who choose it. */
  optional?: boolean
}

/** A sort key of the graph with its direction, such as TVL_USD_DESC. */
export type Sort<Key extends string = string> = `${Key}_${OrderDirection}`

/** Returns a list's variables for its order. */
export function sortBy<Key extends string>(
  sort: Sort<Key>,
): { orderBy: Key; orderDirection: OrderDirection } {
  const end = sort.lastIndexOf('_')
  return {
    orderBy: sort.slice(0, end) as Key,
    orderDirection: sort.slice(end + 1) as OrderDirection,
  }
}

interface TableProps<Row> {
  caption: string
  columns: Column<Row>[]
  rows: readonly Row[]
  rowKey(row: Row): string
  /** The order of the rows. */
  sort?: Sort
  /** The row that is pointed out. */
  isCurrent?(row: Row): boolean
  /** True for a row that belongs to the row above it. */
  isPart?(row: Row): boolean
  /**
   * A row is a card in a narrow place: with facts, its name and under it each number with the name
   * of its column; else the style sheet places its cells by the names of their columns.
   */
  cards?: boolean | 'facts'
  /** The list of the graph whose rows are shown, to save all of them. */
  whole?: WholeList | undefined
}

/**
 * A table. A table wider than the window scrolls within its frame. Rows that live data changes
 * light up.
 */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
  sort,
  isCurrent,
  isPart,
  cards = false,
  whole,
}: TableProps<Row>) {
  const body = useChangedRows(rows, rowKey)
  const cellName = ({ key, name }: Column<Row>) => (cards === 'facts' ? name : (key ?? name))
  return (
    <>
      <section
        className={['scroll', cards && 'cards', cards === 'facts' && 'facts-cards']
          .filter(Boolean)
          .join(' ')}
        aria-label={`${caption}: table`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keyboard too
        tabIndex={0}
        ref={equip}
      >
        <table>
          <caption className="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <Head key={column.key ?? column.name} column={column} sort={sort} />
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            {rows.map((row) => (
              <tr
                key={rowKey(row)}
                aria-current={isCurrent?.(row) || undefined}
                data-part={isPart?.(row) || undefined}
              >
                {columns.map((column) =>
                  column.heads ? (
                    <th
                      key={keyOf(column)}
                      scope="row"
                      data-cell={cards ? cellName(column) : undefined}
                    >
                      {column.cell(row)}
                    </th>
                  ) : (
                    <td
                      key={keyOf(column)}
                      className={column.numeric ? 'numeric' : undefined}
                      data-cell={cards ? cellName(column) : undefined}
                    >
                      {column.cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > 0 && (
        <p className="saves">
          <button type="button" className="small csv" onClick={saveNeighbour}>
            CSV<span className="visually-hidden"> of {caption}</span>
          </button>
          {whole && <AllRows of={whole} caption={caption} />}
        </p>
      )}
    </>
  )
}

/** Saves the table before the line of a button. */
const saveNeighbour = ({ currentTarget }: MouseEvent<HTMLElement>) => {
  const table = currentTarget.parentElement?.previousElementSibling?.querySelector('table')
  if (table) saveTable(table)
}

/**
 * Marks the rows of a table body that differ since the data changed, for the style sheet. They stay
 * marked when the next change leaves them as they are: one run may be several changes.
 */
function useChangedRows<Row>(rows: readonly Row[], rowKey: (row: Row) => string) {
  const { generation } = useLive()
  const body = useRef<HTMLTableSectionElement>(null)
  const before = useRef({ generation, all: '', rows: new Map<string, string>() })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another page or order have not changed
  useEffect(() => {
    const last = before.current
    const texts = rows.map((row) => [rowKey(row), JSON.stringify(row)] as const)
    const all = JSON.stringify(texts)
    // The rows were rendered again, before their new data came.
    if (all === last.all) return
    before.current = { generation, all, rows: new Map(texts) }
    for (const [at, [key, text]] of texts.entries()) {
      const old = last.rows.get(key)
      const classes = body.current?.rows[at]?.classList
      if (generation === last.generation) classes?.remove('changed')
      else if (old !== undefined && old !== text) classes?.add('changed')
    }
  }, [rows])
  return body
}

/** Chooses the order of a table whose head a narrow place does not show. */
export function SortChoice<Row>({ columns, sort }: { columns: Column<Row>[]; sort: Sort }) {
  const url = useUrlState()
  return (
    <label className="narrow">
      Sort by
      <select value={sort} onChange={({ target }) => url.set({ sort: target.value })}>
        {columns.flatMap(({ name, sortKey }) =>
          sortKey
            ? [
                <option key={`${sortKey}_DESC`} value={`${sortKey}_DESC`}>
                  {name} ↓
                </option>,
                <option key={`${sortKey}_ASC`} value={`${sortKey}_ASC`}>
                  {name} ↑
                </option>,
              ]
            : [],
        )}
      </select>
    </label>
  )
}

interface ColumnChoiceProps<Row> {
  columns: readonly Column<Row>[]
}

const keyOf = <Row,>({ name, key = name }: Column<Row>) => key

/**
 * The columns that the address of a view chooses, in their order, or those that are not optional.
 */
export function chosenColumns<Row>(columns: readonly Column<Row>[], url: UrlState): Column<Row>[] {
  const keys = url.get('columns')?.split(',')
  return columns.filter(
    (column) => column.heads || (keys ? keys.includes(keyOf(column)) : !column.optional),
  )
}

/** Lets the columns of a table be chosen. The address of the view keeps them. */
export function ColumnChoice<Row>({ columns }: ColumnChoiceProps<Row>) {
  const url = useUrlState()
  const chosen = chosenColumns(columns, url)
  const toggle = (column: Column<Row>) => {
    const next = columns.filter((one) => (one === column) !== chosen.includes(one))
    const isUsual =
      next.every((one) => one.heads || !one.optional) && next.length === usual(columns).length
    const keys = next.filter(({ heads }) => !heads).map(keyOf)
    url.set({ columns: isUsual ? undefined : keys.join(',') || 'none', [PAGE]: url.get(PAGE) })
  }
  return (
    <details className="columns-choice">
      <summary>Columns</summary>
      <fieldset>
        <legend className="visually-hidden">Columns</legend>
        {columns.map(
          (column) =>
            !column.heads && (
              <label key={keyOf(column)}>
                <input
                  type="checkbox"
                  checked={chosen.includes(column)}
                  onChange={() => toggle(column)}
                />
                {column.name}
              </label>
            ),
        )}
      </fieldset>
    </details>
  )
}

const usual = <Row,>(columns: readonly Column<Row>[]) =>
  columns.filter(({ heads, optional }) => heads || !optional)

/** Lets the arrow keys move in a frame, and marks it if it fits. */
function equip(frame: HTMLElement | null): (() => void) | undefined {
  frame?.addEventListener('keydown', moveByArrows)
  const unmark = markIfItFits(frame)
  return () => {
    frame?.removeEventListener('keydown', moveByArrows)
    unmark?.()
  }
}

/** Arrow keys move between the rows: to the first link of each. */
function moveByArrows(event: KeyboardEvent) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step || event.altKey || event.ctrlKey || event.metaKey) return
  const rows = [...(event.currentTarget as HTMLElement).querySelectorAll('tbody tr')].filter(
    (row) => row.querySelector('a'),
  )
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const row = at < 0 ? rows.at(step > 0 ? 0 : -1) : rows[at + step]
  if (!row) return
  event.preventDefault()
  row.querySelector('a')?.focus()
}

/** Marks a frame whose table is not wider than itself. */
function markIfItFits(frame: HTMLElement | null): (() => void) | undefined {
  const table = frame?.querySelector('table')
  if (!frame || !table) return undefined
  const mark = () => frame.classList.toggle('fits', table.offsetWidth <= frame.clientWidth)
  const observer = new ResizeObserver(mark)
  observer.observe(frame)
  observer.observe(table)
  return () => observer.disconnect()
}

function Head<Row>({
  column: { name, numeric, sortKey, heads },
  sort,
}: {
  column: Column<Row>
  sort: string | undefined
}) {
  const url = useUrlState()
  const className = [numeric && 'numeric', heads && 'heads'].filter(Boolean).join(' ') || undefined
  if (!sortKey)
    return (
      <th scope="col" className={className}>
        {name}
      </th>
    )
  const { direction, arrow = '' } =
    [
      { by: `${sortKey}_DESC`, direction: 'descending', arrow: ' ↓' } as const,
      { by: `${sortKey}_ASC`, direction: 'ascending', arrow: ' ↑' } as const,
    ].find(({ by }) => by === sort) ?? {}
  const next = direction === 'descending' ? `${sortKey}_ASC` : `${sortKey}_DESC`
  return (
    <th scope="col" className={className} aria-sort={direction}>
      <Link href={url.link({ sort: next })}>
        {name}
        <span aria-hidden="true">{arrow}</span>
      </Link>
    </th>
  )
}

/** The parameter of the address that has the number of the page of the view's main list. */
const PAGE = 'page'
/** Deeper pages are reached by a filter or another order. */
const LAST_PAGE = 100_000

/** The variables of a list for the page in the address. @param parameter of the page's number */
export function usePage(rows: number, parameter = PAGE): { first: number; offset?: number } {
  const number = pageNumber(useUrlState(), parameter)
  return { first: rows, ...(number > 1 && { offset: (number - 1) * rows }) }
}

function pageNumber(url: UrlState, parameter: string): number {
  const number = Number(url.get(parameter))
  return Number.isInteger(number) && number > 1 ? Math.min(number, LAST_PAGE) : 1
}

interface PagerProps {
  label: string
  /** The number of rows of the list, and of each of its pages. */
  totalCount: number
  rows: number
  parameter?: string
}

/**
 * The page of a list begins at its heading, also for those who came from the end of another page.
 */
const toHeading = ({ currentTarget }: MouseEvent<HTMLElement>) =>
  currentTarget.closest('section, main')?.scrollIntoView({ block: 'start' })

/** Leads to the other pages of a list. */
export function Pager({ label, totalCount, rows, parameter = PAGE }: PagerProps) {
  const url = useUrlState()
  const last = Math.max(Math.ceil(totalCount / rows), 1)
  const current = pageNumber(url, parameter)
  if (last === 1 && current === 1) return null
  const to = (number: number, name: string, isNeeded: boolean) =>
    isNeeded && (
      <Link
        href={url.link({
          [PAGE]: url.get(PAGE),
          [parameter]: number > 1 ? String(number) : undefined,
        })}
        onClick={toHeading}
      >
        {name}
      </Link>
    )
  return (
    <nav className="pager" aria-label={`Pages of ${label}`}>
      {to(1, 'First page', current > 1)}
      {to(Math.min(current - 1, last), 'Previous page', current > 1)}
      <span>
        {current > last
          ? 'The list has no such page.'
          : `Page ${current.toLocaleString('en-US')} of ${last.toLocaleString('en-US')}`}
      </span>
      {to(current + 1, 'Next page', current < last)}
      {to(last, 'Last page', current < last)}
    </nav>
  )
}

interface PagedTableProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  list: { nodes: readonly Row[]; totalCount: number }
  /** The number of rows of a page. */
  rows: number
  /** The parameter of the address that has the number of the page. */
  parameter?: string
  /** Shown in place of a list without rows. */
  empty: ReactNode
}

/** One page of a list, with what leads to the others. */
export function PagedTable<Row>({ list, rows, parameter, empty, ...table }: PagedTableProps<Row>) {
  const { nodes, totalCount } = list
  return (
    <>
      {totalCount === 0 ? empty : <Table {...table} rows={nodes} />}
      <Pager
        label={table.caption.toLowerCase()}
        totalCount={totalCount}
        rows={rows}
        {...(parameter && { parameter })}
      />
    </>
  )
}
