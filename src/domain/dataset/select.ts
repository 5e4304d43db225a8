import type { DatasetFile } from '../../sources/dataset/dataset.ts'
import { REASON } from '../ledger/reason.ts'
import { pointsOf } from '../points/millionths.ts'
import { columnOf, type RecordFormat, records } from './records.ts'
import { usdOfSource } from './snapshot-prices.ts'
import type { FileType } from './values.ts'

/** A range of UTC days, both included, as YYYY-MM-DD. */
export interface DateRange {
  from?: string | undefined
  to?: string | undefined
}

/**
 * SQL that turns a column into a value of an exported file, by the type of its field. Others stay
 * as they are.
 */
export type ValueWriters = Partial<Record<FileType, (column: string, field: string) => string>>

export const asJson: ValueWriters = {
  timestamp: (column) => `${column}::text`,
  amount: (column) => `${column}::text`,
  decimal: pointsOf,
  total: (column) => `${pointsOf(column)}::text`,
  moment: (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  date: (column) => `to_char(${column}, 'YYYY-MM-DD"T00:00:00.000Z"')`,
}

const reasonsSql = Object.entries(REASON).map(
  ([name, bit]) => `CASE WHEN t.reasons & ${bit} > 0 THEN '${name}' END`,
)

/** SQL of what is not the column of its name. */
const elsewhere: Partial<Record<DatasetFile, Record<string, string>>> = {
  positions: { points: '(t.points_a + t.points_b)' },
  ledger: {
    pool_address: '(SELECT p.id FROM pool p WHERE p.key = t.pool_key)',
    reasons: `to_jsonb(array_remove(ARRAY[${reasonsSql.join(', ')}], NULL))`,
  },
  markets: {
    past_limits: `(SELECT jsonb_agg(jsonb_build_object('until', l.until, 'maxLtv', l.ltv, 'liquidationThreshold', l.threshold) ORDER BY l.until)
      FROM unnest(t.limits_until, t.past_max_ltvs, t.past_liquidation_thresholds) AS l(until, ltv, threshold))`,
  },
}

/** The same of a dataset with prices, which say again what their price gave. */
const besidePrices: typeof elsewhere = {
  'market-snapshots': usdOfSource('market'),
  'vault-snapshots': usdOfSource('vault'),
}

/**
 * SELECT of the records of a file, in the order of their keys, with its fields as columns. A run in
 * progress is not a record yet. The session's time zone must be UTC.
 * @param withPrices leaves out the USD values that a price of the dataset gave
 */
export function selectSql(
  file: DatasetFile,
  writers: ValueWriters,
  range: DateRange,
  withPrices = false,
): string {
  const format = records[file]
  const columns = { ...elsewhere[file], ...(withPrices && besidePrices[file]) }
  const sqlOf = (field: string) =>
    columns[columnOf(format, field)] ?? `t.${columnOf(format, field)}`
  const list = Object.entries(format.fields).map(
    ([field, { type }]) => `${writers[type]?.(sqlOf(field), field) ?? sqlOf(field)} AS "${field}"`,
  )
  const where = [...(file === 'runs' ? ["t.status <> 'running'"] : []), ...inRange(format, range)]
  return `SELECT ${list.join(', ')} FROM ${format.table} t
    ${where.length ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY ${(format.tableKey ?? format.key).map(sqlOf).join(', ')}`
}

/**
 * Conditions for the dates of a range. A file without dates is not restricted. COPY takes no
 * parameters.
 */
function inRange(format: RecordFormat, { from, to }: DateRange): string[] {
  const { dated, fields } = format
  if (dated === undefined) return []
  const column = `t.${columnOf(format, dated)}`
  const midnight =
    fields[dated]?.type === 'timestamp'
      ? (day: string) => `extract(epoch FROM ${day})`
      : (day: string) => day
  return [
    ...(from === undefined ? [] : [`${column} >= ${midnight(`date '${from}'`)}`]),
    ...(to === undefined ? [] : [`${column} < ${midnight(`date '${to}' + 1`)}`]),
  ]
}
