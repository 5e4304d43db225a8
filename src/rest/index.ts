import type { Endpoint } from './endpoint.ts'
import { earnings } from './indexer/earnings.ts'
import { marketLiquidationRewards, vaultLiquidationRewards } from './indexer/liquidation-rewards.ts'
import { marketPositionSnapshots } from './indexer/market-position-snapshots.ts'
import { netApr } from './indexer/net-apr.ts'
import { vaultPositionSnapshots } from './indexer/vault-position-snapshots.ts'
import { pointsByAssets, positionsByAssets, positionsByMarkets } from './points/breakdown.ts'
import { leaderboard } from './points/leaderboard.ts'
import { allMultipliers, updateMultipliers } from './points/multipliers.ts'
import { pointsOfAddress } from './points/points-of-address.ts'
import { allPools } from './points/pools.ts'
import { positionsOfAddress } from './points/positions-of-address.ts'
import { reports } from './points/reports.ts'
import { manualUpdate, resync } from './points/run.ts'
import { userPoints } from './points/user-points.ts'

/** The documented endpoints, except `/` and `/health`, which serve no data and are in http/. */
export const endpoints: [method: 'GET' | 'POST', path: string, endpoint: Endpoint][] = [
  // Points program, at the root
  ['GET', '/points/leaderboard', leaderboard],
  ['GET', '/points/userpoints', userPoints],
  ['GET', '/points/breakdown-by-assets', pointsByAssets],
  ['GET', '/points/reports', reports],
  ['GET', '/points/{address}', pointsOfAddress],
  ['POST', '/points/manualupdate', manualUpdate],
  ['POST', '/points/resync', resync],
  ['POST', '/multipliers/update', updateMultipliers],
  ['GET', '/multipliers/all', allMultipliers],
  ['GET', '/pools/all', allPools],
  ['GET', '/positions/breakdown-by-assets', positionsByAssets],
  ['GET', '/positions/breakdown-by-markets', positionsByMarkets],
  ['GET', '/positions/{address}', positionsOfAddress],

  // User analytics, under /v1
  ['GET', '/v1/users/{address}/market-position-snapshots', marketPositionSnapshots],
  ['GET', '/v1/users/{address}/vault-position-snapshots', vaultPositionSnapshots],
  ['GET', '/v1/users/{address}/market-liquidation-rewards', marketLiquidationRewards],
  ['GET', '/v1/users/{address}/vault-liquidation-rewards', vaultLiquidationRewards],
  ['GET', '/v1/users/{address}/earnings', earnings],
  ['GET', '/v1/users/{address}/net-apr', netApr],
]
