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
}

/**
 * Exposes each column that has a description as a field.
 * @param enums the enum types, by column
 */
export function columnFields(t: FieldBuilder, columns: Record<string, Described>, enums: Record<string, object> = {}) {
  const fields: Record<string, GenericFieldRef> = {}
  for (const [name, { field = name, type, nullable = false, description }] of Object.entries(columns))
    if (description !== undefined && type) {
      const options = { type: enums[name] ?? SCALARS[type], nullable, description }
      fields[field] = t.expose(name as never, options as never) as GenericFieldRef
    }
  return fields
}
