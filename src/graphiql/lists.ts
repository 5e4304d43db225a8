export type Value = string | number | boolean | null

/** A list of an answer as a table. */
export interface List {
  /** Its place in the answer, such as `user.series`. */
  path: string
  columns: string[]
  rows: Record<string, Value>[]
}

const MAX_DEPTH = 8

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every list of objects in an answer, the longest first. Lists in the rows of a list are counted. */
export function listsOf(data: unknown): List[] {
  const lists: List[] = []
  const visit = (value: unknown, path: string, depth: number): void => {
    if (depth > MAX_DEPTH) return
    if (Array.isArray(value)) {
      const rows = value.filter(isObject).map((row) => flat(row))
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
      if (rows.length > 0 && columns.length > 0) lists.push({ path, columns, rows })
      return
    }
    if (!isObject(value)) return
    for (const [name, one] of Object.entries(value))
      visit(one, path === '' ? name : `${path}.${name}`, depth + 1)
  }
  visit(data, '', 0)
  return lists.sort((one, other) => other.rows.length - one.rows.length)
}

/** An object without depth: `user.rank` names a nested value. */
function flat(object: Record<string, unknown>, prefix = ''): Record<string, Value> {
  const row: Record<string, Value> = {}
  for (const [name, value] of Object.entries(object)) {
    const key = prefix + name
    if (isObject(value)) Object.assign(row, flat(value, `${key}.`))
    else row[key] = Array.isArray(value) ? textOfList(value) : (value as Value)
  }
  return row
}

const textOfList = (list: unknown[]): string =>
  list.some(isObject) ? `${list.length} rows` : list.join(', ')

/** A list through time: its column of dates, and those of numbers. */
export interface Series {
  dates: number[]
  numbers: string[]
}

/** Reads a list as a series. Undefined if it has no two dates or no numbers. */
export function seriesOf({ columns, rows }: List): Series | undefined {
  const isDate = (value: Value | undefined) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)
  const date = columns.find((column) => rows.every((row) => isDate(row[column])))
  const numbers = columns.filter((column) => rows.some((row) => isNumber(row[column])))
  if (date === undefined || numbers.length === 0) return undefined
  const dates = rows.map((row) => Date.parse(String(row[date])))
  return new Set(dates).size > 1 ? { dates, numbers } : undefined
}

/** Decimals are text in the graph where a double would lose digits. */
const isNumber = (value: Value | undefined) =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))

/** A value of a series. Undefined if it is not known. */
export const numberOf = (value: Value | undefined): number | undefined =>
  isNumber(value) ? Number(value) : undefined
