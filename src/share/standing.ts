import type { Caller } from '../db/connect/scope.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import { programOperation, walletOperation } from './operations.ts'
import { count, points, share, UNKNOWN, usd } from './words.ts'

/** A number with its name, as text. */
export type Figure = readonly [name: string, value: string]

/** The figures of a wallet or of the program, and the distribution date that they are of. */
export interface Figures {
  /** Undefined before the first distribution. */
  date: string | undefined
  /** False for a wallet without points. */
  isRanked: boolean
  rank: string
  users: string
  points: string
  figures: Figure[]
}

/** Reads what a wallet's card, badge and description say. */
export async function walletFigures(
  graph: Graph,
  address: string,
  caller?: Caller,
): Promise<Figures & { share: string; perDay: string }> {
  const options = caller ? { caller } : {}
  const data = await graph.runDocument(walletOperation, { address }, options)
  const { program, user } = data
  const total = Number(user.totalPoints)
  const isRanked = total > 0 && user.rank !== null
  const perDay = points(user.pointsPerDay === null ? null : Number(user.pointsPerDay))
  const ofAll = share(total, Number(program.totalPoints))
  return {
    date: data.distributions.nodes[0]?.date,
    isRanked,
    rank: isRanked ? `#${count(Number(user.rank))}` : UNKNOWN,
    users: count(program.userCount),
    points: points(total),
    share: ofAll,
    perDay,
    figures: [
      ['Points', points(total)],
      ['Points per day', perDay],
      ['Share of all points', ofAll],
    ],
  }
}

/** Reads what the card of the program says. */
export async function programFigures(graph: Graph, caller?: Caller): Promise<Figures> {
  const data = await graph.runDocument(programOperation, {}, caller ? { caller } : {})
  const { program } = data
  const tvl = program.series.findLast(({ tvlUsd }) => tvlUsd !== null)?.tvlUsd ?? null
  return {
    date: data.distributions.nodes[0]?.date,
    isRanked: false,
    rank: UNKNOWN,
    users: count(program.userCount),
    points: points(Number(program.totalPoints)),
    figures: [
      ['Points', points(Number(program.totalPoints))],
      ['Users', count(program.userCount)],
      ['TVL', usd(tvl === null ? null : Number(tvl))],
    ],
  }
}
