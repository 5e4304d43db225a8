import { one } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import { type MarketRef, marketAt } from './market.ts'
import { type PoolRef, poolAt } from './pool.ts'
import { type UserRef, userAt } from './user-ref.ts'
import { type VaultRef, vaultAt } from './vault.ts'

/** The values that the rows of a group share. Dimensions that are not grouped by are omitted. */
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

/** Adds the key of a group, which series and aggregates share. */
export function addGroupKey(builder: Builder, { User, Pool, Market, Vault }: Refs) {
  return builder.objectRef<Key>('GroupKey').implement({
    description: 'The values that the rows of a group share. A field is null if rows are not grouped by it.',
    fields: (t) => ({
      start: t.field({
        type: 'Date',
        nullable: true,
        description: 'The date, or the first date of the week or month. Null if rows are not grouped by time.',
        resolve: (key) => key.start ?? null,
      }),
      chainId: t.field({
        type: 'SafeInt',
        nullable: true,
        description:
          'The chain id, also for groups by pool, token, market or vault. Null if rows are grouped by none of these, or if the pool is not stored.',
        resolve: (key) => key.chainId ?? null,
      }),
      poolAddress: t.field({
        type: 'Address',
        nullable: true,
        description: "The pool's address. Null if rows are not grouped by pool.",
        resolve: (key) => key.poolAddress ?? null,
      }),
      pool: t.field({
        type: Pool,
        nullable: true,
        description: 'The pool. Null if it is not stored, or if rows are not grouped by pool.',
        ...one(poolAt, ['poolAddress']),
      }),
      assetAddress: t.field({
        type: 'Address',
        nullable: true,
        description: "The token's address. Null if rows are not grouped by token.",
        resolve: (key) => key.assetAddress ?? null,
      }),
      marketAddress: t.field({
        type: 'Address',
        nullable: true,
        description: "The market's address. Null if rows are not grouped by market.",
        resolve: (key) => key.marketAddress ?? null,
      }),
      market: t.field({
        type: Market,
        nullable: true,
        description: 'The market. Null if it is not stored, or if rows are not grouped by market.',
        ...one(marketAt, ['chainId', 'marketAddress']),
      }),
      vaultAddress: t.field({
        type: 'Address',
        nullable: true,
        description: "The vault's address. Null if rows are not grouped by vault.",
        resolve: (key) => key.vaultAddress ?? null,
      }),
      vault: t.field({
        type: Vault,
        nullable: true,
        description: 'The vault. Null if it is not stored, or if rows are not grouped by vault.',
        ...one(vaultAt, ['chainId', 'vaultAddress']),
      }),
      user: t.field({
        type: User,
        nullable: true,
        description: 'The user. Null if rows are not grouped by user.',
        ...one(userAt, ['userAddress']),
      }),
    }),
  })
}

export type GroupKeyRef = ReturnType<typeof addGroupKey>
