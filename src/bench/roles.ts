import { fork } from 'node:child_process'
import pg from 'pg'
import { seconds } from './report.ts'
import { progress } from './store.ts'

/**
 * The benches of sources run each part in a separate process, so that no other counts in its time
 * and memory.
 */

export interface Measured {
  seconds: number
  /** Seconds of CPU of the process. */
  cpu: number
  /** Peak resident memory, in bytes. */
  peak: number
}

/** Measures work that is all that this process does. */
export async function measured(work: () => Promise<void>): Promise<Measured> {
  const at = performance.now()
  const cpu = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return {
    seconds: seconds(at),
    cpu: (user + system) / 1e6,
    peak: process.resourceUsage().maxRSS * 1024,
  }
}

/**
 * Starts a bench's file again with its flags and a role.
 * @returns the process, and the message that it sends
 */
export function startRole<T>(file: string, flags: Record<string, unknown>) {
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])
  const made = fork(file, args)
  const result = new Promise<T>((resolve, reject) => {
    made.once('message', (message) => resolve(message as T))
    made.once('exit', (code) => reject(new Error(`${flags.role} ended with ${code}`)))
  })
  result.catch(() => {})
  return { made, result }
}

/** Prints the statements of this process that take more than 20 ms. */
export function tellStatements(): void {
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  const started = performance.now()
  pg.Client.prototype.query = function (this: unknown, ...args: unknown[]) {
    const at = performance.now()
    const result = query.apply(this, args)
    const text = typeof args[0] === 'string' ? args[0] : '(COPY)'
    if (result instanceof Promise)
      result.then(
        () => {
          if (performance.now() - at > 20)
            progress(
              `  ${seconds(started).toFixed(2)} s: ${seconds(at).toFixed(2)} s ` +
                `${text.replace(/\s+/g, ' ').trim().slice(0, 110)}`,
            )
        },
        () => {},
      )
    return result
  } as never
}
