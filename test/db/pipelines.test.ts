import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClientConfig, StoreClient } from '../../src/db/connect/client.ts'
import { sendForText, type TextRow } from '../../src/db/connect/protocol.ts'
import { type Reader, readFor } from '../../src/db/connect/reader.ts'
import { openStore as openOn, type Store } from '../../src/db/connect/store.ts'
import { Prisma } from '../../src/generated/prisma/client.ts'
import { openStore } from '../support/store.ts'

/** A reader whose statements run one by one, as those of so many operations. */
const singles = (store: Store) =>
  ({ textRows: (query) => readFor(store, (reader) => reader.textRows(query)) }) as Reader

let made: Awaited<ReturnType<typeof openStore>>
let store: Store
let reader: Reader
beforeAll(async () => {
  made = await openStore()
  store = openOn({ url: made.url, poolSize: 10, onError: () => {} })
  reader = singles(store)
})
afterAll(async () => {
  await store.close()
  await made.close()
})

const double = (n: number) => reader.textRows(Prisma.sql`SELECT ${n}::int * 2, pg_backend_pid()`)
const doubles = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => double(n)))
const numbered = (n: number) => reader.textRows(Prisma.raw(`SELECT ${n}, pg_backend_pid()`))
const backends = (rows: Awaited<ReturnType<typeof doubles>>) =>
  new Set(rows.map(([row]) => row?.[1])).size

test('quick statements share few connections, and each has its own answer', async () => {
  for (let i = 0; i < 3; i++) await doubles(10)
  const shared = async () => {
    const rows = await doubles(200)
    expect(rows.map(([row]) => row?.[0])).toEqual(
      Array.from({ length: 200 }, (_, n) => String(2 * n)),
    )
    return backends(rows)
  }
  // A machine that pauses makes a quick statement slow: then it is tried again.
  await expect.poll(shared, { timeout: 20_000 }).toBeLessThanOrEqual(3)
})

test('thousands of statements take no names from later ones, and no connection prepares more than a thousand', async () => {
  const counts = Array.from({ length: 2500 }, (_, n) => n)
  for (const n of counts) expect((await numbered(n))[0]?.[0]).toBe(String(n))
  for (let i = 0; i < 3; i++) await doubles(10)
  await expect.poll(() => doubles(200).then(backends), { timeout: 20_000 }).toBeLessThanOrEqual(3)
  const prepared = () =>
    reader.textRows(Prisma.sql`SELECT count(*), pg_backend_pid() FROM pg_prepared_statements`)
  const ofConnections = await Promise.all(Array.from({ length: 50 }, prepared))
  expect(Math.max(...ofConnections.map(([row]) => Number(row?.[0])))).toBeLessThanOrEqual(1001)
})

test('a name that goes to another statement while both are unanswered mixes up nothing', async () => {
  const client = new StoreClient({ connectionString: made.url, pipeline: true } as ClientConfig)
  await client.connect()
  const send = (n: number) =>
    new Promise<TextRow[]>((resolve, reject) => {
      const done = (error: unknown, rows: TextRow[] = []) => (error ? reject(error) : resolve(rows))
      sendForText(client, { name: 'shared', text: `SELECT ${n % 3}`, values: [] }, undefined, done)
    })
  expect((await Promise.all(Array.from({ length: 100 }, (_, n) => send(n)))).flat(2)).toEqual(
    Array.from({ length: 100 }, (_, n) => String(n % 3)),
  )
  for (const n of [2, 2, 0, 1]) expect(await send(n)).toEqual([[String(n)]])
  await client.end()
})

test('a row is as Postgres wrote it', async () => {
  const readRow = () =>
    reader.textRows(Prisma.sql`SELECT null, 'ünï😀'::text, 0.1::float8, true, ARRAY[1, 2]`)
  for (let i = 0; i < 3; i++)
    expect(await readRow()).toEqual([[null, 'ünï😀', '0.1', 't', '{1,2}']])
  expect(await reader.textRows(Prisma.sql`SELECT 1 WHERE false`)).toEqual([])
})

const PLANES = Array.from({ length: 17 }, (_, plane) => plane * 0x10000)
const characters = fc.oneof(
  fc.integer({ min: 1, max: 0x7f }),
  fc.integer({ min: 0x80, max: 0x7ff }),
  ...PLANES.map((first) => fc.integer({ min: Math.max(1, first), max: first + 0xffff })),
)
const texts = fc
  .array(
    characters.filter((code) => code < 0xd800 || code > 0xdfff),
    { maxLength: 40 },
  )
  .map((codes) => String.fromCodePoint(...codes))
const rowsOf = (value: fc.Arbitrary<string>) =>
  fc.array(
    fc.tuple(value, fc.option(fc.string({ maxLength: 20, unit: 'grapheme-ascii' })), value),
    { maxLength: 30 },
  )

test('text of every plane of Unicode is as it was stored, in whatever pieces it arrives', async () => {
  const rows = fc.tuple(rowsOf(texts), fc.constantFrom(1, 20, 200), fc.boolean())
  await fc.assert(
    fc.asyncProperty(rows, async ([few, times, isAscii]) => {
      const ascii = few.map(([one, two, three]) => [`${one.length}`, two, `${three.length}`])
      const sent = Array.from({ length: times }, () => (isAscii ? ascii : few)).flat()
      const column = (i: number) => sent.map((row) => row[i])
      const [a, b, c] = [column(0), column(1), column(2)]
      const read = await reader.textRows(
        Prisma.sql`SELECT * FROM unnest(${a}::text[], ${b}::text[], ${c}::text[]) AS sent (a, b, c)`,
      )
      expect(read).toEqual(sent)
    }),
    { numRuns: 150 },
  )
  const all = PLANES.map((first) => String.fromCodePoint(first + 0x41, first + 0xfffd))
  expect(await reader.textRows(Prisma.sql`SELECT * FROM unnest(${all}::text[])`)).toEqual(
    all.map((text) => [text]),
  )
})

test('a value that cannot be sent fails its statement, and no other', async () => {
  const unsendable = {
    toPostgres() {
      throw new Error('not to be sent')
    },
  }
  const failing = reader.textRows({ text: 'SELECT $1::text', values: [unsendable] })
  const others = doubles(20)
  await expect(failing).rejects.toThrow('not to be sent')
  expect((await others).map(([row]) => row?.[0])).toEqual(
    Array.from({ length: 20 }, (_, n) => String(2 * n)),
  )
})

test('a statement that fails fails alone', async () => {
  const divide = (by: number) => reader.textRows(Prisma.sql`SELECT 12 / ${by}::int`)
  for (let i = 0; i < 3; i++) await divide(3)
  const results = await Promise.allSettled([3, 0, 4, 0, 6].map(divide))
  expect(
    results.map((one) => (one.status === 'fulfilled' ? one.value[0]?.[0] : String(one.reason))),
  ).toEqual(['4', 'error: division by zero', '3', 'error: division by zero', '2'])
})

/**
 * Runs quick statements next to slow ones, and then cancels these.
 * @returns how many of the slow ones ended first
 */
async function endedBeforeQuick(slow: Promise<unknown>[]): Promise<number> {
  let ended = 0
  const all = Promise.allSettled(slow).then(() => true)
  for (const one of slow) one.finally(() => ended++).catch(() => {})
  await doubles(50)
  const before = ended
  // One that waits behind another begins when that is cancelled.
  const cancel = () =>
    made.pool.query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`)
  await expect
    .poll(() => Promise.race([all, cancel().then(() => false)]), { timeout: 20_000 })
    .toBe(true)
  return before
}

test('slow statements hold up no quick ones', async () => {
  const sleep = (seconds: number) =>
    reader.textRows(Prisma.sql`SELECT pg_sleep(${seconds}::float8)`)
  await sleep(0.5)
  await doubles(10)
  expect(await endedBeforeQuick([sleep(30), sleep(30), sleep(30), sleep(30)])).toBe(0)
})

test('a statement that has become slow gets a connection of its own', async () => {
  const sleep = (seconds: number) =>
    reader.textRows(Prisma.sql`SELECT pg_sleep(${seconds}::float8), 'a while'`)
  for (let i = 0; i < 3; i++) await sleep(0)
  for (let i = 0; i < 2; i++) await sleep(0.05)
  expect(await endedBeforeQuick([sleep(30), sleep(30), sleep(30)])).toBe(0)
})

test('lost connections are reopened', async () => {
  await doubles(20)
  const asked = Promise.allSettled(
    Array.from({ length: 20 }, () => reader.textRows(Prisma.sql`SELECT pg_sleep(0.001), 'lost'`)),
  )
  await made.pool.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
  await asked
  await expect.poll(() => doubles(5).then(backends, () => 0)).toBeGreaterThan(0)
  expect((await doubles(50)).map(([row]) => row?.[0])).toEqual(
    Array.from({ length: 50 }, (_, n) => String(2 * n)),
  )
})

test('a store that is away is an error, not a wait', async () => {
  const away = openOn({ url: made.url.replace(/:\d+\//, ':1/'), poolSize: 10, onError: () => {} })
  const other = singles(away)
  await expect(other.textRows(Prisma.sql`SELECT 1`)).rejects.toThrow('ECONNREFUSED')
  await away.close()
})
