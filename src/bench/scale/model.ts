/**
 * From costs of requests to machines. Every number that is not measured is an assumption, named
 * here once: change it and run the bench again.
 */

/** What a request of a kind costs, in microseconds of CPU. */
export interface Costs {
  /** In the gateway and in Postgres, if the answer is computed. */
  gateway: number
  postgres: number
  /** In the gateway, if the answer comes from its cache. */
  cached: number
}

/** A kind of request in the day of a user. */
export interface Share {
  operation: string
  /** Requests of a daily user. */
  perDay: number
  /** Different answers; undefined: each user has a separate one. */
  answers?: number
}

/**
 * A wallet or dashboard opened five times a day, and a bot or wallet on the REST paths for every
 * user.
 */
export const DAY_OF_A_USER: Share[] = [
  { operation: "graphql a user's page", perDay: 5 },
  { operation: 'graphql ten dates with positions', perDay: 2 },
  { operation: 'graphql 30 days of snapshots, 100 a page', perDay: 2 },
  { operation: 'graphql leaderboard, top 100', perDay: 5, answers: 1 },
  { operation: 'graphql 50 pools, top 5 positions, their users', perDay: 3, answers: 4 },
  { operation: 'GET /points/{address}', perDay: 4 },
  { operation: 'GET /v1/users/{address}/earnings', perDay: 4 },
  { operation: 'GET /v1/users/{address}/net-apr', perDay: 4 },
  { operation: 'GET /multipliers/all', perDay: 1, answers: 1 },
]

export const ASSUMED = {
  /** The busiest moment to the day's average. */
  peak: 4,
  /** Imports a day: each changes the data, which empties the cache. */
  imports: 24,
  /** How busy a core may be at the peak. */
  busy: 0.5,
  /** Cores of one machine of gateways, and of one Postgres: beyond that there are more of them. */
  gatewayCores: 2,
  postgresCores: 16,
  /** Accounts to daily users; positions of an account; markets and vaults with a daily snapshot. */
  accounts: 5,
  positions: 3,
  snapshots: 5,
  /** Days that the store has. */
  days: 365,
  /**
   * Bytes of the store that one Postgres holds well: its indexes of recent dates should fit into
   * memory.
   */
  shardBytes: 1e12,
  /** Lines a second that one Postgres imports. */
  importLines: 15_000,
  /** US dollars a month: a core with 4 GB of memory, and a GB of SSD. */
  core: 30,
  gigabyte: 0.12,
}

/** Requests, hits, machines, bytes and dollars for a number of daily users. */
export function sized(
  users: number,
  costs: Record<string, Costs>,
  bytes: { position: number; snapshot: number },
) {
  const {
    peak,
    imports,
    busy,
    gatewayCores,
    postgresCores,
    accounts,
    positions,
    snapshots,
    days,
    shardBytes,
  } = ASSUMED
  const perDay = users * DAY_OF_A_USER.reduce((sum, share) => sum + share.perDay, 0)
  const rate = (requests: number) => (requests / 86_400) * peak

  let [gateway, postgres, hits] = [0, 0, 0]
  for (const share of DAY_OF_A_USER) {
    const cost = costs[share.operation]
    if (!cost) throw new Error(`the cost of "${share.operation}" is not measured`)
    const requests = users * share.perDay
    // Between two imports the first request for each answer is computed.
    const missed = Math.min(requests, imports * (share.answers ?? users))
    hits += requests - missed
    gateway += rate(missed) * cost.gateway + rate(requests - missed) * cost.cached
    postgres += rate(missed) * cost.postgres
  }
  const cores = (microseconds: number) => microseconds / 1e6 / busy

  const storedBytes =
    users * accounts * days * (positions * bytes.position + snapshots * bytes.snapshot)
  const linesPerDay = users * accounts * (positions + snapshots)
  const shards = Math.ceil(
    Math.max(storedBytes / shardBytes, linesPerDay / imports / (ASSUMED.importLines * 600)),
  )
  // Two gateways, and a replica of each shard, so that one may fail.
  const gateways = Math.max(2, Math.ceil(cores(gateway) / gatewayCores))
  const servers = shards * Math.max(2, Math.ceil(cores(postgres) / shards / postgresCores) + 1)
  const serverCores = Math.min(
    postgresCores,
    Math.max(2, 2 ** Math.ceil(Math.log2((2 * cores(postgres)) / servers))),
  )
  const dollars =
    (gateways * gatewayCores + servers * serverCores) * ASSUMED.core +
    (storedBytes / 1e9) * (servers / shards) * ASSUMED.gigabyte
  return {
    'daily users': users,
    'requests/s at the peak': rate(perDay),
    'from cache': hits / perDay,
    'gateway cores': cores(gateway),
    gateways,
    'Postgres cores': cores(postgres),
    shards,
    'servers of Postgres': servers,
    'cores each': serverCores,
    'GB stored': storedBytes / 1e9,
    'lines imported a day': linesPerDay,
    'dollars a month': dollars,
  }
}

/** The mean cost of a request of the day, if no answer is from the cache. */
export function meanCost(costs: Record<string, Costs>): { gateway: number; postgres: number } {
  const total = DAY_OF_A_USER.reduce((sum, share) => sum + share.perDay, 0)
  const mean = (part: 'gateway' | 'postgres') =>
    DAY_OF_A_USER.reduce(
      (sum, { operation, perDay }) => sum + (costs[operation]?.[part] ?? Number.NaN) * perDay,
      0,
    ) / total
  return { gateway: mean('gateway'), postgres: mean('postgres') }
}
