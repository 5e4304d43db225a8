import { expect } from 'vitest'
import { send } from './send.ts'

/** What a gateway answers about everything it has: the documented paths and the graph, as text. */
export async function answersOf(base: string): Promise<Record<string, string>> {
  const headers = { 'cache-control': 'no-cache' }
  const text = async (path: string) => timeless((await send(base + path, { headers })).text)
  const graph = (query: string) => `/graphql?query=${encodeURIComponent(query)}`
  const { data } = JSON.parse(
    await text(graph('{ users(first: 1000) { nodes { address } } pools { nodes { address } } }')),
  )
  const users: string[] = data.users.nodes.map((user: { address: string }) => user.address)
  const pools: string[] = data.pools.nodes.map((pool: { address: string }) => pool.address)
  const span = 'from_timestamp=0&to_timestamp=9999999999'
  const paths = [
    '/pools/all',
    '/multipliers/all',
    '/points/leaderboard',
    '/points/userpoints',
    '/points/reports',
    ...['points', 'positions'].map((kind) => `/${kind}/breakdown-by-assets?limit=100`),
    ...pools.map((pool) => `/positions/breakdown-by-markets?market=${pool}`),
    ...users.flatMap((user) => [
      ...['/points/leaderboard?account=', '/points/', '/positions/'].map((path) => path + user),
      ...['earnings', 'net-apr'].map((name) => `/v1/users/${user}/${name}`),
      ...['market', 'vault'].map((kind) => `/v1/users/${user}/${kind}-position-snapshots?${span}`),
    ]),
    ...GRAPH.map(graph),
  ]
  const answers: Record<string, string> = {}
  for (const path of paths) {
    answers[path] = await text(path)
    if (answers[path].includes('"errors":')) throw new Error(`${path} is ${answers[path]}`)
  }
  return answers
}

/** Waits for the ranks of past dates, which come in the background. */
export async function ranked(base: string): Promise<void> {
  const query = '{ users(first: 1) { nodes { rank(asOf: "2026-03-02") } } }'
  const answer = async () =>
    (await fetch(`${base}/graphql?query=${encodeURIComponent(query)}`)).text()
  await expect.poll(answer).toMatch(/"rank":\d/)
}

const GRAPH = [
  `{ runs { nodes { recordId kind status date requestedBy startedAt finishedAt sources { kind } } }
    multiplierRevisions { nodes { recordId poolAddress depositA changedAt changedBy } } }`,
  `{ users { nodes { address points: totalPoints earnings { earningsUsd } netApr { earnNetApr: netDepositApr borrowNetApr: netBorrowApr }
    rank(asOf: "2026-03-02") dailyPoints { nodes { distributionDate: date points } } } } }`,
  `{ users { nodes { liquidationRewards { nodes { txHash liquidReward { usd } } } activity { nodes { __typename time } } } } }`,
  '{ leaderboard { nodes { rank userAddress points } } distributions { nodes { date totalPoints: points } } }',
]

/** An answer without the time of its request. */
const timeless = (text: string) =>
  text.replace(/"timestamp":"[^"]*"/g, '').replace(/"(from|to)_timestamp":"\d+"/g, '')
