import { DistributionDatesDocument, type DistributionDatesFragment, type Interval } from 'lending-graph-client'
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import { Link } from 'wouter'
import { day, full, short, type Unit } from './format.ts'
import { useUrlState } from './url-state.ts'
import { useGraph } from './use-graph.ts'
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
  const sentences = series.map((one) => summaryOf(one, times, unit))
  const summary = sentences.join(' ')
  return (
    <figure className="chart">
      <figcaption>
        <h3>{title}</h3>
        <p>{sentences[0]}</p>
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
  const drawn = values.flatMap((value, i) => (value === null ? [] : [{ value, time: times[i] ?? '' }]))
  const [first, last] = [drawn[0], drawn.at(-1)]
  if (!first || !last) return `${label}: no data.`
  const now = `${label}: ${short(last.value, unit)} on ${day(last.time)}`
  return drawn.length === 1 ? `${now}.` : `${now}, from ${short(first.value, unit)} on ${day(first.time)}.`
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
  const theme = useTheme()
  // The numbers of a series are new arrays at each render.
  const drawn = JSON.stringify([times, series])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart has the colours of its time
  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    const [times, series] = JSON.parse(drawn) as [string[], Series[]]
    const colour = (css: string) => {
      element.style.color = css
      const computed = getComputedStyle(element).color
      element.style.color = ''
      return computed
    }
    const line = colour('var(--line)')
    const axis = {
      stroke: colour('var(--muted)'),
      font: '12px Inter, system-ui, sans-serif',
      ticks: { show: false },
    }
    const lines = series.map(({ label, values }, i): uPlot.Series => {
      const points = { show: times.length < 3, filter: () => alone(values) }
      const stroke = colour(`var(--series-${i + 1})`)
      const fill = colour(`color-mix(in srgb, var(--series-${i + 1}) 12%, transparent)`)
      const newest = values.findLast((number) => number !== null) ?? null
      const value = (_plot: uPlot, number: number | null, _series: number, at: number | null) => {
        const value = at === null ? newest : number
        return value === null ? '–' : full(value, unit)
      }
      return {
        label,
        stroke,
        width: 2,
        points,
        value,
        ...(series.length === 1 && !isReversed && { fill }),
        ...(i % 2 === 1 && { dash: [6, 4] }),
      }
    })
    const options: uPlot.Options = {
      width: element.clientWidth,
      height: HEIGHT,
      series: [{ label: 'Date', value: (_plot, at) => day(at === null ? (times.at(-1) ?? '') : isoOf(at)) }, ...lines],
      axes: [
        {
          ...axis,
          grid: { show: false },
          values: (_plot, splits) => splits.map((seconds) => day(isoOf(seconds)).replace(/ \d{4}$/, '')),
        },
        {
          ...axis,
          size: 70,
          grid: { stroke: line, width: 1 },
          values: (_plot, splits) => splits.map((value) => axisText(value, unit)),
        },
      ],
      scales: { y: { dir: isReversed ? -1 : 1 } },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      cursor: { drag: { setScale: false }, sync: { key: 'page' } },
    }
    const seconds = times.map((time) => Date.parse(time) / 1000)
    const plot = new uPlot(options, [seconds, ...series.map(({ values }) => [...values])], element)
    const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      plot.destroy()
    }
  }, [drawn, unit, isReversed, theme])
  return <div className="plot" ref={place} role="img" aria-label={`${title}. ${summary}`} />
}

/** The numbers between gaps, which no line shows. */
const alone = (values: Series['values']) =>
  values.flatMap((value, i) =>
    value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? [i] : [],
  )

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString()

/** Round numbers need no decimals. */
const axisText = (value: number, unit: Unit) => short(value, unit).replace(/\.0+(?=\D|$)|(\.\d)0(?=\D|$)/, '$1')

/** The colours that are shown: those that one chose, or those of the system. */
const currentTheme = () =>
  document.documentElement.dataset.theme ?? String(matchMedia('(prefers-color-scheme: dark)').matches)

/** Follows the theme, which is the system's or a chosen one. */
function useTheme(): string {
  const [theme, setTheme] = useState(currentTheme)
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)')
    const follow = () => setTheme(currentTheme())
    const observer = new MutationObserver(follow)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    media.addEventListener('change', follow)
    return () => {
      observer.disconnect()
      media.removeEventListener('change', follow)
    }
  }, [])
  return theme
}

const INTERVALS = ['DAY', 'WEEK', 'MONTH'] as const satisfies Interval[]
const RANGES = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['all', 'All time'],
] as const
const DAY_MS = 86_400_000
/** As many buckets fit a chart well. */
const MAX_BUCKETS = 120

/** The charts of the view: variables of their operations. */
export interface Span {
  interval: Interval
  from?: string
}

/** The range of the view's charts. Undefined until its dates are known. */
export function useSpan(): Span | undefined {
  const url = useUrlState()
  const range = url.oneOf('range', ['30', '7', '90', 'all'])
  const interval = url.oneOf('interval', INTERVALS)
  const { data } = useGraph(DistributionDatesDocument, {}, { pause: range === '30' })
  // The graph's default are the 30 newest buckets.
  if (range === '30') return { interval }
  if (!data) return undefined
  return spanOf(data, range === 'all' ? Number.POSITIVE_INFINITY : Number(range)) ?? { interval }
}

/** The last days of the program, or all of them if there are fewer. Undefined without a distribution. */
export function spanOf({ oldest, newest }: DistributionDatesFragment, days: number): Required<Span> | undefined {
  const [first, last] = [oldest.nodes[0], newest.nodes[0]].map((one) => Date.parse(one?.date ?? ''))
  if (!first || !last) return undefined
  const from = Math.max(first, last - (days - 1) * DAY_MS)
  const buckets = (last - from) / DAY_MS
  return {
    interval: buckets < MAX_BUCKETS ? 'DAY' : buckets < MAX_BUCKETS * 7 ? 'WEEK' : 'MONTH',
    from: new Date(from).toISOString(),
  }
}

/** Lets the range of the charts be chosen. */
export function RangeChoice() {
  const url = useUrlState()
  const current = url.oneOf('range', ['30', '7', '90', 'all'])
  const after = url.get('after')
  return (
    <nav className="choice" aria-label="Range of the charts">
      {RANGES.map(([range, name]) => (
        <Link
          key={range}
          href={url.link({ after, interval: undefined, range: range === '30' ? undefined : range })}
          aria-current={range === current ? 'true' : undefined}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
