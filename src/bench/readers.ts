/**
 * What readers of the leaderboard notice of a resync: their latency at a steady rate while nothing
 * happens, and while a date of a full store is recomputed by another process. The p99 during a run
 * is at most twice the idle one.
 *
 *     npm run bench -- readers [--positions 1000000] [--dates 10] [--users 200000] [--rounds 3]
 *       [--rate 50] [--idle 20] [--store DIR] [--small]
 *
 * The gateway has no cache. Reads begin at fixed times, whether the ones before are answered or
 * not, and a latency counts from the time when the read was due.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { type Ran, run, serve } from './gateway.ts'
import { median, megabytes, options, percentile, report, round } from './report.ts'
import { addressOf, openBenchStore, progress, settleDown } from './store.ts'

const flags = options(
  { positions: 1_000_000, dates: 10, users: 200_000, rounds: 3, rate: 50, idle: 20, store: '' },
  { positions: 50_000, dates: 3, users: 10_000, rounds: 2, idle: 3 },
)
const { rounds, rate, idle, store: kept, ...shape } = flags

interface Read {
  kind: 'REST' | 'GraphQL'
  /** Milliseconds. */
  latency: number
}

const query = `query ($account: Address!, $first: Int!) {
  leaderboard(first: $first) { totalCount nodes { rank user { address } points } }
  user(address: $account) { rank address points: totalPoints }
}`

const store = await openBenchStore(shape, kept || undefined)
const env = { DATA_DIR: store.dataDir, CACHE_MAX_BYTES: '0' }
const gateway = await serve(env)
const http = new Pool(gateway.base, { connections: 64 })
try {
  const idleReads: Read[] = []
  const runReads: Read[] = []
  const runs: Ran[] = []
  await read(sleep(3000))
  for (let nth = 1; nth <= rounds; nth++) {
    await store.pool.query('UPDATE multiplier SET deposit_token_a = deposit_token_a + 1')
    await settleDown(store.pool)
    await sleep(500)
    const before = await read(sleep(idle * 1000))
    const running = run(['resync', '--json'], env)
    const during = await read(running)
    runs.push(await running)
    idleReads.push(...before)
    runReads.push(...during)
    progress(
      `round ${nth}: idle p99 ${table(before)} ms, during a run of ` +
        `${runs.at(-1)?.seconds.toFixed(1)} s ${table(during)} ms`,
    )
  }

  const rows = (['REST', 'GraphQL'] as const).flatMap((kind) =>
    [
      ['idle', idleReads],
      ['during a run', runReads],
    ].map(([when, reads]) => {
      const all = (reads as Read[]).filter((one) => one.kind === kind).map((one) => one.latency)
      const at = (percent: number) => round(percentile(all, percent))
      return {
        reads: `${kind}, ${when}`,
        number: all.length,
        'p50 ms': at(50),
        'p90 ms': at(90),
        'p99 ms': at(99),
        'max ms': at(100),
      }
    }),
  )
  const ratio = (kind: string) => {
    const p99 = (reads: Read[]) =>
      percentile(
        reads.filter((one) => one.kind === kind).map((one) => one.latency),
        99,
      )
    return p99(runReads) / p99(idleReads)
  }
  const rss = runs.map((one) => megabytes(Math.max(...one.rss)))
  report(
    'readers',
    { ...shape, rate, seconds: runs.map((one) => round(one.seconds)), 'run RSS, MB': rss },
    rows,
    [
      { name: 'p99 of REST reads, during a run to idle', value: ratio('REST'), atMost: 2 },
      { name: 'p99 of GraphQL reads, during a run to idle', value: ratio('GraphQL'), atMost: 2 },
    ],
  )
} finally {
  await http.close()
  await gateway.stop()
  await store.close()
}

/** Reads at the rate until something has ended. */
async function read(end: Promise<unknown>): Promise<Read[]> {
  let over = false
  end.then(
    () => {
      over = true
    },
    () => {
      over = true
    },
  )
  const reads: Promise<Read>[] = []
  const start = performance.now()
  for (let nth = 0; !over; nth++) {
    const due = start + (nth * 1000) / rate
    const wait = due - performance.now()
    if (wait > 0) await sleep(wait)
    reads.push(one(nth, due))
  }
  return Promise.all(reads)
}

async function one(nth: number, due: number): Promise<Read> {
  const account = addressOf('user', ((nth * 7919) % shape.users) + 1)
  const kind = nth % 2 === 0 ? 'REST' : 'GraphQL'
  const { statusCode, body } = await (kind === 'REST'
    ? http.request({ method: 'GET', path: `/points/leaderboard?account=${account}` })
    : http.request({
        method: 'POST',
        path: '/graphql',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query, variables: { account, first: 10 + (nth % 90) } }),
      }))
  const text = await body.text()
  if (statusCode !== 200 || !text.includes(account))
    throw new Error(`a read was answered ${statusCode}: ${text.slice(0, 200)}`)
  return { kind, latency: performance.now() - due }
}

function table(reads: Read[]): string {
  const latencies = reads.map((one) => one.latency)
  return `${percentile(latencies, 99).toFixed(1)} (p50 ${median(latencies).toFixed(1)})`
}
