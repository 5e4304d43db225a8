// biome-ignore-all lint/suspicious/noExplicitAny: rows differ from type to type

import type { Tokens } from '../../db/lists/column.ts'
import { ENCODINGS, plainDecimal } from '../../db/lists/encoding.ts'
import { entityDecimals, wholeTokens, wholeTokensSql } from '../../domain/asset/whole-tokens.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { GraphContext } from '../context.ts'
import { type Source, sqlField } from './sql-field.ts'

/** A token amount, as resolvers have it. */
export interface TokenAmount {
  /** In the smallest unit. Null if it is unknown. */
  raw: string | Prisma.Decimal | null
  usd: number | null
  decimals(context: GraphContext): Promise<number | null> | number | null
  /** In whole tokens, if it does not follow from `raw` and the decimals. */
  value?: string | null
}

/** Returns an amount in whole tokens. Null if it is unknown. */
export async function wholeValue(amount: TokenAmount, context: GraphContext): Promise<string | null> {
  const { raw, value } = amount
  if (value !== undefined) return value
  const decimals = raw === null ? null : await amount.decimals(context)
  if (raw === null || decimals === null) return null
  return wholeTokens(typeof raw === 'string' ? raw : raw.toFixed(), decimals)
}

/** An amount is read with its row and costs nothing of its kind. */
const amountField = (columns: Record<keyof TokenAmount, Source>) =>
  sqlField({ kind: 'embedded', columns }, { cost: { weight: 0 } })

/** Declares a token amount whose column `raw` is in the smallest unit. */
export const storedTokens = (raw: string, { usd, decimals }: Tokens) => ({
  ...amountField({
    raw,
    usd,
    decimals: decimals === undefined ? null : { as: ENCODINGS.json, sql: (column) => decimalsSql(decimals, column) },
    value:
      decimals === undefined
        ? null
        : { as: ENCODINGS.quoted, sql: (column) => valueSql(`${column(raw)}::numeric`, decimals, column) },
  }),
  resolve: (row: any): TokenAmount => ({
    raw: row[raw],
    usd: row[usd],
    decimals: (context) => {
      if (decimals === undefined) return null
      if (typeof decimals === 'string') return row[decimals]
      return context.batches.load(entityDecimals[decimals.kind], [row.chainId, row[decimals.entity]])
    },
  }),
})

/** Declares a token amount whose columns are doubles: whole tokens and USD. */
export const wholeTokensField = (value: string, usd: string) => ({
  ...amountField({
    raw: null,
    usd,
    decimals: null,
    value: { as: ENCODINGS.decimal, sql: (column) => column(value) },
  }),
  resolve: (row: any): TokenAmount => ({
    raw: null,
    usd: row[usd],
    decimals: () => null,
    value: plainDecimal(String(row[value])),
  }),
})

type Decimals = NonNullable<Tokens['decimals']>
type SqlOf = (column: string) => string

const selectFrom = ({ kind, entity }: Exclude<Decimals, string>, column: SqlOf, value: string) =>
  `(SELECT ${value} FROM ${kind} e WHERE e.chain_id = ${column('chainId')} AND e.id = ${column(entity)})`

const decimalsSql = (decimals: Decimals, column: SqlOf) =>
  typeof decimals === 'string' ? column(decimals) : selectFrom(decimals, column, 'e.asset_decimals')

const valueSql = (raw: string, decimals: Decimals, column: SqlOf) =>
  typeof decimals === 'string'
    ? wholeTokensSql(raw, column(decimals))
    : selectFrom(decimals, column, wholeTokensSql(raw, 'e.asset_decimals'))
