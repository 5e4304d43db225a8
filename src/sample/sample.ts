import type { DatasetFile } from '../sources/index.ts'
import * as records from './sample-records.ts'
import { simulate } from './simulation.ts'

function* lines(records: Iterable<object>): Generator<string> {
  for (const record of records) yield JSON.stringify(record)
}

/**
 * A plausible dataset: invented users in invented pools of well-known tokens, daily up to
 * yesterday. It is the same for everyone on the same UTC day. Each file is a stream of lines that
 * are generated as they are read.
 */
export function sampleFiles(options: {
  now: Date
  users?: number
  days?: number
}): Record<DatasetFile, () => Iterable<string>> {
  const { users = 500, days = 90 } = options
  const world = simulate(options.now, users, days)
  return {
    pools: () => lines(records.poolRecords(world)),
    'base-points-revisions': () => [],
    'multiplier-revisions': () => lines(records.revisionRecords(world)),
    multipliers: () => lines(records.multiplierRecords(world)),
    markets: () => lines(records.marketRecords(world)),
    thresholds: () => [],
    vaults: () => lines(records.vaultRecords(world)),
    rates: () => lines(records.rateRecords(world)),
    prices: () => lines(records.priceRecords(world)),
    tokens: () => lines(records.tokenRecords(world)),
    users: () => [],
    runs: () => [],
    positions: () => lines(records.positionRecords(world)),
    'market-snapshots': () => lines(records.marketSnapshotRecords(world)),
    'vault-snapshots': () => lines(records.vaultSnapshotRecords(world)),
    'market-liquidation-rewards': () => lines(records.rewardRecords(world, 'market')),
    'vault-liquidation-rewards': () => lines(records.rewardRecords(world, 'vault')),
    liquidations: () => lines(records.liquidationRecords(world)),
    'cash-flows': () => lines(records.cashFlowRecords(world)),
    ledger: () => [],
    seasons: () => [],
  }
}
