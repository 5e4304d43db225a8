import type { Interval } from 'lending-graph-client'
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import { Link } from 'wouter'
import { day, full, short, type Unit } from './format.ts'
import { useUrlState } from './url-state.ts'
import { Day, Num } from './values.tsx'

const HEIGHT = 220

export interface Series {
  label: string
  /** One for each time: null in a gap. */
  values: readonly (number | null)[]
}

interface ChartProps {
  title: string
  unit: Unit
  /** The beginning of each bucket, oldest first. */
  times: readonly string[]
  series: readonly Series[]
  /** True if less is better, as of ranks: the axis is upside down. */
  isReversed?: boolean
  /** The values that the numbers omit. */
  note?: string
}

/** A chart through time, with a sentence that sums it up and a table of its numbers. */
export function Chart({ title, unit, times, series, isReversed = false, note }: ChartProps) {
  const [isOpen, setOpen] = useState(false)
  const summary = series.map((one) => summaryOf(one, times, unit)).join(' ')
  return (
    <figure className="chart">
      <figcaption>
        <h3>{title}</h3>
        <p>{summary}</p>
        {note && <p>{note}</p>}
      </figcaption>
      <Plot title={title} summary={summary} unit={unit} times={times} series={series} isReversed={isReversed} />
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Data table</summary>
        {isOpen && <Numbers title={title} unit={unit} times={times} series={series} />}
      </details>
    </figure>
  )
}

function summaryOf({ label, values }: Series, times: readonly string[], unit: Unit): string {
  const known = values.flatMap((value, i) => (value === null ? [] : [{ value, time: times[i] ?? '' }]))
  const [first, last] = [known[0], known.at(-1)]
  if (!first || !last) return `${label}: no data.`
  const now = `${label}: ${short(last.value, unit)} on ${day(last.time)}`
  return known.length === 1 ? `${now}.` : `${now}, from ${short(first.value, unit)} on ${day(first.time)}.`
}

function Numbers({ title, unit, times, series }: Pick<ChartProps, 'title' | 'unit' | 'times' | 'series'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keyboard too
    <section className="scroll" aria-label={`${title}: data table`} tabIndex={0}>
      <table>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map(({ label }) => (
              <th key={label} scope="col" className="numeric">
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
              {series.map(({ label, values }) => (
                <td key={label} className="numeric">
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

function Plot({
  title,
  summary,
  unit,
  times,
  series,
  isReversed,
}: Required<Omit<ChartProps, 'note'>> & {
  summary: string
}) {
  const place = useRef<HTMLDivElement>(null)
  const isDark = useDark()
  // The numbers of a series are new arrays at each render.
  const shown = JSON.stringify([times, series])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart has the colours of its time
  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    const [times, series] = JSON.parse(shown) as [string[], Series[]]
    const style = getComputedStyle(element)
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim()
    const axis = {
      stroke: colour('muted'),
      grid: { stroke: colour('line'), width: 1 },
      ticks: { stroke: colour('line') },
    }
    const lines = series.map(({ label, values }, i): uPlot.Series => {
      const points = { show: times.length < 3, filter: () => alone(values) }
      const width = { stroke: colour(`series-${i + 1}`), width: 2, points }
      const value = (_plot: uPlot, number: number | null) => (number === null ? '–' : full(number, unit))
      return { label, ...width, value, ...(i % 2 === 1 && { dash: [6, 4] }) }
    })
    const options: uPlot.Options = {
      width: element.clientWidth,
      height: HEIGHT,
      series: [{ label: 'Date', value: (_plot, seconds) => (seconds === null ? '–' : day(isoOf(seconds))) }, ...lines],
      axes: [
        { ...axis, values: (_plot, splits) => splits.map((seconds) => day(isoOf(seconds)).replace(/ \d{4}$/, '')) },
        { ...axis, size: 70, values: (_plot, splits) => splits.map((value) => short(value, unit)) },
      ],
      scales: { y: { dir: isReversed ? -1 : 1 } },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      cursor: { drag: { setScale: false } },
    }
    const seconds = times.map((time) => Date.parse(time) / 1000)
    const plot = new uPlot(options, [seconds, ...series.map(({ values }) => [...values])], element)
    const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      plot.destroy()
    }
  }, [shown, unit, isReversed, isDark])
  return <div className="plot" ref={place} role="img" aria-label={`${title}. ${summary}`} />
}

/** The numbers between gaps, which no line shows. */
const alone = (values: Series['values']) =>
  values.flatMap((value, i) =>
    value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? [i] : [],
  )

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString()

function useDark(): boolean {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)')
    const follow = () => setDark(media.matches)
    media.addEventListener('change', follow)
    return () => media.removeEventListener('change', follow)
  }, [])
  return isDark
}

const INTERVALS = ['DAY', 'WEEK', 'MONTH'] as const satisfies Interval[]

/** The length of the buckets of the view's charts. */
export const useInterval = (): Interval => useUrlState().oneOf('interval', INTERVALS)

/** Lets the length of the buckets be chosen. */
export function IntervalChoice() {
  const url = useUrlState()
  const current = useInterval()
  const after = url.get('after')
  return (
    <nav className="choice" aria-label="Interval of the charts">
      {INTERVALS.map((interval) => (
        <Link
          key={interval}
          href={url.link({ after, interval: interval === 'DAY' ? undefined : interval })}
          aria-current={interval === current ? 'true' : undefined}
        >
          By {interval.toLowerCase()}
        </Link>
      ))}
    </nav>
  )
}
