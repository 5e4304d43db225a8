import { readFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { CommanderError } from 'commander'
import type { Pool } from 'pg'
import { readAddress } from '../address.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { isLackOfRights, isLostConnection, lackOfResources } from '../db/faults.ts'
import { type Deps, openDeps } from '../deps.ts'
import { type ErrorCode, GatewayError } from '../errors.ts'
import { knownFault } from '../graphql/execution/errors.ts'
import { parseUtc } from '../time.ts'
import { visible, visibleJson, visibleLines } from '../visible.ts'

/** The actor in the records of changes by the command line. */
export const CLI = 'cli'

/** The resources of a command. The signal is that of Ctrl-C, which rolls back. */
export interface CommandDeps extends Deps {
  pool: Pool
  signal: AbortSignal
}

/** Opens the resources, runs a command and closes them. */
export async function withDeps(
  work: (deps: CommandDeps) => Promise<void> | void,
  settings: { MIGRATE?: 'on' } = {},
): Promise<void> {
  const config = readConfig({ LOG_LEVEL: 'warn', ...withoutEmpty(process.env), ...settings })
  const signal = stopSignal(config)
  const deps = await openDeps(config, { logsOutages: false })
  try {
    await work({ ...deps, pool: deps.store.pool, signal })
  } finally {
    await deps.close()
  }
}

/** Treats empty variables as unset. */
export function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
}

const CLOSING_MS = 2000
// On Ctrl-C the terminal and npm each send a signal.
const SAME_SIGNAL_MS = 500

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Aborts on the first signal to stop. A second one ends the process at once. If anything hangs,
 * the process ends soon after SHUTDOWN_TIMEOUT_MS.
 */
export function stopSignal({ SHUTDOWN_TIMEOUT_MS: timeoutMs }: Config): AbortSignal {
  const controller = new AbortController()
  let since = Number.POSITIVE_INFINITY
  const stop = (signal: (typeof STOP_SIGNALS)[number]) => {
    if (performance.now() - since > SAME_SIGNAL_MS) process.exit(128 + constants.signals[signal])
    if (controller.signal.aborted) return
    since = performance.now()
    setTimeout(() => {
      complain('Not everything could be closed in time. Exiting anyway.')
      process.exit(1)
    }, timeoutMs + CLOSING_MS).unref()
    controller.abort()
  }
  for (const signal of STOP_SIGNALS) process.on(signal, stop)
  return controller.signal
}

/** True if the user is a script, which also reads failures as JSON. */
export const wantsJson = () => process.argv.includes('--json')

/** Prints a warning, which does not belong to the result. */
export function warn(warning: string): void {
  complain(wantsJson() ? visibleJson({ warning }) : visible(`Warning: ${warning}`))
}

/** Prints one line. Invisible characters and line feeds are escaped. */
export function print(line: string): void {
  printText(visible(line))
}

/** Prints several lines, such as a table. */
export function printText(text: string): void {
  process.stdout.write(`${visibleLines(text)}\n`)
}

/** Writes what does not belong to the result. */
export function complain(text: string): void {
  process.stderr.write(`${visibleLines(text)}\n`)
}

/** Prints one JSON object per line, for scripts. */
export const printJson = (value: unknown) => printText(visibleJson(value))

/** Reads a file that an option names. @throws ConfigError */
export const readText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch(() => {
    throw new ConfigError(`${path} cannot be read.`)
  })

/** Reads an address. @param whose completes the message @throws ConfigError */
export function parseAddress(text: string, whose: string): string {
  const address = readAddress(text)
  if (address === undefined)
    throw new ConfigError(
      `A ${whose}'s address is 0x and 40 hexadecimal digits, not ${text.slice(0, 60)}.`,
    )
  return address
}

/** Reads the value of an option that is a date. @throws ConfigError */
export function parseDate(text: string): Date {
  const parsed = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseUtc(text) : undefined
  if (!parsed) throw new ConfigError(`A date must look like 2025-03-01, not ${text}.`)
  return parsed
}

/** Reads the value of an option that is a whole number up to a maximum. */
export function parseCount(max: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,9}$/.test(text) || Number(text) > max)
      throw new ConfigError(`A number from 0 to ${max} is needed, not ${text}.`)
    return Number(text)
  }
}

/** Reads the value of an option that is a finite number from 0 up. */
export function parseNumber(what: string): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value) || value < 0)
      throw new ConfigError(`${what} is a finite number from 0 up, not ${text}.`)
    return value
  }
}

export function parseRevision(text: string): bigint {
  if (!/^[1-9]\d{0,17}$/.test(text))
    throw new ConfigError(`A revision has a number, not ${text.slice(0, 60)}.`)
  return BigInt(text)
}

/** Formats a number for people: thousands separators and two decimals, or six below 1. */
export const figure = (value: number) =>
  value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 1 ? 6 : 2 })

export const recordCount = (count: number) =>
  `${figure(count)} ${count === 1 ? 'record' : 'records'}`

const FACTORS = [
  ['depositA', 'supply A'],
  ['depositB', 'supply B'],
  ['borrowA', 'borrow A'],
  ['borrowB', 'borrow B'],
] as const

// The factors of a pool's multiplier. Null where it was removed.
type PoolFactors = Record<(typeof FACTORS)[number][0], number | null>

interface PointsChange {
  reasons: readonly string[]
  multiplierBefore: PoolFactors | null
  multiplierAfter: PoolFactors | null
}

const timesOf = (factor: number | null | undefined) =>
  typeof factor === 'number' ? `x${factor}` : 'none'

/**
 * The reasons of a change of points, in words. A multiplier is shown as the factors that differ,
 * where they are known.
 */
export function reasonWords({ reasons, multiplierBefore, multiplierAfter }: PointsChange): string {
  const differing = FACTORS.flatMap(([factor, name]) => {
    const [before, after] = [
      timesOf(multiplierBefore?.[factor]),
      timesOf(multiplierAfter?.[factor]),
    ]
    return before === after ? [] : `${name} ${before} -> ${after}`
  })
  const words = reasons.flatMap((reason) =>
    reason === 'MULTIPLIER' && differing.length > 0
      ? differing
      : reason.toLowerCase().replace('_', ' '),
  )
  return words.join(', ') || 'not known'
}

// Exit codes by error. The README lists them.
const EXIT_CODES: Record<ErrorCode, number> = {
  BAD_INPUT: 2,
  NOT_FOUND: 3,
  CONFLICT: 4,
  SOURCE_FAILED: 5,
  UNAVAILABLE: 6,
  RATE_LIMITED: 1,
  TIMEOUT: 1,
  ANSWER_TOO_LARGE: 1,
  UNSUPPORTED: 1,
  UNAUTHENTICATED: 1,
  FORBIDDEN: 1,
}

// Some errors have the store fault only in their cause.
function storeFault(error: unknown): GatewayError | undefined {
  return knownFault(error) ?? (error instanceof Error ? knownFault(error.cause) : undefined)
}

interface Failure {
  code: ErrorCode | 'CONFIG_ERROR' | 'INTERRUPTED' | 'INTERNAL'
  message: string
  problems: { name: string; message: string }[]
  exitCode: number
}

function failureOf(error: unknown): Failure {
  if (error instanceof Error && error.name === 'AbortError')
    return {
      code: 'INTERRUPTED',
      message: 'Interrupted: unfinished work has changed nothing.',
      problems: [],
      exitCode: 130,
    }
  if (error instanceof CommanderError)
    return {
      code: 'BAD_INPUT',
      message: error.message.replace(/^error: /, ''),
      problems: [],
      exitCode: 2,
    }
  if (error instanceof ConfigError) {
    const { message, problems } = error
    return {
      code: problems.length > 0 ? 'CONFIG_ERROR' : 'BAD_INPUT',
      message,
      problems,
      exitCode: 2,
    }
  }
  if (!(error instanceof GatewayError) && isLostConnection(error))
    return {
      code: 'UNAVAILABLE',
      message:
        `The database went away, or cannot be reached (${(error as Error).message}): unfinished ` +
        'work has changed nothing. Run the command again when it is back.',
      problems: [],
      exitCode: EXIT_CODES.UNAVAILABLE,
    }
  const fault = error instanceof GatewayError ? error : storeFault(error)
  const lack =
    lackOfResources(error) ?? (error instanceof Error ? lackOfResources(error.cause) : undefined)
  const text =
    error instanceof Error && error.message !== ''
      ? error.message
      : (fault?.message ?? String(error))
  const isRefused = error instanceof Error && (isLackOfRights(error) || isLackOfRights(error.cause))
  const message = isRefused
    ? `The database refuses this to its role (${text}): \`gateway doctor\` says how to mend it.`
    : (lack?.message ?? text)
  if (!fault) return { code: 'INTERNAL', message, problems: [], exitCode: 1 }
  return { code: fault.code, message, problems: fault.problems, exitCode: EXIT_CODES[fault.code] }
}

/** Prints an error, with --json as one line of JSON, and sets the exit code. */
export function fail(error: unknown): void {
  // The help and the version end a command too.
  if (error instanceof CommanderError && error.exitCode === 0) return
  const { exitCode, ...failure } = failureOf(error)
  process.exitCode = exitCode
  if (wantsJson()) {
    complain(visibleJson(failure))
    return
  }
  // Commander has printed its own.
  if (error instanceof CommanderError) return
  const { code, message } = failure
  const problems = failure.problems.filter((problem) => !message.includes(problem.message))
  const lines = [
    message,
    ...problems.map((problem) => [problem.name, problem.message].join(' ').trim()),
  ]
  // The text of a source is one line.
  complain(code === 'SOURCE_FAILED' ? visible(lines.join(' ')) : lines.join('\n'))
  if (code === 'INTERNAL' && error instanceof Error && process.env.LOG_LEVEL === 'debug')
    complain(String(error.stack))
}
