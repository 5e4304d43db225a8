import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type uPlot from 'uplot'
import { day, short, type Unit } from './format.ts'
import type { Mark } from './marks.ts'

/** uPlot, which comes with the first chart. */
let library: Promise<{ default: typeof uPlot }> | undefined

function useLibrary(): typeof uPlot | undefined {
  const [loaded, setLoaded] = useState<{ default: typeof uPlot }>()
  useEffect(() => {
    library ??= import('uplot')
    library.then(setLoaded, () => {
      library = undefined
    })
  }, [])
  return loaded?.default
}

/** The height of a chart by its width: less on a phone. */
const heightOf = (width: number) => (width < 400 ? 170 : 220)

export interface Series {
  label: string
  /** Tells lines of the same label apart. */
  key?: string
  /** One for each time: null in a gap. */
  values: readonly (number | null)[]
  /** An area that stands on those before it, above or below zero, instead of a line. */
  stack?: 'above' | 'below'
  /** Its place among the lines of the chart, which decides its colour and dashes. */
  line?: number
}

export interface ChartData {
  title: string
  unit: Unit
  /** The beginning of each bucket, oldest first. */
  times: readonly string[]
  series: readonly Series[]
}

/** The distances of grid lines of counts, which have no fractions. */
const WHOLE = [1, 2, 5]
  .flatMap((n) => Array.from({ length: 12 }, (_, zeros) => n * 10 ** zeros))
  .sort((a, b) => a - b)

/** The dashes of the lines of a chart, which tell them apart without colours. */
const DASHES: readonly number[][] = [[], [8, 4], [10, 3, 2, 3], [16, 5], [8, 3, 2, 3, 2, 3]]
export const dashOf = (line: number): number[] => DASHES[line % DASHES.length] ?? []

interface PlotProps extends ChartData {
  summary: string
  isReversed: boolean
  /** True if the last bucket is not over: its line is dotted. */
  isUnfinished: boolean
  marks: readonly Mark[]
  /** Receives the bucket under the pointer of any chart of the page. */
  onPoint(at: number | undefined): void
}

/** The lines of a chart. */
export function Plot({
  title,
  summary,
  unit,
  times,
  series,
  isReversed,
  isUnfinished,
  marks,
  onPoint,
}: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  const Lines = useLibrary()
  useLayoutEffect(() => {
    const element = place.current
    if (element) element.style.minHeight = `${heightOf(element.clientWidth)}px`
  }, [])
  // The numbers of a series are new arrays at each render.
  const drawn = JSON.stringify([times, series, marks.map(({ date }) => date)])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart has the colours of its time
  useEffect(() => {
    const element = place.current
    if (!element || !Lines) return undefined
    const [times, shown, marked] = JSON.parse(drawn) as [string[], Series[], string[]]
    const series = stacked(shown)
    const colour = (css: string) => {
      element.style.color = css
      const computed = getComputedStyle(element).color
      element.style.color = ''
      return computed
    }
    const grid = colour('var(--line)')
    const surface = colour('var(--surface)')
    const axis = {
      stroke: colour('var(--muted)'),
      font: '12px Inter, system-ui, sans-serif',
      ticks: { show: false },
    }
    const drawnValues = series.flatMap(({ values }) => values.filter((value) => value !== null))
    const [least, most] = [Math.min(...drawnValues), Math.max(...drawnValues)]
    // An area above a cut axis would look like a cliff.
    const isFromZero = series.length === 1 && !isReversed && least >= 0 && least <= most / 2
    const hasStack = series.some(({ stack }) => stack)
    const lines = series.flatMap(
      ({ values, line = 0, stack }): { options: uPlot.Series; values: Series['values'] }[] => {
        const stroke = colour(`var(--series-${line + 1})`)
        const ground = stack ? 'var(--surface) 70%' : 'transparent 88%'
        const fill = colour(`color-mix(in srgb, var(--series-${line + 1}), ${ground})`)
        const options: uPlot.Series = {
          stroke,
          width: stack ? 1 : 2,
          points: { show: times.length < 3, filter: () => alone(values) },
          ...((isFromZero || stack) && { fill, fillTo: () => 0 }),
          dash: dashOf(line),
        }
        if (!isUnfinished || stack) return [{ options, values }]
        const last = values.length - 1
        const end = values.map((value, at) => (at >= last - 1 ? value : null))
        return [
          { options, values: values.with(last, null) },
          { options: { stroke, width: 2, dash: [2, 4], points: { show: false } }, values: end },
        ]
      },
    )
    const options: uPlot.Options = {
      width: element.clientWidth,
      height: heightOf(element.clientWidth),
      legend: { show: false },
      padding: [14, 18, 0, 18],
      series: [{}, ...lines.map(({ options }) => options)],
      axes: [
        {
          ...axis,
          size: 26,
          grid: { show: false },
          values: (_plot, splits) =>
            splits.map((seconds) => day(isoOf(seconds)).replace(/ \d{4}$/, '')),
        },
        {
          ...axis,
          ...(unit === 'count' && { incrs: WHOLE }),
          size: 0,
          grid: { stroke: grid, width: 1 },
          values: (_plot, splits) => splits.map(() => ''),
        },
      ],
      scales: {
        y: {
          dir: isReversed ? -1 : 1,
          ...(isFromZero && { range: { min: { hard: 0, soft: 0, mode: 1 }, max: { pad: 0.1 } } }),
          ...(hasStack && { range: { min: STACKED, max: STACKED } }),
          ...(isReversed && { range: { min: { hard: 1, pad: 0.1 }, max: { pad: 0.1 } } }),
        },
      },
      tzDate: (seconds) => Lines.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      cursor: { drag: { setScale: false }, sync: { key: 'page' } },
      hooks: {
        drawAxes: [(plot) => drawMarks(plot, marked, axis.stroke)],
        draw: [(plot) => drawNumbers(plot, unit, axis.stroke, surface)],
        setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)],
      },
    }
    const seconds = times.map((time) => Date.parse(time) / 1000)
    const plot = new Lines(options, [seconds, ...lines.map(({ values }) => [...values])], element)
    const sizes = new ResizeObserver(() => {
      const height = heightOf(element.clientWidth)
      element.style.minHeight = `${height}px`
      plot.setSize({ width: element.clientWidth, height })
    })
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      plot.destroy()
    }
  }, [Lines, drawn, unit, isReversed, isUnfinished, theme])
  return <div className="plot" ref={place} role="img" aria-label={`${title}. ${summary}`} />
}

/** The axis of areas has zero. */
const STACKED = { soft: 0, mode: 1, pad: 0.05 } as const

/** Areas by their upper edges, those that others are drawn over first, then the lines. */
function stacked(series: readonly Series[]): Series[] {
  const edges = (['above', 'below'] as const).flatMap((side) => {
    const sign = side === 'above' ? 1 : -1
    const sums: number[] = []
    return series
      .filter(({ stack }) => stack === side)
      .map((one) => ({
        ...one,
        values: one.values.map((value, i) => {
          if (value === null) return null
          const sum = (sums[i] ?? 0) + sign * value
          sums[i] = sum
          return sum
        }),
      }))
      .reverse()
  })
  return [...edges, ...series.filter(({ stack }) => !stack)]
}

/** The numbers of the axis, above their lines and within the plot, which so fills its card. */
function drawNumbers(plot: uPlot, unit: Unit, colour: string, halo: string) {
  const { ctx, bbox, axes, valToPos } = plot
  const splits = (axes[1] as { _splits?: (number | null)[] })._splits ?? []
  ctx.save()
  ctx.font = `${11 * devicePixelRatio}px Inter, system-ui, sans-serif`
  ctx.textAlign = 'left'
  ctx.textBaseline = 'bottom'
  ctx.lineJoin = 'round'
  ctx.lineWidth = 3 * devicePixelRatio
  ctx.strokeStyle = halo
  ctx.fillStyle = colour
  for (const value of splits) {
    if (value === null) continue
    const place = [
      axisText(value, unit),
      bbox.left - 16 * devicePixelRatio,
      valToPos(value, 'y', true) - devicePixelRatio,
    ] as const
    ctx.strokeText(...place)
    ctx.fillText(...place)
  }
  ctx.restore()
}

/** The numbers between gaps, which no line shows. */
const alone = (values: Series['values']) =>
  values.flatMap((value, i) =>
    value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null
      ? [i]
      : [],
  )

/** A dashed line at each date. */
function drawMarks({ ctx, bbox, valToPos }: uPlot, dates: readonly string[], colour: string) {
  ctx.save()
  ctx.strokeStyle = colour
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio])
  ctx.beginPath()
  for (const date of dates) {
    const x = Math.round(valToPos(Date.parse(date) / 1000, 'x', true))
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
  }
  ctx.stroke()
  ctx.restore()
}

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString()

/** Round numbers need no decimals. */
const axisText = (value: number, unit: Unit) =>
  short(value, unit).replace(/\.0+(?=\D|$)|(\.\d)0(?=\D|$)/, '$1')

/** The colours that are shown: those that one chose, or those of the system. */
const currentTheme = () =>
  document.documentElement.dataset.theme ??
  String(matchMedia('(prefers-color-scheme: dark)').matches)

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
