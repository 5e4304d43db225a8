import type { OrderDirection } from 'lending-graph-client'
import type { MouseEvent, ReactNode } from 'react'
import { Link } from 'wouter'
import { Empty } from './answer.tsx'
import { useUrlState } from './url-state.ts'

export interface Column<Row> {
  name: string
  /** Tells columns of the same name apart. */
  key?: string
  cell(row: Row): ReactNode
  /** Numbers are aligned at their ends. */
  numeric?: boolean
  /** The sort key of the graph, without its direction. */
  sortKey?: string
  /** True if the cell names the row. */
  heads?: boolean
}

/** A sort key of the graph with its direction, such as TVL_USD_DESC. */
export type Sort<Key extends string = string> = `${Key}_${OrderDirection}`

/** Returns a list's variables for its order. */
export function sortBy<Key extends string>(sort: Sort<Key>): { orderBy: Key; orderDirection: OrderDirection } {
  const end = sort.lastIndexOf('_')
  return { orderBy: sort.slice(0, end) as Key, orderDirection: sort.slice(end + 1) as OrderDirection }
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
}

/** A table. A table wider than the window scrolls within its frame. */
export function Table<Row>({ caption, columns, rows, rowKey, sort, isCurrent }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keyboard too
    <section className="scroll" aria-label={`${caption}: table`} tabIndex={0} ref={equip}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.key ?? column.name} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} aria-current={isCurrent?.(row) || undefined}>
              {columns.map(({ name, key = name, cell, numeric, heads }) =>
                heads ? (
                  <th key={key} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={key} className={numeric ? 'numeric' : undefined}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

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
  const rows = [...(event.currentTarget as HTMLElement).querySelectorAll('tbody tr')].filter((row) =>
    row.querySelector('a'),
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
  const direction = sort === `${sortKey}_DESC` ? 'descending' : sort === `${sortKey}_ASC` ? 'ascending' : undefined
  const next = direction === 'descending' ? `${sortKey}_ASC` : `${sortKey}_DESC`
  return (
    <th scope="col" className={className} aria-sort={direction}>
      <Link href={url.link({ sort: next })}>
        {name}
        <span aria-hidden="true">{direction === 'descending' ? ' ↓' : direction === 'ascending' ? ' ↑' : ''}</span>
      </Link>
    </th>
  )
}

interface PagerProps {
  label: string
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
  /** The parameter of the address that has the cursor. */
  parameter?: string
}

/** The page of a list begins at its heading, also for those who came from the end of another page. */
const toHeading = ({ currentTarget }: MouseEvent<HTMLElement>) =>
  currentTarget.closest('section, main')?.scrollIntoView({ block: 'start' })

/** The cursors of the pages before a page, by its own. A reload or a link in another tab begins without them. */
const pagesBefore = new Map<string, (string | undefined)[]>()

/** Leads to the next page of a list, to the one before, and back to its first. */
export function Pager({ label, pageInfo, parameter = 'after' }: PagerProps) {
  const url = useUrlState()
  const current = url.get(parameter)
  const isFirst = current === undefined
  const pages = current === undefined ? [] : pagesBefore.get(current)
  if (isFirst && !pageInfo.hasNextPage) return null
  const after = url.get('after')
  return (
    <nav className="pager" aria-label={`Pages of ${label}`}>
      {!isFirst && (
        <Link href={url.link({ after, [parameter]: undefined })} onClick={toHeading}>
          First page
        </Link>
      )}
      {pages && pages.length > 1 && (
        <Link href={url.link({ after, [parameter]: pages.at(-1) })} onClick={toHeading}>
          Previous page
        </Link>
      )}
      {pageInfo.hasNextPage && pageInfo.endCursor && (
        <Link
          href={url.link({ after, [parameter]: pageInfo.endCursor })}
          onClick={(event) => {
            if (pages && pageInfo.endCursor) pagesBefore.set(pageInfo.endCursor, [...pages, current])
            toHeading(event)
          }}
        >
          Next page
        </Link>
      )}
      {pages && <span>Page {pages.length + 1}</span>}
    </nav>
  )
}

interface PagedTableProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  list: { nodes: readonly Row[]; pageInfo: PagerProps['pageInfo'] }
  /** The parameter of the address that has the cursor. */
  parameter?: string
  /** Said in place of a list without rows. */
  empty: string
}

/** One page of a list, with what leads to the others. */
export function PagedTable<Row>({ list, parameter, empty, ...table }: PagedTableProps<Row>) {
  return (
    <>
      {list.nodes.length === 0 ? <Empty>{empty}</Empty> : <Table {...table} rows={list.nodes} />}
      <Pager label={table.caption.toLowerCase()} pageInfo={list.pageInfo} {...(parameter && { parameter })} />
    </>
  )
}
