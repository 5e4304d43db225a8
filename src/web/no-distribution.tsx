import type { DistributionDatesFragment } from 'lending-graph-client'
import type { ReactNode } from 'react'
import { NothingStored } from './answer.tsx'
import { day, isoDay } from './format.ts'
import { DistributionLink } from './values.tsx'

interface NoDistributionProps {
  date: string
  dates: DistributionDatesFragment
  /** Continues the sentence: what is shown instead. */
  children?: ReactNode
}

/** Says that a date has no distribution, and which dates have one. */
export function NoDistribution({ date, dates: { oldest, newest }, children }: NoDistributionProps) {
  const [first, last] = [oldest.nodes[0], newest.nodes[0]]
  if (!first || !last) return <NothingStored of="positions" />
  return (
    <p className="empty" role="status">
      There is no distribution on {day(isoDay(date))}
      {children}. The first is of <DistributionLink date={first.date} />, the newest of{' '}
      <DistributionLink date={last.date} />.
    </p>
  )
}
