import type { Reader } from '../../db/connect/reader.ts'
import { type RowOf, sqlColumns } from '../../db/lists/column.ts'
import { exact, toDouble } from '../../db/lists/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { byEntity, type Holder, holdings, readGroups, sortValue, total } from '../holding/holding.ts'
import { placeColumns } from '../holding/place.ts'

const rate = (kind: string) =>
  ({
    type: 'float',
    field: `${kind}Apr`,
    description: `The ${kind} APR as a fraction: 0.05 is 5 %.`,
  }) as const

/** A holder's current deposit and debt in one market or vault, and its rates. */
export const entityAprColumns = sqlColumns({
  ...placeColumns,
  depositUsd: {
    sql: 't.deposit_usd',
    type: 'float',
    description: 'The interest-earning deposit in USD: borrowable supply, vault assets.',
  },
  debtUsd: { sql: 't.debt_usd', type: 'float', field: 'borrowedUsd', description: 'Debt, in USD.' },
  depositRate: { sql: 't.deposit_rate', ...rate('deposit') },
  borrowRate: { sql: 't.borrow_rate', ...rate('borrow') },
})

/** The FROM clause for `entityAprColumns`, from the records of `entities`: by deposit + debt, largest first. */
export const entityAprFrom = (records: Prisma.Sql) =>
  byEntity(
    records,
    `chain_id bigint, entity_type text, entity_id text, deposit_usd float8, debt_usd float8,
    deposit_rate float8, borrow_rate float8, sort_value float8`,
  )

const average = (value: string, weight: string) =>
  `CASE WHEN ${total(weight)} = 0 THEN 0 ELSE ${toDouble(`sum(${exact(weight)} * ${exact(value)}) / ${total(weight)}`)} END`

/** The columns over `netAprFrom`: average rates, totals, and the records of `entityAprFrom`. */
export const netAprColumns = sqlColumns({
  netDepositApr: {
    sql: average('t.deposit_rate', 't.deposit_usd'),
    type: 'float',
    description: 'The average APR of deposits as a fraction, by USD. 0 without deposits.',
  },
  netBorrowApr: {
    sql: average('t.borrow_rate', 't.debt_usd'),
    type: 'float',
    description: 'The average APR of debt as a fraction, by USD. 0 without debt.',
  },
  depositUsd: {
    sql: toDouble(total('t.deposit_usd')),
    type: 'float',
    description: 'Total interest-earning deposits, in USD.',
  },
  borrowedUsd: { sql: toDouble(total('t.debt_usd')), type: 'float', description: 'Total debt, in USD.' },
  entityCount: { sql: 'count(*)::int', type: 'int', description: 'The number of all rows of the breakdown.' },
  entities: { sql: 'array_agg(t)' },
})

export type NetApr = RowOf<typeof netAprColumns>

/**
 * Joins the rates of a holding `h` in force at a moment. Before the first recorded rates of an entity, those count, since
 * when they were set is not known.
 */
const ratesAsOf = (asOf: Prisma.Sql) => Prisma.sql`LEFT JOIN LATERAL (
    SELECT r.deposit_rate, r.borrow_rate FROM rate_revision r WHERE r.entity_type = h.entity_type::entity_type
      AND r.chain_id = h.chain_id AND r.entity_id = coalesce(m.id, v.id) AND r.changed_at <= greatest(coalesce(${asOf}, 'infinity'),
        (SELECT min(f.changed_at) FROM rate_revision f WHERE f.entity_type = h.entity_type::entity_type
          AND f.chain_id = h.chain_id AND f.entity_id = h.entity_id))
    ORDER BY r.changed_at DESC LIMIT 1) r ON true`

/** The FROM clause for `netAprColumns`: a row for every entity with a snapshot. A missing price counts as 0. */
export function netAprFrom(holder: Holder): Prisma.Sql {
  const { asOf } = holder
  const [deposit, borrow] = asOf
    ? ['r.deposit_rate', 'r.borrow_rate']
    : ['m.deposit_rate, v.deposit_rate', 'm.borrow_rate']
  return Prisma.sql`FROM (
    SELECT h.chain_id, h.entity_type, h.entity_id, ${Prisma.raw(`${toDouble('h.deposit_usd')} AS deposit_usd, ${toDouble('h.debt_usd')} AS debt_usd`)},
      ${Prisma.raw(`coalesce(${deposit}, 0) AS deposit_rate, coalesce(${borrow}, 0) AS borrow_rate`)},
      ${sortValue('h.deposit_usd + h.debt_usd')}
    FROM (SELECT h.chain_id, h.entity_type, h.entity_id, sum(h.deposit_usd) AS deposit_usd,
      sum(h.debt_usd) AS debt_usd FROM (${holdings(holder)}) h GROUP BY h.chain_id, h.entity_type, h.entity_id) h
    LEFT JOIN market m ON h.entity_type = 'market' AND m.chain_id = h.chain_id AND m.id = h.entity_id
    LEFT JOIN vault v ON h.entity_type = 'vault' AND v.chain_id = h.chain_id AND v.id = h.entity_id
    ${asOf ? ratesAsOf(asOf) : Prisma.empty}
  ) t`
}

/** Reads the net APR of each group of addresses, now or as of a moment, in one statement. */
export const netAprOf = (
  reader: Reader,
  groups: readonly (readonly string[])[],
  chainId: number | null,
  asOf: Date | null,
) => readGroups<NetApr>(reader, groups, chainId, netAprColumns, netAprFrom, asOf)
