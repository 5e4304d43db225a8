import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command, parsed } from '../support/command-line.ts'
import { type Gateway, hasPlans } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** Past dates as files: what is written, what stays, and how a changed byte is found. */

let gateway: Gateway
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'publish-test-'))
  gateway = await startOnSample({ users: 30, days: 6 })
})
afterAll(async () => {
  await gateway?.close()
  await rm(root, { recursive: true, force: true })
})

const run = (...args: string[]) =>
  command(args, { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' })

async function publish(dir: string): Promise<any> {
  const { code, out, err } = await run('publish', dir, '--json')
  expect(code, err).toBe(0)
  return parsed(out)[0]
}

async function check(from: string): Promise<any> {
  const { code, out, err } = await run('verify', '--published', from, '--json')
  expect(out, err).not.toBe('')
  return { code, ...parsed(out)[0] }
}

const indexOf = async (dir: string): Promise<any> =>
  JSON.parse(await readFile(join(dir, 'index.json'), 'utf8'))

const allFiles = async (dir: string): Promise<string[]> =>
  (await readdir(dir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

async function digests(dir: string): Promise<Record<string, string>> {
  const entries: [string, string][] = []
  for (const path of await allFiles(dir)) {
    const hash = createHash('sha256').update(await readFile(path))
    entries.push([path.slice(dir.length), hash.digest('hex')])
  }
  return Object.fromEntries(entries)
}

const csvOf = async (path: string) => gunzipSync(await readFile(path)).toString()

describe.runIf(hasPlans)('published files', () => {
  test('have the tables of each past date, as the gateway serves them', async () => {
    const dir = join(root, 'tables')
    expect(await publish(dir)).toMatchObject({ written: 36, kept: 0, withoutDigest: 0 })
    const { dates } = await indexOf(dir)
    const { distributions } = await gateway.ask(
      '{ distributions(orderBy: DATE) { nodes { date digest run { recordId } } } }',
    )
    expect(dates.map(({ date, digest, run }: any) => ({ date, digest, run }))).toEqual(
      distributions.nodes.map(({ run, ...date }: any) => ({
        ...date,
        run: run && `${run.recordId}`,
      })),
    )
    const { date, files } = dates[2]
    const served = {
      leaderboard: `scope=${encodeURIComponent(JSON.stringify({ asOf: date }))}`,
      positions: `where=${encodeURIComponent(JSON.stringify({ date: { eq: date } }))}`,
      multipliers: `asOf=${date}`,
    }
    for (const [name, query] of Object.entries(served)) {
      const of = files.filter((file: any) => file.name.startsWith(`${date}/${name}-`))
      const [text, parquet] = of
      const csv = await (await gateway.get(`/tables/${name}.csv?${query}`)).text()
      expect(await csvOf(join(dir, text.name))).toBe(csv)
      expect(text.rows).toBe(csv.trimEnd().split('\n').length - 1)
      const rows = await parquetReadObjects({
        file: await asyncBufferFromFile(join(dir, parquet.name)),
      })
      expect(rows).toHaveLength(parquet.rows)
    }
    expect(dates[0].files[0].rows).toBeGreaterThan(5)
  })

  test('are the same bytes when they are written twice', async () => {
    const [one, two] = [join(root, 'one'), join(root, 'two')]
    await publish(one)
    await publish(two)
    const written = await digests(one)
    expect(await digests(two)).toEqual(written)
    const times = await Promise.all((await allFiles(one)).map((path) => stat(path)))
    expect(await publish(one)).toMatchObject({ written: 0, kept: 36 })
    expect(await digests(one)).toEqual(written)
    const files = (await allFiles(one)).filter((path) => !path.endsWith('index.json'))
    expect(files).toHaveLength(36)
    for (const path of files) expect(times.map(({ ino }) => ino)).toContain((await stat(path)).ino)
  })

  test('a changed byte, a cut file and a missing one are found, in a directory and at a URL', async () => {
    const dir = join(root, 'changed')
    await publish(dir)
    const server = createServer((request, response) => {
      const stream = createReadStream(join(dir, new URL(request.url ?? '', 'http://x').pathname))
      stream.once('error', () => response.writeHead(404).end())
      stream.once('open', () => stream.pipe(response))
    }).listen(0)
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const whole = { code: 0, files: 36, dates: 6, known: 6, faults: [] }
    expect(await check(dir)).toMatchObject(whole)
    expect(await check(at)).toMatchObject(whole)
    const names = (await indexOf(dir)).dates
      .flatMap(({ files }: any) => files)
      .map((f: any) => f.name)
    const bytes = await readFile(join(dir, names[3]))
    bytes[10] = (bytes[10] as number) ^ 1
    await writeFile(join(dir, names[3]), bytes)
    await writeFile(join(dir, names[4]), 'short')
    await writeFile(
      join(dir, names[5]),
      Buffer.concat([await readFile(join(dir, names[5])), bytes]),
    )
    await rm(join(dir, names[6]))
    const faults = [
      expect.stringContaining(`${names[3]} has another digest`),
      expect.stringContaining(`${names[4]} has 5 bytes`),
      expect.stringContaining(`${names[5]} has more than`),
      `${names[6]} is missing.`,
    ]
    expect(await check(dir)).toMatchObject({ code: 1, faults })
    expect(await check(at)).toMatchObject({ code: 1, faults })
    // What has another length is written again, the other format of its table too.
    expect(await publish(dir)).toMatchObject({ written: 4 })
    server.close()
    server.closeAllConnections()
  })

  test('of a date that a run changes are new ones, as are later boards; others stay', async () => {
    const dir = join(root, 'rerun')
    await publish(dir)
    const before = await indexOf(dir)
    const { date } = before.dates[3]
    const { pool } = gateway.deps.store
    await pool.query("UPDATE distribution SET digest = repeat('0', 64) WHERE date = $1", [date])
    const known = await check(dir)
    expect([known.code, known.faults]).toEqual([
      1,
      [expect.stringContaining(`${date} has other points`)],
    ])
    expect(await publish(dir)).toMatchObject({ written: 6 + 2 + 2, kept: 26 })
    const after = await indexOf(dir)
    expect(after.dates.slice(0, 3)).toEqual(before.dates.slice(0, 3))
    expect(after.dates[4].files.slice(2)).toEqual(before.dates[4].files.slice(2))
    expect(await check(dir)).toMatchObject({ code: 0 })
    // Readers of the earlier index find its files.
    await writeFile(join(dir, 'index.json'), JSON.stringify(before))
    expect((await check(dir)).faults).toHaveLength(1)
    const digest = before.dates[3].digest
    await pool.query('UPDATE distribution SET digest = $2 WHERE date = $1', [date, digest])
  })

  test('an interrupted publish leaves an index of whole dates, and goes on later', async () => {
    const dir = join(root, 'interrupted')
    const { pool } = gateway.deps.store
    const [last] = (await pool.query('SELECT max(date)::text AS date FROM distribution')).rows
    // Its files cannot be written.
    await mkdir(dir)
    await writeFile(join(dir, last.date), '')
    const { code, err } = await run('publish', dir)
    expect([code, err]).toEqual([2, expect.stringContaining('is not a directory')])
    expect((await indexOf(dir)).dates).toHaveLength(5)
    expect(await check(dir)).toMatchObject({ code: 0, files: 30 })
    expect((await allFiles(dir)).filter((path) => path.endsWith('.partial'))).toEqual([])
    await rm(join(dir, last.date))
    // Of a publish that was killed long ago, and of one that runs.
    await mkdir(join(dir, last.date))
    const [left, running] = ['left', 'running'].map((one) => join(dir, last.date, `${one}.partial`))
    await writeFile(left as string, '')
    await utimes(left as string, 0, 0)
    await writeFile(running as string, '')
    expect(await publish(dir)).toMatchObject({ written: 6, kept: 30 })
    expect((await allFiles(dir)).filter((path) => path.endsWith('.partial'))).toEqual([running])
  })

  test('a directory of others and a hostile index are refused', async () => {
    const dir = join(root, 'hostile')
    await mkdir(dir)
    const file = { name: '../../../etc/passwd', rows: 1, bytes: 1, sha256: '0'.repeat(64) }
    const date = { date: '2026-01-01', run: null, basePoints: null, digest: '', finishedAt: '' }
    const hostile = { format: 'gateway-published-1', dates: [{ ...date, files: [file] }] }
    for (const text of ['no JSON', '{}', JSON.stringify(hostile)]) {
      await writeFile(join(dir, 'index.json'), text)
      for (const args of [
        ['publish', dir],
        ['verify', '--published', dir],
      ]) {
        const { code, err } = await run(...args)
        expect([code, err]).toEqual([
          2,
          expect.stringContaining('was not written by gateway publish'),
        ])
      }
      expect(await readdir(dir)).toEqual(['index.json'])
    }
    const none = await run('verify', '--published', join(root, 'none'))
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('has no index.json')])
    const isFile = await run('publish', join(dir, 'index.json'))
    expect([isFile.code, isFile.err]).toEqual([2, expect.stringContaining('is not a directory')])
  })
})
