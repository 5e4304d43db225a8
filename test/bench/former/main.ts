/**
 * What the store's tables take and cost next to the previous ones, filled with the same records, in one run.
 *
 *     npm run bench -- former          on 3,000,000 positions and 1,000,000 snapshots
 *     npm run bench -- former --small  on 1 % of them, in two minutes
 *
 *     --rounds N     how often each list of statements is run
 *     --data DIR     where the store stays between runs: that of `npm run bench`
 *
 * Bytes are those of the tables behind each name, with their indexes. Times are the CPU time of a statement in Postgres, run
 * as a prepared one: what the program sends for a request now, and what it sent for it when the tables were the previous ones
 * (reads.sql). Both run in one session in turn.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { median, options, report, round } from '../report.ts'
import { answerFrom, quiet } from '../speed/check.ts'
import { openSpeedStore, SHAPES } from '../speed/data.ts'
import { type Operation, operationsOn } from '../speed/operations.ts'
import { startProduct } from '../speed/processes.ts'
import { countStatements, isFrame, type Statement } from '../speed/statements.ts'
import { tablesBehind } from '../tables.ts'

const here = import.meta.dirname
const size = process.argv.includes('--small') ? 'small' : 'full'
const shape = SHAPES[size]
const { rounds, data } = options({ rounds: 20, data: join(tmpdir(), 'gateway-speed') }, {})
/** How many sets of parameters each read has, at most. */
const VARIANTS = 20

/** Bytes of a record that are aimed at, and the tables or views that hold it, as far as they are there. */
const RECORDS = {
  'a position with its points': { goal: 800, tables: ['position', 'position_points'] },
  'a market snapshot': { goal: 400, tables: ['market_snapshot', 'market_holding'] },
  'a vault snapshot': { goal: undefined, tables: ['vault_snapshot', 'vault_holding'] },
}
/** Microseconds of a request that are aimed at. */
const READS: Record<string, number> = {
  'GET /v1/users/{address}/earnings': 80,
  'GET /v1/users/{address}/net-apr': 80,
  "graphql a user's page": 250,
  'GET /points/breakdown-by-assets': 600,
  'GET /positions/breakdown-by-markets': 600,
  'graphql 50 pools, top 5 positions, their users': 1200,
  'GET /v1/users/{address}/market-position-snapshots?should_group_by_timestamp': 700,
  'GET /multipliers/all': 300,
  'GET /pools/all': 300,
}

const digest = (text: string) => createHash('md5').update(text).digest('hex')
const say = (text: string) => process.stderr.write(`${text}\n`)

// Its servers end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
if (!existsSync('/proc/self/schedstat')) throw new Error('The CPU time of a process is read on Linux only.')
await mkdir(data, { recursive: true })
const store = await openSpeedStore(shape, join(data, size), say)
const client = new pg.Client({ connectionString: store.url })
await client.connect()
try {
  say('filling the former tables')
  await client.query(await readFile(join(here, 'tables.sql'), 'utf8'))
  await client.query('RESET ALL')
  for (const table of ['position', 'position_points', 'market_snapshot', 'vault_snapshot'])
    await client.query(`VACUUM (ANALYZE) former.${table}`)
  await client.query('CHECKPOINT')
  const sizes = [...(await relations('former')), ...(await relations('public'))]
  const operations = operationsOn({ names: store.names, positions: [], count: VARIANTS })
  const sent = await sentNow(operations.filter(({ name }) => READS[name] !== undefined))
  const times = await timed(sent, formerReads(await readFile(join(here, 'reads.sql'), 'utf8')))
  report('relations', shape, sizes.map(relationRow), [])
  report('store', shape, [...recordRows(sizes), ...times], [])
} finally {
  await client.query('DROP SCHEMA IF EXISTS former CASCADE')
  await client.end()
  await store.close()
}

interface Relation {
  schema: string
  record: string
  table: string
  /** Undefined for the table itself. */
  index: string | undefined
  bytes: number
  /** How many of its records there are. */
  records: number
}

/** The tables that hold the records, whether they have the names of the records or are behind views, and their indexes. */
async function relations(schema: 'former' | 'public'): Promise<Relation[]> {
  const all: Relation[] = []
  for (const [record, { tables }] of Object.entries(RECORDS)) {
    const [{ records }] = (await client.query(`SELECT count(*)::float8 AS records FROM ${schema}.${tables[0]}`)).rows
    const { rows } = await client.query(
      `SELECT c.relname AS table, part.* FROM unnest($1::regclass[]) oid JOIN pg_class c USING (oid)
       CROSS JOIN LATERAL (
         SELECT 0 AS nth, NULL AS index, pg_table_size(c.oid)::float8 AS bytes
         UNION ALL
         SELECT 1, indexrelid::regclass::text, pg_relation_size(indexrelid)::float8 FROM pg_index WHERE indrelid = c.oid
       ) part ORDER BY c.relname, nth, part.index`,
      [
        await tablesBehind(
          client,
          tables.map((table) => `${schema}.${table}`),
        ),
      ],
    )
    for (const { table, index, bytes } of rows)
      all.push({ schema, record, table, index: index?.replace(/^.*\./, ''), bytes, records })
  }
  return all
}

function relationRow({ schema, table, index, bytes, records }: Relation): Record<string, string | number> {
  const name = `${schema === 'former' ? 'former ' : ''}${table}`
  return {
    'table or index': index === undefined ? name : `  ${index}`,
    records,
    MB: round(bytes / 2 ** 20, 1),
    'bytes a record': round(bytes / records, 0),
  }
}

function recordRows(sizes: Relation[]): Record<string, string | number>[] {
  return Object.entries(RECORDS).map(([record, { goal }]) => {
    const bytes = (schema: string) => {
      const sized = sizes.filter((one) => one.record === record && one.schema === schema)
      return round(
        sized.reduce((sum, one) => sum + one.bytes / one.records, 0),
        0,
      )
    }
    return row(`bytes of ${record}`, bytes('former'), bytes('public'), goal)
  })
}

function row(what: string, former: number, now: number, goal: number | undefined): Record<string, string | number> {
  return { what, former, now, 'now to former': round(now / former), goal: goal === undefined ? '' : `at most ${goal}` }
}

/** What is run for a read: the statements of each set of parameters. */
type Sent = Map<Operation, Statement[][]>

/** What the program sends for each read once it has seen it. */
async function sentNow(operations: Operation[]): Promise<Sent> {
  const counter = await countStatements(store.url)
  const server = await startProduct(counter.url, { CACHE_MAX_BYTES: '0' })
  const sent: Sent = new Map()
  try {
    await quiet(counter)
    for (const operation of operations) {
      const variants: Statement[][] = []
      for (const values of operation.variants.slice(0, VARIANTS)) {
        const takes: Statement[][] = []
        for (let nth = 0; nth < 3; nth++) {
          await answerFrom(server.port, operation.product(values))
          takes.push(counter.take().filter((one) => !isFrame(one)))
        }
        // The first time prepares it. What is not sent each time is the server's own.
        const [, once = [], again = []] = takes
        variants.push(once.filter(({ sql }) => again.some((other) => other.sql === sql)))
      }
      sent.set(operation, variants)
    }
    return sent
  } finally {
    await server.stop()
    await counter.close()
  }
}

/** A statement of the previous tables, and its values: texts, or the names of an operation's parameters after a $. */
type Former = Record<string, Statement>

/** Each begins with a line of its operation's name and, as JSON, its values. */
function formerReads(text: string): Former {
  const parts = text.split(/^-- (.+): (\[.*\])$/m).slice(1)
  const former: Former = {}
  for (let i = 0; i < parts.length; i += 3)
    former[parts[i] as string] = { sql: (parts[i + 2] as string).trim(), values: JSON.parse(parts[i + 1] as string) }
  return former
}

async function timed(sent: Sent, former: Former): Promise<Record<string, string | number>[]> {
  const [{ pid }] = (await client.query('SELECT pg_backend_pid() AS pid')).rows
  const path = { former: 'former, public', now: 'public' }
  const cpu = async () => {
    // Until it waits for the next statement, what it takes is not counted.
    await sleep(2)
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000
  }
  const rows: Record<string, string | number>[] = []
  for (const [operation, variants] of sent) {
    const { name } = operation
    const statement = former[name]
    if (!statement) throw new Error(`reads.sql has no statement of ${name}`)
    const before = operation.variants.slice(0, VARIANTS).map((parameters) => {
      const values = statement.values.map((value) =>
        value?.startsWith('$') ? String(parameters[value.slice(1)]) : value,
      )
      return [{ sql: statement.sql, values }]
    })
    const times = { former: [] as number[], now: [] as number[] }
    for (let nth = -1; nth < rounds; nth++)
      for (const [when, lists] of [
        ['former', before],
        ['now', variants],
      ] as const) {
        await client.query(`SET search_path = ${path[when]}`)
        const from = await cpu()
        let read = 0
        for (const { sql: text, values } of lists.flat())
          read += (await client.query({ name: digest(`${when} ${text}`), text, values })).rows.length
        // The first round plans.
        if (nth >= 0) times[when].push(((await cpu()) - from) / lists.length)
        if (read === 0) throw new Error(`${name} read no rows of the ${when} tables`)
      }
    rows.push(row(`microseconds of ${name}`, round(median(times.former), 0), round(median(times.now), 0), READS[name]))
  }
  return rows
}
