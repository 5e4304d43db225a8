/** Timed runs: of one system and operation, and of several systems one right after another. */
import { each, percentileOf, run, wire } from './load.ts'
import type { Request } from './operations.ts'
import { cpuOf, type Server } from './processes.ts'

/** What one system does with one operation at one number of connections: a value for each round. */
export interface Cell {
  rps: number[]
  /** Milliseconds. */
  p50: number[]
  p99: number[]
  /** CPU time of a request, in microseconds: of the server, of Postgres, of the load itself. */
  server: number[]
  postgres: number[]
  load: number[]
}

/** The figures to print: the medians of a cell. */
export type Figures = Record<keyof Cell, number>

export interface Timing {
  seconds: number
  rounds: number
  /** The process id of Postgres' first process. */
  postmaster: number
}

export interface Subject {
  name: string
  server: Server
  requests: Buffer[]
  /** The process id of its Postgres' first process. Undefined if it is that of all. */
  postmaster?: number
}

/**
 * Measures systems at one operation: in every round each has a window, one after another, so that
 * what is compared is close in time. A round before them is not counted.
 */
export async function measure(
  subjects: Subject[],
  connections: number,
  timing: Timing,
): Promise<Record<string, Cell>> {
  const cells: Record<string, Cell> = {}
  const warmMs = Math.max(50, timing.seconds * 250)
  for (let round = 0; round <= timing.rounds; round++)
    for (const { name, server, requests, postmaster = timing.postmaster } of subjects) {
      const sample = () => [cpuOf(server.pid, true), cpuOf(postmaster, true), ownCpu()]
      const windowMs = round === 0 ? warmMs : timing.seconds * 1000
      const window = await run({
        port: server.port,
        requests,
        connections,
        warmMs,
        windowMs,
        sample,
      }).catch((error) => {
        throw new Error(`${name}: ${error.message}`)
      })
      if (round === 0) continue
      const [serverMs, postgresMs, loadMs] = window.grown.map((ms) => (ms * 1000) / window.answers)
      cells[name] ??= { rps: [], p50: [], p99: [], server: [], postgres: [], load: [] }
      const cell = cells[name]
      cell.rps.push(window.answers / window.seconds)
      cell.p50.push(percentileOf(window.latencies, 50))
      cell.p99.push(percentileOf(window.latencies, 99))
      cell.server.push(serverMs ?? Number.NaN)
      cell.postgres.push(postgresMs ?? Number.NaN)
      cell.load.push(loadMs ?? Number.NaN)
    }
  return cells
}

/** The median time of a request that has been sent before, in milliseconds, on one connection. */
export async function usual(port: number, requests: Request[], count = 100): Promise<number> {
  const sent = Array.from({ length: 2 * count }, (_, i) =>
    wire(requests[i % requests.length] as Request),
  )
  return median((await each(port, sent)).slice(count))
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return (
    ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
  )
}

export const figuresOf = (cell: Cell) =>
  Object.fromEntries(
    Object.entries(cell).map(([name, values]) => [name, round(median(values))]),
  ) as Figures

/** How many times as much one does as the other: round by round, their median. */
export const ratioOf = (one: Cell | undefined, other: Cell | undefined): number | undefined =>
  one && other && round(median(one.rps.map((rps, i) => rps / (other.rps[i] ?? Number.NaN))))

/** Three significant digits or more. */
export const round = (value: number) =>
  value >= 100 ? Math.round(value) : Number(value.toPrecision(3))

function ownCpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
