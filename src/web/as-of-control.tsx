import { Link } from 'wouter'
import { NEWEST, useAsOf } from './as-of.tsx'
import { DateField } from './date-field.tsx'
import { day, isDay, isoDay } from './format.ts'
import { useUrlState } from './url-state.ts'

const DAY_MS = 86_400_000

const shifted = (date: string, days: number) =>
  isoDay(new Date(Date.parse(date) + days * DAY_MS).toISOString())

/** Chooses the date that all views show. The back button leads to the view before, not the date. */
export function AsOfControl() {
  const url = useUrlState()
  const { date, first, newest } = useAsOf()
  const shown = date ?? newest ?? ''
  const show = (to: string) => url.set({ asOf: to === newest ? NEWEST : to }, { replace: true })
  const step = (days: number, name: string, glyph: string, end: string | undefined) => (
    <button
      type="button"
      aria-label={name}
      title={name}
      disabled={!shown || shown === end}
      onClick={() => show(shifted(shown, days))}
    >
      {glyph}
    </button>
  )
  return (
    <search className="as-of" aria-label="As of" data-past={date !== undefined}>
      {step(-1, 'Previous day', '‹', first)}
      <DateField label="As of" isBare value={shown} min={first} max={newest} onDate={show} />
      {step(1, 'Next day', '›', newest)}
    </search>
  )
}

/** Says that the views show the past, or that they cannot show what the address asks for. */
export function AsOfNotice() {
  const { date, counted, first, newest, refused } = useAsOf()
  const url = useUrlState()
  const toNewest = (name: string) => (
    <Link href={url.link({ asOf: NEWEST })} replace>
      {name}
    </Link>
  )
  if (refused && !newest)
    return (
      <p className="past" data-refused role="alert">
        “{refused}” is not shown: no distribution is stored.
      </p>
    )
  if (refused && first && newest)
    return (
      <p className="past" data-refused role="alert">
        {isDay(refused)
          ? `${day(refused)} is not stored. `
          : `“${refused}” is not a date: it needs a year, month and day, such as 2026-01-31. `}
        The first date is {day(first)}, and the newest is shown.{' '}
        {toNewest(`Go on with ${day(newest)}`)}
      </p>
    )
  if (!date || !newest) return null
  return (
    <p className="past" role="status">
      You see the past: {day(date)}
      {counted && counted !== date && `, with the points of ${day(counted)}`}.{' '}
      {toNewest(`Back to the newest, ${day(newest)}`)}
    </p>
  )
}
