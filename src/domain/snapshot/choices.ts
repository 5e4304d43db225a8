import type { Choices } from '../../db/lists/choices.ts'
import { type Conditions, many, one, range, type Where } from '../../db/lists/filter.ts'
import type { SortKey } from '../../db/lists/sort.ts'
import { GatewayError } from '../../errors.ts'

type Kind = 'market' | 'vault'

const conditions = (kind: Kind) =>
  ({
    user: one('t.account_id', 'address', 'Only snapshots of this user.'),
    users: many('t.account_id', 'address', 'Only snapshots of one of these users.'),
    [kind]: one(`t.${kind}_id`, 'address', `Only snapshots in the ${kind} at this address, on any chain.`),
    [`${kind}s`]: many(`t.${kind}_id`, 'address', `Only snapshots in ${kind}s at one of these addresses.`),
    asset: one(assetOf(kind), 'address', `Only snapshots in ${kind}s that lend this token.`),
    chainId: one('t.chain_id', 'bigint', 'Only snapshots on this chain.'),
    chainIds: many('t.chain_id', 'bigint', 'Only snapshots on one of these chains.'),
    timestamp: range('t.timestamp', 'timestamp', 'Only snapshots in this time range, in Unix seconds.'),
  }) satisfies Conditions

const assetOf = (kind: Kind) =>
  `(SELECT e.asset_address FROM ${kind} e WHERE e.chain_id = t.chain_id AND e.id = t.${kind}_id)`

const keys = (kind: Kind) => ({
  TIMESTAMP: {
    column: 't.timestamp',
    field: 'timestamp',
    type: 'bigint',
    description: 'The time of the snapshot.',
  } as const,
  CHAIN_ID: { column: 't.chain_id', field: 'chainId', type: 'bigint', description: 'The chain id.' } as const,
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

/** Filters and sort keys of market snapshots, plain or grouped. */
export const marketSnapshotChoices: Choices = {
  conditions: {
    ...conditions('market'),
    collateralUsd: range('t.collateral_usd', 'number', 'Only snapshots whose collateral is in this range, in USD.'),
    protectedUsd: range(
      't.protected_usd',
      'number',
      'Only snapshots whose protected collateral is in this range, in USD.',
    ),
    debtUsd: range('t.debt_usd', 'number', 'Only snapshots whose debt is in this range, in USD.'),
  },
  keys: {
    ...keys('market'),
    COLLATERAL_USD: usd('t.collateral_usd', 'collateralUsd', 'The collateral, in USD.'),
    PROTECTED_USD: usd('t.protected_usd', 'protectedUsd', 'The protected collateral, in USD.'),
    DEBT_USD: usd('t.debt_usd', 'debtUsd', 'The debt, in USD.'),
  },
}

/** Filters and sort keys of vault snapshots, plain or grouped. */
export const vaultSnapshotChoices: Choices = {
  conditions: {
    ...conditions('vault'),
    assetsUsd: range('t.assets_usd', 'number', 'Only snapshots whose value is in this range, in USD.'),
  },
  keys: { ...keys('vault'), ASSETS_USD: usd('t.assets_usd', 'assetsUsd', 'The value of the shares, in USD.') },
}

/** The maximum users, or seconds, whose snapshots in a market or vault one request may sort. */
const MOST_USERS = 100
const MOST_SECONDS = 86_400n

/**
 * Rejects an order that no index serves if the filter leaves too many snapshots to sort.
 * @throws BAD_INPUT
 */
export function assertSortable(args: Record<string, unknown>): void {
  const { where } = args as { where?: Where | null }
  if (isBounded({ ...where, timestamp: narrowest(where?.timestamp, { gte: args.from, lte: args.to }) })) return
  const message = `would sort all snapshots that match the filter: add where.user, where.users (at most ${MOST_USERS}), where.timestamp.eq, or where.timestamp with gte and lte at most ${MOST_SECONDS} seconds apart`
  throw new GatewayError('BAD_INPUT', `orderBy ${message}. Sorting by TIMESTAMP alone needs no filter.`, [
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
