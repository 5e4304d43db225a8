import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { records } from '../../src/domain/dataset/records.ts'
import type { FetchLimits } from '../../src/sources/client.ts'
import {
  type Client,
  Fetch,
  MAX_LINE_BYTES,
  openAnalyticsSource,
  openClient,
  openHttpDataset,
} from '../../src/sources/index.ts'
import { answerJson, type FakeServer, startServer } from '../support/positions-server.ts'

const LIMITS: FetchLimits = { bytes: 10_000_000, records: 20_000, seconds: 60 }

let server: FakeServer
let client: Client
afterEach(async () => {
  await client.close()
  await server.close()
})

async function serve(
  file: string,
  send: (response: ServerResponse) => void,
  limits: Partial<FetchLimits> = {},
) {
  server = await startServer(({ url }, response) => {
    if (url !== `/${file}`) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'application/octet-stream' })
    return send(response)
  })
  client = openClient({
    timeoutMs: 5000,
    retries: 0,
    maxBytes: 1_000_000,
    limits: { ...LIMITS, ...limits },
  })
}

/** Reads the prices of a source to the end. */
async function read(): Promise<number> {
  const source = openAnalyticsSource({ source: server.base, timeoutMs: 1000 }, client)
  const { fields } = records.prices
  const known = async () => ({ users: [], entities: [] })
  const fetched = await source?.records('prices', { since: new Date('2026-03-01'), fields, known })
  let count = 0
  for await (const batch of fetched?.batches ?? []) count += batch.records.length
  return count
}
const failure = (reason: string) => `The source of prices, ${server.base}, failed: ${reason}.`

const endlessly = (chunk: Buffer) => (response: ServerResponse) => {
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', send)
  send()
}
const bomb = gzipSync(Buffer.alloc(20_000_000, '\n'))
const old = Buffer.from(`{"date":"2020-01-01"}\n`.repeat(1000))

test('records before the requested date count, also without end', async () => {
  await serve('prices.jsonl', endlessly(old))
  await expect(read()).rejects.toThrow(
    failure('it has more than 20000 records, the limit of SOURCE_MAX_FETCH_RECORDS'),
  )
})

test('bytes count as they arrive and decompressed', async () => {
  const bytes = 'it sent more than 10000000 bytes, the limit of SOURCE_MAX_FETCH_BYTES'
  await serve('prices.jsonl', endlessly(old), { records: 1e9 })
  await expect(read()).rejects.toThrow(failure(bytes))
  await client.close()
  await server.close()
  await serve('prices.jsonl.gz', (response) => response.end(bomb), {
    records: 1e9,
  })
  await expect(read()).rejects.toThrow(failure(bytes))
  await client.close()
  await server.close()
  const members = Buffer.concat(Array.from({ length: 1000 }, () => gzipSync('')))
  await serve('prices.jsonl.gz', endlessly(members), { bytes: 100_000 })
  await expect(read()).rejects.toThrow(failure(bytes.replace('10000000', '100000')))
})

test('a fetch that takes too long ends, although something arrives all the time', async () => {
  await serve('prices.jsonl', (response) => setInterval(() => response.write('\n'), 50).unref(), {
    seconds: 1,
  })
  await expect(read()).rejects.toThrow(
    failure('it took longer than 1 seconds, the limit of SOURCE_MAX_FETCH_SECONDS'),
  )
})

test('a line without end is reported before it ends', async () => {
  await serve('prices.jsonl', (response) => response.write(Buffer.alloc(MAX_LINE_BYTES + 1, 'x')))
  const source = openAnalyticsSource({ source: server.base, timeoutMs: 1000 }, client)
  const known = async () => ({ users: [], entities: [] })
  const fetched = await source?.records('prices', { since: null, fields: {}, known })
  for await (const { records } of fetched?.batches ?? []) {
    if (records.length === 0) continue
    expect(records).toEqual([{ reason: `is longer than ${MAX_LINE_BYTES} bytes` }])
    return
  }
})

test('an import by URL has the same limits', async () => {
  await serve('prices.jsonl', endlessly(old))
  const fetch = new Fetch('The server', client)
  const dataset = await openHttpDataset(client, server.base, { fetch })
  const stream = (await dataset.open('prices'))?.stream
  await expect(stream?.on('data', () => {}).toArray()).rejects.toThrow(
    /^The server failed: it has more than 20000/,
  )
})

test('JSON may begin with a byte order mark', async () => {
  await serve('prices.jsonl', (response) => response.end(`\uFEFF{"date":"2026-03-02"}\n`))
  expect(await read()).toBe(1)
  await server.close()
  server = await startServer((_, response) => response.end('\uFEFF{"a":1}'))
  expect(await client.json('The source', server.base)).toEqual({ a: 1 })
  await server.close()
  server = await startServer((_, response) => answerJson(response, {}))
})
