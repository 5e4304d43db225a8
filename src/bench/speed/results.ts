/** What a run found, how it is printed, and what it must reach. */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Checked, System } from './check.ts'
import type { Size } from './data.ts'
import { type Cell, type Figures, figuresOf, median, ratioOf, round } from './measure.ts'
import type { Operation } from './operations.ts'
import type { Depth, Fresh, Growth, Starts } from './parts.ts'
import { root } from './processes.ts'

/**
 * A system as it is timed: `cached` is the product with its cache, `bare` ready bytes, `304` what
 * is unchanged.
 */
export type Timed = System | 'cached' | 'bare' | 'cached 304' | 'bare 304'

export interface Found {
  kind: 'rest' | 'graphql'
  answer: Operation['answer']
  nested: boolean
  /** An answer's size, in bytes: the median. */
  bytes: number
  checks: Partial<Record<System, Checked>>
  /** By the number of connections. */
  cells: Record<string, Partial<Record<Timed, Cell>>>
  fresh?: Fresh
  growth?: Growth
}

export interface Results {
  settings: object
  machine: object
  operations: Record<string, Found>
  depth: Record<string, Depth>
  starts?: Starts
  /** Resident memory at the end, in MB. */
  memory: Record<string, number>
}

/** What is asserted again in CI: of the operations at 16 connections. */
export interface Recorded {
  statements: Record<string, number>
  floor: Record<string, number>
}

const JUDGED = '16'
/**
 * How far below its recorded value a ratio to the floor may fall. The same program's have differed
 * by 1.6 between two days.
 */
const SLACK = 0.5
const KILOBYTES_100 = 100 * 1024

const ratio = (result: Found, one: Timed, other: Timed) =>
  ratioOf(result.cells[JUDGED]?.[one], result.cells[JUDGED]?.[other])

export function recordOf(results: Results): Recorded {
  const record: Recorded = { statements: {}, floor: {} }
  for (const [name, result] of Object.entries(results.operations)) {
    const statements = result.checks.product?.statements?.[1]
    const floor = ratio(result, 'product', 'floor')
    if (statements !== undefined) record.statements[name] = statements
    if (floor !== undefined) record.floor[name] = floor
  }
  return record
}

/**
 * CPU time of a request in microseconds, of the server and of Postgres: of the product and of the
 * floor.
 */
function cpuOf({
  operations,
}: Results): Record<string, Record<string, [server: number, postgres: number]>> {
  const pair = (cell: Cell | undefined): [number, number] | undefined =>
    cell && [round(median(cell.server)), round(median(cell.postgres))]
  const pairs = Object.entries(operations).map(([name, { cells }]) => {
    const [product, floor] = [pair(cells[JUDGED]?.product), pair(cells[JUDGED]?.floor)]
    return [name, { ...(product && { product }), ...(floor && { floor }) }]
  })
  return Object.fromEntries(pairs)
}

/** What has become worse than what was recorded: a line each. */
export function worse(now: Recorded, recorded: Recorded): string[] {
  const more = Object.entries(now.statements).flatMap(([name, count]) => {
    const before = recorded.statements[name]
    return before !== undefined && count > before
      ? [`${name}: ${count} SQL statements, ${before} were recorded`]
      : []
  })
  const told = slower(now, recorded).map((name) => {
    const [value, before] = [now.floor[name], recorded.floor[name] as number]
    return (
      `${name}: ${value} times the floor, ${before} were recorded (at least ` +
      `${round(SLACK * before)})`
    )
  })
  return [...more, ...told]
}

/** The operations whose ratio to the floor has fallen too far below what was recorded. */
export const slower = (now: Recorded, recorded: Recorded): string[] =>
  Object.entries(now.floor)
    .filter(([name, value]) => value < SLACK * (recorded.floor[name] ?? 0))
    .map(([name]) => name)

/** A row of 'must reach'. */
export interface Goal {
  what: string
  target: string
  median?: number
  /** The worst value, and whose it is. */
  worst?: number
  of?: string
  /** How many of how many reach it. */
  reached: number
  all: number
}

export function goals(results: Results): Goal[] {
  const { operations, depth, starts, memory } = results
  const list: Goal[] = []
  const named = Object.entries(operations)
  const goal = (
    what: string,
    sign: 'at least' | 'at most',
    bound: number,
    values: [string, number | undefined][],
  ) => {
    const numbers = values.filter(
      (one): one is [string, number] => one[1] !== undefined && !Number.isNaN(one[1]),
    )
    const good = (value: number) => (sign === 'at least' ? value >= bound : value <= bound)
    const [worst] = numbers.toSorted(([, a], [, b]) => (sign === 'at least' ? a - b : b - a))
    list.push({
      what,
      target: `${sign} ${bound}`,
      ...(worst && {
        median: median(numbers.map(([, value]) => value)),
        worst: worst[1],
        of: worst[0],
      }),
      reached: numbers.filter(([, value]) => good(value)).length,
      all: numbers.length,
    })
  }
  const over = (
    of: (result: Found) => boolean,
    one: Timed,
    other: Timed,
  ): [string, number | undefined][] =>
    named
      .filter(([, result]) => of(result))
      .map(([name, result]) => [name, ratio(result, one, other)])
  const rest = (result: Found) => result.kind === 'rest'
  const graphql = (result: Found) => result.kind === 'graphql'
  const trusted = (other: Timed, ...answers: Operation['answer'][]) => [
    ...over((result) => rest(result) && answers.includes(result.answer), 'product', other),
    ...over((result) => graphql(result) && answers.includes(result.answer), 'known', other),
  ]
  goal(
    'lists, REST and known documents, uncached: to the floor',
    'at least',
    1.3,
    trusted('floor', 'list'),
  )
  goal(
    'earnings, net APR, a page of a user: to the floor',
    'at least',
    1.5,
    trusted('floor', 'sums'),
  )
  goal('smallest answers: to the floor', 'at least', 1, trusted('floor', 'small'))
  goal(
    'other documents, seen before, uncached: to the floor',
    'at least',
    1,
    over(graphql, 'product', 'floor'),
  )
  const any = trusted('postgraphile', 'list', 'sums', 'small')
  goal('REST and known documents, uncached: to PostGraphile', 'at least', 3, any)
  goal(
    'CPU time of Postgres: to the floor',
    'at most',
    1,
    named.map(([name, { cells }]) => {
      const { product, floor } = cells[JUDGED] ?? {}
      return [name, product && floor && median(product.postgres) / median(floor.postgres)]
    }),
  )
  const nested = named.filter(([, result]) => result.nested)
  const statements = (result: Found) => result.checks.product?.statements
  goal(
    'nested: SQL statements',
    'at most',
    1,
    nested.map(([name, result]) => [name, statements(result)?.[1]]),
  )
  goal('cached GET: to bare node:http', 'at least', 1, over(rest, 'cached', 'bare'))
  goal('cached POST /graphql: to bare node:http', 'at least', 0.9, over(graphql, 'cached', 'bare'))
  goal('cached 304: to bare node:http', 'at least', 0.95, over(rest, 'cached 304', 'bare 304'))
  goal(
    'a document never seen: first run to second',
    'at most',
    3,
    named.map(([name, { fresh }]) => [name, fresh && fresh.first / fresh.second]),
  )
  goal(
    'p99 to p50 at 64 connections, answers under 100 KB',
    'at most',
    3,
    named.map(([name, { bytes, cells }]) => {
      const cell = cells['64']?.product
      return [
        name,
        bytes < KILOBYTES_100 && cell
          ? median(cell.p99.map((p99, i) => p99 / (cell.p50[i] ?? 0)))
          : undefined,
      ]
    }),
  )
  goal(
    'time with 10 times the rows',
    'at most',
    1.2,
    named.map(([name, { growth }]) => [name, growth && growth.full / growth.tenth]),
  )
  goal(
    'time of page 1,000 to page 1',
    'at most',
    1.2,
    Object.entries(depth).map(([name, { first, thousandth }]) => [name, thousandth / first]),
  )
  goal('process start to /health ok: to PostGraphile', 'at most', 1.3, [
    [
      'median',
      starts?.postgraphile.length
        ? median(starts.product) / median(starts.postgraphile)
        : undefined,
    ],
  ])
  goal(
    'the first request after it: to the p50',
    'at most',
    5,
    (starts?.first ?? []).map(({ operation, first, usual }) => [operation, first / usual]),
  )
  goal('resident memory after the bench, MB', 'at most', 220, [
    ['with the cache', memory['with the cache']],
  ])
  return list
}

type Row = (string | number | undefined)[]

function table(rows: Row[]): string {
  const texts = rows.map((row) => row.map((cell) => String(cell ?? '–')))
  const widths =
    texts[0]?.map((_, i) => Math.max(3, ...texts.map((row) => row[i]?.length ?? 0))) ?? []
  const lineOf = (cells: string[]) => `| ${cells.join(' | ')} |`
  const [head = '', ...rest] = texts.map((row) =>
    lineOf(
      row.map((cell, i) => {
        const width = widths[i] ?? 0
        return i === 0 ? cell.padEnd(width) : cell.padStart(width)
      }),
    ),
  )
  const rule = lineOf(
    widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)),
  )
  return [head, rule, ...rest].join('\n')
}

const figure = (value: number | undefined) =>
  value === undefined || Number.isNaN(value) ? undefined : Number(round(value)).toLocaleString('en')

/** The table of all operations at a number of connections, in Markdown. */
export function operationTable({ operations }: Results, connections: string): string {
  const head = [
    'operation',
    'KB',
    'requests/s',
    'p50',
    'p99',
    'CPU µs',
    "floor's",
    'Postgres µs',
    "floor's",
  ]
  const ratios = ['× floor', 'known × floor', '× PostGraphile', 'cached × bare', '304 × bare']
  const rows: Row[] = [[...head, ...ratios]]
  for (const [name, { bytes, checks, cells: byConnections }] of Object.entries(operations)) {
    const cells = byConnections[connections] ?? {}
    const figures = (of: Timed): Partial<Figures> => (cells[of] ? figuresOf(cells[of]) : {})
    const [product, floor] = [figures('product'), figures('floor')]
    const times = (one: Timed, other: Timed) =>
      [one, other].some((of) => checks[of as System]?.wrong !== undefined)
        ? 'differs'
        : figure(ratioOf(cells[one], cells[other]))
    const { rps, p50, p99 } = product
    const cpu = [product.server, floor.server, product.postgres, floor.postgres]
    rows.push([
      name,
      ...[bytes / 1024, rps, p50, p99, ...cpu].map(figure),
      times('product', 'floor'),
      times('known', 'floor'),
      times('product', 'postgraphile'),
      times('cached', 'bare'),
      times('cached 304', 'bare 304'),
    ])
  }
  return table(rows)
}

/** What the load itself costs next to bare node:http, the quickest server that it meets. */
export function loadTold({ operations }: Results): string | undefined {
  const cells = Object.values(operations).flatMap(({ cells }) => cells[JUDGED]?.bare ?? [])
  if (cells.length === 0) return undefined
  const of = (part: 'load' | 'server') => round(median(cells.map((cell) => median(cell[part]))))
  return (
    `A request costs the load ${of('load')} µs of CPU where it costs bare node:http ` +
    `${of('server')} µs (medians).`
  )
}

/**
 * Where a system was not what bounds the figures: its core was idle for more than a tenth of the
 * time.
 */
export function idleTold({ operations }: Results, system: Timed): string | undefined {
  const idle = Object.entries(operations).filter(([, { cells }]) => {
    const cell = cells[JUDGED]?.[system]
    return cell && median(cell.rps.map((rps, i) => rps * (cell.server[i] ?? 0))) < 0.9e6
  })
  if (idle.length === 0) return undefined
  return (
    `Bounded by Postgres and the load, not by the core of ${system}: ` +
    `${idle.map(([name]) => name).join(', ')}.`
  )
}

/** The goals that were measured, in Markdown. */
export function goalTable(results: Results): string {
  const rows = goals(results)
    .filter(({ all }) => all > 0)
    .map(({ what, target, median, worst, of, reached, all }): Row => {
      const verdict = reached === all ? 'all' : `${reached} of ${all}`
      return [what, target, figure(median), figure(worst), of, verdict]
    })
  return table([['what', 'goal', 'median', 'worst', 'of', 'reached by'], ...rows])
}

const file = join(import.meta.dirname, 'results.json')

/** The committed figures: by size. */
async function readSaved(): Promise<Partial<Record<Size, { recorded: Recorded }>>> {
  return JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))
}

/** @throws where there is nothing to compare with */
export async function recordedOf(size: Size): Promise<Recorded> {
  const recorded = (await readSaved())[size]?.recorded
  if (!recorded) throw new Error(`${file} has no figures of this size: record them with --save`)
  return recorded
}

const README = join(root, 'src/bench/README.md')
const [START, END] = ['<!-- written by npm run bench -- --save -->\n', '<!-- end -->']

/**
 * Writes the record that later runs are compared with, in place of that of the same size, and the
 * tables of the README.
 */
export async function save(size: Size, results: Results): Promise<void> {
  const { settings, machine } = results
  const entry = { settings, machine, recorded: recordOf(results), cpu: cpuOf(results) }
  await writeFile(file, `${JSON.stringify({ ...(await readSaved()), [size]: entry }, null, 2)}\n`)
  await promisify(execFile)(join(root, 'node_modules/.bin/biome'), ['format', '--write', file], {
    cwd: root,
  })
  if (size === 'small') return
  const text = await readFile(README, 'utf8')
  const [before, rest] = text.split(START) as [string, string]
  const tables = `${operationTable(results, JUDGED)}\n\n${goalTable(results)}\n`
  await writeFile(
    README,
    [before, START, '\n', tables, '\n', rest.slice(rest.indexOf(END))].join(''),
  )
}
