import { useState } from 'react'
import { Empty } from './answer.tsx'
import { saveCsv } from './csv.ts'
import { useExactNumbers } from './exact-numbers.tsx'
import { briefDay, day, full, isoDay, short, signed, type Unit } from './format.ts'
import type { Mark } from './marks.ts'
import { fileName } from './names.ts'
import { type ChartData, dashOf, Plot, type Series } from './plot.tsx'
import { isLastUnfinished } from './span.tsx'
import { useUrlState } from './url-state.ts'
import { Day, Num } from './values.tsx'

interface ChartProps extends ChartData {
  /** True if less is better, as of ranks: the axis is upside down. */
  isReversed?: boolean
  /** The values that the numbers omit. */
  note?: string
  /** True if lines that are zero throughout are shown too. */
  keepsZero?: boolean
  /** Dates that are pointed out. */
  marks?: readonly Mark[]
}

/** The parameter of the address that has the lines that are switched off. */
const HIDDEN = 'hidden'

const keyOf = ({ label, key = label }: Series) => key

/** The lines that a chart can show, and those of them that are switched on. */
function useLines(title: string, series: readonly Series[], keepsZero: boolean) {
  const url = useUrlState()
  const hidden = (url.get(HIDDEN) ?? '').split(',').filter(Boolean)
  const idOf = (one: Series) => `${title} ${keyOf(one)}`.replace(/[^\p{L}\p{N}]+/gu, '-')
  const numbered = series.map((one, line) => ({ ...one, line }))
  const alive = numbered.filter(({ values }) => keepsZero || values.some(Boolean))
  const lines = alive.length > 0 ? alive : numbered.slice(0, 1)
  return {
    lines,
    shown: lines.filter((one) => !hidden.includes(idOf(one))),
    toggle(one: Series) {
      const id = idOf(one)
      const next = hidden.filter((other) => other !== id)
      const all = next.length < hidden.length ? next : [...hidden, id]
      url.set({ [HIDDEN]: all.join(',') || undefined, page: url.get('page') })
    },
  }
}

/**
 * A chart through time: its newest number or that under the pointer, its lines, which switch on and
 * off, a sentence that sums it up for screen readers, its numbers as a table and as CSV.
 */
export function Chart({
  isReversed = false,
  keepsZero = false,
  note,
  marks = [],
  ...data
}: ChartProps) {
  const { title, unit, times, series } = data
  const [isTable, setTable] = useState(false)
  const [at, setAt] = useState<number>()
  const { lines, shown, toggle } = useLines(title, series, keepsZero)
  const sentences = shown.map((one) => summaryOf(one, times, unit))
  const isUnfinished = isLastUnfinished(times)
  const first = times.findIndex((_, i) =>
    series.some(({ values }) => typeof values[i] === 'number'),
  )
  const visible = marks.filter(
    ({ date }) => date > isoDay(times[0] ?? '') && date <= isoDay(times.at(-1) ?? ''),
  )
  const begins = !note && first > 0 && `Nothing is stored before ${day(times[first] as string)}.`
  const remarks = [
    note,
    begins,
    isUnfinished && 'The dotted end is a period that is not over.',
  ].filter(Boolean)
  const emptyText = emptyTextOf(first, times.length, shown.length)
  return (
    <figure className="chart">
      <figcaption>
        <h3>{title}</h3>
        <p className="visually-hidden">{sentences[0]}</p>
        {shown[0] && <Reading of={shown[0]} at={at} data={data} isRank={isReversed} />}
      </figcaption>
      {emptyText && <Empty>{emptyText}</Empty>}
      {!emptyText && isTable && <Numbers {...data} />}
      {!emptyText && !isTable && (
        <Plot
          {...data}
          series={shown}
          summary={sentences.join(' ')}
          isReversed={isReversed}
          isUnfinished={isUnfinished}
          marks={visible}
          onPoint={setAt}
        />
      )}
      {lines.length > 1 && (
        <Legend data={data} lines={lines} shown={shown} at={at} onToggle={toggle} />
      )}
      {remarks.length > 0 && <p className="remarks">{remarks.join(' ')}</p>}
      {visible.length > 0 && (
        <ul className="marks">
          {visible.map(({ date, text }) => (
            <li key={date}>
              <Day iso={date} />: {text}
            </li>
          ))}
        </ul>
      )}
      <div className="chart-tools">
        <button type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          Data table
        </button>
        <Download {...data} />
      </div>
    </figure>
  )
}

/** Why there is nothing to draw. */
function emptyTextOf(first: number, dates: number, lines: number): string | undefined {
  if (first < 0) return 'Nothing is known in this range.'
  if (dates === 1) return 'The line begins with the second date.'
  return lines === 0 ? 'All lines are switched off.' : undefined
}

interface ReadingProps {
  of: Series
  at: number | undefined
  data: ChartData
  isRank: boolean
}

/** The number under the pointer with its date, or the newest one and how it changed. */
function Reading({ of: { values }, at, data: { unit, times }, isRank }: ReadingProps) {
  const { isExact } = useExactNumbers()
  const write = isExact ? full : short
  const known = values.flatMap((value, i) => (value === null ? [] : [{ value, i }]))
  const [oldest, newest] = [known[0], known.at(-1)]
  if (!oldest || !newest) return null
  const shown = at ?? newest.i
  const value = values[shown] ?? null
  const since = briefDay(times[oldest.i] as string)
  const change =
    unit === 'percent' || isRank
      ? `from ${write(oldest.value, unit)} on ${since}`
      : `${signed(write(newest.value - oldest.value, unit))} since ${since}`
  const isStill = at === undefined && oldest !== newest && newest.i === times.length - 1
  return (
    <div className="reading" aria-hidden="true">
      <b>{value === null ? '–' : write(value, unit)}</b>
      <small>{isStill ? change : day(times[shown] as string)}</small>
    </div>
  )
}

function summaryOf({ label, values }: Series, times: readonly string[], unit: Unit): string {
  const drawn = values.flatMap((value, i) =>
    value === null ? [] : [{ value, time: times[i] ?? '' }],
  )
  const [first, last] = [drawn[0], drawn.at(-1)]
  if (!first || !last) return `${label}: no data.`
  const now = `${label}: ${short(last.value, unit)} on ${day(last.time)}`
  return drawn.length === 1
    ? `${now}.`
    : `${now}, from ${short(first.value, unit)} on ${day(first.time)}.`
}

interface LegendProps {
  data: ChartData
  lines: readonly Series[]
  shown: readonly Series[]
  at: number | undefined
  onToggle(line: Series): void
}

/**
 * Switches for the lines, with their numbers: those under the pointer of any chart of the page, or
 * those of the newest date that has any.
 */
function Legend({ data: { unit, times }, lines, shown, at, onToggle }: LegendProps) {
  const { isExact } = useExactNumbers()
  const newest = times.findLastIndex((_, i) => lines.some(({ values }) => values[i] != null))
  return (
    <div className="legend">
      {lines.map((one) => {
        const value = one.values[at ?? newest]
        return (
          <button
            key={keyOf(one)}
            type="button"
            aria-pressed={shown.includes(one)}
            onClick={() => onToggle(one)}
          >
            <svg width="20" height="4" viewBox="0 0 20 4" aria-hidden="true">
              <path
                d="M0 2h20"
                style={{ '--series': `var(--series-${(one.line ?? 0) + 1})` } as object}
                strokeWidth="3"
                strokeDasharray={dashOf(one.line ?? 0).join(' ') || undefined}
              />
            </svg>
            {one.label}{' '}
            <b>
              {value === null || value === undefined ? '–' : (isExact ? full : short)(value, unit)}
            </b>
          </button>
        )
      })}
    </div>
  )
}

/** The numbers of a chart, newest first. */
function Numbers({ title, unit, times, series }: ChartData) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keyboard too
    <section className="scroll" aria-label={`${title}: data table`} tabIndex={0}>
      <table>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map(({ label, key = label }) => (
              <th key={key} scope="col" className="numeric">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...times.entries()].reverse().map(([i, time]) => (
            <tr key={time}>
              <th scope="row">
                <Day iso={time} />
              </th>
              {series.map(({ label, key = label, values }) => (
                <td key={key} className="numeric">
                  <Num value={values[i]} unit={unit} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The numbers as a file, made on the click. */
function Download({ title, times, series }: ChartData) {
  const save = () => {
    const rows = times.map((time, i) => [isoDay(time), ...series.map(({ values }) => values[i])])
    saveCsv(`${fileName(title)}.csv`, ['From', ...series.map(({ label }) => label)], rows)
  }
  return (
    <button type="button" onClick={save}>
      Download as CSV
    </button>
  )
}
