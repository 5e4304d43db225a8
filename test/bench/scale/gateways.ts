/**
 * What a second worker adds. Postgres and the load share the two cores with the workers, so
 * throughput alone cannot show it: it is how much more two workers would serve that have a core
 * each, by the CPU time that a request takes in one and in two. Two cores of a shared machine are
 * not twice one: what two programs do that only compute, next to one, is measured too.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { median, round } from '../report.ts'
import { openSpeedStore, SHAPES } from '../speed/data.ts'
import { wire } from '../speed/load.ts'
import { figuresOf, measure, ratioOf } from '../speed/measure.ts'
import { operationsOn } from '../speed/operations.ts'
import { ALL_CORES, pinRest, type Server, startProduct } from '../speed/processes.ts'
import { DAY_OF_A_USER } from './model.ts'
import type { Part } from './part.ts'

/** Of one worker. */
const CONNECTIONS = 16
const ROUNDS = 7
const AT_LEAST = 1.7

type Row = Record<string, string | number>

export async function gateways({ small, seconds, data, say, report }: Part): Promise<void> {
  const size = small ? 'small' : 'full'
  const store = await openSpeedStore(SHAPES[size], join(data, size), say)
  const servers: Server[] = []
  try {
    pinRest(store.pid, ALL_CORES)
    const start = async (workers: number, env: Record<string, string>) => {
      const server = await startProduct(store.url, { WORKERS: String(workers), ...env }, ALL_CORES)
      servers.push(server)
      return server
    }
    const operations = operationsOn({ names: store.names, positions: [], count: 40 })
    const day = new Set(DAY_OF_A_USER.map(({ operation }) => operation))
    const requests = operations
      .filter(({ name }) => day.has(name))
      .flatMap(({ variants, product }) => variants.map((values) => wire(product(values))))
      .toSorted(Buffer.compare)
    const rows: Row[] = []
    const checks: Parameters<typeof report>[3] = []
    for (const [answers, env] of [
      ['computed', { CACHE_MAX_BYTES: '0' }],
      ['from the cache', {}],
    ] as [string, Record<string, string>][]) {
      say(answers)
      const [one, two] = [await start(1, env), await start(2, env)]
      const subjects = [
        { name: '1', server: one, requests },
        { name: '2', server: two, requests, connections: 2 * CONNECTIONS },
      ]
      const cells = await measure(subjects, CONNECTIONS, {
        seconds,
        rounds: ROUNDS,
        postmaster: store.pid,
      })
      const figures = Object.entries(cells).map(([name, cell]) => ({ name, ...figuresOf(cell) }))
      for (const { name, rps, server, postgres, load } of figures)
        rows.push({
          answers,
          workers: name,
          'requests/s': rps,
          'gateway µs': server,
          'Postgres µs': postgres,
          'load µs': load,
          'cores busy': round((rps * (server + postgres + load)) / 1e6),
        })
      const [cost = Number.NaN, costOfTwo = Number.NaN] = figures.map(({ server }) => server)
      rows.push({
        answers,
        workers: '2 to 1',
        'requests/s': ratioOf(cells['2'], cells['1']) ?? Number.NaN,
      })
      const name = `answers ${answers}: 1 / what two workers with a core each serve of what one serves`
      checks.push({ name, value: costOfTwo / (2 * cost), atMost: 1 / AT_LEAST })
      await Promise.all([one.stop(), two.stop()])
    }
    rows.push({
      answers: 'none: programs that only compute',
      workers: '2 to 1',
      'requests/s': await secondCore(seconds),
    })
    report('gateways', { seconds, rounds: ROUNDS, connections: CONNECTIONS }, rows, checks)
  } finally {
    for (const server of servers) await server.stop()
    await store.close()
  }
}

/** How much more two programs compute at the same time than one does. */
async function secondCore(seconds: number): Promise<number> {
  const program = `let n = 0; let x = 1; const end = Date.now() + ${seconds * 1000}
    while (Date.now() < end) { for (let i = 0; i < 1e5; i++) x = (x * 1103515245 + 12345) % 2147483648; n++ }
    process.stdout.write(String(n))`
  const one = () =>
    new Promise<number>((resolve, reject) => {
      const child = spawn('taskset', ['-c', ALL_CORES, process.execPath, '-e', program])
      child.stdout.on('data', (said) => resolve(Number(said)))
      child.once('error', reject)
    })
  const ratios: number[] = []
  for (let nth = 0; nth < ROUNDS; nth++) {
    const alone = await one()
    const together = await Promise.all([one(), one()])
    ratios.push(((together[0] as number) + (together[1] as number)) / alone)
  }
  return round(median(ratios))
}
