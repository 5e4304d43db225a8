import { moment } from './format.ts'

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const

/** The time that has passed in its largest unit, such as 19 h ago. */
export function ageOf(iso: string, now: number): string {
  const seconds = Math.round((now - Date.parse(iso)) / 1000)
  const size = Math.abs(seconds)
  const [unit, length] =
    UNITS.find(([unit, length]) => size >= (unit === 'd' ? 2 : 1) * length) ?? (['s', 1] as const)
  const text = `${Math.floor(size / length)} ${unit}`
  return seconds < 0 ? `in ${text}` : `${text} ago`
}

/** A moment as its age, with the moment itself under it. */
export const Age = ({ iso }: { iso: string }) => (
  <>
    <time dateTime={iso} title={iso}>
      {ageOf(iso, Date.now())}
    </time>
    <small className="below-number">{moment(iso)}</small>
  </>
)
