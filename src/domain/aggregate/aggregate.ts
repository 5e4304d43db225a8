import type { Reader } from '../../db/connect/reader.ts'
import { toDouble } from '../../db/lists/exact-sum.ts'
import type { Where } from '../../db/lists/filter.ts'
import type { SortBy } from '../../db/lists/sort.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { wholeTokensSql } from '../asset/whole-tokens.ts'

/** A measure that is computed for each group. */
export interface Measure {
  type: 'count' | 'float' | 'amount' | 'tokens'
  description: string
  /** The SQL over rows `t`. */
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

export interface AggregateRequest {
  where: Where
  groupBy: readonly string[]
  /** Measures to sort by. Ties are sorted by key. */
  orderBy: readonly SortBy[]
  first: number
  offset: number
  /** The selected measures. Only these, the sort keys and the count are computed. */
  wanted: ReadonlySet<string>
}

export type AggregateRow = Record<string, Date | bigint | number | string | null>

/** Groups the rows that match a filter, in one statement. Without `groupBy`, all rows are one group. */
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
      outer: type === 'amount' || type === 'tokens' ? `g."${name}"::text` : `g."${name}"`,
    }
  })
  const inner = [...Object.entries(keys).map(([name, sql]) => `${sql} AS "${name}"`), ...values.map((one) => one.inner)]
  const outer = [...names.map((name) => `g."${name}"`), ...values.map((one) => `${one.outer} AS "${one.name}"`)]
  const sorted = [
    ...orderBy.map(({ field, direction }) => `g."${field}" ${direction} NULLS LAST`),
    ...names.map((name) => `g."${name}"`),
  ]
  return reader.$queryRaw<AggregateRow[]>`SELECT ${Prisma.raw(outer.join(', '))}
    FROM (SELECT ${Prisma.raw(inner.join(', '))} FROM (${rows(where, groupBy)}) t
      ${Prisma.raw(names.length ? `GROUP BY ${names.map((_, i) => i + 1).join(', ')}` : '')}) g
    ${Prisma.raw(sorted.length ? `ORDER BY ${sorted.join(', ')}` : '')} LIMIT ${first} OFFSET ${offset}`
}

/** The time dimensions of rows with the UTC date `date`. */
export const byTime = (date: string) => ({
  DATE: { start: date },
  WEEK: { start: `date_trunc('week', ${date}::timestamp)::date` },
  MONTH: { start: `date_trunc('month', ${date}::timestamp)::date` },
})

export const count = (description: string, sql = 'count(*)::int'): Measure => ({
  type: 'count',
  description,
  sql,
})

/** The sum and the average of decimals, such as those of `exact`. If `unpriced`, rows may be null and are left out. */
export function sumAndAverage(name: string, decimal: string, what: string, unpriced = false): Record<string, Measure> {
  const left = unpriced ? ' Rows without a price are left out. Null if no row has a price.' : ''
  const sum = `sum(${decimal})`
  return {
    [`sum${name}`]: {
      type: 'float',
      description: `Sum of ${what}.${left}`,
      sql: toDouble(unpriced ? sum : `coalesce(${sum}, 0)`),
      nullable: unpriced,
    },
    [`average${name}`]: {
      type: 'float',
      description: `Average of ${what}, over all rows.${left || ' Null if there are no rows.'}`,
      sql: toDouble(`${sum} / nullif(count(${decimal}), 0)`),
      nullable: true,
    },
  }
}

/**
 * The exact sums of a column of token amounts, in the smallest unit and in whole tokens, in groups of one token.
 * @param names the names of both
 * @param decimals the SQL of a row's decimals
 */
export function sumsOfTokens(
  [exact, whole]: readonly [exact: string, whole: string],
  column: string,
  what: string,
  only: string[],
  decimals: string,
): Record<string, Measure> {
  const unless = `Null unless grouped by ${only.join(' or ')}, because other groups mix tokens`
  const sum = `sum(t.${column})`
  const same = `CASE WHEN min(${decimals}) = max(${decimals}) THEN min(${decimals}) END`
  return {
    [exact]: {
      type: 'amount',
      description: `Sum of ${what}, in the token's smallest unit. ${unless}.`,
      sql: sum,
      only,
      nullable: true,
    },
    [whole]: {
      type: 'tokens',
      description: `Sum of ${what}, in whole tokens: an exact decimal number. ${unless}, and if the decimals are unknown.`,
      sql: wholeTokensSql(sum, `(${same})`),
      only,
      nullable: true,
    },
  }
}
