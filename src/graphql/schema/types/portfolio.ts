import { sqlFields } from 'pothos-sql'
import { earningsOf } from '../../../domain/earnings/earnings.ts'
import { netAprOf } from '../../../domain/earnings/net-apr.ts'
import { placeColumns } from '../../../domain/holding/place.ts'
import { worthOf } from '../../../domain/holding/worth.ts'
import { together } from '../../../domain/leaderboard/rank-history.ts'
import {
  type EntityHolding,
  entityHoldings,
  type PoolHolding,
  type Portfolio as PortfolioRow,
  poolHoldings,
  positionCountAsOf,
} from '../../../domain/portfolio/portfolio.ts'
import { amountColumns } from '../../../domain/snapshot/snapshot.ts'
import type { GraphContext } from '../../context.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { addedUp, addresses, RANKED_POINTS } from './charges.ts'
import { assertPeriod, sinceArgument } from './earnings.ts'
import { entityOf } from './entity-of.ts'
import { poolAt, poolField } from './pool.ts'
import { assertAddresses, MAX_ADDRESSES } from './user-lookup.ts'
import { rankedPointsAt } from './user-rank.ts'
import { userAt } from './user-ref.ts'

// The end of descriptions of fields that depend on `at`.
const upTo = ', or those up to `at`'

export function addPortfolio(builder: Builder): void {
  const PoolHoldingType = builder.objectRef<PoolHolding>('PortfolioPool').implement({
    description: 'The combined positions of the users in a pool on one date.',
    fields: (t) => ({
      poolAddress: t.expose('poolAddress', { type: 'Address', description: "The pool's address." }),
      pool: t.field({ ...poolField, ...sqlFields.lookup(poolAt, ['poolAddress']) }),
      userCount: t.exposeInt('userCount', {
        description: 'Number of the users with a position in the pool.',
      }),
      points: t.exposeFloat('points', {
        description: 'Points of the users from the pool on that date.',
      }),
      suppliedUsd: t.exposeFloat('suppliedUsd', { description: 'Borrowable supply, in USD.' }),
      protectedUsd: t.exposeFloat('protectedUsd', {
        description: 'Protected (non-borrowable) supply, in USD.',
      }),
      borrowedUsd: t.exposeFloat('borrowedUsd', { description: 'Amount borrowed, in USD.' }),
    }),
  })

  const EntityHoldingType = builder.objectRef<EntityHolding>('PortfolioEntity').implement({
    description:
      "The combined holdings of the users in a market or vault: the sum of each user's newest " +
      'snapshot there. Unknown USD values are left out of a sum, which is null only if all of ' +
      'them are unknown.',
    fields: (t) => ({
      ...columnFields(t, { ...placeColumns, ...amountColumns }, { entityType: 'EntityType' }),
      entity: t.field(entityOf),
      userCount: t.exposeInt('userCount', {
        description: 'Number of the users with a snapshot there.',
      }),
    }),
  })

  const Portfolio = builder.objectRef<PortfolioRow>('Portfolio').implement({
    description: 'The combined holdings of several users. Repeated ones count once.',
    fields: (t) => {
      const accounts = async ({ addresses }: PortfolioRow, { batches }: GraphContext) =>
        (
          await Promise.all(addresses.map((address) => batches.load(userAt.load, [address])))
        ).filter((one) => one !== null)
      const rankedPoints = async (portfolio: PortfolioRow, context: GraphContext) => {
        const { addresses, at } = portfolio
        if (!at) return together(await accounts(portfolio, context))
        const all = addresses.map((address) =>
          context.batches.load(rankedPointsAt.load, [address, at]),
        )
        return together((await Promise.all(all)).filter((one) => one !== null))
      }
      return {
        users: t.field({
          type: ['User'],
          extensions: { cost: { rows: 'page' } },
          description: 'The users, in the order in which their addresses were given.',
          resolve: ({ users }) => users.map((address) => ({ address })),
        }),
        totalPoints: t.float({
          extensions: { cost: RANKED_POINTS },
          description: `Total points of all users over all dates${upTo}.`,
          resolve: async (portfolio, _, context) => (await rankedPoints(portfolio, context)).points,
        }),
        recordCount: t.int({
          extensions: { cost: RANKED_POINTS },
          description: `Number of stored positions over all dates${upTo}.`,
          resolve: async (portfolio, _, context) => {
            const { addresses, at } = portfolio
            if (at) return positionCountAsOf(context.reader, addresses, at)
            return (await accounts(portfolio, context)).reduce(
              (sum, one) => sum + one.positionCount,
              0,
            )
          },
        }),
        bestRank: t.int({
          extensions: { cost: RANKED_POINTS },
          nullable: true,
          description:
            'The best leaderboard rank among the users, starting at 1. Null if no user has a ' +
            'stored position by then, and briefly while the ranks of a past date are ' +
            'recomputed.',
          resolve: async (portfolio, _, context) => (await rankedPoints(portfolio, context)).rank,
        }),
        worth: t.field({
          type: 'Worth',
          nullable: true,
          extensions: { cost: { once: 50, perRow: addedUp({}) } },
          description:
            'The worth of all users together: the sum of their newest snapshots in each market ' +
            `and vault${upTo}. Null if no such snapshot is stored.`,
          resolve: ({ addresses, at }, _, context) =>
            context.batches.load(worthOf, addresses, null, at),
        }),
        earnings: t.field({
          type: 'Earnings',
          extensions: { cost: { once: 50, perRow: addedUp } },
          description:
            'The combined earnings of all users, in total and in each market and vault. With ' +
            '`since`, what they changed by since then.',
          args: { since: sinceArgument(t.arg) },
          resolve: ({ addresses, at }, { since = null }, context) => {
            assertPeriod({ since, at })
            return context.batches.load(earningsOf, addresses, null, at, since)
          },
        }),
        netApr: t.field({
          type: 'NetApr',
          extensions: { cost: { once: 50, perRow: addedUp({}) } },
          description: 'The average APR of the combined deposits and debts of all users.',
          resolve: ({ addresses, at }, _, context) =>
            context.batches.load(netAprOf, addresses, null, at),
        }),
        pools: t.field({
          type: [PoolHoldingType],
          extensions: { cost: { once: 100, weight: 10, perRow: 3, rows: 20 } },
          description: 'The positions in each pool on the last date up to `at`, by points.',
          resolve: ({ addresses, at }, _, { reader }) => poolHoldings(reader, addresses, at),
        }),
        entities: t.field({
          type: [EntityHoldingType],
          extensions: { cost: { once: 200, weight: 20, perRow: 3, rows: 40 } },
          description: 'The holdings in each market, then each vault, by chain, then address.',
          resolve: ({ addresses, at }, _, { reader }) => entityHoldings(reader, addresses, at),
        }),
      }
    },
  })

  builder.queryFields((t) => ({
    portfolio: t.field({
      type: Portfolio,
      extensions: {
        cost: { weight: (args) => 1 + addresses(args), page: addresses } satisfies FieldCost,
        unplanned: 'It adds up the holdings of several users.',
      },
      description: 'The combined holdings of several users, now or at a past time.',
      args: {
        addresses: t.arg({
          type: ['Address'],
          required: true,
          description: `The addresses of the users, at most ${MAX_ADDRESSES}.`,
        }),
        at: t.arg({
          type: 'DateTime',
          description:
            'The point in time: only snapshots and cash flows at or before it, and ' +
            'distribution dates up to it. Defaults to the newest of all. Leave it ' +
            'out for `users` and `series`.',
        }),
      },
      resolve: (_, { at = null, addresses }) => {
        assertAddresses(addresses)
        return { users: addresses, addresses: [...new Set(addresses)].sort(), at }
      },
    }),
  }))
}
