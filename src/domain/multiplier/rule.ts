/** The columns of a revision that may be an announcement. */
export const announced = {
  fromDate: {
    type: 'date',
    field: 'from',
    nullable: true,
    description: 'The first date that it counts for, maybe to come. Null: every date.',
  },
  revokedAt: {
    type: 'moment',
    nullable: true,
    description: 'When the announcement was revoked. Null if it was not.',
  },
  revokedBy: {
    type: 'text',
    nullable: true,
    description: 'Who revoked the announcement, as in `changedBy`. Null if nobody did.',
  },
} as const

/** The columns of the factors of a multiplier or of a revision `t`. */
export function factorColumns<const Options>(options: Options, note = '') {
  const factor = (sql: string, dollars: string) =>
    ({
      sql: `t.${sql}`,
      type: 'float',
      description: `The factor for each dollar of ${dollars}.${note}`,
      ...options,
    }) as const
  return {
    depositA: factor('deposit_token_a', 'asset A supplied'),
    depositB: factor('deposit_token_b', 'asset B supplied'),
    borrowA: factor('borrow_token_a', 'asset A borrowed'),
    borrowB: factor('borrow_token_b', 'asset B borrowed'),
  }
}

export const FACTOR_COLUMNS = [
  'deposit_token_a',
  'deposit_token_b',
  'borrow_token_a',
  'borrow_token_b',
]
export const COLUMNS = FACTOR_COLUMNS.join(', ')

/** SQL of the factors of a row, as a list. */
export const factorsOf = (row: string): string =>
  FACTOR_COLUMNS.map((column) => `${row}.${column}`).join(', ')

/** SQL of an upsert that replaces the factors of a stored multiplier. */
export const REPLACED = `ON CONFLICT (pool_address) DO UPDATE
  SET ${FACTOR_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')},
    updated_at = excluded.updated_at`

/**
 * SQL of whether a row of `multiplier_rule` or `base_points_rule` is in force for a date. At most
 * one of each pool is.
 */
export const inForce = (rule: string, date: string): string =>
  `(${rule}.from_date IS NULL OR ${rule}.from_date <= ${date})
    AND (${rule}.until_date IS NULL OR ${rule}.until_date > ${date})`

/** The columns of base points that the formula reads. */
export const BASE = ['deposit', 'borrow', 'protected_min_ltv']

const base = (column: string, date: string) =>
  `(SELECT b.${column} FROM base_points_rule b WHERE ${inForce('b', date)}) AS ${column}`

/**
 * A FROM item with the rules of a date: the key of each pool, its multiplier (nulls if it has
 * none), and the base points (nulls if those of the settings count). Runs, previews and
 * explanations of a date read the rules here.
 */
export const rulesOfDay = (date: string): string =>
  `(SELECT pool.key, m.*, ${BASE.map((column) => base(column, `${date}::date`)).join(', ')}
    FROM pool LEFT JOIN multiplier_rule m ON m.pool_address = pool.id
      AND ${inForce('m', `${date}::date`)} OFFSET 0)`
