/** The product as separate processes: a gateway that serves, and commands. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
// The program, which `npm run bench` builds first.
const program = join(root, 'dist/main.js')

type Env = Record<string, string>

function start(args: string[], env: Env): ChildProcess {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill())
  return child
}

export interface Served {
  base: string
  pid: number
  stop(): Promise<void>
}

/** A gateway that listens on a separate port. */
export async function serve(env: Env): Promise<Served> {
  const child = start(['serve'], { PORT: '0', ...env })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const base = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stdout?.on('data', (chunk) => {
      said += chunk
      const [, url] = /gateway on (http:\S+)/.exec(said) ?? []
      if (url) resolve(url)
    })
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${said}`)))
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { base, pid: child.pid as number, stop }
}

export interface Ran {
  seconds: number
  /** Its resident memory over time, in bytes. */
  rss: number[]
  output: string
}

/** Runs a command to its end. */
export async function run(args: string[], env: Env): Promise<Ran> {
  const at = performance.now()
  const child = start(args, env)
  const rss: number[] = []
  const watch = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(status) ?? []
    if (kilobytes) rss.push(Number(kilobytes) * 1024)
  }, 100)
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  clearInterval(watch)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
  return { seconds: (performance.now() - at) / 1000, rss, output }
}
