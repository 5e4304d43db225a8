import { type BirpcReturn, createBirpc } from 'birpc'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { PointCounter } from '../point-counter.ts'

/** The metrics of one process, in a form that can be added up. */
export type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[]

export interface PrimaryFunctions {
  /** The worker listens on this port. */
  ready(port: number): void
  /** The metrics of all workers, in the text format of Prometheus. */
  allMetrics(): Promise<string>
  /** Counts points for all workers. */
  addPoints: PointCounter['add']
}

export interface WorkerFunctions {
  metrics(): Promise<ProcessMetrics>
  /** Makes the worker answer what its connections still send, and end. */
  drain(): void
}

/** A worker's side of its link to the primary. */
export interface Primary {
  readonly ask: BirpcReturn<PrimaryFunctions, WorkerFunctions>
  /** Sets what the worker does for the primary. */
  serve(functions: Partial<WorkerFunctions>): void
}

/** How long the other side may take to answer. */
export const ANSWER_MS = 2000

export function openPrimary(): Primary {
  const functions: WorkerFunctions = { metrics: async () => [], drain() {} }
  const ask = createBirpc<PrimaryFunctions, WorkerFunctions>(functions, {
    post: (message) => process.send?.(message),
    on: (listener) => process.on('message', listener),
    timeout: ANSWER_MS,
  })
  return { ask, serve: (more) => void Object.assign(functions, more) }
}
