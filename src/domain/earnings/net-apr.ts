import type { Reader } from '../../db/connect/reader.ts'
import { exact } from '../../db/lists/exact-sum.ts'
import type { Columns, Listing } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import {
  type Entity,
  entityColumns,
  type Holder,
  heldRows,
  holdings,
  largestFirst,
  placeBy,
  readGroups,
  total,
} from '../holding/holding.ts'

/** What a holder has in one market or vault now. */
export interface EntityApr extends Entity {
  /** Collateral that earns, or the vault's assets, in USD. */
  depositUsd: number
  debtUsd: number
  /** Fractions a year. */
  depositRate: number
  borrowRate: number
}

export interface NetApr {
  /** Weighted by deposits in USD, a fraction a year; 0 with nothing deposited. */
  earnNetApr: number
  /** Weighted by debts in USD, a fraction a year; 0 with nothing borrowed. */
  borrowNetApr: number
  totalEarnDepositsUsd: number
  totalProtectedUsd: number
  totalBorrowUsd: number
  entityCount: number
  /** The rows of `entityAprs`. */
  entities: string
}

/** Deposits and debts by entity: by deposit + debt, largest first, then by chain, type and id. */
export const entityAprs: Listing<EntityApr> = {
  name: 'netApr',
  from: heldRows,
  held: `chain_id bigint, entity_type text, entity_id text, deposit_usd float8, protected_usd float8, debt_usd float8,
    deposit_rate float8, borrow_rate float8, place float8`,
  columns: {
    ...entityColumns,
    depositUsd: 't.deposit_usd',
    debtUsd: 't.debt_usd',
    depositRate: 't.deposit_rate',
    borrowRate: 't.borrow_rate',
  },
  order: largestFirst,
}

const average = (value: string, weight: string) =>
  `CASE WHEN ${total(weight)} = 0 THEN 0 ELSE sum(${exact(weight)} * ${exact(value)}) / ${total(weight)} END::float8`

/** What `netAprFrom` gives. */
export const netAprColumns: Columns = {
  earnNetApr: average('t.deposit_rate', 't.deposit_usd'),
  borrowNetApr: average('t.borrow_rate', 't.debt_usd'),
  totalEarnDepositsUsd: `${total('t.deposit_usd')}::float8`,
  totalProtectedUsd: `${total('t.protected_usd')}::float8`,
  totalBorrowUsd: `${total('t.debt_usd')}::float8`,
  entityCount: 'count(*)::int',
  entities: 'array_agg(t)',
}

/** A holder's net APR: over every entity with a snapshot. A missing price counts as 0. */
export function netAprFrom(holder: Holder): Prisma.Sql {
  return Prisma.sql`FROM (
    SELECT h.chain_id, h.entity_type, h.entity_id, h.deposit_usd::float8, h.protected_usd::float8, h.debt_usd::float8,
      coalesce(m.deposit_rate, v.deposit_rate, 0) AS deposit_rate, coalesce(m.borrow_rate, 0) AS borrow_rate,
      ${placeBy('h.deposit_usd + h.debt_usd')}
    FROM (${holdings(holder)}) h
    LEFT JOIN market m ON h.entity_type = 'market' AND m.chain_id = h.chain_id AND m.id = h.entity_id
    LEFT JOIN vault v ON h.entity_type = 'vault' AND v.chain_id = h.chain_id AND v.id = h.entity_id
  ) t`
}

/** The net APR of groups of addresses, each group's together: one statement. */
export const netAprOf = (reader: Reader, groups: readonly (readonly string[])[], chainId: number | null) =>
  readGroups<NetApr>(reader, groups, chainId, netAprColumns, netAprFrom)
