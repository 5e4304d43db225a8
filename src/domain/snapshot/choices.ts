import type { Choices } from '../../db/lists/choices.ts'
import { type Conditions, many, one, range, type Where } from '../../db/lists/filter.ts'
import type { SortKey } from '../../db/lists/sort.ts'
import { GatewayError } from '../../errors.ts'

type Kind = 'market' | 'vault'

const conditions = (kind: Kind) =>
  ({
    user: one('t.account_id', 'address', 'Those of one user.'),
    users: many('t.account_id', 'address', 'Those of any of these users.'),
    [kind]: one(`t.${kind}_id`, 'address', `Those in one ${kind}, on whatever chain.`),
    [`${kind}s`]: many(`t.${kind}_id`, 'address', `Those in any of these ${kind}s.`),
    asset: one(assetOf(kind), 'address', `Those in ${kind}s that lend this token.`),
    chainId: one('t.chain_id', 'bigint', 'Those of one chain.'),
    chainIds: many('t.chain_id', 'bigint', 'Those of any of these chains.'),
    timestamp: range('t.timestamp', 'timestamp', 'Those of these moments, Unix seconds.'),
  }) satisfies Conditions

const assetOf = (kind: Kind) =>
  `(SELECT e.asset_address FROM ${kind} e WHERE e.chain_id = t.chain_id AND e.id = t.${kind}_id)`

const keys = (kind: Kind) => ({
  TIMESTAMP: { column: 't.timestamp', field: 'timestamp', type: 'bigint', description: 'The moment.' } as const,
  CHAIN_ID: { column: 't.chain_id', field: 'chainId', type: 'bigint', description: 'The chain.' } as const,
  [kind.toUpperCase()]: {
    column: `t.${kind}_id`,
    field: `${kind}Id`,
    type: 'text',
    description: `The ${kind}'s address.`,
  } as const,
  USER: { column: 't.account_id', field: 'accountId', type: 'text', description: "The user's address." } as const,
})

const usd = (column: string, field: string, description: string): SortKey => ({
  column,
  field,
  type: 'double precision',
  nullable: true,
  description,
})

/** What snapshots in markets can be filtered and sorted by, those that are added up as well. */
export const marketSnapshotChoices: Choices = {
  conditions: {
    ...conditions('market'),
    collateralUsd: range('t.collateral_usd', 'number', 'Those with so much collateral, USD.'),
    protectedUsd: range('t.protected_usd', 'number', 'Those with so much protected collateral, USD.'),
    debtUsd: range('t.debt_usd', 'number', 'Those with so much debt, USD.'),
  },
  keys: {
    ...keys('market'),
    COLLATERAL_USD: usd('t.collateral_usd', 'collateralUsd', 'Collateral in USD.'),
    PROTECTED_USD: usd('t.protected_usd', 'protectedUsd', 'Protected collateral in USD.'),
    DEBT_USD: usd('t.debt_usd', 'debtUsd', 'Debt in USD.'),
  },
}

/** What snapshots in vaults can be filtered and sorted by, those that are added up as well. */
export const vaultSnapshotChoices: Choices = {
  conditions: {
    ...conditions('vault'),
    assetsUsd: range('t.assets_usd', 'number', 'Those that are worth so much, USD.'),
  },
  keys: { ...keys('vault'), ASSETS_USD: usd('t.assets_usd', 'assetsUsd', 'What the shares are worth in USD.') },
}

/** How many users' snapshots in one market or vault, or of how many seconds, are sorted for one request. */
const MOST_USERS = 100
const MOST_SECONDS = 86_400n

/**
 * Refuses an order that no index serves where the filter leaves more snapshots of a market or a vault than are sorted for
 * one request.
 * @throws BAD_INPUT
 */
export function assertSortable(args: Record<string, unknown>): void {
  const { where } = args as { where?: Where | null }
  if (isBounded({ ...where, timestamp: narrowest(where?.timestamp, { gte: args.from, lte: args.to }) })) return
  const message = `sorts all snapshots that the filter leaves: give it where.user, where.users (at most ${MOST_USERS}), where.timestamp.eq, or bounds gte and lte that are at most ${MOST_SECONDS} seconds apart`
  throw new GatewayError('BAD_INPUT', `orderBy ${message}. TIMESTAMP alone needs none.`, [
    { in: 'query', name: 'orderBy', message },
  ])
}

interface Moments {
  eq?: bigint | null
  gte?: bigint | null
  lte?: bigint | null
}

const narrowest = (where: unknown, own: { gte: unknown; lte: unknown }): Moments => {
  const { eq, gte, lte } = (where ?? {}) as Moments
  return { eq: eq ?? null, gte: gte ?? (own.gte as bigint) ?? null, lte: lte ?? (own.lte as bigint) ?? null }
}

function isBounded(where: Where): boolean {
  const { user, users, timestamp, AND } = where as Where & { users?: unknown[] | null; timestamp?: Moments | null }
  if (user || (users && users.length <= MOST_USERS)) return true
  const { eq, gte, lte } = timestamp ?? {}
  if (typeof eq === 'bigint') return true
  if (typeof gte === 'bigint' && typeof lte === 'bigint' && lte - gte <= MOST_SECONDS) return true
  return (AND ?? []).some(isBounded)
}
