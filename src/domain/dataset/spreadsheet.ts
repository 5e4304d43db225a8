import type { DatasetFile } from '../../sources/index.ts'
import type { ValueWriters } from './select.ts'

const MAX_DIGITS = 15
// The last second of the year 9999, the last one that spreadsheets know.
const LAST_SECOND = 253_402_300_799

const decimalsOf = (table: 'market' | 'vault', id: string) =>
  `(SELECT e.asset_decimals FROM ${table} e WHERE e.chain_id = t.chain_id AND e.id = t.${id})`

// SQL of the decimals of the amounts of a file, by field. The decimals of shares are not known.
const decimals: Partial<Record<DatasetFile, (field: string) => string | undefined>> = {
  'market-snapshots': () => decimalsOf('market', 'market_id'),
  'vault-snapshots': (field) => (field === 'shares' ? undefined : decimalsOf('vault', 'vault_id')),
  'market-liquidation-rewards': (field) =>
    decimalsOf('market', field === 'supplySent' ? 'debt_market_id' : 'collateral_market_id'),
  'vault-liquidation-rewards': () => decimalsOf('vault', 'vault_id'),
  liquidations: (field) =>
    decimalsOf('market', field === 'debtRepaid' ? 'debt_market_id' : 'collateral_market_id'),
  'cash-flows': () =>
    `CASE t.entity_type WHEN 'market' THEN ${decimalsOf('market', 'entity_id')} ELSE ` +
    `${decimalsOf('vault', 'entity_id')} END`,
}

// An apostrophe makes a text of a number with more digits than a spreadsheet keeps.
const withAllDigits = (number: string) => `CASE
    WHEN length(trim('0' FROM translate(${number}, '-.', ''))) > ${MAX_DIGITS} THEN ''''
    ELSE '' END || ${number}`

const asTime = (seconds: string) => `CASE
    WHEN ${seconds} <= ${LAST_SECOND}
      THEN to_char(to_timestamp(${seconds}), 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    ELSE ${seconds}::text END`

/**
 * How CSV for a spreadsheet differs: times are ISO 8601, amounts are whole tokens, and no digit is
 * rounded away.
 */
export const forSpreadsheet = (file: DatasetFile, csv: ValueWriters): ValueWriters => ({
  ...csv,
  timestamp: asTime,
  unix: asTime,
  decimal: (column, field) => withAllDigits(`(${csv.decimal?.(column, field)})::text`),
  total: (column, field) => withAllDigits(`(${csv.total?.(column, field)})`),
  amount(column, field) {
    const places = decimals[file]?.(field)
    if (places === undefined) return withAllDigits(`${column}::text`)
    return withAllDigits(`trim_scale(${column} * ('1e-' || ${places})::numeric)::text`)
  },
})
