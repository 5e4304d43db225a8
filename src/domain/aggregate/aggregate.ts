import type { Reader } from '../../db/connect/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Bounds } from './bounds.ts'

/** A number that is computed for each group. */
export interface Measure {
  type: 'count' | 'float' | 'amount'
  description: string
  /** The SQL over rows `t`. */
  sql: string
  /** It has a meaning only in groups by one of these; it is null in others. */
  only?: string[]
  nullable?: boolean
}

/** One kind of rows that can be grouped. */
export interface Aggregate {
  /** The rows `t`, of which only those that the filter lets through are read. */
  rows(filter: Bounds, groupBy: readonly string[]): Prisma.Sql
  /** What each way to group selects: the fields of a key with their SQL over `t`. */
  groups: Record<string, Record<string, string>>
  measures: Record<string, Measure>
}

export interface AggregateRequest {
  filter: Bounds
  groupBy: readonly string[]
  /** Measures to sort by; ties, and groups without any, are in the order of their keys. */
  orderBy: readonly { by: string; direction: 'ASC' | 'DESC' }[]
  first: number
  offset: number
  /** The measures that are wanted: only these, those that are sorted by, and the count are computed. */
  wanted: ReadonlySet<string>
}

export type AggregateRow = Record<string, Date | bigint | number | string | null>

/** The groups of the rows that a filter lets through, in one statement. Without `groupBy` all rows are one group. */
export function aggregated(
  reader: Reader,
  { rows, groups, measures }: Aggregate,
  { filter, groupBy, orderBy, first, offset, wanted }: AggregateRequest,
): Promise<AggregateRow[]> {
  const keys = Object.assign({}, ...groupBy.map((group) => groups[group])) as Record<string, string>
  const names = Object.keys(keys)
  // The count makes one group of rows that have no key.
  const needed = new Set(['count', ...wanted, ...orderBy.map(({ by }) => by)])
  const computed = Object.entries(measures).filter(([name]) => needed.has(name))
  const values = computed.map(([name, { type, sql, only }]) => {
    const value = only && !only.some((group) => groupBy.includes(group)) ? 'NULL' : sql
    return { name, inner: `${value} AS "${name}"`, outer: type === 'amount' ? `g."${name}"::text` : `g."${name}"` }
  })
  const inner = [...Object.entries(keys).map(([name, sql]) => `${sql} AS "${name}"`), ...values.map((one) => one.inner)]
  const outer = [...names.map((name) => `g."${name}"`), ...values.map((one) => `${one.outer} AS "${one.name}"`)]
  const sorted = [
    ...orderBy.map(({ by, direction }) => `g."${by}" ${direction} NULLS LAST`),
    ...names.map((name) => `g."${name}"`),
  ]
  return reader.$queryRaw<AggregateRow[]>`SELECT ${Prisma.raw(outer.join(', '))}
    FROM (SELECT ${Prisma.raw(inner.join(', '))} FROM (${rows(filter, groupBy)}) t
      ${Prisma.raw(names.length ? `GROUP BY ${names.map((_, i) => i + 1).join(', ')}` : '')}) g
    ${Prisma.raw(sorted.length ? `ORDER BY ${sorted.join(', ')}` : '')} LIMIT ${first} OFFSET ${offset}`
}

/** The ways to group by time, of rows whose UTC date is `date`. */
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

/** A sum and an average of decimals, such as `exact` makes of doubles; where `unpriced` rows have none, they are left out of both. */
export function sumAndAverage(name: string, decimal: string, what: string, unpriced = false): Record<string, Measure> {
  const left = unpriced ? ' Rows without a price are left out. Null if no row has a price.' : ''
  const sum = `sum(${decimal})`
  return {
    [`sum${name}`]: {
      type: 'float',
      description: `Sum of ${what}.${left}`,
      sql: unpriced ? `${sum}::float8` : `coalesce(${sum}, 0)::float8`,
      nullable: unpriced,
    },
    [`average${name}`]: {
      type: 'float',
      description: `Average of ${what}, over all rows.${left || ' Null if there are no rows.'}`,
      sql: `(${sum} / nullif(count(${decimal}), 0))::float8`,
      nullable: true,
    },
  }
}

/** The exact sum of a column of token amounts, in groups of one token. */
export const sumOfTokens = (column: string, what: string, only: string[]): Measure => ({
  type: 'amount',
  description: `Sum of ${what}. Null unless grouped by ${only.join(' or ')}, because other groups mix tokens.`,
  sql: `sum(t.${column})`,
  only,
  nullable: true,
})
