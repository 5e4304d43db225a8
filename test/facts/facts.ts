import { activityFacts } from './activity.ts'
import { aggregateFacts } from './aggregates.ts'
import { analyticsFacts } from './analytics.ts'
import { holderFacts } from './holders.ts'
import { liquidationFacts } from './liquidations.ts'
import { listFacts } from './lists.ts'
import { pagingFacts } from './paging.ts'
import { pointsFacts } from './points.ts'
import { riskFacts } from './risk.ts'
import { searchFacts } from './search.ts'
import { seriesFacts } from './series.ts'
import { userFacts } from './users.ts'
import { vaultFacts } from './vaults.ts'

/** All facts, by what they are about. */
export const facts = {
  users: userFacts,
  analytics: analyticsFacts,
  activity: activityFacts,
  points: pointsFacts,
  series: seriesFacts,
  aggregates: aggregateFacts,
  risk: riskFacts,
  holders: holderFacts,
  liquidations: liquidationFacts,
  vaults: vaultFacts,
  search: searchFacts,
  paging: pagingFacts,
  lists: listFacts,
}
