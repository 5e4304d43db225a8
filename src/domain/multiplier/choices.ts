import type { Choices } from '../../db/lists/choices.ts'
import { type Conditions, many, one, range } from '../../db/lists/filter.ts'
import type { SortKey } from '../../db/lists/sort.ts'

const byPool: Conditions = {
  pool: one('t.pool_address', 'address', 'That of one pool.'),
  pools: many('t.pool_address', 'address', 'Those of any of these pools.'),
}

const factor = (column: string, field: string, description: string, nullable = false): SortKey => ({
  column,
  field,
  type: 'double precision',
  description,
  ...(nullable && { nullable }),
})

const factors = (nullable = false) => ({
  DEPOSIT_TOKEN_A: factor('t.deposit_token_a', 'depositTokenA', 'Factor of token A supplied.', nullable),
  DEPOSIT_TOKEN_B: factor('t.deposit_token_b', 'depositTokenB', 'Factor of token B supplied.', nullable),
  BORROW_TOKEN_A: factor('t.borrow_token_a', 'borrowTokenA', 'Factor of token A borrowed.', nullable),
  BORROW_TOKEN_B: factor('t.borrow_token_b', 'borrowTokenB', 'Factor of token B borrowed.', nullable),
})

/** What multipliers can be filtered and sorted by. */
export const multiplierChoices: Choices = {
  conditions: {
    ...byPool,
    chainId: one('p.chain_id', 'bigint', 'Those of pools of one chain.'),
    asset: one(['p.asset_1_address', 'p.asset_2_address'], 'address', 'Those of pools with this token on either side.'),
    updatedAt: range('t.updated_at', 'moment', 'Those that last changed then.'),
    depositTokenA: range('t.deposit_token_a', 'number', 'Those with such a factor of token A supplied.'),
    depositTokenB: range('t.deposit_token_b', 'number', 'Those with such a factor of token B supplied.'),
    borrowTokenA: range('t.borrow_token_a', 'number', 'Those with such a factor of token A borrowed.'),
    borrowTokenB: range('t.borrow_token_b', 'number', 'Those with such a factor of token B borrowed.'),
  },
  keys: {
    MARKET_ID: { column: 'p.market_id', field: 'marketId', type: 'bigint', description: "The pool's number." },
    POOL: { column: 'p.id', field: 'poolAddress', type: 'text', description: "The pool's address." },
    ...factors(),
  },
}

/** What revisions of multipliers can be filtered and sorted by. */
export const revisionChoices: Choices = {
  conditions: {
    ...byPool,
    changedAt: range('t.changed_at', 'moment', 'Those that took effect then.'),
    recordedAt: range('t.recorded_at', 'moment', 'Those that this store learnt of then.'),
    changedBy: one('t.changed_by', 'text', 'Those that one actor made.'),
  },
  keys: {
    ID: { column: 't.id', field: 'id', type: 'bigint', description: "The revision's number." },
    POOL: { column: 't.pool_address', field: 'poolAddress', type: 'text', description: "The pool's address." },
    ...factors(true),
  },
}
