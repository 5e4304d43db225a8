import type { BoostPoolFragment, BoostSideFragment } from 'lending-graph-client'

/** A way to earn: a token that is supplied to a pool, or borrowed from it. */
export interface PoolSide<Side extends BoostSideFragment = BoostSideFragment> {
  key: string
  pool: BoostPoolFragment
  asset: BoostPoolFragment['assetA']
  /** Null if the store has no market of the side. */
  market: Side | null
  isBorrowed: boolean
  /** The points per day of a dollar. Null if the store does not know them. */
  perDollar: number | null
  /** The multiplier that is in it. Null if the pool has none. */
  factor: number | null
  apr: number | null
}

type Pool<Side> = BoostPoolFragment & { marketA: Side | null; marketB: Side | null }

/** The sides of pools, each supplied and borrowed. */
export const sidesOf = <Side extends BoostSideFragment>(
  pools: readonly Pool<Side>[],
): PoolSide<Side>[] =>
  pools.flatMap((pool) => [...sideOf(pool, 'A', pool.marketA), ...sideOf(pool, 'B', pool.marketB)])

function sideOf<Side extends BoostSideFragment>(
  pool: BoostPoolFragment,
  letter: 'A' | 'B',
  market: Side | null,
): PoolSide<Side>[] {
  const { multiplier, [`asset${letter}` as const]: asset } = pool
  return [
    {
      key: `${pool.id} ${letter} deposit`,
      ...{ pool, asset, market, isBorrowed: false },
      perDollar: market?.depositPointsPerDollar ?? null,
      factor: multiplier?.[`deposit${letter}`] ?? null,
      apr: market?.depositApr ?? null,
    },
    {
      key: `${pool.id} ${letter} borrow`,
      ...{ pool, asset, market, isBorrowed: true },
      perDollar: market?.borrowPointsPerDollar ?? null,
      factor: multiplier?.[`borrow${letter}`] ?? null,
      apr: market?.borrowApr ?? null,
    },
  ]
}
