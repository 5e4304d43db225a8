import type { DatasetFile } from '../../sources/index.ts'
import { REASON } from '../ledger/reason.ts'
import { pointsOf } from '../points/millionths.ts'
import type { RecordField } from './fields.ts'
import { records } from './records.ts'
import { usdOfSource } from './snapshot-prices.ts'
import type { FileType } from './values.ts'

/** A range of UTC days, both included, as YYYY-MM-DD. Files without dates are not restricted. */
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

// SQL of values that are not in a column of the table `t`, by column.
const elsewhere: Partial<Record<DatasetFile, Record<string, string>>> = {
  positions: { points: '(t.points_a + t.points_b)' },
  ledger: {
    pool_address: '(SELECT p.id FROM pool p WHERE p.key = t.pool_key)',
    reasons: `to_jsonb(array_remove(ARRAY[${reasonsSql.join(', ')}], NULL))`,
  },
  markets: {
    past_limits: `(
      SELECT jsonb_agg(
        jsonb_build_object(
          'until', l.until, 'maxLtv', l.ltv, 'liquidationThreshold', l.threshold)
        ORDER BY l.until)
      FROM unnest(t.limits_until, t.past_max_ltvs, t.past_liquidation_thresholds)
        AS l(until, ltv, threshold))`,
  },
}

// A dataset with prices leaves out the values that an import computes from them.
const elsewhereWithPrices: typeof elsewhere = {
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
  const { fields, table, key, tableKey = key, dated } = records[file]
  const other = { ...elsewhere[file], ...(withPrices && elsewhereWithPrices[file]) }
  const sqlOf = ({ column }: RecordField) => other[column] ?? `t.${column}`
  const list = Object.entries(fields).map(([name, field]) => {
    const sql = sqlOf(field)
    return `${writers[field.type]?.(sql, name) ?? sql} AS "${name}"`
  })
  const where = [
    ...(file === 'runs' ? ["t.status <> 'running'"] : []),
    ...inRange(dated === undefined ? undefined : fields[dated], range),
  ]
  const order = tableKey.map((name) => sqlOf(fields[name] as RecordField))
  return `SELECT ${list.join(', ')}
    FROM ${table} t
    ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
    ORDER BY ${order.join(', ')}`
}

// COPY takes no parameters.
function inRange(date: RecordField | undefined, { from, to }: DateRange): string[] {
  if (!date) return []
  const midnight = (day: string) => (date.type === 'timestamp' ? `extract(epoch FROM ${day})` : day)
  return [
    ...(from === undefined ? [] : [`t.${date.column} >= ${midnight(`date '${from}'`)}`]),
    ...(to === undefined ? [] : [`t.${date.column} < ${midnight(`date '${to}' + 1`)}`]),
  ]
}
