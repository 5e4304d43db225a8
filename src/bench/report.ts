/**
 * What the benches have in common: sizes from the command line, medians, and figures as a table and
 * as JSON.
 */
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'

/**
 * Numbers and texts from the command line, with their defaults at full size and, with `--small`, at
 * that.
 */
export function options<T extends Record<string, number | string>>(full: T, small: Partial<T>): T {
  const { values } = parseArgs({
    options: {
      small: { type: 'boolean' },
      ...Object.fromEntries(Object.keys(full).map((name) => [name, { type: 'string' }])),
    } as Record<string, { type: 'string' | 'boolean' }>,
  })
  const defaults = values.small ? { ...full, ...small } : full
  return Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => {
      const text = values[name] as string | undefined
      if (text === undefined) return [name, value]
      return [name, typeof value === 'number' ? Number(text) : text]
    }),
  ) as T
}

export function median(list: number[]): number {
  return percentile(list, 50)
}

/** The smallest of the values that `percent` of them do not exceed. */
export function percentile(list: number[], percent: number): number {
  const sorted = list.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}

export const round = (value: number, digits = 2) => Number(value.toFixed(digits))
export const seconds = (since: number) => (performance.now() - since) / 1000
export const megabytes = (bytes: number) => round(bytes / 2 ** 20, 0)

export interface Check {
  name: string
  value: number
  atMost: number
}

/**
 * Prints rows as a table, the checks, and all of it as one line of JSON; a check that fails sets
 * the exit code.
 */
export function report(
  bench: string,
  settings: object,
  rows: Record<string, string | number>[],
  checks: Check[],
): void {
  const names = [...new Set(rows.flatMap(Object.keys))]
  const widths = names.map((name) =>
    Math.max(name.length, ...rows.map((row) => String(row[name] ?? '').length)),
  )
  const line = (cells: (string | number)[]) =>
    cells
      .map((cell, i) =>
        i === 0 ? String(cell).padEnd(widths[i] ?? 0) : String(cell).padStart(widths[i] ?? 0),
      )
      .join('  ')
  const say = (text: string) => process.stdout.write(`${text}\n`)
  say(line(names))
  for (const row of rows) say(line(names.map((name) => row[name] ?? '')))
  for (const { name, value, atMost } of checks)
    say(`${value <= atMost ? 'ok  ' : 'FAIL'} ${name}: ${round(value)} (at most ${atMost})`)
  say(
    JSON.stringify({
      bench,
      settings,
      machine: { cores: cpus().length, load: loadavg().map((load) => round(load)) },
      rows,
      checks,
    }),
  )
  if (checks.some(({ value, atMost }) => !(value <= atMost))) process.exitCode = 1
}
