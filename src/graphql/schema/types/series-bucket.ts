import type { ObjectFieldBuilder } from '@pothos/core'
import type { RankedPoints } from '../../../domain/leaderboard/rank-history.ts'
import type { CalendarBucket } from '../../../domain/series/calendar.ts'
import type { EarningsBucket } from '../../../domain/series/earnings-series.ts'
import type { NetAprBucket } from '../../../domain/series/net-apr-series.ts'
import type { Levels } from '../../../domain/series/pool-series.ts'
import type { UserRewards } from '../../../domain/series/user-series.ts'
import type { Builder, Types } from '../builder.ts'
import { EARNED } from './charges.ts'

/** A bucket with lazy values: the first access reads the values of all buckets at once. */
export interface Bucket {
  start: Date
  program(): Promise<CalendarBucket | undefined>
  points(): Promise<number>
  /** Number of positions on the bucket's last date. 0 if there were none. */
  positionCount(): Promise<number>
  /** Of pools. Undefined without a position. */
  levels?(): Promise<Levels | undefined>
  /** True if all amounts are of one token. */
  ofToken?: boolean
  /** Number of users with a position on the bucket's last date. Null if unknown. */
  userCount?(): Promise<number | null>
  rewards?(): Promise<UserRewards | undefined>
  /** The users' points and best rank as of the bucket's last date. */
  rankedPoints?(): Promise<Pick<RankedPoints, 'points' | 'rank'> | undefined>
  /** The users' worth and earnings as of the bucket's end. */
  earnings?(): Promise<EarningsBucket | undefined>
  /** The users' average rates as of the bucket's end. */
  netApr?(): Promise<NetAprBucket | undefined>
}

/** The fields of every bucket. A gap is a bucket without a distribution: counts of positions are null in it. */
const sharedFields = (t: ObjectFieldBuilder<Types, Bucket>) => ({
  start: t.expose('start', { type: 'Date', description: "The bucket's first date." }),
  lastDate: t.field({
    type: 'Date',
    nullable: true,
    description: 'The last distribution date: that of its positions. Null in a gap.',
    resolve: async (bucket) => (await bucket.program())?.lastDate ?? null,
  }),
  distributionCount: t.int({
    description: 'Number of distribution dates in the bucket. 0 in a gap.',
    resolve: async (bucket) => (await bucket.program())?.distributionCount ?? 0,
  }),
  points: t.float({ description: 'Points, summed over the bucket.', resolve: (bucket) => bucket.points() }),
  positionCount: t.int({
    nullable: true,
    description: 'Number of positions on `lastDate`. Null in a gap.',
    resolve: async (bucket) => ((await bucket.program()) ? await bucket.positionCount() : null),
  }),
})

const AMOUNTS = {
  supplied: 'Borrowable supply',
  protected: 'Non-borrowable supply',
  borrowed: 'Amount borrowed',
  liquidity: 'Supply not lent out',
}

export function addSeriesBuckets(builder: Builder) {
  const UserSeriesBucket = builder.objectRef<Bucket>('UserSeriesBucket').implement({
    description:
      'One date, week or month of the series of a user, or of the users of a portfolio combined. Points and rewards are summed over the bucket; worth and earnings are those at its end, also in a gap.',
    fields: (t) => {
      const cost = { weight: EARNED }
      const earned = (name: 'netCashInvestedUsd' | 'earningsUsd', description: string) =>
        t.float({
          nullable: true,
          extensions: { cost },
          description,
          resolve: async (bucket) => (await bucket.earnings?.())?.[name] ?? null,
        })
      const rewardsUsd = (kind: 'market' | 'vault') =>
        t.float({
          nullable: true,
          description: `Liquidation rewards in ${kind}s, in USD. Rewards without a price are left out. Null if there are rewards but none has a price.`,
          resolve: async (bucket) => {
            const rewards = await bucket.rewards?.()
            return rewards ? rewards[`${kind}Usd`] : 0
          },
        })
      const netApr = (kind: 'Deposit' | 'Borrow', weights: string) =>
        t.float({
          nullable: true,
          extensions: { cost },
          description: `The average ${kind.toLowerCase()} APR at the end of the bucket as a fraction, weighted by ${weights} in USD, like \`netApr(asOf)\`. 0 without any; null before the first snapshot, and where no rate of them is known.`,
          resolve: async (bucket) => (await bucket.netApr?.())?.[`net${kind}Apr`] ?? null,
        })
      return {
        ...sharedFields(t),
        netDepositApr: netApr('Deposit', 'deposits'),
        netBorrowApr: netApr('Borrow', 'debt'),
        worth: t.field({
          type: 'Worth',
          nullable: true,
          extensions: { cost },
          description:
            'The worth at the end of the bucket, by the newest snapshots up to it, like `worth(asOf)`. Null before the first snapshot, and where one of them lacks a price: `hasIncompletePrices`.',
          resolve: async (bucket) => {
            const worth = (await bucket.earnings?.())?.worth
            return worth && !worth.hasIncompletePrices ? worth : null
          },
        }),
        netCashInvestedUsd: earned(
          'netCashInvestedUsd',
          'Net cash invested, in USD: deposits + repayments - withdrawals - borrowings in each market and vault, up to its newest snapshot. Null before the first snapshot, and once one of them lacks a price.',
        ),
        earningsUsd: earned(
          'earningsUsd',
          'Total earnings, in USD: `worth.netUsd` minus `netCashInvestedUsd`. Both are of the same snapshots, so that a deposit does not count as a loss until the next one. Null if either is.',
        ),
        pendingCashUsd: t.float({
          nullable: true,
          extensions: { cost },
          description:
            'Net cash of the cash flows after the snapshots and up to the end of the bucket, in USD: no snapshot shows them yet, so the bucket leaves them out. `earnings(asOf)` counts them: with all prices known it is this much less than `earningsUsd`. Null if one of them lacks a price.',
          resolve: async (bucket) => {
            const earnings = await bucket.earnings?.()
            return earnings ? earnings.pendingCashUsd : 0
          },
        }),
        hasIncompletePrices: t.boolean({
          nullable: true,
          extensions: { cost },
          description:
            'True if the price of an amount other than 0 is missing in the snapshots or the cash flows up to them: what depends on it is null here, and counts it as 0 in `earnings(asOf)`. Null before the first snapshot.',
          resolve: async (bucket) => {
            const earnings = await bucket.earnings?.()
            return earnings?.worth ? earnings.earningsUsd === null : null
          },
        }),
        totalPoints: t.float({
          nullable: true,
          description: 'The points up to `lastDate`. Null in a gap and before the first.',
          resolve: async (bucket) => (await bucket.rankedPoints?.())?.points ?? null,
        }),
        rank: t.int({
          nullable: true,
          description:
            "The rank on the leaderboard as of the bucket's last distribution date, starting at 1; of a portfolio, the best rank of its users. Null in a gap, before the first position, and briefly while the ranks of the date are recomputed after a run for it or for an earlier date.",
          resolve: async (bucket) => (await bucket.rankedPoints?.())?.rank ?? null,
        }),
        liquidationRewardCount: t.int({
          description: 'Number of liquidation rewards in the bucket, by time.',
          resolve: async (bucket) => {
            const rewards = await bucket.rewards?.()
            return rewards ? rewards.marketCount + rewards.vaultCount : 0
          },
        }),
        marketLiquidationRewardsUsd: rewardsUsd('market'),
        vaultLiquidationRewardsUsd: rewardsUsd('vault'),
      }
    },
  })

  const PoolSeriesBucket = builder.objectRef<Bucket>('PoolSeriesBucket').implement({
    description:
      'One date, week or month of the series of a market, of a pool or of several pools combined. Points are summed over the bucket; amounts are those of its last distribution date.',
    fields: (t) => {
      const level = (name: 'suppliedUsd' | 'protectedUsd' | 'tvlUsd' | 'borrowedUsd', description: string) =>
        t.float({
          nullable: true,
          description: `${description} Null in a gap.`,
          resolve: async (bucket) => ((await bucket.program()) ? ((await bucket.levels?.())?.[name] ?? 0) : null),
        })
      const amount = (name: keyof typeof AMOUNTS) =>
        t.field({
          type: 'TokenAmount',
          nullable: true,
          extensions: { cost: { weight: 0 } },
          description: `${AMOUNTS[name]} on \`lastDate\`. \`value\` is null in series of several tokens. Null in a gap.`,
          resolve: async (bucket) => {
            if (!(await bucket.program())) return null
            const levels = await bucket.levels?.()
            const value = bucket.ofToken ? (levels?.[name] ?? '0') : null
            return { raw: null, decimals: null, value, usd: levels?.[`${name}Usd`] ?? 0 }
          },
        })
      return {
        ...sharedFields(t),
        suppliedUsd: level('suppliedUsd', 'Borrowable supply on `lastDate`, in USD.'),
        protectedUsd: level('protectedUsd', 'Non-borrowable supply on `lastDate`, in USD.'),
        tvlUsd: level('tvlUsd', 'Total value locked on `lastDate`, in USD.'),
        borrowedUsd: level('borrowedUsd', 'Amount borrowed on `lastDate`, in USD.'),
        supplied: amount('supplied'),
        protected: amount('protected'),
        borrowed: amount('borrowed'),
        liquidity: amount('liquidity'),
        utilization: t.float({
          nullable: true,
          description: '`borrowedUsd` divided by `suppliedUsd`, as a fraction. Null in a gap and without a supply.',
          resolve: async (bucket) => {
            const { suppliedUsd = 0, borrowedUsd = 0 } = ((await bucket.program()) && (await bucket.levels?.())) || {}
            return suppliedUsd > 0 ? Math.min(borrowedUsd / suppliedUsd, Number.MAX_VALUE) : null
          },
        }),
        userCount: t.int({
          nullable: true,
          description:
            'Number of users with a position on the last distribution date. Null in a gap, and in series of chains and tokens, where it is unknown.',
          resolve: async (bucket) => ((await bucket.program()) && bucket.userCount ? await bucket.userCount() : null),
        }),
      }
    },
  })
  return { UserSeriesBucket, PoolSeriesBucket }
}
