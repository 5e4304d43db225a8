import type { GenericFieldRef } from '@pothos/core'
import type { Described } from '../../db/lists/column.ts'
import type { ValueType } from '../../db/lists/value-type.ts'

/** The GraphQL scalar of each value type. */
export const SCALARS: Record<ValueType, string> = {
  address: 'Address',
  text: 'String',
  int: 'Int',
  integer: 'SafeInt',
  bigint: 'BigInt',
  timestamp: 'BigInt',
  amount: 'BigInt',
  float: 'Float',
  decimal: 'Float',
  date: 'DateTime',
  moment: 'DateTime',
  boolean: 'Boolean',
}

interface FieldBuilder {
  expose(name: never, options: never): unknown
  field(options: never): unknown
}

/**
 * Exposes each column that has a description as a field.
 * @param enums the enum types, by column
 */
export function columnFields(t: FieldBuilder, columns: Record<string, Described>, enums: Record<string, object> = {}) {
  const fields: Record<string, GenericFieldRef> = {}
  for (const [name, { field = name, type, nullable = false, description, moment }] of Object.entries(columns))
    if (description !== undefined && type) {
      const options = { type: enums[name] ?? SCALARS[type], nullable, description }
      fields[field] = t.expose(name as never, options as never) as GenericFieldRef
      if (moment) {
        const { field, description } = moment
        const options = { type: 'DateTime', nullable, description, ...momentOf(name) }
        fields[field] = t.field(options as never) as GenericFieldRef
      }
    }
  return fields
}

/** The last second of the year 9999. Later ones, which only wrong data has, become this one. */
const LAST_SECOND = 253_402_300_799

/** Returns the options of a DateTime field with the moment of a column of Unix seconds. */
const momentOf = (name: string) => ({
  extensions: {
    reading: {
      kind: 'sql',
      type: 'moment',
      sql: (column: (field: string) => string) => {
        const seconds = column(name)
        return `to_timestamp(CASE WHEN ${seconds} > ${LAST_SECOND} THEN ${LAST_SECOND} ELSE ${seconds} END)`
      },
    },
  },
  resolve: (row: Record<string, bigint | null>): Date | null => {
    const seconds = row[name]
    return typeof seconds === 'bigint' ? new Date(Math.min(Number(seconds), LAST_SECOND) * 1000) : null
  },
})
