import type { GenericFieldRef } from '@pothos/core'
import type { Described } from '../../db/lists/column.ts'
import type { GraphContext } from '../context.ts'
import { SCALARS } from './scalar-names.ts'
import { column, type KeyedRow, rowWith } from './sql-field.ts'
import { storedTokens } from './token-amount.ts'

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
  for (const [name, { field = name, type, nullable = false, description, tokens }] of Object.entries(columns))
    if (tokens) {
      const amount = storedTokens(name, tokens)
      const options = {
        type: 'TokenAmount',
        nullable: tokens.optional ?? false,
        description,
        ...amount,
        resolve: async (row: object, _: unknown, context: GraphContext) =>
          amount.resolve(await rowWith(kind, name as keyof Row & string, by, row, context)),
      }
      fields[tokens.field] = t.field(options as never) as GenericFieldRef
    } else if (description !== undefined && type) {
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
