import * as z from 'zod'
import type { EntityType } from '../generated/operations/graphql.ts'

export const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .describe('An address, in lower case.')
export const timestamp = z.iso
  .datetime({ precision: 3 })
  .describe('ISO 8601 UTC with milliseconds.')
export const digits = z.string().regex(/^[0-9]+$/)
export const usd = z.number().describe('In USD.')

export const nullable = <T extends z.ZodType>(type: T) => z.union([type, z.null()])
export const safeInteger = z.int().min(0)

export const envelope = <T extends z.ZodType, F extends z.ZodRawShape>(data: T, filters: F) =>
  z.strictObject({
    data,
    pagination: z
      .strictObject({
        page: safeInteger,
        page_size: safeInteger,
        total: safeInteger,
        has_more: z.boolean(),
      })
      .describe('The page and the total number of rows.'),
    filters: z
      .strictObject(filters)
      .describe('The filters that were applied. Null for a filter that was not given.'),
  })

/** The pagination object of a page that has `rows` of `total` rows. */
export function pagination(
  { page, page_size }: { page: number; page_size: number },
  total: number,
  rows: number,
) {
  const before = (BigInt(page) - 1n) * BigInt(page_size)
  return { page, page_size, total, has_more: rows > 0 && before + BigInt(rows) < BigInt(total) }
}

export const entityType = z.enum(['market', 'vault'])

/** Names the entity type of a breakdown's item as the document does. */
export const documented = <T extends { entity_type: EntityType }>(item: T) => ({
  ...item,
  entity_type: item.entity_type === 'MARKET' ? ('market' as const) : ('vault' as const),
})

export const liquidationReward = {
  txHash: z.string(),
  logIndex: safeInteger,
  timestamp: digits,
  accountId: address,
  supplySent: digits,
  supplySentUsd: nullable(usd),
  collateralReceived: digits,
  collateralReceivedUsd: nullable(usd),
  liquidReward: digits,
  liquidRewardUsd: nullable(usd),
  userRoi: nullable(z.string()),
  claimedTimestamp: nullable(digits),
}

export const multiplierShape = z.strictObject({
  id: z.string().meta({ format: 'uuid' }),
  poolAddress: address,
  deposit_tokenA: z.number(),
  deposit_tokenB: z.number(),
  borrow_tokenA: z.number(),
  borrow_tokenB: z.number(),
  tokenA_address: address,
  tokenB_address: address,
  tokenA_symbol: z.string(),
  tokenB_symbol: z.string(),
  poolName: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
})

const side = <S extends 'a' | 'b'>(s: S) => ({
  [`${s}TokenAddress`]: address,
  [`${s}TokenSymbol`]: z.string(),
  [`${s}TokenPrice`]: z.number(),
  [`${s}SuppliedAmount`]: z.number(),
  [`${s}SuppliedAmountUsd`]: z.number(),
  [`${s}ProtectedSuppliedAmount`]: z.number(),
  [`${s}ProtectedSuppliedAmountUsd`]: z.number(),
  [`${s}BorrowedAmount`]: z.number(),
  [`${s}BorrowedAmountUsd`]: z.number(),
})

export const positionShape = z.strictObject({
  id: z.string(),
  userAddress: address,
  marketAddress: address,
  distributionDate: timestamp,
  pointsA: z.number(),
  pointsB: z.number(),
  points: z.number(),
  ...side('a'),
  ...side('b'),
})

export const runShape = z.strictObject({
  distributionDate: timestamp,
  positionCount: safeInteger,
  totalPoints: z.number(),
  startedAt: timestamp,
  finishedAt: timestamp,
})
