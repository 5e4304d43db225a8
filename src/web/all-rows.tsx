import { served } from './paths.ts'

/** A list of the graph that is a table over HTTP, and its arguments for a filter and an order. */
export interface WholeList {
  name: string
  arguments?: object
}

interface AllRowsProps {
  of: WholeList
  caption: string
}

/** Leads to all rows of a list, as files with the filter and the order of its table. */
export const AllRows = ({ of, caption }: AllRowsProps) => (
  <>
    <a href={served(pathOf(of, 'csv', { for: 'spreadsheet' }))} download>
      CSV of all rows<span className="visually-hidden"> of {caption}</span>
    </a>
    <a href={served(pathOf(of, 'parquet'))} download>
      Parquet of all rows<span className="visually-hidden"> of {caption}</span>
    </a>
  </>
)

// Values of a page, which a file does not have.
const OF_PAGES = ['first', 'offset', 'after']

function pathOf(
  { name, arguments: shown = {} }: WholeList,
  end: string,
  more: object = {},
): string {
  const sent = Object.entries({ ...shown, ...more }).flatMap(([key, value]) => {
    if (value === undefined || OF_PAGES.includes(key)) return []
    return [[key, typeof value === 'object' ? JSON.stringify(value) : String(value)]]
  })
  const query = String(new URLSearchParams(sent))
  return `/tables/${name}.${end}${query && `?${query}`}`
}
