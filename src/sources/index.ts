/** The door of the sources. */

/** Records of analytics, for `update`: from files, an indexer, a Postgres or another gateway. */

export { type AnalyticsSource, analyticsName, type Known } from './analytics/analytics-source.ts'
export { readMappings } from './analytics/mapping.ts'
export { openAnalyticsSource, openRulesSource } from './analytics/open-analytics-source.ts'
export { isPostgres } from './analytics/postgres-records.ts'

/** Positions with their prices, for runs. */

export { datasetPositions } from './positions/dataset-positions.ts'
export { defaultNames, parseNames } from './positions/graph-names.ts'
export { openPositionsSource, speaksRest } from './positions/open-positions-source.ts'
export {
  type FetchedPositions,
  type OnUnpriced,
  type PositionsSource,
  positionsName,
  type SourcePool,
} from './positions/positions-source.ts'

/** Datasets: files in the import format, in a directory or at an address. */

export { type Dataset, type DatasetFile, datasetFiles } from './dataset/dataset.ts'
export { openDirectory, openPath } from './dataset/directory.ts'
export { openHttpDataset } from './dataset/http-dataset.ts'
export { MAX_LINE_BYTES, readLines } from './dataset/lines.ts'
export { createDirectory, writeFault } from './dataset/new-directory.ts'

/** Another gateway, copied into such files. */

export { type CopiedRules, type CopiedSeason, OF_SETTINGS } from './mirror/copied-rules.ts'
export { graphOperations } from './mirror/gateway-graph.ts'
export { type MirrorSummary, withMirror } from './mirror/rest-mirror.ts'

/** How all of them fetch: within limits, from allowed addresses, with receipts of what came. */

export { SourceSocket } from './address.ts'
export { type Client, FETCH_LIMITS, isRemote, openClient, sourceFailed } from './client.ts'
export { Fetch } from './fetch.ts'
export type { Fetched, SourceReceipt } from './fetched.ts'
export { parseObject } from './json.ts'
