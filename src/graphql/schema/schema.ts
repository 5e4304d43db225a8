import {
  buildASTSchema,
  type GraphQLSchema,
  lexicographicSortSchema,
  parse,
  printSchema,
  visit,
} from 'graphql'
import { addListInputTypes, resolveInTurns } from 'pothos-sql/host'
import { type BasePoints, PUBLISHED } from '../../domain/points/formula.ts'
import { addHookTypes } from '../../hooks/graph.ts'
import { type Builder, createBuilder } from './builder.ts'
import { addScalars, withExactFloats } from './scalars.ts'
import { directives } from './specified-directives.ts'
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
import { addErrorCode } from './types/error-code.ts'
import { addEstimate } from './types/estimate.ts'
import { addGroupKey } from './types/group-key.ts'
import { addHealthPreview } from './types/health-preview.ts'
import { addHolder } from './types/holder.ts'
import { addLeaderboard } from './types/leaderboard.ts'
import { addLedger } from './types/ledger.ts'
import { addLegacy } from './types/legacy.ts'
import { addLimits } from './types/limits.ts'
import { addLiquidation } from './types/liquidation.ts'
import { addLiquidationReward } from './types/liquidation-reward.ts'
import { addLiquidationTrigger } from './types/liquidation-trigger.ts'
import { addLive } from './types/live.ts'
import { addMarket } from './types/market.ts'
import { addMultiplier } from './types/multiplier.ts'
import { addMultiplierRevision } from './types/multiplier-revision.ts'
import { addPointsPerDay } from './types/points-per-day.ts'
import { addPool } from './types/pool.ts'
import { addPoolTotals } from './types/pool-totals.ts'
import { addPortfolio } from './types/portfolio.ts'
import { addPosition } from './types/position.ts'
import { addPriceSeries } from './types/price-series.ts'
import { addProblem } from './types/problem.ts'
import { addRateSeries } from './types/rate-series.ts'
import { addRevokeInput } from './types/record-number.ts'
import { addRun } from './types/run.ts'
import { addSearch } from './types/search.ts'
import { addSeason } from './types/season.ts'
import { addSeries } from './types/series.ts'
import { addInterval } from './types/series-span.ts'
import { addSnapshot } from './types/snapshot.ts'
import { addStatus } from './types/status.ts'
import { addTokenAmount } from './types/token-amount.ts'
import { addUser } from './types/user.ts'
import { addUserLookup } from './types/user-lookup.ts'
import { addUserRank } from './types/user-rank.ts'
import { addVault } from './types/vault.ts'
import { addVaultTotals } from './types/vault-totals.ts'
import { addWorth } from './types/worth.ts'

const TO_THE_UNIT =
  ', to the unit in which the value is stored: the second of a snapshot or a reward, ' +
  'the millisecond of other times'

export interface SchemaOptions {
  /** The points of a dollar where no revision counts. */
  basePoints?: BasePoints
  /** The hosts whose links to logos are shown. */
  logoHosts?: readonly string[]
  /** The name of the points program. */
  config?: { PROGRAM_NAME?: string | undefined }
}

export function createSchema(options: SchemaOptions = {}): GraphQLSchema {
  const builder = createBuilder()
  addTypes(builder, options)
  return resolveInTurns(withExactFloats(builder.toSchema({ directives })))
}

/**
 * Adds all types. Each file in types/ has a type, the queries that return it and the mutations that
 * change it. Files refer to types of others by name.
 */
export function addTypes(builder: Builder, options: SchemaOptions = {}): void {
  const { basePoints = PUBLISHED, logoHosts = [], config = {} } = options
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

  addListInputTypes(builder, TO_THE_UNIT)
  addErrorCode(builder)
  addTokenAmount(builder)
  addLegacy(builder)
  addAsset(builder, logoHosts)
  addPool(builder)
  addAssetPrice(builder)
  addEntity(builder)
  addMarket(builder)
  addVault(builder)
  addActivity(builder)
  addSnapshot(builder)
  addHolder(builder)
  addLiquidation(builder, addLiquidationReward(builder))
  addEarnings(builder)
  addWorth(builder)
  addLeaderboard(builder)
  addMultiplierRevision(builder)
  addRevokeInput(builder)
  addProblem(builder)
  addMultiplier(builder)
  addBasePoints(builder, basePoints)
  addRun(builder)
  addLedger(builder)
  addLiquidationTrigger(builder)
  addPosition(builder, addAtRisk(builder))
  addDistribution(builder)
  addUser(builder)
  addSeason(builder, config.PROGRAM_NAME)
  addDataVersion(builder)
  addLimits(builder)
  addStatus(builder)
  addLive(builder, Query)
  addGroupKey(builder)
  addUserLookup(builder)
  addPortfolio(builder)
  addInterval(builder)
  addSeries(builder)
  addRateSeries(builder)
  addVaultTotals(builder)
  addPriceSeries(builder)
  addUserRank(builder)
  addEstimate(builder, basePoints)
  addPointsPerDay(builder, basePoints)
  addChange(builder)
  addPoolTotals(builder)
  addHealthPreview(builder)
  addAggregates(builder)
  addSearch(builder)
  addHookTypes(builder)
}

/**
 * Prints the schema. People get it without what only the operations of REST endpoints read: fields
 * that are described as `For the REST API`, and types named `Legacy`.
 */
export function printedSchema({ withRest = false } = {}): string {
  const text = printSchema(lexicographicSortSchema(createSchema()))
  if (withRest) return text
  const document = visit(parse(text, { noLocation: true }), {
    ObjectTypeDefinition: ({ name }) => (name.value.startsWith('Legacy') ? null : undefined),
    FieldDefinition: ({ description }) =>
      description?.value.startsWith('For the REST API') ? null : undefined,
  })
  return printSchema(buildASTSchema(document))
}
