import type { GenericFieldRef } from '@pothos/core'
import type { Column, Described } from '../../db/lists/column.ts'
import type { ValueType } from '../../db/lists/value-type.ts'
import { entityDecimals, wholeTokens, wholeTokensSql } from '../../domain/asset/whole-tokens.ts'
import { LAST_SECOND } from '../../time.ts'
import type { GraphContext } from '../context.ts'

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
  date: 'Date',
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
  for (const [name, { field = name, type, nullable = false, description, moment, tokens }] of Object.entries(columns))
    if (description !== undefined && type) {
      const options = { type: enums[name] ?? SCALARS[type], nullable, description }
      fields[field] = t.expose(name as never, options as never) as GenericFieldRef
      if (moment) {
        const { field, description } = moment
        const options = { type: 'DateTime', nullable, description, ...momentOf(name) }
        fields[field] = t.field(options as never) as GenericFieldRef
      }
      if (tokens) {
        const { field, description } = tokens
        const options = { type: 'String', nullable: true, description, ...tokensOf(name, tokens) }
        fields[field] = t.field(options as never) as GenericFieldRef
      }
    }
  return fields
}

/** Returns the options of a DateTime field with the moment of a column of Unix seconds. Later ones than any date are wrong. */
const momentOf = (name: string) => ({
  extensions: {
    sqlField: {
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

/** Returns the options of a field with a column's amount in whole tokens. Null if the market or vault is not stored. */
const tokensOf = (name: string, { kind, entity }: NonNullable<Column['tokens']>) => ({
  extensions: {
    sqlField: {
      kind: 'sql',
      type: 'amount',
      sql: (column: (field: string) => string) =>
        `(SELECT ${wholeTokensSql(`${column(name)}::numeric`, 'e.asset_decimals')} FROM ${kind} e
          WHERE e.chain_id = ${column('chainId')} AND e.id = ${column(entity)})`,
    },
  },
  // biome-ignore lint/suspicious/noExplicitAny: rows differ from type to type
  resolve: async (row: any, _: unknown, { batches }: GraphContext): Promise<string | null> => {
    const decimals = await batches.load(entityDecimals[kind], [row.chainId, row[entity]])
    const amount: string | { toFixed(): string } = row[name]
    return decimals === null ? null : wholeTokens(typeof amount === 'string' ? amount : amount.toFixed(), decimals)
  },
})
