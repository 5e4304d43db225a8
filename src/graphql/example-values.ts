import { graphql } from '../generated/operations/gql.ts'
import type { ExampleValuesQuery } from '../generated/operations/graphql.ts'
import { DAY_MS, isoDay } from '../time.ts'

/** Records of the store that the variables of the examples name. */
export interface ExampleValues {
  user: string
  leaders: string[]
  pool: string
  market: { chainId: number; address: string; asset: { address: string; symbol: string } }
  /**
   * The newest distribution date, the first of the seven days that end with it, and the date a week
   * of distributions before it.
   */
  dates: { first: string; week: string; last: string }
}

export const valuesOperation = graphql(`
  query ExampleValues {
    leaderboard(first: 25) {
      nodes {
        user {
          address
          positions(first: 1) { nodes { pool { address } } }
          latestSnapshots {
            entityType
            entity { __typename chainId address asset { address symbol } }
          }
          liquidationRewards(first: 1, where: { entityTypes: MARKET }) { nodes { txHash } }
        }
      }
    }
    users(first: 1) { nodes { address } }
    pools(first: 1) { nodes { address } }
    markets(first: 1) { nodes { chainId address asset { address symbol } } }
    distributions(first: 8) { nodes { date } }
  }
`)

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** The values in an empty store: valid, but nothing has them. */
export const noValues: ExampleValues = {
  user: ZERO_ADDRESS,
  leaders: [],
  pool: ZERO_ADDRESS,
  market: { chainId: 1, address: ZERO_ADDRESS, asset: { address: ZERO_ADDRESS, symbol: 'USDC' } },
  dates: { first: '2026-01-01', week: '2026-01-02', last: '2026-01-08' },
}

/** Finds records that make the examples show something. @returns undefined if the store is empty */
export function exampleValuesOf(data: ExampleValuesQuery): ExampleValues | undefined {
  const { leaderboard, users, pools, markets, distributions } = data
  if ([leaderboard, users, pools, markets].every(({ nodes }) => nodes.length === 0))
    return undefined
  const entry = leaderboard.nodes.toSorted((a, b) => contentOf(b) - contentOf(a))[0]
  const { user } = entry ?? {}
  const dates = distributions.nodes.map(({ date }) => date.slice(0, 10))
  const last = dates[0] ?? noValues.dates.last
  const holding = user?.latestSnapshots.find(
    ({ entity }) => entity?.__typename === 'Market',
  )?.entity
  return {
    user: user?.address ?? users.nodes[0]?.address ?? noValues.user,
    leaders: leaderboard.nodes.slice(0, 2).map(({ user }) => user.address),
    pool: user?.positions.nodes[0]?.pool?.address ?? pools.nodes[0]?.address ?? noValues.pool,
    market: holding ?? markets.nodes[0] ?? noValues.market,
    dates: {
      first: dates.at(-1) ?? noValues.dates.first,
      week: isoDay(new Date(Date.parse(last) - 6 * DAY_MS)),
      last,
    },
  }
}

type TopEntry = ExampleValuesQuery['leaderboard']['nodes'][number]

function contentOf({ user: { positions, latestSnapshots, liquidationRewards } }: TopEntry): number {
  const snapshotTypes = new Set(latestSnapshots.map(({ entityType }) => entityType))
  return positions.nodes.length + snapshotTypes.size + liquidationRewards.nodes.length
}
