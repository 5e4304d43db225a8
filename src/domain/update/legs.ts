import type { DatasetFile } from '../../sources/index.ts'
import { DAY_MS } from '../../time.ts'
import { isDaily } from '../dataset/daily.ts'
import { columnOf, records } from '../dataset/records.ts'

const ASSET = ['assetAddress', 'assetSymbol', 'assetDecimals']

/**
 * The records that updates keep current, by their file of the import format, with the fields that
 * an update never changes. A leg comes after those whose records it references.
 */
const LEGS = {
  pools: [
    ...['chainId', 'unit_1_id', 'unit_2_id'],
    ...['asset_1_address', 'asset_1_name', 'asset_1_symbol'],
    ...['asset_2_address', 'asset_2_name', 'asset_2_symbol'],
  ],
  markets: ['poolId', ...ASSET],
  vaults: ASSET,
  tokens: ['name'],
  thresholds: [],
  rates: [],
  prices: [],
  'market-snapshots': [],
  'vault-snapshots': [],
  'market-liquidation-rewards': [],
  'vault-liquidation-rewards': [],
  liquidations: [],
  'cash-flows': [],
} satisfies Partial<Record<DatasetFile, string[]>>

export type LegName = keyof typeof LEGS

export const legNames = Object.keys(LEGS) as LegName[]

/** The rules for updates in the format of a leg's records. */
export interface Leg {
  name: LegName
  /** The fields that an update never changes. */
  fixed: string[]
  /**
   * The field with the date of a record. Undefined if records have none: each update then reads all
   * of them.
   */
  dated: string | undefined
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
  const { fields, dated, user } = format
  const column = columnOf(format, dated ?? '')
  const type = fields[dated ?? '']?.type
  const inSeconds = type === 'timestamp'
  const daily = isDaily(name) || type === 'date'
  const utc = (date: string) => (type === 'date' ? `${date}::timestamp AT TIME ZONE 'UTC'` : date)
  // A sum of prices means nothing.
  const usd = user ? Object.keys(fields).filter((field) => field.endsWith('Usd')) : []
  return {
    name,
    fixed: LEGS[name],
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
