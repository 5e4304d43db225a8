import type { InputRef } from '@pothos/core'
import { sqlFields } from 'pothos-sql'
import type { Builder } from '../builder.ts'
import { assetAt } from './asset.ts'
import { entityOf } from './entity-of.ts'
import { poolAt } from './pool.ts'
import { userAt } from './user-ref.ts'

const DIMENSIONS = {
  DAY: { description: 'The UTC date.' },
  WEEK: { description: 'The week, starting on Monday (UTC).' },
  MONTH: { description: 'The calendar month (UTC).' },
  POOL: { description: 'The pool.' },
  ASSET: {
    description: 'The token: sides in it of pools. Positions count for both tokens.',
  },
  ENTITY: { description: 'The market or vault. For rewards in a market, the collateral market.' },
  CHAIN: { description: 'The chain.' },
  USER: { description: 'The user.' },
} as const

/** A dimension that series and aggregates are grouped by. */
export const GROUP_BY = 'GroupBy' as never as InputRef<string>

/** The values that the rows of a group share. Dimensions that are not grouped by are omitted. */
export interface Key {
  start?: Date | null
  chainId?: bigint | null
  poolAddress?: string | null
  assetAddress?: string | null
  marketId?: string | null
  vaultId?: string | null
  userAddress?: string | null
}

export function addGroupKey(builder: Builder): void {
  builder.enumType('GroupBy', {
    description: 'A dimension to group by. Each query says which ones it takes.',
    values: DIMENSIONS,
  })
  builder.objectRef<Key>('GroupKey').implement({
    description: 'The values that a group shares. Null are those not grouped by.',
    fields: (t) => ({
      start: t.field({
        type: 'Date',
        nullable: true,
        description: 'The date, or first date of the week or month. Null if not grouped by.',
        resolve: (key) => key.start ?? null,
      }),
      chainId: t.field({
        type: 'SafeInt',
        nullable: true,
        description: 'The chain id, also of a pool, token or entity. Null without any.',
        resolve: (key) => key.chainId ?? null,
      }),
      pool: t.field({
        type: 'Pool',
        nullable: true,
        description: 'The pool. Null if rows are not grouped by pool.',
        ...sqlFields.lookup(poolAt, ['poolAddress']),
      }),
      asset: t.field({
        type: 'Asset',
        nullable: true,
        description: 'The token. Null if rows are not grouped by token.',
        ...sqlFields.lookup(assetAt, ['chainId', 'assetAddress']),
      }),
      entity: t.field({
        ...entityOf,
        description:
          'The market or vault. Null if rows are not grouped by it, or if those of the group ' +
          'are in one of the other kind.',
      }),
      user: t.field({
        type: 'User',
        nullable: true,
        description: 'The user. Null if rows are not grouped by user.',
        ...sqlFields.lookup({ ...userAt, presence: 'address' }, ['userAddress']),
      }),
    }),
  })
}
