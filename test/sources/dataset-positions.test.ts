import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { httpDataset } from '../../src/sources/dataset/http-dataset.ts'
import {
  type Client,
  type DatasetFile,
  datasetFiles,
  datasetPositions,
  openClient,
  openDirectory,
  openHttpDataset,
  type PositionsSource,
} from '../../src/sources/index.ts'
import { goodFiles, record } from '../support/datasets.ts'
import { startServer } from '../support/positions-server.ts'
import { openStore, silent } from '../support/store.ts'

const DAY = '2026-03-02'
const lines = Array.from({ length: 5000 }, (_, at) =>
  JSON.stringify({ ...record.positions, aTokenSymbol: `S${at}€` }),
)
const text = `${lines.slice(0, 10).join('\n')}\n\n  \n${lines.slice(10).join('\n')}\n`
const digest = createHash('sha256').update(text).digest('hex')

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function directory(files: Record<string, string | Buffer>) {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-positions-'))
  open.push({ close: () => rm(dir, { recursive: true }) })
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content)
  return { dir, source: datasetPositions(dir, () => openDirectory(dir)) }
}

async function server(
  handler: (path: string, response: ServerResponse) => unknown,
  timeoutMs = 1000,
) {
  const made = await startServer(({ url }, response) => handler(url, response))
  const client = openClient({ timeoutMs, retries: 1, maxBytes: 1000, waitMs: 5 })
  open.push(made, client)
  return { made, client, base: `${made.base}/data`, source: sourceAt(client, `${made.base}/data`) }
}
const sourceAt = (client: Client, base: string) =>
  datasetPositions(base, async (signal) =>
    httpDataset(client, base, {
      name: `The source of positions, ${base},`,
      bearer: 'secret',
      signal,
    }),
  )

/** Files by their path, as a plain server of files has them. */
const files =
  (files: Record<string, { body: string | Buffer; headers?: Record<string, string> }>) =>
  (path: string, response: ServerResponse) => {
    const file = files[path]
    if (!file)
      return response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>')
    return response
      .writeHead(200, { 'content-length': Buffer.byteLength(file.body), ...file.headers })
      .end(file.body)
  }

async function read(source: PositionsSource, signal?: AbortSignal) {
  const fetched = await source.positions(DAY, { pools: new Map(), signal })
  const records: unknown[] = []
  const firsts: number[] = []
  for await (const batch of fetched.batches) {
    expect(fetched.receipts()).toEqual([])
    firsts.push(batch.first)
    records.push(...batch.records)
  }
  return { ...fetched, records, firsts, receipts: fetched.receipts() }
}
const whole = (name: string) => [
  {
    kind: 'POSITIONS',
    name,
    digest,
    count: 5000,
    block: null,
    time: null,
    fetchedAt: expect.any(String),
  },
]
const all = [...lines.slice(0, 10), '', '  ', ...lines.slice(10)]

describe('positions from a directory', () => {
  test.each([
    ['positions.jsonl', text],
    ['positions.jsonl.gz', gzipSync(text)],
  ])('%s', async (name, content) => {
    const { dir, source } = await directory({ [name]: content })
    const { records, receipts, label, pricesName, firsts } = await read(source)
    expect(records).toEqual(all)
    expect(firsts.length).toBeGreaterThan(1)
    expect({ label, pricesName, name: source.name }).toEqual({
      label: name,
      pricesName: dir,
      name: dir,
    })
    expect(receipts).toEqual(whole(dir))
  })

  test('is opened for each run', async () => {
    const { dir, source } = await directory({ 'positions.jsonl': 'first' })
    expect((await read(source)).records).toEqual(['first'])
    await writeFile(join(dir, 'positions.jsonl'), 'second')
    expect((await read(source)).records).toEqual(['second'])
  })

  test('a compressed file that is cut off fails in the middle', async () => {
    const zipped = gzipSync(text)
    const { dir, source } = await directory({
      'positions.jsonl.gz': zipped.subarray(0, zipped.length - 20),
    })
    await expect(read(source)).rejects.toMatchObject({
      code: 'SOURCE_FAILED',
      message: `The source of positions, ${dir}, failed: positions.jsonl.gz: it is cut off: the compressed data has no end.`,
    })
  })

  test.each<[string, Record<string, string>, RegExp]>([
    [
      'other files only',
      { 'pools.jsonl': '' },
      /failed: it has no positions file \(positions\.jsonl or positions\.jsonl\.gz\)\.$/,
    ],
    [
      'no file of the format',
      { 'x.txt': '' },
      /failed: .* holds no file of the import format \(pools\.jsonl, .*\)\.$/,
    ],
    [
      'a file in both forms',
      { 'positions.jsonl': '', 'positions.jsonl.gz': '' },
      /has both .*: keep one of them\.$/,
    ],
  ])('a directory with %s', async (_, content, message) => {
    const { source } = await directory(content)
    await expect(read(source)).rejects.toMatchObject({
      code: 'SOURCE_FAILED',
      message: expect.stringMatching(message),
    })
  })

  test('a directory that is not there', async () => {
    const source = datasetPositions('/nowhere', () => openDirectory('/nowhere'))
    await expect(read(source)).rejects.toThrow(
      'The source of positions, /nowhere, failed: /nowhere does not exist.',
    )
  })
})

const gzipped = { body: gzipSync(text), headers: { 'content-encoding': 'gzip' } }

describe('positions from an http(s) base', () => {
  test.each([
    ['a plain file', { '/data/positions.jsonl': { body: text } }, 'positions.jsonl'],
    [
      'a plain file that is compressed on its way',
      { '/data/positions.jsonl': gzipped },
      'positions.jsonl',
    ],
    [
      'a compressed file',
      { '/data/positions.jsonl.gz': { body: gzipSync(text) } },
      'positions.jsonl.gz',
    ],
    [
      'a compressed file, of a server that says so',
      { '/data/positions.jsonl.gz': gzipped },
      'positions.jsonl.gz',
    ],
  ])('%s', async (_, served, name) => {
    const { source, base, made } = await server(files(served))
    const { records, receipts, label } = await read(source)
    expect(records).toEqual(all)
    expect(label).toBe(name)
    expect(receipts).toEqual(whole(base))
    expect(made.requests.map(({ headers }) => headers.authorization)).toContain('Bearer secret')
  })

  test('a base with a query keeps it, but does not show it', async () => {
    const { made, client } = await server(
      files({ '/data/positions.jsonl?sig=hidden': { body: 'x' } }),
    )
    const dataset = httpDataset(client, `${made.base}/data/?sig=hidden`)
    expect(dataset.name).toMatch(/^http:\/\/127\.0\.0\.1:\d+ \([0-9a-f]{8}\)$/)
    const file = await dataset.open('positions')
    expect(file).toMatchObject({ label: 'positions.jsonl', size: 1 })
    expect(Buffer.concat(await file!.stream.toArray()).toString()).toBe('x')
  })

  const cut = Buffer.from(text).subarray(0, Buffer.from(text).lastIndexOf('\n', 600_000) + 1)
  const zippedCut = gzipSync(text).subarray(0, -20)
  const partly =
    (headers: Record<string, string>, body: Buffer, way: 'end' | 'destroy') =>
    (path: string, response: ServerResponse) => {
      if (path !== '/data/positions.jsonl') return response.writeHead(404).end()
      response.writeHead(200, headers).write(body)
      return setTimeout(() => response.socket?.[way](), 30)
    }
  test.each([
    ['before its length', { 'content-length': String(Buffer.byteLength(text)) }, cut, 'end'],
    [
      'before its length, hard',
      { 'content-length': String(Buffer.byteLength(text)) },
      cut,
      'destroy',
    ],
    ['between two chunks', {}, cut, 'end'],
    ['between two chunks, of a server that closes anyway', { connection: 'close' }, cut, 'end'],
    ['in compressed chunks', { 'content-encoding': 'gzip' }, zippedCut, 'end'],
  ] as const)(
    'a file that is cut %s is an error, at a line as elsewhere',
    async (_, headers, body, way) => {
      const { source, base } = await server(partly(headers, body, way))
      await expect(read(source)).rejects.toMatchObject({
        code: 'SOURCE_FAILED',
        message: `The source of positions, ${base}, failed: positions.jsonl: it closed the connection before the end.`,
      })
    },
  )

  test.each(['/data/positions.jsonl.gz', '/data/positions.jsonl'])(
    'compressed data that was cut before it was sent is an error: %s',
    async (path) => {
      const headers: Record<string, string> = path.endsWith('.gz')
        ? {}
        : { 'content-encoding': 'gzip' }
      const { source } = await server(files({ [path]: { body: zippedCut, headers } }))
      await expect(read(source)).rejects.toThrow(
        /: it is cut off: the compressed data has no end\.$/,
      )
    },
  )

  test('an answer without a detectable end is refused', async () => {
    const { source, base } = await server((_, response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${text}`)
    })
    await expect(read(source)).rejects.toThrow(
      `The source of positions, ${base}, failed: it does not say where its answer ends, so truncation would go unnoticed, for positions.jsonl.`,
    )
  })

  test('a file that falls silent is an error', async () => {
    const { source } = await server((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x\n')
    }, 200)
    await expect(read(source)).rejects.toThrow(
      /positions\.jsonl: it stopped in the middle of its answer\.$/,
    )
  })

  test.each<[string, (path: string, response: ServerResponse) => unknown, RegExp]>([
    ['has no such file', files({}), /failed: it has no positions file/],
    [
      'refuses',
      (_, response) => response.writeHead(403).end(),
      /failed: it refused access \(403\) for positions\.jsonl\.$/,
    ],
    [
      'fails',
      (_, response) => response.writeHead(500).end(),
      /failed: it answered 500 \(tried 2 times\)\.$/,
    ],
    [
      'answers everything with a page',
      (_, response) =>
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>'),
      /failed: it answered HTML for positions\.jsonl\.$/,
    ],
  ])('a server that %s', async (_, handler, message) => {
    const { source } = await server(handler)
    await expect(read(source)).rejects.toMatchObject({
      code: 'SOURCE_FAILED',
      message: expect.stringMatching(message),
    })
  })

  test('a signal ends it', async () => {
    const stop = new AbortController()
    const reason = new Error('stopped')
    const { source } = await server((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x\n')
      setTimeout(() => stop.abort(reason), 30)
    })
    await expect(read(source, stop.signal)).rejects.toBe(reason)
  })
})

describe('an import from an http(s) base', () => {
  const dataset = goodFiles() as Partial<Record<DatasetFile, object[]>>
  const served = Object.fromEntries(
    datasetFiles.map((file, at) => {
      const body = (dataset[file] ?? []).map((one) => JSON.stringify(one)).join('\n')
      return at % 2
        ? [`/data/${file}.jsonl`, { body }]
        : [`/data/${file}.jsonl.gz`, { body: gzipSync(body) }]
    }),
  )
  const run = async ({ client, base }: { client: Client; base: string }) => {
    const store = await openStore()
    open.push(store)
    const importing = importDataset(
      { pool: store.pool, basePoints: { deposit: 1, borrow: 0.5 }, log: silent },
      await openHttpDataset(client, base),
    )
    return { store, importing }
  }

  test('stores all of its files', async () => {
    const { importing } = await run(await server(files(served)))
    const { files: summary, dates } = await importing
    const written = datasetFiles.map((file) => dataset[file]?.length ?? 0)
    expect(Object.values(summary)).toEqual(written.map((lines) => ({ lines, written: lines })))
    expect(written.filter((lines) => lines === 0).length).toBeLessThan(5)
    expect(dates).toEqual(['2026-11-09'])
  })

  test('stores nothing where one of them is cut off, and says which', async () => {
    const plain = files(served)
    const { importing, store } = await run(
      await server((path, response) => {
        if (!path.includes('vaults')) return plain(path, response)
        response.writeHead(200, { 'content-length': '1000' }).write('\n')
        return setTimeout(() => response.socket?.end(), 20)
      }),
    )
    await expect(importing).rejects.toThrow(
      'vaults.jsonl cannot be read: it closed the connection before the end; nothing was imported.',
    )
    expect((await store.pool.query('SELECT FROM pool')).rowCount).toBe(0)
  })

  test('of a base that has none of them says so', async () => {
    const { client, base, made } = await server(files({}))
    await expect(openHttpDataset(client, base)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringMatching(
        `^${made.base} \\([0-9a-f]{8}\\) has no file of the import format \\(pools\\.jsonl, .*, or the same with \\.gz\\)\\.$`,
      ),
    })
    expect(made.requests).toHaveLength(2 * datasetFiles.length)
  })
})
