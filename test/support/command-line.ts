import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, vi } from 'vitest'

const MAIN = join(import.meta.dirname, '../../dist/main.js')

export interface Outcome {
  code: number
  out: string
  err: string
}

/** The environment of a command: nothing of the test's own, but what is given. */
function env(settings: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, LOG_LEVEL: 'silent', ...settings }
}

/** Settings that act on the whole process: its Node.js, its standard output, a server below it. */
const OF_PROCESSES = ['NODE_OPTIONS', 'LOG_LEVEL', 'DATA_DIR']

/**
 * Runs a command to its end: in a thread, which takes a tenth of the time of a process. A server,
 * or a command with settings of processes, runs in a process.
 */
export function command(args: string[], settings: Record<string, string>): Promise<Outcome> {
  const needsProcess = args[0] === 'serve' || OF_PROCESSES.some((name) => name in settings)
  return needsProcess ? runProcess(args, settings) : runThread(args, settings)
}

/** Runs a command in a process, to its end. */
export function runProcess(
  args: string[],
  settings: Record<string, string>,
  main = MAIN,
): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env: env(settings) }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    )
  })
}

/** Threads that have run a command, and wait for the next. */
const idle: Worker[] = []

function runThread(args: string[], settings: Record<string, string>): Promise<Outcome> {
  const thread = idle.pop() ?? new Worker(join(import.meta.dirname, 'command-thread.mjs'))
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`${args.join(' ')} ended its thread`))
    thread.ref()
    thread.once('exit', ended)
    thread.once('message', (outcome: Outcome) => {
      thread.off('exit', ended)
      thread.unref()
      idle.push(thread)
      resolve(outcome)
    })
    thread.postMessage({ args, env: env(settings) })
  })
}

export interface Started {
  child: ChildProcess
  /** What it has printed so far. */
  printed(): string
  /** Sends a signal and waits for the end. @returns the exit code; null: the signal ended it */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts a command that is left alone. */
export function start(args: string[], settings: Record<string, string>, main = MAIN): Started {
  const child = spawn(process.execPath, [main, ...args], {
    env: env(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      text += data
    })
  const ended = once(child, 'close')
  return {
    child,
    printed: () => text,
    async stop(signal) {
      child.kill(signal)
      return (await ended)[0] as number | null
    },
  }
}

/** A line of JSON each. */
export const parsed = (out: string): any[] =>
  out
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

export interface Serving extends Started {
  /** Where it listens: http://127.0.0.1:PORT */
  base: string
}

/** Starts a gateway, and waits until it serves. */
export async function serve(settings: Record<string, string>, main = MAIN): Promise<Serving> {
  const gateway = start(['serve'], { PORT: '0', ...settings }, main)
  const base = await vi.waitFor(
    () => {
      if (gateway.child.exitCode !== null) throw new Error(gateway.printed())
      const [, address] = /gateway on (http:\S+)/.exec(gateway.printed()) ?? []
      expect(address, gateway.printed()).toBeDefined()
      return address as string
    },
    { timeout: 60_000 },
  )
  return { ...gateway, base }
}
