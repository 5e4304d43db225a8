import { useState } from 'react'
import { type List, numberOf, type Series } from './lists.ts'

const [WIDTH, HEIGHT, TOP, LEFT] = [800, 320, 16, 8]

const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 })
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** One column of numbers of a list through time, as a line. Gaps are values that are not known. */
export function AnswerChart({ list, series }: { list: List; series: Series }) {
  const [chosen, setChosen] = useState<string>()
  const column = series.numbers.find((one) => one === chosen) ?? series.numbers[0] ?? ''
  const values = list.rows.map((row) => numberOf(row[column]))
  const known = values.filter((value) => value !== undefined)
  const [low, high] = [Math.min(0, ...known), Math.max(...known)]
  const [first, last] = [Math.min(...series.dates), Math.max(...series.dates)]
  const x = (date: number) => LEFT + ((date - first) / (last - first)) * (WIDTH - 2 * LEFT)
  const y = (value: number) => TOP + (1 - (value - low) / (high - low || 1)) * (HEIGHT - 2 * TOP)
  const points = series.dates
    .map((date, at) => ({ date, value: values[at] }))
    .sort((one, other) => one.date - other.date)
  return (
    <section className="answer-view" aria-label={`${list.path}: chart`}>
      <label>
        Line{' '}
        <select value={column} onChange={(event) => setChosen(event.target.value)}>
          {series.numbers.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <figure>
        <figcaption>
          {column}: {short.format(low)} to {short.format(high)}, {day.format(first)} to{' '}
          {day.format(last)}
        </figcaption>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${column} through time`}>
          <line x1={LEFT} x2={WIDTH - LEFT} y1={y(low)} y2={y(low)} />
          <path d={pathOf(points, x, y)} />
        </svg>
      </figure>
    </section>
  )
}

interface Point {
  date: number
  value: number | undefined
}

function pathOf(points: Point[], x: (date: number) => number, y: (value: number) => number) {
  let isOpen = false
  return points
    .map(({ date, value }) => {
      if (value === undefined) {
        isOpen = false
        return ''
      }
      const command = isOpen ? 'L' : 'M'
      isOpen = true
      return `${command}${x(date).toFixed(1)} ${y(value).toFixed(1)}`
    })
    .join('')
}
