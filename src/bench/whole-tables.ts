/**
 * Whole tables over HTTP next to a COPY TO STDOUT of the very statement that each runs: at most
 * twice the time, and 32 MB of memory each. And the reads of others next to 50 tables asked for at
 * once, again and again.
 *
 *     npm run bench -- tables [--positions 200000] [--dates 5] [--users 200000] [--rounds 3]
 *       [--only REGEX] [--parts speed,memory,reads] [--rate 50] [--idle 10] [--store DIR] [--small]
 *
 * The statement is taken from the connection of a gateway, so both read the same rows in the same
 * order. Both are read to nowhere, in turn. The machine's other programs lengthen all times, so the
 * least of all rounds counts, and the CPU time of the gateway is shown with it.
 */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { fetch } from 'undici'
import { serve } from './gateway.ts'
import {
  type Check,
  median,
  megabytes,
  options,
  percentile,
  report,
  round,
  seconds,
} from './report.ts'
import { cpuOf, residentOf } from './speed/processes.ts'
import { countStatements } from './speed/statements.ts'
import { addressOf, openBenchStore, progress, serverCpu } from './store.ts'

const flags = options(
  {
    ...{ positions: 200_000, dates: 5, users: 200_000, rounds: 3, rate: 50, idle: 10 },
    ...{ only: '', parts: 'speed,memory,reads', store: '' },
  },
  { positions: 20_000, dates: 3, users: 20_000, rounds: 2, idle: 3 },
)
const { rounds, rate, idle, only, parts, store: kept, ...shape } = flags
const ROWS = shape.positions * shape.dates
const ASKED = 50

const FOUR = 'fields=id,date,user.address,points'
const TABLES = [
  { name: 'positions, 4 columns, CSV', path: `positions.csv?${FOUR}` },
  { name: 'positions, 4 columns, JSON Lines', path: `positions.jsonl?${FOUR}` },
  { name: 'positions, 4 columns, Parquet', path: `positions.parquet?${FOUR}` },
  { name: 'positions, all columns, CSV', path: 'positions.csv?' },
  { name: 'positions, all columns, JSON Lines', path: 'positions.jsonl?' },
  { name: 'positions, all columns, Parquet', path: 'positions.parquet?' },
  { name: 'leaderboard, CSV', path: 'leaderboard.csv?' },
  { name: 'leaderboard, JSON Lines', path: 'leaderboard.jsonl?' },
].filter(({ name }) => new RegExp(only).test(name))

class Nowhere extends Writable {
  bytes = 0

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.bytes += chunk.length
    done()
  }
}

const QUERY = `query ($account: Address!, $first: Int!) {
  leaderboard(first: $first) { nodes { rank user { address } points } }
  user(address: $account) { rank address points: totalPoints }
}`

const env = { RATE_LIMIT: '1000000000', TRUST_PROXY: '1', CACHE_MAX_BYTES: '16000000' }

const store = await openBenchStore(shape, kept || undefined)
const gateway = await serve({ DATABASE_URL: store.url, ...env })
const rows: Record<string, string | number>[] = []
const checks: Check[] = []
// A file of Parquet is made once for the same address.
let nth = 0
let clients = 0
try {
  if (parts.includes('speed')) await compareSpeed()
  if (parts.includes('memory')) await measureMemory()
  if (parts.includes('reads')) await measureReads()
  report('tables', { ...shape, rows: ROWS }, rows, checks)
} finally {
  await gateway.stop()
  await store.close()
}

interface Taken {
  seconds: number
  /** Seconds of CPU time. */
  gateway: number
  postgres: number
  bytes: number
}

async function compareSpeed(): Promise<void> {
  for (const { name, path } of TABLES) {
    const sql = await statementOf(path.replace('parquet', 'csv'))
    const copies: Taken[] = []
    const tables: Taken[] = []
    for (let one = 0; one < rounds; one++) {
      copies.push(await taken(() => copy(sql)))
      tables.push(await taken(() => download(newPath(path))))
    }
    const least = (all: Taken[]) => Math.min(...all.map((one) => one.seconds))
    const usual = (all: Taken[], of: keyof Taken) => round(median(all.map((one) => one[of])))
    const times = least(tables) / least(copies)
    rows.push({
      table: name,
      'COPY s': round(least(copies)),
      'Postgres, CPU s': usual(copies, 'postgres'),
      'table s': round(least(tables)),
      'Postgres for it': usual(tables, 'postgres'),
      'gateway, CPU s': usual(tables, 'gateway'),
      MB: megabytes(usual(tables, 'bytes')),
      times: round(times),
    })
    checks.push({ name: `${name}: time to COPY's`, value: times, atMost: 2 })
    progress(JSON.stringify(rows.at(-1)))
  }
}

function newPath(path: string, first = 1e12): string {
  return `/tables/${path}&first=${first + nth++}`
}

async function taken(read: () => Promise<number>): Promise<Taken> {
  const cpu = cpuOf(gateway.pid)
  const inPostgres = await serverCpu(store)
  const at = performance.now()
  const bytes = await read()
  return {
    seconds: seconds(at),
    gateway: (cpuOf(gateway.pid) - cpu) / 1000,
    postgres: (await serverCpu(store)) - inPostgres,
    bytes,
  }
}

/** The statement of a table, with its values. */
async function statementOf(path: string): Promise<string> {
  const counter = await countStatements(store.url)
  const counted = await serve({ DATABASE_URL: counter.url, ...env })
  try {
    await download(`/tables/${path}&first=1`, counted.base)
    const cursor = /^DECLARE \w+ NO SCROLL CURSOR FOR /
    const declared = counter.take().find(({ sql }) => cursor.test(sql))
    if (!declared) throw new Error(`${path} is read without a cursor`)
    return declared.sql
      .replace(cursor, '')
      .replace(/\bLIMIT 1\b/g, `LIMIT ${2n ** 62n}`)
      .replace(/\$(\d+)/g, (_, at) => pg.escapeLiteral(declared.values[at - 1] ?? ''))
  } finally {
    await counted.stop()
    await counter.close()
  }
}

async function copy(sql: string): Promise<number> {
  const client = new pg.Client(store.url)
  await client.connect()
  const nowhere = new Nowhere()
  // As the sessions of the gateway are.
  await client.query('SET jit = off')
  await pipeline(client.query(copyTo(`COPY (${sql}) TO STDOUT`)), nowhere)
  await client.end()
  return nowhere.bytes
}

function newClient() {
  return { 'x-forwarded-for': `2001:db8:${(++clients).toString(16)}::1` }
}

async function open(path: string, base = gateway.base): Promise<IncomingMessage> {
  const sent = request(base + path, { agent: false, headers: newClient() }).end()
  const [response] = await once(sent, 'response')
  return response
}

async function download(path: string, base?: string): Promise<number> {
  const response = await open(path, base)
  if (response.statusCode !== 200) throw new Error(`${path} was answered ${response.statusCode}`)
  const nowhere = new Nowhere()
  await pipeline(response, nowhere)
  return nowhere.bytes
}

/** What the gateway's memory grows by while tables are read, at full speed and slowly. */
async function measureMemory(): Promise<void> {
  for (const { path } of TABLES) await download(newPath(path, 20_000))
  for (const [name, path, first] of [
    ['4 columns, CSV', `positions.csv?${FOUR}`, ROWS],
    ['all columns, CSV', 'positions.csv?', ROWS / 10],
    ['all columns, Parquet', 'positions.parquet?', ROWS / 10],
  ] as const)
    for (const [number, speed] of [
      [1, 'fast'],
      [4, 'fast'],
      [4, 'slow'],
    ] as const) {
      const before = await settledMemory()
      const read = speed === 'fast' ? download : trickle
      const most = await mostMemory(
        Promise.all(Array.from({ length: number }, () => read(newPath(path, first)))),
      )
      const grown = megabytes(most - before)
      rows.push({ table: `${number} of ${name}, ${speed}`, 'grown MB': grown })
      checks.push({ name: `${number} of ${name}, ${speed}: MB`, value: grown, atMost: number * 32 })
      progress(JSON.stringify(rows.at(-1)))
    }
}

async function settledMemory(): Promise<number> {
  await sleep(3000)
  return residentOf(gateway.pid)
}

async function mostMemory(work: Promise<unknown>): Promise<number> {
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, residentOf(gateway.pid))
  }, 50)
  await work.finally(() => clearInterval(watch))
  return most
}

/** Reads a table for some seconds, 100 kB in each, and leaves. */
async function trickle(path: string): Promise<void> {
  const response = await open(path)
  response.on('error', () => {})
  for (let second = 0; second < 10; second++) {
    response.read(100_000)
    await sleep(1000)
  }
  response.destroy()
}

/** The latency of reads at a steady rate, alone and while tables are asked for again and again. */
async function measureReads(): Promise<void> {
  await readsDuring(sleep(3000))
  const alone = await readsDuring(sleep(idle * 1000))
  let isOver = false
  const answers = new Map<number, number>()
  const ask = async () => {
    const response = await open(newPath(`positions.csv?${FOUR}`))
    const { statusCode = 0 } = response
    answers.set(statusCode, (answers.get(statusCode) ?? 0) + 1)
    response.on('error', () => {})
    response.resume()
    if (!isOver) await once(response, 'close')
  }
  const pressed = Array.from({ length: ASKED }, async () => {
    while (!isOver) {
      // The gateway ends those that are in progress when it stops.
      await Promise.race([ask().catch(() => {}), sleep(idle * 1000)])
      await sleep(1000)
    }
  })
  await sleep(500)
  const among = await readsDuring(sleep(idle * 1000))
  isOver = true
  await gateway.stop()
  await Promise.allSettled(pressed)
  progress(`tables were answered ${JSON.stringify([...answers])}`)
  for (const kind of ['cached', 'uncached'] as const) {
    const p99 = (all: Reads) => percentile(all[kind], 99)
    for (const [when, reads] of [
      ['alone', alone],
      [`${ASKED} tables asked`, among],
    ] as const)
      rows.push({
        table: `${kind} reads, ${when}`,
        reads: reads[kind].length,
        'p50 ms': round(percentile(reads[kind], 50)),
        'p99 ms': round(p99(reads)),
      })
    checks.push({
      name: `p99 of ${kind} reads, among tables to alone`,
      value: p99(among) / p99(alone),
      atMost: 2,
    })
  }
}

type Reads = Record<'cached' | 'uncached', number[]>

async function readsDuring(end: Promise<unknown>): Promise<Reads> {
  let isOver = false
  end.then(() => {
    isOver = true
  })
  const reads: Reads = { cached: [], uncached: [] }
  const sent: Promise<void>[] = []
  const start = performance.now()
  for (let nth = 0; !isOver; nth++) {
    const due = start + (nth * 1000) / rate
    const wait = due - performance.now()
    if (wait > 0) await sleep(wait)
    const kind = nth % 2 === 0 ? 'cached' : 'uncached'
    sent.push(
      readOne(kind === 'cached' ? 0 : nth * 7919).then(() => {
        reads[kind].push(performance.now() - due)
      }),
    )
  }
  await Promise.all(sent)
  return reads
}

async function readOne(nth: number): Promise<void> {
  const account = addressOf('user', (nth % shape.users) + 1)
  const response = await fetch(`${gateway.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: QUERY, variables: { account, first: 10 + (nth % 90) } }),
  })
  const text = await response.text()
  if (!text.includes(account)) throw new Error(`a read was answered ${text.slice(0, 200)}`)
}
