import type { GraphQLSchema } from 'graphql'
import { type BasePoints, PUBLISHED } from '../../domain/points/formula.ts'
import { addListInputTypes } from '../fields/list-inputs.ts'
import { type Builder, createBuilder } from './builder.ts'
import { addScalars, withExactFloats } from './scalars.ts'
import { addActivity } from './types/activity.ts'
import { addAggregates } from './types/aggregates.ts'
import { addAsset } from './types/asset.ts'
import { addAssetPrice } from './types/asset-price.ts'
import { addAtRisk } from './types/at-risk.ts'
import { addBasePoints } from './types/base-points.ts'
import { addChange } from './types/change.ts'
import { addDataVersion } from './types/data-version.ts'
import { addDistribution } from './types/distribution.ts'
import { addEarnings } from './types/earnings.ts'
import { addEntity } from './types/entity.ts'
import { addEstimate } from './types/estimate.ts'
import { addGroupBy, addGroupKey } from './types/group-key.ts'
import { addLeaderboard } from './types/leaderboard.ts'
import { addLedger } from './types/ledger.ts'
import { addLegacy } from './types/legacy.ts'
import { addLimits } from './types/limits.ts'
import { addLiquidationReward } from './types/liquidation-reward.ts'
import { addLive } from './types/live.ts'
import { addMarket } from './types/market.ts'
import { addMultiplier } from './types/multiplier.ts'
import { addMultiplierRevision } from './types/multiplier-revision.ts'
import { addPointsPerDay } from './types/points-per-day.ts'
import { addPool } from './types/pool.ts'
import { addPoolTotals } from './types/pool-totals.ts'
import { addPortfolio } from './types/portfolio.ts'
import { addPosition } from './types/position.ts'
import { positionInputs, positionRef, positionsRef } from './types/position-ref.ts'
import { addPriceSeries } from './types/price-series.ts'
import { addRateSeries } from './types/rate-series.ts'
import { addRevokeInput } from './types/record-number.ts'
import { addDistributionKind, addRun } from './types/run.ts'
import { addSearch } from './types/search.ts'
import { addSeason } from './types/season.ts'
import { addSeries } from './types/series.ts'
import { addSeriesFields } from './types/series-span.ts'
import { addSnapshot } from './types/snapshot.ts'
import { addStatus } from './types/status.ts'
import { addTokenAmount } from './types/token-amount.ts'
import { addUser } from './types/user.ts'
import { addUserLookup } from './types/user-lookup.ts'
import { addUserRank } from './types/user-rank.ts'
import { userRef } from './types/user-ref.ts'
import { addVault } from './types/vault.ts'
import { addVaultTotals } from './types/vault-totals.ts'
import { addWorth } from './types/worth.ts'

/** The decisions of the operator. */
export interface SchemaOptions {
  /** The points of a dollar where no revision counts. */
  basePoints?: BasePoints
  /** The hosts whose links to logos are shown. */
  logoHosts?: readonly string[]
}

export function createSchema({ basePoints = PUBLISHED, logoHosts = [] }: SchemaOptions = {}): GraphQLSchema {
  const builder = createBuilder()
  addTypes(builder, { basePoints, logoHosts })
  return withExactFloats(builder.toSchema())
}

/**
 * Adds all types. Each file in types/ has a type, the queries that return it and the mutations that change it.
 * @returns the types that other subgraphs may reference
 */
export function addTypes(builder: Builder, { basePoints = PUBLISHED, logoHosts = [] }: SchemaOptions = {}) {
  addScalars(builder)
  const Query = builder.queryType({
    description: 'Each response is read from one database snapshot: its numbers agree.',
  })
  builder.mutationType({ description: 'Mutations, for operators. They require the admin token.' })
  builder.globalConnectionField('totalCount', (t) =>
    t.int({
      description: 'The number of rows over all pages, counted only when selected.',
      extensions: { cost: { weight: 'count' } },
      resolve: (connection) => connection.totalCount(),
    }),
  )

  const { listInputs } = addListInputTypes(builder)
  const TokenAmount = addTokenAmount(builder)
  const legacy = addLegacy(builder)
  const User = userRef(builder)
  const Position = positionRef(builder)
  const Positions = positionsRef(builder, Position)
  const PositionInputs = positionInputs(listInputs)
  const Asset = addAsset(builder, { listInputs, logoHosts })
  const Pool = addPool(builder, { listInputs, Asset, PositionInputs, Positions, legacy })
  addAssetPrice(builder, { Asset, Pool })
  const entities = addEntity(builder, Asset)
  const { Entity } = entities
  const Market = addMarket(builder, { listInputs, Asset, Pool, Entity })
  const Vault = addVault(builder, { listInputs, Asset, Entity })
  const activity = addActivity(builder, { listInputs, legacy, Asset, User, Pool, Market, Vault, ...entities })
  const snapshots = addSnapshot(builder, { listInputs, legacy, User, Market, Vault, ...entities })
  const rewards = addLiquidationReward(builder, { listInputs, legacy, User, Market, ...entities })
  const earnings = addEarnings(builder, { Asset, Pool, ...entities })
  const Worth = addWorth(builder)
  addLeaderboard(builder, { listInputs, User })
  const { MultiplierRevision, ...revisions } = addMultiplierRevision(builder, { listInputs, Pool })
  const RevokeInput = addRevokeInput(builder)
  const { MultiplierInput } = addMultiplier(builder, {
    listInputs,
    legacy,
    Pool,
    MultiplierRevision,
    RevokeInput,
    ...revisions,
  })
  addBasePoints(builder, RevokeInput)
  const DistributionKind = addDistributionKind(builder)
  const runs = addRun(builder, { listInputs, DistributionKind, ...revisions })
  addLedger(builder, { listInputs, Pool, Run: runs.Run, User, MultiplierRevision })
  addPosition(builder, {
    legacy,
    Asset,
    TokenAmount,
    Position,
    PositionInputs,
    Positions,
    Pool,
    User,
    MultiplierRevision,
    Run: runs.Run,
  })
  const { Distribution, Program } = addDistribution(builder, {
    listInputs,
    PositionInputs,
    Positions,
    DistributionKind,
    MultiplierInput,
    User,
    ...runs,
  })
  addUser(builder, {
    listInputs,
    PositionInputs,
    User,
    Position,
    Positions,
    Worth,
    ...activity,
    ...earnings,
    ...snapshots,
    ...rewards,
  })
  addSeason(builder, { Program })
  addDataVersion(builder)
  addLimits(builder)
  addStatus(builder, { Distribution, Run: runs.Run })
  addLive(builder, { Query, Distribution, Run: runs.Run })
  const GroupBy = addGroupBy(builder)
  const GroupKey = addGroupKey(builder, { User, Pool, Asset, Entity })
  addUserLookup(builder, { User })
  const Portfolio = addPortfolio(builder, { User, Pool, Worth, ...entities, ...earnings })
  const seriesFields = addSeriesFields(builder)
  addSeries(builder, {
    User,
    Asset,
    Market,
    Pool,
    Program,
    Portfolio,
    Worth,
    TokenAmount,
    GroupKey,
    GroupBy,
    ...seriesFields,
  })
  addRateSeries(builder, { Market, Vault, ...seriesFields })
  addVaultTotals(builder, { Vault, ...seriesFields })
  addPriceSeries(builder, { Asset, ...seriesFields })
  addUserRank(builder, { User })
  addEstimate(builder, { Market, Vault, basePoints })
  addPointsPerDay(builder, { Position, User, basePoints })
  addChange(builder, { User, Pool })
  addPoolTotals(builder, { Pool, MultiplierRevision })
  addAtRisk(builder, { Pool, Market })
  addAggregates(builder, { TokenAmount, GroupKey, GroupBy, PositionInputs, ...snapshots, ...rewards })
  addSearch(builder, { Pool, Market, Vault, User })
  return { User, Pool, Market, Vault }
}
