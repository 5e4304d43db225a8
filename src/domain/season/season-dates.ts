import { badArgument, GatewayError } from '../../errors.ts'
import { parseUtc } from '../../time.ts'

/**
 * A season's name and its dates, as YYYY-MM-DD, both included. It has no end yet if `endsAt` is
 * null.
 */
export interface SeasonDates {
  name: string
  startsAt: string
  endsAt: string | null
}

// The most seasons of a program.
const MAX_SEASONS = 100

const DATE = String.raw`(\d{4}-\d\d-\d\d)`
const SEASON = new RegExp(String.raw`^([^=]+)=${DATE}\.\.${DATE}?$`)

/**
 * Reads seasons written as `Season 1=2026-01-01..2026-06-30,Season 2=2026-07-01..`: the last one
 * has no end yet.
 * @throws Error with a sentence about the first mistake
 */
export function readSeasons(text: string): SeasonDates[] {
  const seasons = text.split(',').map((part) => {
    const [, name = '', startsAt = '', endsAt] = SEASON.exec(part.trim()) ?? []
    if (![startsAt, endsAt ?? startsAt].every(parseUtc))
      throw new Error(
        'must be seasons like Season 1=2026-01-01..2026-06-30, separated by commas, not ' +
          `${part.slice(0, 60)}`,
      )
    return { name: name.trim(), startsAt, endsAt: endsAt ?? null }
  })
  const names = new Set(seasons.map(({ name }) => name))
  if (names.size < seasons.length) throw new Error('must not give two seasons the same name')
  assertSeasons(seasons)
  return seasons
}

export const SEASON_NAME = 'must be 1 to 100 characters, without comma, = and spaces at its ends'
export const isSeasonName = (name: string) =>
  /^[^=,\p{Cc}]{1,100}$/u.test(name) && name.trim() === name

const FOREVER = '9999-12-31'

/**
 * Checks seasons against one another.
 * @throws BAD_INPUT for a name or dates that no season can have, CONFLICT if two share a date
 */
export function assertSeasons(seasons: SeasonDates[]): void {
  if (seasons.length > MAX_SEASONS) throw badArgument('seasons', `must be at most ${MAX_SEASONS}`)
  for (const { name, startsAt, endsAt } of seasons) {
    if (!isSeasonName(name)) throw badArgument('name', SEASON_NAME)
    if (endsAt !== null && endsAt < startsAt)
      throw badArgument('to', `must not be before ${startsAt}, the first date of ${name}`)
  }
  const sorted = seasons.toSorted((a, b) => (a.startsAt < b.startsAt ? -1 : 1))
  sorted.forEach((season, at) => {
    const before = sorted[at - 1]
    if (!before || (before.endsAt ?? FOREVER) < season.startsAt) return
    throw new GatewayError(
      'CONFLICT',
      `${season.name} begins on ${season.startsAt}, when ${before.name} has not ended: no date ` +
        'may be in two seasons. Nothing was changed.',
    )
  })
}
