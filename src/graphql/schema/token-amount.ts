import { type ColumnSql, type HostValue, sqlFields } from 'pothos-sql'
import { ENCODINGS } from 'pothos-sql/host'
import { wholeTokens, wholeTokensSql } from '../../domain/asset/whole-tokens.ts'
import type { Prisma } from '../../generated/prisma/client.ts'

/** Makes the field of a column a token amount, with what belongs to it. */
export interface Tokens {
  /** The name of the GraphQL field. */
  field: string
  /** The column of the amount in USD. */
  usd: string
  /** The column of the token's decimals, which amounts in the smallest unit need. */
  decimals?: string
  /** True if the amounts are in whole tokens. */
  whole?: boolean
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

// An amount is read with its row and costs nothing of its kind.
const COST = { cost: { weight: 0 } }

/** Declares a token amount whose column is in the smallest unit, or in whole tokens. */
export function storedTokens(amount: string, { usd, decimals, whole, optional }: Tokens) {
  const presence = optional ? amount : undefined
  if (whole || decimals === undefined)
    return sqlFields.embedded(
      { raw: null, usd, decimals: decimals ?? null, value: amount },
      COST,
      presence,
    )
  const value = {
    as: ENCODINGS.quoted,
    sql: (column: ColumnSql) => wholeTokensSql(`${column(amount)}::numeric`, column(decimals)),
  }
  return {
    ...sqlFields.declare(
      {
        kind: 'embedded',
        columns: { raw: amount, usd, decimals, value },
        ...(presence !== undefined && { presence }),
      },
      COST,
    ),
    // `value` follows from the others.
    resolve: sqlFields.embedded({ raw: amount, usd, decimals }, {}, presence).resolve,
  }
}

/** Declares a token amount whose columns are doubles: whole tokens and USD. */
export const wholeTokensField = (value: string, usd: string, decimals: string) => ({
  ...sqlFields.declare(
    {
      kind: 'embedded',
      columns: {
        raw: null,
        usd,
        decimals,
        value: { as: ENCODINGS.decimal, sql: (column) => column(value) },
      },
    },
    COST,
  ),
  resolve: (row: HostValue): TokenAmount => ({
    raw: null,
    usd: row[usd],
    decimals: row[decimals],
    value: ENCODINGS.decimal.json(String(row[value])),
  }),
})
