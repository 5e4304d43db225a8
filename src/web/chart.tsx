import { useState } from 'react'
import { Empty } from './answer.tsx'
import { saveCsv } from './csv.ts'
import { useExactNumbers } from './exact-numbers.tsx'
import { day, full, isoDay, short, type Unit } from './format.ts'
import type { Mark } from './marks.ts'
import { fileName } from './names.ts'
import { type ChartData, dashOf, Plot, type Series } from './plot.tsx'
import { isLastUnfinished } from './span.tsx'
import { Day, Num } from './values.tsx'

interface ChartProps extends ChartData {
  /** True if less is better, as of ranks: the axis is upside down. */
  isReversed?: boolean
  /** The values that the numbers omit. */
  note?: string
  /** Dates that are pointed out. */
  marks?: readonly Mark[]
}

/**
 * A chart through time: its newest numbers or those under the pointer, a sentence that sums it up,
 * its numbers as a table and as CSV.
 */
export function Chart({ isReversed = false, note, marks = [], ...data }: ChartProps) {
  const { title, unit, times, series } = data
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState<number>()
  const sentences = series.map((one) => summaryOf(one, times, unit))
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
  return (
    <figure className="chart">
      <figcaption>
        <h3>{title}</h3>
        <p>{sentences[0]}</p>
        {remarks.length > 0 && <p>{remarks.join(' ')}</p>}
      </figcaption>
      <Legend data={data} at={at} />
      {first < 0 && <Empty>Nothing is known in this range.</Empty>}
      {first >= 0 && times.length === 1 && <Empty>The line begins with the second date.</Empty>}
      {first >= 0 && times.length > 1 && (
        <Plot
          {...data}
          summary={sentences.join(' ')}
          isReversed={isReversed}
          isUnfinished={isUnfinished}
          marks={visible}
          onPoint={setAt}
        />
      )}
      {visible.length > 0 && (
        <ul className="marks">
          {visible.map(({ date, text }) => (
            <li key={date}>
              <Day iso={date} />: {text}
            </li>
          ))}
        </ul>
      )}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Data table</summary>
        {isOpen && (
          <>
            <Numbers {...data} />
            <Download {...data} />
          </>
        )}
      </details>
    </figure>
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

/**
 * The lines with their numbers: those under the pointer of any chart of the page, or those of the
 * newest date that has any.
 */
function Legend({
  data: { unit, times, series },
  at,
}: {
  data: ChartData
  at: number | undefined
}) {
  const { isExact } = useExactNumbers()
  const newest = times.findLastIndex((_, i) => series.some(({ values }) => values[i] != null))
  const shown = at ?? newest
  const time = times[shown]
  return (
    <div className="legend" aria-hidden="true">
      <span>{time && day(time)}</span>
      {series.map(({ label, key = label, values }, i) => {
        const value = values[shown]
        return (
          <span key={key}>
            <svg width="32" height="4" viewBox="0 0 32 4" aria-hidden="true">
              <path
                d="M0 2h32"
                style={{ '--series': `var(--series-${i + 1})` } as object}
                strokeWidth="3"
                strokeDasharray={dashOf(i).join(' ') || undefined}
              />
            </svg>
            {label}{' '}
            <b>
              {value === null || value === undefined ? '–' : (isExact ? full : short)(value, unit)}
            </b>
          </span>
        )
      })}
    </div>
  )
}

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
          {times.map((time, i) => (
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
    <button type="button" className="small" onClick={save}>
      Download as CSV
    </button>
  )
}
