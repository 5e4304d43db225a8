/**
 * A load on a server from a separate process. Its argument is a Load as JSON; it prints a Report as
 * JSON. Run by `load` of server.ts.
 */
import { get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Load {
  port: number
  connections: number
  /** Requests as they go over the wire, sent in turn. */
  requests: string[]
  /** How long it runs before the window that counts. */
  warmMs: number
  windowMs: number
  /**
   * Requests a second, whatever the answers take; without it each connection sends when it has its
   * answer.
   */
  rate?: number
  /** A path that is requested ten times a second, each time on a new connection. */
  probe?: string
}

export interface Report {
  seconds: number
  /** By status; 0: the connection was lost. */
  answers: Record<string, Figures>
  probe: Figures
}

export interface Figures {
  count: number
  p50: number
  p99: number
  max: number
}

const load = JSON.parse(process.argv[2] ?? '') as Load
const latencies = new Map<number, number[]>()
const probes: number[] = []
let counting = false
let over = false
let nth = 0

const record = (status: number, ms: number) => {
  if (!counting) return
  const ofStatus = latencies.get(status)
  if (ofStatus) ofStatus.push(ms)
  else latencies.set(status, [ms])
}
const nextRequest = () => load.requests[nth++ % load.requests.length] as string

/** One connection with one request under way at a time; a lost one is opened again. */
class Lane {
  #socket: Socket | undefined
  #head = ''
  #missing: number | undefined
  #since = 0
  #status = 0
  readonly #done: (lane: Lane) => void
  #busy = false

  constructor(done: (lane: Lane) => void) {
    this.#done = done
  }

  send(request: string, since = performance.now()): void {
    this.#since = since
    this.#busy = true
    if (this.#socket?.writable) this.#socket.write(request)
    else this.#open(request)
  }

  end(): void {
    this.#socket?.destroy()
  }

  #open(request: string): void {
    const socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true })
    this.#socket = socket
    this.#head = ''
    this.#missing = undefined
    socket.once('connect', () => socket.write(request))
    socket.on('data', (bytes) => this.#data(bytes))
    socket.on('error', () => {})
    socket.once('close', () => {
      if (this.#socket === socket) this.#socket = undefined
      if (this.#busy) setTimeout(() => this.#finish(0), 10)
    })
  }

  #data(bytes: Buffer): void {
    if (this.#missing === undefined) {
      this.#head += bytes.toString('latin1')
      const end = this.#head.indexOf('\r\n\r\n')
      if (end < 0) return
      this.#status = Number(this.#head.slice(9, 12))
      const length = Number(
        /\r\ncontent-length: *(\d+)/i.exec(this.#head.slice(0, end + 2))?.[1] ?? 0,
      )
      this.#missing = length - (this.#head.length - end - 4)
    } else this.#missing -= bytes.length
    if (this.#missing <= 0) this.#finish(this.#status)
  }

  #finish(status: number): void {
    this.#busy = false
    this.#head = ''
    this.#missing = undefined
    record(status, performance.now() - this.#since)
    if (!over) this.#done(this)
  }
}

async function probe(path: string): Promise<void> {
  while (!over) {
    const since = performance.now()
    await new Promise((resolve) =>
      get({ port: load.port, path, agent: false }, (response) =>
        response.resume().once('close', resolve),
      ).once('error', resolve),
    )
    if (counting) probes.push(performance.now() - since)
    await sleep(100)
  }
}

function figures(values: number[]): Figures {
  const sorted = Float64Array.from(values).sort()
  const at = (percent: number) =>
    sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0
  const round = (ms: number) => Math.round(ms * 10) / 10
  return { count: sorted.length, p50: round(at(50)), p99: round(at(99)), max: round(at(100)) }
}

const { connections, rate, warmMs, windowMs } = load
const free: Lane[] = []
const late: number[] = []
const lanes = Array.from(
  { length: connections },
  () =>
    new Lane((lane) => {
      if (rate === undefined) return lane.send(nextRequest())
      const since = late.shift()
      if (since === undefined) free.push(lane)
      else lane.send(nextRequest(), since)
    }),
)
if (load.probe) void probe(load.probe)
if (rate === undefined) for (const lane of lanes) lane.send(nextRequest())
else {
  free.push(...lanes)
  let due = performance.now()
  const pace = setInterval(() => {
    if (over) return clearInterval(pace)
    for (; due <= performance.now(); due += (-Math.log(1 - Math.random()) * 1000) / rate) {
      const lane = free.pop()
      if (lane) lane.send(nextRequest(), due)
      else late.push(due)
    }
  }, 1)
}
await sleep(warmMs)
counting = true
const began = performance.now()
await sleep(windowMs)
counting = false
over = true
const report: Report = {
  seconds: (performance.now() - began) / 1000,
  answers: Object.fromEntries([...latencies].map(([status, values]) => [status, figures(values)])),
  probe: figures(probes),
}
process.stdout.write(JSON.stringify(report))
for (const lane of lanes) lane.end()
process.exit()
