import { earningsOf } from '../../../domain/earnings/earnings.ts'
import { netAprOf } from '../../../domain/earnings/net-apr.ts'
import { addPoints } from '../../../domain/points/millionths.ts'
import {
  type MarketHolding,
  marketHoldings,
  type PoolHolding,
  poolHoldings,
  type VaultHolding,
  vaultHoldings,
} from '../../../domain/portfolio/portfolio.ts'
import type { GraphContext } from '../../execution/context.ts'
import { one } from '../../plan/reading.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import { addresses } from './charges.ts'
import type { EarningsRefs } from './earnings.ts'
import { type MarketRef, marketAt } from './market.ts'
import { type PoolRef, poolAt } from './pool.ts'
import { userAt } from './user.ts'
import { type Lookup, MAX_ADDRESSES, readAddresses, type UserLookupRef } from './user-lookup.ts'
import { type VaultRef, vaultAt } from './vault.ts'

interface Portfolio {
  members: Lookup[]
  /** The addresses among them, each once. */
  addresses: string[]
}

type Refs = { UserLookup: UserLookupRef; Pool: PoolRef; Market: MarketRef; Vault: VaultRef } & EarningsRefs

/** What several addresses have together. */
export function addPortfolio(builder: Builder, { UserLookup, Pool, Market, Vault, Earnings, NetApr }: Refs): void {
  const PoolHoldingType = builder.objectRef<PoolHolding>('PortfolioPool').implement({
    description: 'What the wallets have together in a pool on the newest distribution date.',
    fields: (t) => ({
      poolAddress: t.expose('poolAddress', { type: 'Address', description: "The pool's address." }),
      pool: t.field({
        type: Pool,
        nullable: true,
        description: 'The pool; null where the store has none at its address.',
        ...one(poolAt, ['poolAddress']),
      }),
      walletCount: t.exposeInt('walletCount', { description: 'How many of the wallets have a position in it.' }),
      points: t.exposeFloat('points', { description: 'Their points from it on that date.' }),
      suppliedUsd: t.exposeFloat('suppliedUsd', { description: 'Supplied and borrowable, in USD.' }),
      protectedUsd: t.exposeFloat('protectedUsd', { description: 'Supplied and protected (non-borrowable), in USD.' }),
      borrowedUsd: t.exposeFloat('borrowedUsd', { description: 'Borrowed, in USD.' }),
    }),
  })

  const MarketHoldingType = builder.objectRef<MarketHolding>('PortfolioMarket').implement({
    description:
      "What the wallets have together in a market: each one's newest snapshot there, added up. Unknown USD values are left out of a sum, which is null only when all are.",
    fields: (t) => ({
      chainId: t.expose('chainId', { type: 'SafeInt', description: 'The chain.' }),
      marketAddress: t.expose('marketId', { type: 'Address', description: "The market's address." }),
      market: t.field({
        type: Market,
        nullable: true,
        description: 'The market; null where the store has none at its address.',
        ...one(marketAt, ['chainId', 'marketId']),
      }),
      walletCount: t.exposeInt('walletCount', { description: 'How many of the wallets have a snapshot in it.' }),
      collateralAssets: t.expose('collateralAssets', {
        type: 'BigInt',
        description: "Collateral, in the token's smallest unit.",
      }),
      collateralUsd: t.exposeFloat('collateralUsd', {
        nullable: true,
        description: 'Collateral in USD; null: no price.',
      }),
      protectedAssets: t.expose('protectedAssets', {
        type: 'BigInt',
        description: "Protected (non-borrowable) collateral, in the token's smallest unit.",
      }),
      protectedUsd: t.exposeFloat('protectedUsd', {
        nullable: true,
        description: 'Protected collateral in USD; null: no price.',
      }),
      debtAssets: t.expose('debtAssets', { type: 'BigInt', description: "Debt, in the token's smallest unit." }),
      debtUsd: t.exposeFloat('debtUsd', { nullable: true, description: 'Debt in USD; null: no price.' }),
    }),
  })

  const VaultHoldingType = builder.objectRef<VaultHolding>('PortfolioVault').implement({
    description:
      "What the wallets have together in a vault: each one's newest snapshot there, added up. Unknown USD values are left out of a sum, which is null only when all are.",
    fields: (t) => ({
      chainId: t.expose('chainId', { type: 'SafeInt', description: 'The chain.' }),
      vaultAddress: t.expose('vaultId', { type: 'Address', description: "The vault's address." }),
      vault: t.field({
        type: Vault,
        nullable: true,
        description: 'The vault; null where the store has none at its address.',
        ...one(vaultAt, ['chainId', 'vaultId']),
      }),
      walletCount: t.exposeInt('walletCount', { description: 'How many of the wallets have a snapshot in it.' }),
      shares: t.expose('shares', { type: 'BigInt', description: 'Shares of the vault, in their smallest unit.' }),
      assets: t.expose('assets', {
        type: 'BigInt',
        description: "What the shares are worth, in the token's smallest unit.",
      }),
      assetsUsd: t.exposeFloat('assetsUsd', {
        nullable: true,
        description: 'What the shares are worth in USD; null: no price.',
      }),
    }),
  })

  const Portfolio = builder.objectRef<Portfolio>('Portfolio').implement({
    description:
      'What several wallets have together. A wallet that is named twice counts once; a text that is no address is told among the members and left out of the sums.',
    fields: (t) => {
      const users = async ({ addresses }: Portfolio, context: GraphContext) =>
        (await Promise.all(addresses.map((address) => context.batches.load(userAt.load, [address])))).filter(
          (one) => one !== null,
        )
      const netApr = ({ addresses }: Portfolio, context: GraphContext) =>
        context.batches.load(netAprOf, addresses, null)
      const total = (value: 'totalEarnDepositsUsd' | 'totalProtectedUsd' | 'totalBorrowUsd', description: string) =>
        t.float({
          description,
          resolve: async (portfolio, _, context) => (await netApr(portfolio, context))[value],
        })
      return {
        members: t.field({
          type: [UserLookup],
          extensions: { cost: { rows: 'page' } },
          description: 'The wallets, in the order in which they were given.',
          resolve: ({ members }) => members,
        }),
        points: t.float({
          description: 'Points of all wallets over all distribution dates.',
          resolve: async (portfolio, _, context) =>
            addPoints((await users(portfolio, context)).map(({ points }) => points)),
        }),
        positionCount: t.int({
          description: 'Stored positions of all wallets over all distribution dates.',
          resolve: async (portfolio, _, context) =>
            (await users(portfolio, context)).reduce((sum, one) => sum + one.positionCount, 0),
        }),
        bestRank: t.int({
          nullable: true,
          description: 'The best place of a wallet on the leaderboard, from 1; null: no wallet has a stored position.',
          resolve: async (portfolio, _, context) => {
            const ranks = (await users(portfolio, context)).flatMap(({ rank }) => rank ?? [])
            return ranks.length ? Math.min(...ranks) : null
          },
        }),
        suppliedUsd: total(
          'totalEarnDepositsUsd',
          "Collateral that earns and vaults' assets now, in USD: each wallet's newest snapshots. A missing price counts as 0.",
        ),
        protectedUsd: total(
          'totalProtectedUsd',
          "Protected (non-borrowable) collateral now, in USD: each wallet's newest snapshots. A missing price counts as 0.",
        ),
        borrowedUsd: total(
          'totalBorrowUsd',
          "Debt now, in USD: each wallet's newest snapshots. A missing price counts as 0.",
        ),
        earnings: t.field({
          type: Earnings,
          extensions: { cost: { perRow: 10 } },
          description: 'The earnings of all wallets added up, also in each market and vault.',
          resolve: ({ addresses }, _, context) => context.batches.load(earningsOf, addresses, null),
        }),
        netApr: t.field({
          type: NetApr,
          extensions: { cost: { perRow: 10 } },
          description: 'The average rates of the deposits and debts of all wallets together.',
          resolve: (portfolio, _, context) => netApr(portfolio, context),
        }),
        pools: t.field({
          type: [PoolHoldingType],
          extensions: { cost: { weight: 10, perRow: 5, rows: 20 } },
          description: 'What they have in every pool on the newest distribution date, most points first.',
          resolve: ({ addresses }, _, { reader }) => poolHoldings(reader, addresses),
        }),
        markets: t.field({
          type: [MarketHoldingType],
          extensions: { cost: { weight: 10, perRow: 5, rows: 20 } },
          description: 'What they have in every market now, by chain, then address.',
          resolve: ({ addresses }, _, { reader }) => marketHoldings(reader, addresses),
        }),
        vaults: t.field({
          type: [VaultHoldingType],
          extensions: { cost: { weight: 10, perRow: 5, rows: 20 } },
          description: 'What they have in every vault now, by chain, then address.',
          resolve: ({ addresses }, _, { reader }) => vaultHoldings(reader, addresses),
        }),
      }
    },
  })

  builder.queryFields((t) => ({
    portfolio: t.field({
      type: Portfolio,
      extensions: { cost: { weight: (given) => 1 + 10 * addresses(given), page: addresses } satisfies FieldCost },
      description:
        'What several wallets have together: however many there are, each field takes the same few statements.',
      args: {
        addresses: t.arg.stringList({
          required: true,
          description: `The wallets' addresses, at most ${MAX_ADDRESSES}.`,
        }),
      },
      resolve: (_, args) => {
        const members = readAddresses(args.addresses)
        const addresses = members.flatMap(({ address }) => (address ? [address] : []))
        return { members, addresses: [...new Set(addresses)].sort() }
      },
    }),
  }))
}
