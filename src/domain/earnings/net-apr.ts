import { type RowOf, sqlColumns } from 'pothos-sql'
import type { Reader } from '../../db/connect/reader.ts'
import { exact, toDouble } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import {
  byEntity,
  type Holder,
  holdings,
  inEntityOrder,
  readGroups,
  sortValue,
  total,
} from '../holding/holding.ts'
import { placeColumns } from '../holding/place.ts'

const rate = (kind: string) =>
  ({
    type: 'float',
    field: `${kind}Apr`,
    description: `The ${kind} APR as a fraction: 0.05 is 5 %. 0 where \`hasRates\` is false.`,
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
  hasRates: {
    sql: 't.has_rates',
    type: 'boolean',
    description:
      'True if the rates are known. If not, the deposit and the debt do not weigh in the averages.',
  },
})

const RECORD = `chain_id bigint, entity_type text, entity_id text, deposit_usd float8,
    debt_usd float8, deposit_rate float8, borrow_rate float8, has_rates boolean, sort_value float8`

/**
 * The FROM clause for `entityAprColumns`, from the records of `entities`: by deposit + debt,
 * largest first.
 */
export const entityAprFrom = (records: Prisma.Sql) => byEntity(records, RECORD)

/** The same of the entities whose rates are not known. */
export const withoutRatesFrom = (records: Prisma.Sql) =>
  Prisma.sql`${inEntityOrder(
    Prisma.sql`(SELECT * FROM ${records} AS e(${Prisma.raw(RECORD)}) WHERE NOT e.has_rates) t`,
  )} LIMIT ${Prisma.raw(String(MOST_WITHOUT_RATES))}`

/** The most entities without rates that are listed. */
export const MOST_WITHOUT_RATES = 1000

const average = (rate: string, usd: string) =>
  `CASE WHEN ${total(usd)} = 0 THEN 0
    ELSE ${toDouble(`sum(${exact(usd)} * ${exact(rate)}) / ${total(usd)}`)} END`

// The average of the known rates. Null if none of the entities with USD has one.
const averageKnown = (rate: string, usd: string) => {
  const known = `sum(${exact(usd)}) FILTER (WHERE t.has_rates)`
  return `CASE WHEN ${total(usd)} = 0 THEN 0
    ELSE ${toDouble(`sum(${exact(usd)} * ${exact(rate)}) FILTER (WHERE t.has_rates) /
      nullif(${known}, 0)`)} END`
}

const DEPOSIT = ['t.deposit_rate', 't.deposit_usd'] as const
const DEBT = ['t.borrow_rate', 't.debt_usd'] as const

/** Average rates over `netAprFrom`. Null if there are amounts, but no rate of them is known. */
export const averageRates = sqlColumns({
  netDepositApr: { sql: averageKnown(...DEPOSIT), type: 'float', nullable: true },
  netBorrowApr: { sql: averageKnown(...DEBT), type: 'float', nullable: true },
})

/** The columns over `netAprFrom`: average rates, totals, and the records of `entityAprFrom`. */
export const netAprColumns = sqlColumns({
  netDepositApr: {
    sql: `coalesce(${averageKnown(...DEPOSIT)}, 0)`,
    type: 'float',
    description:
      'The average APR of deposits as a fraction, by USD, of markets and vaults whose rates ' +
      'are known. 0 without such deposits.',
  },
  netBorrowApr: {
    sql: `coalesce(${averageKnown(...DEBT)}, 0)`,
    type: 'float',
    description:
      'The average APR of debt as a fraction, by USD, of markets whose rates are known. 0 ' +
      'without such debt.',
  },
  /** As REST shows them: a rate that is not known counts as 0. */
  depositAprOfAll: { sql: average(...DEPOSIT), type: 'float' },
  borrowAprOfAll: { sql: average(...DEBT), type: 'float' },
  depositUsd: {
    sql: toDouble(total('t.deposit_usd')),
    type: 'float',
    description: 'Total interest-earning deposits, in USD.',
  },
  borrowedUsd: {
    sql: toDouble(total('t.debt_usd')),
    type: 'float',
    description: 'Total debt, in USD.',
  },
  entityCount: {
    sql: 'count(*)::int',
    type: 'int',
    description: 'The number of all rows of the breakdown.',
  },
  entities: { sql: 'array_agg(t)' },
})

export type NetApr = RowOf<typeof netAprColumns>

// Joins the rates of a holding `h` in force at a moment. Before the first recorded rates of an
// entity, those count, since when they were set is not known.
const ratesAsOf = (asOf: Prisma.Sql) => Prisma.sql`LEFT JOIN LATERAL (
    SELECT r.deposit_rate, r.borrow_rate FROM rate_revision r
    WHERE r.entity_type = h.entity_type::entity_type AND r.chain_id = h.chain_id
      AND r.entity_id = coalesce(m.id, v.id)
      AND r.changed_at <= greatest(coalesce(${asOf}, 'infinity'), (
        SELECT min(f.changed_at) FROM rate_revision f
        WHERE f.entity_type = h.entity_type::entity_type AND f.chain_id = h.chain_id
          AND f.entity_id = h.entity_id))
    ORDER BY r.changed_at DESC LIMIT 1) r ON true`

/**
 * The FROM clause for `netAprColumns`: a row for every entity with a snapshot. A missing price
 * counts as 0, and so do rates that are not known: the market or vault is not stored.
 */
export function netAprFrom(holder: Holder): Prisma.Sql {
  const { asOf } = holder
  const [deposit, borrow] = asOf
    ? ['r.deposit_rate', 'r.borrow_rate']
    : ['m.deposit_rate, v.deposit_rate', 'm.borrow_rate']
  return Prisma.sql`FROM (
    SELECT h.chain_id, h.entity_type, h.entity_id,
      ${Prisma.raw(toDouble('h.deposit_usd'))} AS deposit_usd,
      ${Prisma.raw(toDouble('h.debt_usd'))} AS debt_usd,
      coalesce(${Prisma.raw(deposit)}, 0) AS deposit_rate,
      coalesce(${Prisma.raw(borrow)}, 0) AS borrow_rate,
      coalesce(${Prisma.raw(deposit)}) IS NOT NULL AS has_rates,
      ${sortValue('h.deposit_usd + h.debt_usd')}
    FROM (
      SELECT h.chain_id, h.entity_type, h.entity_id, sum(h.deposit_usd) AS deposit_usd,
        sum(h.debt_usd) AS debt_usd
      FROM (${holdings(holder)}) h GROUP BY h.chain_id, h.entity_type, h.entity_id) h
    LEFT JOIN market m
      ON h.entity_type = 'market' AND m.chain_id = h.chain_id AND m.id = h.entity_id
    LEFT JOIN vault v
      ON h.entity_type = 'vault' AND v.chain_id = h.chain_id AND v.id = h.entity_id
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
