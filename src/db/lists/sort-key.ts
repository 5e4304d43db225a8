import type { Columns } from './column.ts'
import type { ValueType } from './value-type.ts'

/** One thing that rows can be sorted by. */
export interface SortKey {
  /** SQL over `t`. */
  column: string
  /** Its name in a row; one that the row has not got is read under this name for the cursors. */
  field: string
  type: ValueType
  /** Null comes last in both directions. */
  nullable?: boolean
  /** The column rises where the key falls. */
  inverse?: boolean
  description: string
}

export type SortKeys = Record<string, SortKey>

/** The sort keys that columns give by themselves. */
export function columnSortKeys(columns: Columns): SortKeys {
  const keys: SortKeys = {}
  for (const [
    name,
    { sql, order = sql, type, nullable = false, description = '', field = name, sort },
  ] of Object.entries(columns))
    if (sort && type)
      keys[sort === true ? constantCase(field) : sort] = { column: order, field: name, type, nullable, description }
  return keys
}

const constantCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
