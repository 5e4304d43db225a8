import type { GenericFieldRef } from '@pothos/core'
import type { Described } from '../../db/lists/column.ts'
import { SCALARS } from './scalar-names.ts'
import { column, type KeyedRow } from './sql-field.ts'

interface FieldBuilder {
  field(options: never): unknown
}

/**
 * Adds a field for each column that has a description. For a row that lacks the column, because Prisma loaded it, `kind`
 * loads it by the row's key `by`.
 */
export function computedFields<Row>(
  t: FieldBuilder,
  kind: KeyedRow<Row>,
  columns: Record<string, Described>,
  by: string[],
) {
  const fields: Record<string, GenericFieldRef> = {}
  for (const [name, { field = name, type, nullable = false, description }] of Object.entries(columns))
    if (description !== undefined && type) {
      const options = {
        type: SCALARS[type],
        nullable,
        description,
        ...column(kind, name as keyof Row & string, by),
      }
      fields[field] = t.field(options as never) as GenericFieldRef
    }
  return fields
}
