import type { Columns } from './column.ts'
import type { ValueType } from './value-type.ts'

export interface SortKey {
  /** SQL over `t`. */
  column: string
  /**
   * The row's property. If the row has no such property, cursors select the column under this name.
   */
  field: string
  type: ValueType
  /** Nulls come last in both directions. */
  nullable?: boolean
  /** The column ascends where the key descends. */
  inverse?: boolean
  description: string
}

export type SortKeys = Record<string, SortKey>

export function columnSortKeys(columns: Columns): SortKeys {
  const keys: SortKeys = {}
  for (const [
    name,
    { sql, order = sql, type, nullable = false, field = name, moment, sort },
  ] of Object.entries(columns))
    if (sort && type)
      keys[sort === true ? constantCase(field) : sort] = {
        column: order,
        field: name,
        type,
        nullable,
        description: `Sorts by \`${moment?.field ?? field}\`.`,
      }
  return keys
}

/** Returns the sort key of a field: `SUPPLIED_USD` for `suppliedUsd`. */
export const constantCase = (name: string) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
