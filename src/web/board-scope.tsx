import { DistributionDatesDocument, SeasonsDocument } from 'lending-graph-client'
import type { ReactNode } from 'react'
import { useAsOf } from './as-of.tsx'
import { isAddress, isoDay } from './format.ts'
import { NotAnAddress } from './not-an-address.tsx'
import { useUrlState } from './url-state.ts'
import { type GraphAnswer, useGraph } from './use-graph.ts'

const DAY_MS = 86_400_000

export type BoardScope =
  | { asOf: string }
  | { season: string }
  | { window: { from?: string; to?: string; pool?: string } }

interface Board {
  /** Undefined for the newest board of all points. */
  scope: BoardScope | undefined
  /** The variables of the points that all wallets have in a window. */
  totals: { from?: string; to?: string; pool?: string; ofPool: boolean }
  /** Says why the filters of the address make no board. */
  fault: ReactNode
  /** True until it is known which dates the filters mean. */
  isWaiting: boolean
  /** Why these dates are not known. */
  failed: Pick<GraphAnswer<unknown>, 'error' | 'retry'> | undefined
  /** True for a board of all points, now or as of a date. */
  isPlain: boolean
}

/** The seasons of the program. Undefined until they are known. */
export const useSeasons = () => useGraph(SeasonsDocument, {}).data?.program.seasons

const least = (...dates: (string | undefined)[]) => dates.filter((date) => date).sort()[0]
const greatest = (...dates: (string | undefined)[]) =>
  dates
    .filter((date) => date)
    .sort()
    .at(-1)

/** Which part of the leaderboard the address chooses: its season, window, pool and date at once. */
export function useBoardScope(): Board {
  const url = useUrlState()
  const [name, pool] = ['season', 'pool'].map(url.get)
  const asOf = useAsOf().date
  const days = url.oneOf('window', ['all', '7', '30'])
  const isPlain = !name && !pool && days === 'all'
  const isSeason = name !== undefined && !pool && !asOf && days === 'all'
  const ofSeasons = useGraph(SeasonsDocument, {})
  const ofDates = useGraph(DistributionDatesDocument, {}, { pause: isPlain })
  const [seasons, dates] = [ofSeasons.data?.program.seasons, ofDates.data]
  const failed = [ofSeasons, ofDates].find(({ error }) => !isPlain && error)
  const board = { totals: { ofPool: false }, fault: undefined, isWaiting: false, isPlain, failed }
  if (isPlain) return { ...board, scope: asOf ? { asOf } : undefined }
  if (pool && !isAddress(pool))
    return { ...board, scope: undefined, fault: <NotAnAddress text={pool} /> }
  if (!dates || !seasons) return { ...board, scope: undefined, isWaiting: true }
  const season = seasons.find((one) => one.name === name)
  if (name && !season) return { ...board, scope: undefined, fault: <NoSeason name={name} /> }
  const [oldest, newest] = [dates.oldest, dates.newest].map(({ nodes }) => nodes[0]?.date)
  const to = least(asOf, season?.endsAt?.slice(0, 10), newest?.slice(0, 10))
  const start =
    days !== 'all' && to
      ? isoDay(new Date(Date.parse(to) - (Number(days) - 1) * DAY_MS).toISOString())
      : undefined
  const from = greatest(start, season?.startsAt.slice(0, 10), oldest?.slice(0, 10))
  if (from && to && from > to) return { ...board, scope: undefined, fault: <NoDates /> }
  const range = { ...(from && { from }), ...(to && { to }) }
  const ofPool = pool !== undefined
  const totals = { ...range, ...(pool && { pool }), ofPool }
  if (isSeason) return { ...board, totals, scope: { season: name } }
  return { ...board, totals, scope: { window: { ...range, ...(pool && { pool }) } } }
}

const NoSeason = ({ name }: { name: string }) => (
  <p className="fault" role="alert">
    No season has the name “{name}”: choose one above.
  </p>
)

const NoDates = () => (
  <p className="empty" role="status">
    No distribution is in the season and the dates that are chosen: choose fewer filters.
  </p>
)
