// biome-ignore-all lint/suspicious/noExplicitAny: rows differ from type to type

import { type FieldSource, sqlFields } from 'pothos-sql'
import { ENCODINGS } from 'pothos-sql/host'
import { wholeTokens, wholeTokensSql } from '../../domain/asset/whole-tokens.ts'
import type { Prisma } from '../../generated/prisma/client.ts'

/** Makes the field of a column a token amount, with what belongs to it. */
export interface Tokens {
  /** The name of the GraphQL field. */
  field: string
  /** The column of the amount in USD. */
  usd: string
  /** The column of the token's decimals. Omitted if the amounts are in whole tokens. */
  decimals?: string
  /** True if there is no amount where the column is null. */
  optional?: boolean
}

export interface TokenAmount {
  /** In the smallest unit. Null if it is unknown. */
  raw: string | Prisma.Decimal | null
  usd: number | null
  decimals: number | null
  /** In whole tokens, if it does not follow from `raw` and the decimals. */
  value?: string | null
}

/** Returns an amount in whole tokens. Null if it is unknown. */
export function wholeValue({ raw, decimals, value }: TokenAmount): string | null {
  if (value !== undefined) return value
  if (raw === null || decimals === null) return null
  return wholeTokens(typeof raw === 'string' ? raw : raw.toFixed(), decimals)
}

/** An amount is read with its row and costs nothing of its kind. */
const amountField = (columns: Record<keyof TokenAmount, FieldSource>, presence?: string) =>
  sqlFields.declare(
    { kind: 'embedded', columns, ...(presence !== undefined && { presence }) },
    { cost: { weight: 0 } },
  )

/**
 * Declares a token amount whose column is in the smallest unit or, without decimals, in whole
 * tokens.
 */
export const storedTokens = (amount: string, { usd, decimals, optional = false }: Tokens) => {
  const whole = decimals === undefined
  return {
    ...amountField(
      whole
        ? { raw: null, usd, decimals: null, value: amount }
        : {
            raw: amount,
            usd,
            decimals,
            value: {
              as: ENCODINGS.quoted,
              sql: (column) => wholeTokensSql(`${column(amount)}::numeric`, column(decimals)),
            },
          },
      optional ? amount : undefined,
    ),
    resolve(row: any): TokenAmount | null {
      if (optional && row[amount] === null) return null
      return whole
        ? { raw: null, usd: row[usd], decimals: null, value: row[amount] }
        : { raw: row[amount], usd: row[usd], decimals: row[decimals] }
    },
  }
}

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
    decimals: null,
    value: ENCODINGS.decimal.json(String(row[value])),
  }),
})
