import type { GenericFieldRef } from '@pothos/core'
import { LAST_SECOND } from '../dates.ts'
import type { Described } from '../lists/column.ts'
import { SCALARS } from './scalar-names.ts'
import { declare } from './sql-field.ts'

/** The methods of a builder of fields, whichever its types. */
export interface FieldBuilder {
  expose(name: never, options: never): unknown
  field(options: never): unknown
}

/**
 * Exposes each column that has a description as a field.
 * @param enums the names of enum types, by column
 */
export function columnFields(
  t: FieldBuilder,
  columns: Record<string, Described>,
  enums: Record<string, string> = {},
) {
  const fields: Record<string, GenericFieldRef> = {}
  for (const [
    name,
    { field = name, type, nullable = false, description, moment },
  ] of Object.entries(columns))
    if (moment) {
      const options = {
        type: 'DateTime',
        nullable,
        description: moment.description,
        ...momentOf(name),
      }
      fields[moment.field] = t.field(options as never) as GenericFieldRef
    } else if (description !== undefined && type) {
      const options = { type: enums[name] ?? SCALARS[type], nullable, description }
      fields[field] = t.expose(name as never, options as never) as GenericFieldRef
    }
  return fields
}

// Returns the options of a DateTime field with the moment of a column of Unix seconds. Later ones
// than any date are wrong.
const momentOf = (name: string) => ({
  ...declare({
    kind: 'sql',
    type: 'moment',
    sql(column) {
      const seconds = column(name)
      return `to_timestamp(
        CASE WHEN ${seconds} > ${LAST_SECOND} THEN ${LAST_SECOND} ELSE ${seconds} END)`
    },
  }),
  resolve: (row: Record<string, bigint | null>): Date | null => {
    const seconds = row[name]
    return typeof seconds === 'bigint'
      ? new Date(Math.min(Number(seconds), LAST_SECOND) * 1000)
      : null
  },
})
