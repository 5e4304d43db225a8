import type { Choices } from '../../db/lists/choices.ts'
import { type Conditions, many, one, range } from '../../db/lists/filter.ts'
import type { SortKey } from '../../db/lists/sort.ts'

const byPool: Conditions = {
  pool: one('t.pool_address', 'address', 'Only multipliers of this pool.'),
  pools: many('t.pool_address', 'address', 'Only multipliers of one of these pools.'),
}

const factor = (column: string, field: string, description: string, nullable = false): SortKey => ({
  column,
  field,
  type: 'double precision',
  description,
  ...(nullable && { nullable }),
})

const factors = (nullable = false) => ({
  DEPOSIT_TOKEN_A: factor('t.deposit_token_a', 'depositTokenA', 'The factor for token A supplied.', nullable),
  DEPOSIT_TOKEN_B: factor('t.deposit_token_b', 'depositTokenB', 'The factor for token B supplied.', nullable),
  BORROW_TOKEN_A: factor('t.borrow_token_a', 'borrowTokenA', 'The factor for token A borrowed.', nullable),
  BORROW_TOKEN_B: factor('t.borrow_token_b', 'borrowTokenB', 'The factor for token B borrowed.', nullable),
})

/** Filters and sort keys of multipliers. */
export const multiplierChoices: Choices = {
  conditions: {
    ...byPool,
    chainId: one('p.chain_id', 'bigint', 'Only multipliers of pools on this chain.'),
    asset: one(
      ['p.asset_1_address', 'p.asset_2_address'],
      'address',
      'Only multipliers of pools with this token on either side.',
    ),
    updatedAt: range('t.updated_at', 'moment', 'Only multipliers that last changed in this range.'),
    depositTokenA: range(
      't.deposit_token_a',
      'number',
      'Only multipliers whose factor for token A supplied is in this range.',
    ),
    depositTokenB: range(
      't.deposit_token_b',
      'number',
      'Only multipliers whose factor for token B supplied is in this range.',
    ),
    borrowTokenA: range(
      't.borrow_token_a',
      'number',
      'Only multipliers whose factor for token A borrowed is in this range.',
    ),
    borrowTokenB: range(
      't.borrow_token_b',
      'number',
      'Only multipliers whose factor for token B borrowed is in this range.',
    ),
  },
  keys: {
    MARKET_ID: { column: 'p.market_id', field: 'marketId', type: 'bigint', description: "The pool's number." },
    POOL: { column: 'p.id', field: 'poolAddress', type: 'text', description: "The pool's address." },
    ...factors(),
  },
}

/** Filters and sort keys of multiplier revisions. */
export const revisionChoices: Choices = {
  conditions: {
    ...byPool,
    changedAt: range('t.changed_at', 'moment', 'Only revisions that took effect in this range.'),
    recordedAt: range('t.recorded_at', 'moment', 'Only revisions that this gateway recorded in this range.'),
    changedBy: one('t.changed_by', 'text', 'Only revisions that this actor made.'),
  },
  keys: {
    ID: { column: 't.id', field: 'id', type: 'bigint', description: "The revision's number." },
    POOL: { column: 't.pool_address', field: 'poolAddress', type: 'text', description: "The pool's address." },
    ...factors(true),
  },
}
