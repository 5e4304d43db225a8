import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles, POOL, pool } from '../support/one-pool.ts'

/** How bodies of requests may be written: with a byte-order mark, and compressed. */

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
  await importFiles(gateway, { pools: [pool] })
})
afterAll(() => gateway?.close())

const JSON_TYPE = { 'content-type': 'application/json' }
const QUERY = JSON.stringify({ query: '{ pools { nodes { address } } }' })
const MULTIPLIER = JSON.stringify({ poolAddress: POOL, deposit_tokenA: 2 })
const compress = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
}

async function send(path: string, body: string | Buffer, headers: Record<string, string> = {}) {
  const init = { method: 'POST', body, headers: { ...JSON_TYPE, ...asAdmin, ...headers } }
  const response = await fetch(gateway.base + path, init as RequestInit)
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as any,
  }
}
const query = (body: string | Buffer, headers?: Record<string, string>) =>
  send('/graphql', body, headers)
const change = (body: string | Buffer, headers?: Record<string, string>) =>
  send('/multipliers/update', body, headers)
const POOLS = { data: { pools: { nodes: [{ address: POOL }] } } }

test('a byte-order mark before the JSON is ignored', async () => {
  for (let n = 0; n < 2; n++) expect((await query(`\uFEFF${QUERY}`)).json).toEqual(POOLS)
  expect((await change(`\uFEFF${MULTIPLIER}`)).status).toBe(200)
  expect((await query('\uFEFF')).status).toBe(400)
  expect((await query(gzipSync(`\uFEFF${QUERY}`), { 'content-encoding': 'gzip' })).json).toEqual(
    POOLS,
  )
})

describe.each(Object.entries(compress))('a body in %s', (encoding, compressed) => {
  const headers = { 'content-encoding': encoding }

  test('is read', async () => {
    for (let n = 0; n < 2; n++)
      expect((await query(compressed(QUERY), headers)).json).toEqual(POOLS)
    expect(
      (await query(compressed(QUERY), { 'content-encoding': encoding.toUpperCase() })).json,
    ).toEqual(POOLS)
    const mutation = JSON.stringify({ query: 'mutation { __typename }' })
    expect((await query(compressed(mutation), headers)).json).toEqual({
      data: { __typename: 'Mutation' },
    })
    expect((await change(compressed(MULTIPLIER), headers)).json).toMatchObject([
      { deposit_tokenA: 2 },
    ])
  })

  test('may hold 1 MiB', async () => {
    const large = (bytes: number) => compressed(QUERY.padEnd(bytes, ' '))
    expect((await query(large(1 << 20), headers)).json).toEqual(POOLS)
    for (const size of [(1 << 20) + 1, 20 << 20]) {
      const bomb = large(size)
      expect(bomb.length).toBeLessThan(1 << 20)
      expect((await query(bomb, headers)).status).toBe(413)
      expect(await change(bomb, headers)).toMatchObject({
        status: 413,
        json: { detail: 'The body is too large: at most 1 MiB.' },
      })
    }
  })

  test('is refused if it is damaged', async () => {
    const large = Buffer.concat([compressed(QUERY).subarray(0, 20), Buffer.alloc(900_000, 'x')])
    for (const body of [
      large,
      Buffer.from(QUERY),
      compressed(QUERY).subarray(0, 20),
      Buffer.from('x'),
    ])
      for (const { status, json } of [await query(body, headers), await change(body, headers)]) {
        expect(status).toBe(400)
        expect(json.detail).toBe('The body cannot be decompressed by its content-encoding.')
      }
  })
})

test.each(['zstd', 'gzip, gzip', 'gzip;q=1', 'constructor'])(
  'the encoding %s is refused',
  async (encoding) => {
    await query(QUERY)
    for (const one of [
      await query(QUERY, { 'content-encoding': encoding }),
      await change('{}', { 'content-encoding': encoding }),
    ]) {
      expect(one.status).toBe(415)
      expect(one.headers.get('accept-encoding')).toBe('gzip, deflate, br')
      expect(one.json.detail).toMatch(
        /^The body has a content-encoding that is not supported. Use gzip, deflate or br/,
      )
    }
    expect((await query(QUERY, { 'content-encoding': 'identity' })).json).toEqual(POOLS)
    const get = await fetch(`${gateway.base}/pools/all`, {
      headers: { 'content-encoding': encoding },
    })
    expect(get.status).toBe(201)
  },
)
