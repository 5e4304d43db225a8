import type { Reader } from '../../db/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type EntityType, holdingsOf } from '../holding/holding.ts'

/** What a user earned in one market or vault: its value now minus the money that went in, both in USD. */
export interface EntityEarnings {
  chainId: bigint
  entityType: EntityType
  entityId: string
  currentValueUsd: number
  netCashInvestedUsd: number
  earningsUsd: number
  /** A price was missing: it counted as 0. */
  hasIncompletePrices: boolean
}

export interface Earnings {
  totalEarningsUsd: number
  totalCurrentValueUsd: number
  totalNetCashInvestedUsd: number
  hasIncompletePrices: boolean
  /** By value, largest first, then by chain, type and id. */
  breakdown: EntityEarnings[]
}

interface NetCash {
  chainId: bigint
  entityType: EntityType
  entityId: string
  amountUsd: number
  incomplete: boolean
}

/**
 * The earnings of each user: every entity with a snapshot or a cash flow. Current value of a market: collateral +
 * protected - debt; of a vault: its assets. Net cash invested: deposits + repayments - withdrawals - borrowings.
 */
export async function earningsOf(
  reader: Reader,
  users: readonly string[],
  chainId: number | null,
): Promise<Earnings[]> {
  const [holdings, flows] = await Promise.all([holdingsOf(reader, users, chainId), netCashOf(reader, users, chainId)])
  return users.map((_, i) => {
    const entities = new Map<string, EntityEarnings>()
    const entity = (of: { chainId: bigint; entityType: EntityType; entityId: string }) => {
      const key = `${of.chainId} ${of.entityType} ${of.entityId}`
      let found = entities.get(key)
      if (!found) {
        const { chainId, entityType, entityId } = of
        const none = { currentValueUsd: 0, netCashInvestedUsd: 0, earningsUsd: 0, hasIncompletePrices: false }
        found = { chainId, entityType, entityId, ...none }
        entities.set(key, found)
      }
      return found
    }
    for (const holding of holdings[i] ?? []) {
      const one = entity(holding)
      one.currentValueUsd = holding.depositUsd + holding.protectedUsd - holding.debtUsd
      one.hasIncompletePrices ||= holding.incomplete
    }
    for (const flow of flows[i] ?? []) {
      const one = entity(flow)
      one.netCashInvestedUsd = flow.amountUsd
      one.hasIncompletePrices ||= flow.incomplete
    }
    const breakdown = [...entities.values()]
    for (const one of breakdown) one.earningsUsd = one.currentValueUsd - one.netCashInvestedUsd
    breakdown.sort(largestFirst((one) => one.currentValueUsd))
    const total = (value: (one: EntityEarnings) => number) => breakdown.reduce((sum, one) => sum + value(one), 0)
    return {
      totalEarningsUsd: total((one) => one.earningsUsd),
      totalCurrentValueUsd: total((one) => one.currentValueUsd),
      totalNetCashInvestedUsd: total((one) => one.netCashInvestedUsd),
      hasIncompletePrices: breakdown.some((one) => one.hasIncompletePrices),
      breakdown,
    }
  })
}

/**
 * Orders entities by a value, largest first, then by chain, type and id. Values are rounded to 6 decimals, so that the
 * order of an addition never decides a place.
 */
export function largestFirst<T extends { chainId: bigint; entityType: string; entityId: string }>(
  value: (of: T) => number,
): (a: T, b: T) => number {
  const rounded = (of: T) => Math.round(value(of) * 1e6)
  const compare = <V extends string | bigint>(a: V, b: V) => (a < b ? -1 : a > b ? 1 : 0)
  return (a, b) =>
    rounded(b) - rounded(a) ||
    compare(a.chainId, b.chainId) ||
    compare(a.entityType, b.entityType) ||
    compare(a.entityId, b.entityId)
}

async function netCashOf(reader: Reader, users: readonly string[], chainId: number | null): Promise<NetCash[][]> {
  const rows = await reader.$queryRaw<(NetCash & { place: number })[]>`
    SELECT owner.place::int AS place, f.chain_id AS "chainId", f.entity_type::text AS "entityType",
      f.entity_id AS "entityId",
      coalesce(sum(CASE WHEN f.kind IN ('deposit', 'repay') THEN f.amount_usd ELSE -f.amount_usd END
        ORDER BY f.timestamp, f.tx_hash, f.log_index), 0) AS "amountUsd",
      bool_or(f.amount_usd IS NULL) AS incomplete
    FROM unnest(${[...users]}::text[]) WITH ORDINALITY AS owner(address, place)
    CROSS JOIN LATERAL (SELECT * FROM cash_flow f WHERE f.account_id = owner.address
      ${chainId === null ? Prisma.empty : Prisma.sql`AND f.chain_id = ${chainId}::bigint`} OFFSET 0) f
    GROUP BY owner.place, f.chain_id, f.entity_type, f.entity_id`
  const found: NetCash[][] = users.map(() => [])
  for (const row of rows) found[row.place - 1]?.push(row)
  return found
}
