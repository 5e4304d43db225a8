import type { GenericFieldRef, ObjectRef } from '@pothos/core'
import { type Described, type RowOf, sqlFields } from 'pothos-sql'
import type { Builder, Types } from './builder.ts'
import { storedTokens, type Tokens } from './token-amount.ts'

type DescribedAmount = Described & { tokens?: Tokens }

/** Adds an object type whose fields are the columns of its rows. */
export const columnsType = <Own extends Record<string, DescribedAmount>>(
  builder: Builder,
  name: string,
  columns: Own,
  { description, enums }: { description: string; enums?: Record<string, string> },
): ObjectRef<Types, RowOf<Own>> =>
  builder
    .objectRef<RowOf<Own>>(name)
    .implement({ description, fields: (t) => columnFields(t, columns, enums) })

/**
 * Exposes each column that has a description as a field, and each amount of tokens as a
 * TokenAmount.
 * @param enums the names of enum types, by column
 */
export function columnFields(
  t: Parameters<typeof sqlFields.columns>[0],
  columns: Record<string, DescribedAmount>,
  enums: Record<string, string> = {},
) {
  const fields: Record<string, GenericFieldRef> = {}
  for (const [name, column] of Object.entries(columns)) {
    const { tokens, description } = column
    if (!tokens) {
      Object.assign(fields, sqlFields.columns(t, { [name]: column }, enums))
      continue
    }
    const options = {
      type: 'TokenAmount',
      nullable: tokens.optional ?? false,
      description,
      ...storedTokens(name, tokens),
    }
    fields[tokens.field] = t.field(options as never) as GenericFieldRef
  }
  return fields
}
