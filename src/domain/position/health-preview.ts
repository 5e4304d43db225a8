import { defineLookup, type RowOf, sqlColumns } from 'pothos-sql'
import { badArgument } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { lastDate } from './filter.ts'
import { healthFactorSql, storedThreshold } from './health.ts'
import { healthColumns } from './health-columns.ts'

const after = healthColumns('t.health_factor')

/** The numbers of a position, in the same words, after a user has moved tokens. */
export const previewColumns = sqlColumns({
  ...after,
  healthFactorBefore: {
    sql: 't.health_before',
    type: 'float',
    nullable: true,
    description: 'The `healthFactor` of the stored position. Null without one or without debt.',
  },
  borrowingPowerUsd: {
    ...after.borrowingPowerUsd,
    description: `${after.borrowingPowerUsd.description} A negative one means that it is not allowed.`,
  },
  side: { sql: 't.side', type: 'text', nullable: true },
  collateral: { sql: 't.collateral', type: 'float' },
  debt: { sql: 't.debt', type: 'float' },
})

export type HealthPreview = RowOf<typeof previewColumns>

export interface PreviewArguments {
  user: string
  pool: string
  collateral: string
  supply: number
  withdraw: number
  borrow: number
  repay: number
}

const MOST_TOKENS = 1e30

const amountOf = (side: 'a' | 'b', name: string) => `coalesce(h.${side}_${name}, 0)`

// A side after the move: the supply of the collateral's side, or the debt of the other one. Of a
// supply or a debt that is gone no dollar remains.
function sideAfter(side: 'a' | 'b'): string {
  const other = side === 'a' ? 'b' : 'a'
  const after = (name: string, isMoved: string, change: string) => {
    const [amount, usd] = [amountOf(side, `${name}_amount`), amountOf(side, `${name}_amount_usd`)]
    const left = `${amount} + ${change}`
    return `CASE WHEN ${isMoved} THEN greatest(${left}, 0) ELSE ${amount} END
        AS ${side}_${name}_amount,
      CASE WHEN ${isMoved} IS NOT TRUE THEN ${usd} WHEN ${left} <= 0 THEN 0
        ELSE ${usd} + (${change}) * s.${side}_token_price END AS ${side}_${name}_amount_usd`
  }
  // The protected supply gives the rest of a withdrawal.
  const lacking = `least(${amountOf(side, 'supplied_amount')} + s.supply - s.withdraw, 0)`
  return [
    after('supplied', `s.side = '${side}'`, 's.supply - s.withdraw'),
    after('protected_supplied', `s.side = '${side}'`, lacking),
    after('borrowed', `s.side = '${other}'`, 's.borrow - s.repay'),
  ].join(',\n      ')
}

const HELD = `CASE s.side WHEN 'a' THEN ${amountOf('a', 'supplied_amount')}
        + ${amountOf('a', 'protected_supplied_amount')}
      ELSE ${amountOf('b', 'supplied_amount')} + ${amountOf('b', 'protected_supplied_amount')} END`
const OWED = `CASE s.side WHEN 'a' THEN ${amountOf('b', 'borrowed_amount')}
      ELSE ${amountOf('a', 'borrowed_amount')} END`

const HEALTH_FACTOR = Prisma.raw(healthFactorSql(storedThreshold))

const previewAt = defineLookup({
  columns: previewColumns,
  types: ['text', 'text', 'text', 'float8', 'float8', 'float8', 'float8'],
  at: (user, pool, collateral, supply, withdraw, borrow, repay) => {
    const moves = Prisma.sql`SELECT u.key AS pool_key, d.date, ${supply} AS supply,
        ${withdraw} AS withdraw, ${borrow} AS borrow, ${repay} AS repay,
        CASE ${collateral} WHEN u.asset_1_address THEN 'a' WHEN u.asset_2_address THEN 'b' END
          AS side,
        u.asset_1_address AS a_token_address, u.asset_1_symbol AS a_token_symbol,
        u.asset_2_address AS b_token_address, u.asset_2_symbol AS b_token_symbol,
        n.a_token_price, n.b_token_price, n.mover
      FROM pool u CROSS JOIN (SELECT ${lastDate()} AS date) d
      LEFT JOIN LATERAL (
        SELECT n.a_token_price, n.b_token_price, n.mover FROM position n
        WHERE n.pool_key = u.key AND n.distribution_date = d.date
        ORDER BY n.id DESC LIMIT 1) n ON true
      WHERE u.id = ${pool}`
    return Prisma.sql`FROM (SELECT t.*, ${HEALTH_FACTOR} AS health_factor FROM (
      SELECT s.pool_key, s.date AS distribution_date, s.side, s.mover,
        s.a_token_address, s.a_token_symbol, s.a_token_price,
        s.b_token_address, s.b_token_symbol, s.b_token_price,
        ${Prisma.raw(sideAfter('a'))},
        ${Prisma.raw(sideAfter('b'))},
        ${Prisma.raw(HELD)} AS collateral, ${Prisma.raw(OWED)} AS debt, b.health_before
      FROM (${moves}) s LEFT JOIN position h ON h.user_address = ${user}
        AND h.pool_key = s.pool_key AND h.distribution_date = s.date
      LEFT JOIN LATERAL (
        SELECT ${HEALTH_FACTOR} AS health_before
        FROM position t WHERE t.id = h.id) b ON true OFFSET 0) t OFFSET 0) t`
  },
})

export const previews = previewAt.load

/** The key of a preview in `previews`. @throws BAD_INPUT for amounts that nobody can move */
export function previewKey(moves: PreviewArguments) {
  const { user, pool, collateral, ...amounts } = moves
  for (const [name, amount] of Object.entries(amounts))
    if (!(amount >= 0 && amount <= MOST_TOKENS))
      throw badArgument(name, `must be whole tokens from 0 to ${MOST_TOKENS}, not ${amount}`)
  const { supply, withdraw, borrow, repay } = amounts
  return [user, pool, collateral, supply, withdraw, borrow, repay]
}

/** Refuses moves that the stored position does not allow. @throws BAD_INPUT */
export function assertPreview(
  preview: HealthPreview | null,
  { pool, collateral, supply, withdraw, borrow, repay }: PreviewArguments,
): asserts preview is HealthPreview {
  if (!preview) throw badArgument('pool', `${pool} is not stored`)
  if (preview.side === null)
    throw badArgument('collateral', `${collateral} is not a token of the pool ${pool}`)
  const [has, owes] = [preview.collateral + supply, preview.debt + borrow]
  if (withdraw > has) throw badArgument('withdraw', `is more than the ${has} that the position has`)
  if (repay > owes) throw badArgument('repay', `is more than the ${owes} that the position owes`)
}
