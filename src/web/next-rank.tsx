import type { ReactNode } from 'react'
import type { Quantity } from './format.ts'
import { Num, Unknown } from './values.tsx'

/** A row of the leaderboard. */
interface Ranked {
  rank: number
  points: number
  user: { pointsPerDay?: number | null }
}

/** The points that a wallet lacks for the rank above it. */
export const gapTo = (row: Ranked, above: Ranked) => above.points - row.points

/**
 * The days until a wallet has the rank above it, if both go on as they do now: infinite if it does
 * not come nearer. Null if a pace is not known.
 */
export function daysTo(row: Ranked, above: Ranked): number | null {
  const [pace, other] = [row.user.pointsPerDay ?? null, above.user.pointsPerDay ?? null]
  if (pace === null || other === null) return null
  if (pace <= other) return Number.POSITIVE_INFINITY
  return Math.max(Math.ceil(gapTo(row, above) / (pace - other)), 1)
}

interface Props {
  row: Ranked
  /** The row of the rank above. */
  above: Ranked | undefined
}

/** Stands for a number that a wallet cannot have, and says why. */
export const Dash = ({ why }: { why: string }) => (
  <span title={why}>
    <span aria-hidden="true">–</span>
    <span className="visually-hidden">{why}</span>
  </span>
)

/** The points that a wallet lacks for the rank above it. */
export function NextRank({ row, above }: Props) {
  if (row.points === 0) return <Dash why="no points" />
  if (row.rank === 1) return <Dash why="first already" />
  return above ? <Num value={gapTo(row, above)} unit="points" /> : <Unknown />
}

interface DaysProps extends Props {
  /** Stands where the wallet does not come nearer. */
  never?: ReactNode
}

/** The days until a wallet has the rank above it. */
export function DaysToNextRank({ row, above, never = 'not at this pace' }: DaysProps) {
  if (row.points === 0) return <Dash why="no points" />
  if (row.rank === 1) return <Dash why="first already" />
  const days = above ? daysTo(row, above) : null
  if (days === null) return <Unknown />
  if (days === Number.POSITIVE_INFINITY) return never
  return <Num value={days} unit="count" suffix={days === 1 ? 'day' : 'days'} />
}

/** A part of a whole, with a thin bar of its size. Unknown without a whole. */
export function Share({ of, all, most }: { of: number; all: number | undefined; most?: number }) {
  if (!all) return <Unknown />
  const share: Quantity = of / all
  if (!most) return <Num value={share} unit="percent" />
  return (
    <span className="points-share">
      <svg className="share-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect width={(100 * of) / most} height="4" />
      </svg>
      <Num value={share} unit="percent" />
    </span>
  )
}
