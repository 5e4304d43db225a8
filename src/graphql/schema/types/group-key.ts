import { one } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import { type MarketRef, marketAt } from './market.ts'
import { type PoolRef, poolAt } from './pool.ts'
import { type UserRef, userAt } from './user.ts'
import { type VaultRef, vaultAt } from './vault.ts'

/** What the rows of a group have in common; what they are not grouped by is left out. */
export interface Key {
  start?: Date | null
  chainId?: bigint | null
  poolAddress?: string | null
  assetAddress?: string | null
  marketAddress?: string | null
  vaultAddress?: string | null
  userAddress?: string | null
}

type Refs = { User: UserRef; Pool: PoolRef; Market: MarketRef; Vault: VaultRef }

/** The key of a group, whatever is grouped: of series and of aggregates. */
export function addGroupKey(builder: Builder, { User, Pool, Market, Vault }: Refs) {
  return builder.objectRef<Key>('GroupKey').implement({
    description: 'What the rows of a group have in common. A field is null where they are not grouped by it.',
    fields: (t) => ({
      start: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'The date, or the first date of the week or month, midnight UTC; null where groups are not of it.',
        resolve: (key) => key.start ?? null,
      }),
      chainId: t.field({
        type: 'SafeInt',
        nullable: true,
        description: 'The chain: also of a pool, a token, a market or a vault. Null for a pool that the store lacks.',
        resolve: (key) => key.chainId ?? null,
      }),
      poolAddress: t.field({
        type: 'Address',
        nullable: true,
        description: "The pool's address; null where groups are not of it.",
        resolve: (key) => key.poolAddress ?? null,
      }),
      pool: t.field({
        type: Pool,
        nullable: true,
        description: 'The pool; null where the store has none at its address.',
        ...one(poolAt, ['poolAddress']),
      }),
      assetAddress: t.field({
        type: 'Address',
        nullable: true,
        description: "The token's address; null where groups are not of it.",
        resolve: (key) => key.assetAddress ?? null,
      }),
      marketAddress: t.field({
        type: 'Address',
        nullable: true,
        description: "The market's address; null where groups are not of it.",
        resolve: (key) => key.marketAddress ?? null,
      }),
      market: t.field({
        type: Market,
        nullable: true,
        description: 'The market; null where the store has none at its address.',
        ...one(marketAt, ['chainId', 'marketAddress']),
      }),
      vaultAddress: t.field({
        type: 'Address',
        nullable: true,
        description: "The vault's address; null where groups are not of it.",
        resolve: (key) => key.vaultAddress ?? null,
      }),
      vault: t.field({
        type: Vault,
        nullable: true,
        description: 'The vault; null where the store has none at its address.',
        ...one(vaultAt, ['chainId', 'vaultAddress']),
      }),
      user: t.field({
        type: User,
        nullable: true,
        description: 'The user; null where groups are not of it.',
        ...one(userAt, ['userAddress']),
      }),
    }),
  })
}

export type GroupKeyRef = ReturnType<typeof addGroupKey>
