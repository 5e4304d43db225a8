/** The servers under test as pinned processes, and what they and Postgres cost. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { cpus } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

/** The core of the server under test; Postgres and the load have the other. */
const SERVER_CORE = '0'
const OTHER_CORE = '1'
/** Where nothing has a core to itself. */
export const ALL_CORES = cpus()
  .map((_, i) => i)
  .join()
const TICK_MS = 10

/** True if processes can be pinned here; why not, where they cannot. */
export function pinning(): true | string {
  if (process.platform !== 'linux')
    return `processes are pinned, and their CPU is counted, on Linux only`
  if (cpus().length < 2) return 'there is one core only'
  if (spawnSync('taskset', ['-V']).error) return 'taskset (util-linux) is missing'
  return true
}
const pinned = pinning() === true

/** Puts Postgres, which starts a process for every connection, and this process on their core. */
export function pinRest(postmaster: number, cores = OTHER_CORE): void {
  if (!pinned) return
  for (const pid of [...familyOf(postmaster), process.pid])
    execFileSync('taskset', ['-a', '-c', '-p', cores, String(pid)], { stdio: 'ignore' })
}

type Env = Record<string, string>

export interface Server {
  port: number
  pid: number
  /** From the start of its process until /health answered 200. */
  startMs: number
  stop(): Promise<void>
}

const running = new Set<ChildProcess>()
/** Ends all servers at once: where the bench is stopped. */
export function killServers(): void {
  for (const child of running) child.kill('SIGKILL')
}
process.once('exit', killServers)

/** Starts a server that listens on PORT, and waits until its /health is ok. */
export async function startServer(
  command: string[],
  env: Env,
  cores = SERVER_CORE,
  onOutput?: (text: string) => void,
): Promise<Server> {
  const port = await freePort()
  const [file = '', ...args] = pinned ? ['taskset', '-c', cores, ...command] : command
  const began = performance.now()
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), ...env },
    stdio: ['ignore', onOutput ? 'pipe' : 'ignore', 'inherit'],
  })
  child.stdout?.on('data', (chunk) => onOutput?.(String(chunk)))
  running.add(child)
  const ended = once(child, 'exit').then(() => running.delete(child))
  try {
    await healthy(child, port, command)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  const startMs = performance.now() - began
  const stop = async () => {
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(late)
  }
  return { port, pid: child.pid as number, startMs, stop }
}

/** As the package's scripts start it. */
const node = (...args: string[]) => [
  process.execPath,
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
  ...args,
]
const product = join(root, 'dist/main.js')

export const startProduct = (url: string, env: Env = {}, cores?: string) =>
  startServer(node(product, 'serve'), { DATABASE_URL: url, LOG_LEVEL: 'warn', ...env }, cores)

/** Starts the product that is built in a directory. */
export const startBuilt = (
  tree: string,
  env: Env,
  flags: string[],
  onOutput: (text: string) => void,
) => startServer(node(...flags, join(tree, 'dist/main.js'), 'serve'), env, undefined, onOutput)

/** Starts a server that is a TypeScript file of this directory. */
export const startOwn = (file: string, env: Env) =>
  startServer(node('--import', 'tsx', join(import.meta.dirname, file)), env)

/** Runs a command of the product to its end. */
export async function runProduct(args: string[], env: Env): Promise<void> {
  const child = spawn(process.execPath, [product, ...args], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`gateway ${args.join(' ')} ended with ${code}`)
}

async function healthy(child: ChildProcess, port: number, command: string[]): Promise<void> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    if (child.exitCode !== null)
      throw new Error(`${command.join(' ')} ended with ${child.exitCode}`)
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`${command.join(' ')} is not healthy after 60 s`)
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return (address as { port: number }).port
}

/** The fields of /proc/PID/stat from the third on. */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** A process and its children. */
function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...(children ? children.split(' ').map(Number) : [])]
}

/**
 * The CPU time of a process in milliseconds; `family`: with that of its children, ended ones too.
 */
export function cpuOf(pid: number, family = false): number {
  if (process.platform !== 'linux') return Number.NaN
  const ticks = (of: number) => {
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = statOf(of)
      .slice(11, 15)
      .map(Number)
    return user + system + (of === pid && family ? endedUser + endedSystem : 0)
  }
  return (family ? familyOf(pid) : [pid]).reduce((sum, one) => sum + ticks(one), 0) * TICK_MS
}

/** The resident memory of a process, in bytes. */
export function residentOf(pid: number): number {
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
