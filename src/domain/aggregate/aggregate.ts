import type { SortBy, Where } from 'pothos-sql'
import type { Reader } from '../../db/connect/reader.ts'
import { toDouble } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { wholeTokensSql } from '../asset/whole-tokens.ts'

/** A measure that is computed for each group. */
export interface Measure {
  type: 'count' | 'float' | 'amount' | 'decimal'
  description: string
  /** The token amount that it is a part of. Its name is that of the amount with the part's. */
  of?: { amount: string; part: 'raw' | 'decimals' | 'value' | 'usd' }
  sql: string
  /** Null unless rows are grouped by one of these. */
  only?: string[]
  nullable?: boolean
}

/** A kind of rows that can be grouped. */
export interface Aggregate {
  /** Selects the rows `t` that match the filter. @throws BAD_INPUT if there may be too many */
  rows(where: Where, groupBy: readonly string[]): Prisma.Sql
  /** The key fields of each group dimension, with their SQL over `t`. */
  groups: Record<string, Record<string, string>>
  measures: Record<string, Measure>
}

interface AggregateRequest {
  where: Where
  groupBy: readonly string[]
  orderBy: readonly SortBy[]
  first: number
  offset: number
  /** The selected measures. Only these, the sort keys and the count are computed. */
  wanted: ReadonlySet<string>
}

export type AggregateRow = Record<string, Date | bigint | number | string | null>

/**
 * Groups the rows that match a filter, in one statement. Without `groupBy`, all rows are one group.
 */
export function aggregated(
  reader: Reader,
  { rows, groups, measures }: Aggregate,
  { where, groupBy, orderBy, first, offset, wanted }: AggregateRequest,
): Promise<AggregateRow[]> {
  const keys = Object.assign({}, ...groupBy.map((group) => groups[group])) as Record<string, string>
  const names = Object.keys(keys)
  // The count makes one group of rows without a key.
  const needed = new Set(['count', ...wanted, ...orderBy.map(({ field }) => field)])
  const computed = Object.entries(measures).filter(([name]) => needed.has(name))
  const values = computed.map(([name, { type, sql, only }]) => {
    const value = only && !only.some((group) => groupBy.includes(group)) ? 'NULL' : sql
    return {
      name,
      inner: `${value} AS "${name}"`,
      outer: type === 'amount' || type === 'decimal' ? `g."${name}"::text` : `g."${name}"`,
    }
  })
  const inner = [
    ...Object.entries(keys).map(([name, sql]) => `${sql} AS "${name}"`),
    ...values.map((one) => one.inner),
  ]
  const outer = [
    ...names.map((name) => `g."${name}"`),
    ...values.map((one) => `${one.outer} AS "${one.name}"`),
  ]
  const sorted = [
    ...orderBy.map(({ field, direction }) => `g."${field}" ${direction} NULLS LAST`),
    ...names.map((name) => `g."${name}"`),
  ]
  return reader.$queryRaw<AggregateRow[]>`SELECT ${Prisma.raw(outer.join(', '))}
    FROM (SELECT ${Prisma.raw(inner.join(', '))} FROM (${rows(where, groupBy)}) t
      ${Prisma.raw(names.length ? `GROUP BY ${names.map((_, i) => i + 1).join(', ')}` : '')}) g
    ${Prisma.raw(sorted.length ? `ORDER BY ${sorted.join(', ')}` : '')}
      LIMIT ${first} OFFSET ${offset}`
}

/** The time dimensions of rows with the UTC date `date`. */
export const byTime = (date: string) => ({
  DAY: { start: date },
  WEEK: { start: `date_trunc('week', ${date}::timestamp)::date` },
  MONTH: { start: `date_trunc('month', ${date}::timestamp)::date` },
})

export const count = (description: string, sql = 'count(*)::int'): Measure => ({
  type: 'count',
  description,
  sql,
})

/** Returns the name of a token amount's part: `sumSuppliedUsd`. */
export const partName = (amount: string, part: string) =>
  `${amount}${part.charAt(0).toUpperCase()}${part.slice(1)}`

// The tokens of a sum: SQL of amounts in whole tokens, or in the smallest unit with the SQL of a
// row's decimals.
type TokensOf = { only: string[]; of?: (sum: string) => string } & (
  | { whole: string }
  | { raw: string; decimals: string }
)

/**
 * The sum of token amounts `sum${name}`, and the average of their USD.
 * @param usd SQL of the USD as a decimal, such as that of `exact`. If `unpriced`, rows may be null
 * and are left out
 * @param tokens the tokens of groups of one token
 */
export function sumAndAverage(
  name: string,
  what: string,
  { usd, unpriced = false, tokens }: { usd: string; unpriced?: boolean; tokens?: TokensOf },
): Record<string, Measure> {
  const left = unpriced
    ? ' Rows without a price are left out of USD, which are null if no row has a price.'
    : ''
  const unless = tokens
    ? ` The tokens are null unless grouped by ${tokens.only.join(' or ')}.`
    : ' Only the USD are known, because groups mix tokens.'
  const amount = `sum${name}`
  const description = `Sum of ${what}.${unless}${left}`
  const part = (
    part: NonNullable<Measure['of']>['part'],
    measure: Pick<Measure, 'type' | 'sql' | 'only'>,
  ) => ({
    [partName(amount, part)]: { ...measure, description, of: { amount, part }, nullable: true },
  })
  const sum = `sum(${usd})`
  return {
    ...part('usd', { type: 'float', sql: toDouble(unpriced ? sum : `coalesce(${sum}, 0)`) }),
    ...(tokens && sumsOfTokens(tokens, part)),
    [`average${name}Usd`]: {
      type: 'float',
      description: unpriced
        ? `Average USD of ${what}, of priced rows, or null.`
        : `Average of ${what}, in USD. Null without rows.`,
      sql: toDouble(`${sum} / nullif(count(${usd}), 0)`),
      nullable: true,
    },
  }
}

type PartOf = (
  part: 'raw' | 'decimals' | 'value',
  measure: Pick<Measure, 'type' | 'sql' | 'only'>,
) => Record<string, Measure>

function sumsOfTokens(
  { only, of = (sum) => sum, ...tokens }: TokensOf,
  part: PartOf,
): Record<string, Measure> {
  if ('whole' in tokens)
    return part('value', { type: 'decimal', sql: of(`trim_scale(sum(${tokens.whole}))`), only })
  const { raw, decimals } = tokens
  const sum = `sum(${raw})`
  const same = `CASE WHEN min(${decimals}) = max(${decimals}) THEN min(${decimals}) END`
  return {
    ...part('raw', { type: 'amount', sql: of(sum), only }),
    ...part('decimals', { type: 'count', sql: of(same), only }),
    ...part('value', { type: 'decimal', sql: of(wholeTokensSql(sum, `(${same})`)), only }),
  }
}
