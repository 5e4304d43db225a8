import { day } from './format.ts'

const DAY_MS = 86_400_000

interface Season {
  startsAt: string
  endsAt: string | null
}

/** Says how long a season goes on: ends in 12 days, 31 Dec 2026. Its last day is a part of it. */
export function seasonEnd({ endsAt }: Season, now = Date.now()): string {
  if (endsAt === null) return 'has no end yet'
  const days = Math.floor(Date.parse(endsAt) / DAY_MS) - Math.floor(now / DAY_MS)
  if (days < 0) return `ended on ${day(endsAt)}`
  if (days === 0) return `ends today, ${day(endsAt)}`
  return `ends in ${days === 1 ? '1 day' : `${days.toLocaleString('en-US')} days`}, ${day(endsAt)}`
}
