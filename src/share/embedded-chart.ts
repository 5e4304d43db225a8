import { escapeHtml } from '../http/page-text.ts'
import { UNKNOWN } from './words.ts'

/** A number through time. */
export interface Chart {
  title: string
  /** Days with their values, oldest first. Null where the value is unknown. */
  series: readonly (readonly [day: string, value: number | null])[]
  /** Writes a value. */
  written(value: number | null): string
}

const WIDTH = 600
const HEIGHT = 200

/** Draws a chart from zero up, with gaps where values are unknown, and the texts around it. */
export function chartOf({ title, series, written }: Chart) {
  const values = series.map(([, value]) => (value === null ? null : Number(value)))
  const max = Math.max(0, ...values.map((value) => value ?? 0))
  const newest = written(values.findLast((value) => value !== null) ?? null)
  const [first = '', last = ''] = [series[0]?.[0], series.at(-1)?.[0]]
  if (!values.some((value) => value !== null))
    return { svg: '<p>No distribution yet.</p>', newest: UNKNOWN, first, last }
  const step = WIDTH / Math.max(1, values.length - 1)
  const y = (value: number) => (max === 0 ? HEIGHT : HEIGHT - (value / max) * (HEIGHT - 8))
  const runs = runsOf(values).map((run) =>
    run.map(([at, value]) => `${(at * step).toFixed(1)},${y(value).toFixed(1)}`),
  )
  const lines = runs.map((run) => `<path class="line" d="M${run.join('L')}${dot(run)}"/>`)
  const areas = runs.map((run) => {
    const [from, to] = [run[0], run.at(-1)].map((point) => point?.split(',')[0])
    return `<path class="area" d="M${from},${HEIGHT}L${run.join('L')}L${to},${HEIGHT}Z"/>`
  })
  const label = escapeHtml(`${title}: ${newest} on ${last}, at most ${written(max)} since ${first}`)
  const svg =
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" ` +
    `aria-label="${label}"><path class="grid" d="M0,${HEIGHT}H${WIDTH}M0,8H${WIDTH}"/>` +
    `${areas.join('')}${lines.join('')}</svg>`
  return { svg, newest, first, last }
}

// One date alone is a short stroke.
const dot = (run: string[]) => (run.length === 1 ? 'h4' : '')

function runsOf(values: readonly (number | null)[]): [number, number][][] {
  const runs: [number, number][][] = []
  for (const [at, value] of values.entries()) {
    if (value === null) continue
    const isNext = at > 0 && values[at - 1] !== null
    if (!isNext) runs.push([])
    runs.at(-1)?.push([at, value])
  }
  return runs
}
