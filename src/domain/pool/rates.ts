import { type Conditions, rowFilters, type SortKeys } from 'pothos-sql'
import { snakeCase } from 'pothos-sql/host'

// The rates of a pool's markets and the factors of its multiplier: pools `t` are filtered and
// sorted by them.
const rates: Record<string, { sql: string; meaning: string }> = {}
for (const [side, unit] of [
  ['A', 't.unit_1_id'],
  ['B', 't.unit_2_id'],
])
  for (const rate of ['deposit', 'borrow']) {
    rates[`${rate}Apr${side}`] = {
      sql: `(SELECT m.${rate}_rate FROM market m WHERE m.chain_id = t.chain_id AND m.id = ${unit})`,
      meaning: `${rate} APR of side ${side}`,
    }
    rates[`multiplier${rate === 'deposit' ? 'Deposit' : 'Borrow'}${side}`] = {
      sql: `(SELECT f.${rate}_token_${side?.toLowerCase()} FROM multiplier f
        WHERE f.pool_address = t.id)`,
      meaning: `multiplier of side ${side} ${rate === 'deposit' ? 'supplied' : 'borrowed'}`,
    }
  }
for (const [field, better, rate] of [
  ['bestDepositApr', 'greatest', 'deposit'],
  ['lowestBorrowApr', 'least', 'borrow'],
]) {
  const sides = ['A', 'B'].map((side) => rates[`${rate}Apr${side}`]?.sql)
  rates[`${field}`] = {
    sql: `${better}(${sides.join(', ')})`,
    meaning: `${better === 'least' ? 'lower' : 'higher'} ${rate} APR of both sides`,
  }
}

export const rateFilters: Conditions = {}
export const rateSortKeys: SortKeys = {}
for (const [field, { sql, meaning }] of Object.entries(rates)) {
  rateFilters[field] = rowFilters.range(
    { sql, type: 'float' },
    `Only pools whose ${meaning} is in this range.`,
  )
  rateSortKeys[snakeCase(field).toUpperCase()] = {
    column: sql,
    field,
    type: 'float',
    nullable: true,
    description: `Sorts by the ${meaning}.`,
  }
}
