import { DAY_MS } from '../../time.ts'
import { isDaily } from '../dataset/daily.ts'
import { columnOf, records } from '../dataset/records.ts'

/** The records that updates keep current, by their file of the import format. */
export const legNames = [
  'rates',
  'prices',
  'market-snapshots',
  'vault-snapshots',
  'market-liquidation-rewards',
  'vault-liquidation-rewards',
  'liquidations',
  'cash-flows',
] as const

export type LegName = (typeof legNames)[number]

/** The rules for updates in the format of a leg's records. */
export interface Leg {
  name: LegName
  /** The field with the date of a record. */
  dated: string
  /** The date of a record in ms, from its COPY text. */
  dateOf(text: string): number
  /** The same in SQL, as a timestamptz. */
  dateSql: string
  daily: boolean
  /** True if a record is of a whole day: there is none before the day has ended. */
  wholeDay: boolean
  /**
   * The first moment that is compared with that of a date: a leg of daily records compares whole
   * days.
   */
  startOf(date: Date): Date
  endOf(date: Date): Date
  usersSql: string
  valueSql: string
}

export function legOf(name: LegName): Leg {
  const format = records[name]
  const { fields, dated = '', user } = format
  const column = columnOf(format, dated)
  const type = fields[dated]?.type
  const inSeconds = type === 'timestamp'
  const daily = isDaily(name) || type === 'date'
  const utc = (date: string) => (type === 'date' ? `${date}::timestamp AT TIME ZONE 'UTC'` : date)
  // A sum of prices means nothing.
  const usd = user ? Object.keys(fields).filter((field) => field.endsWith('Usd')) : []
  return {
    name,
    dated,
    dateOf: (text) => (inSeconds ? Number(text) * 1000 : Date.parse(text)),
    dateSql: inSeconds ? `to_timestamp(${column})` : utc(column),
    daily,
    wholeDay: type === 'date',
    startOf: (date) => (daily ? new Date(Math.floor(date.getTime() / DAY_MS) * DAY_MS) : date),
    endOf: (date) =>
      daily ? new Date((Math.floor(date.getTime() / DAY_MS) + 1) * DAY_MS - 1) : date,
    usersSql: user ? `count(DISTINCT ${columnOf(format, user)})` : '0',
    valueSql: usd.map((field) => `coalesce(sum(${columnOf(format, field)}), 0)`).join(' + ') || '0',
  }
}
