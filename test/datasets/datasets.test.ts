import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import { packTar, type TarSource } from 'modern-tar/fs'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { command, parsed } from '../support/command-line.ts'
import { record } from '../support/datasets.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { jsonLines } from '../support/one-pool.ts'
import { startOnSample } from '../support/sample.ts'

/** The store as an archive over HTTP, out and in. */

const run = promisify(execFile)
const TAR = { 'content-type': 'application/x-tar' }
let sample: Gateway
let empty: Gateway
const closing: (() => unknown)[] = []

beforeAll(async () => {
  // Other programs leave files of the same names in the common directory.
  process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'test-datasets-'))
  sample = await startOnSample({ users: 4, days: 3 })
  empty = await startGateway({ env: { IMPORT_MAX_BYTES: String(64 * 2 ** 20) } })
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
afterAll(async () => {
  await empty?.close()
  await sample?.close()
  rmSync(tmpdir(), { recursive: true })
  delete process.env.TMPDIR
})

const exported = async (query = '', headers: Record<string, string> = asAdmin, from = sample) => {
  const response = await from.get(`/export${query}`, headers)
  return { response, status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

async function imported(
  body: Buffer | Readable,
  { query = '', headers = {}, to = empty }: { query?: string; headers?: object; to?: Gateway } = {},
) {
  const response = await fetch(`${to.base}/import${query}`, {
    method: 'POST',
    headers: { ...TAR, ...asAdmin, ...headers },
    body: body as never,
    duplex: 'half',
  } as RequestInit)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** An archive of texts and bytes by name. */
async function archive(files: Record<string, string | Buffer>): Promise<Buffer> {
  const sources = Object.entries(files).map(
    ([target, content]): TarSource => ({ type: 'content', target, content }),
  )
  return Buffer.concat(await packTar(sources).toArray())
}

async function contentOf(bytes: Buffer): Promise<Record<string, string>> {
  const entries = await unpackTar(new Uint8Array(bytes))
  return Object.fromEntries(
    entries.map(({ header, data }) => [header.name, Buffer.from(data ?? []).toString()]),
  )
}

const counts = (of: Gateway) =>
  of.ask('{ pools { totalCount } users { totalCount } positions { totalCount } }')

const leftOver = () => readdirSync(tmpdir()).filter((name) => /^gateway-(im|ex)port-/.test(name))

async function addKey(on: Gateway, ...scopes: string[]) {
  const env = { DATABASE_URL: on.deps.config.DATABASE_URL ?? '' }
  const name = `key of ${scopes.join('-') || 'none'}`
  const scope = scopes.length > 0 ? ['--scope', ...scopes] : []
  const { out } = await command(['keys', 'add', name, ...scope, '--json'], env)
  return { name, headers: { authorization: undefined, 'x-api-key': parsed(out)[0].secret } }
}

describe('an export', () => {
  test('is what the command writes, as an archive that tar reads', async () => {
    const { response, status, bytes } = await exported()
    expect(status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/x-tar')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-disposition')).toMatch(/"export-\d{4}-\d\d-\d\d\.tar"$/)
    const dir = mkdtempSync(join(tmpdir(), 'datasets-'))
    closing.push(() => rmSync(dir, { recursive: true }))
    writeFileSync(join(dir, 'out.tar'), bytes)
    await run('mkdir', ['a'], { cwd: dir })
    await run('tar', ['-xf', '../out.tar'], { cwd: join(dir, 'a') })
    const env = { DATABASE_URL: sample.deps.config.DATABASE_URL ?? '' }
    expect(await command(['export', join(dir, 'b')], env)).toMatchObject({ code: 0 })
    await run('diff', ['-r', 'a', 'b'], { cwd: dir })
    expect(leftOver()).toEqual([])
  })

  test('takes tables and dates, and says what it does not know', async () => {
    const { bytes } = await exported('?table=pools,users')
    const text = bytes.toString()
    expect(text).toContain('pools.jsonl')
    expect(text).not.toContain('positions.jsonl')
    for (const query of ['?table=all', '?from=soon', '?format=csv']) {
      const { status, bytes } = await exported(query)
      expect([query, status]).toEqual([query, 400])
      expect(JSON.parse(bytes.toString()).errors[0].in).toBe('query')
    }
  })

  test('is for admins and keys with its scope', async () => {
    expect((await exported('', {})).status).toBe(401)
    const right = await addKey(sample, 'export')
    const wrong = await addKey(sample, 'import', 'runs')
    const sent = ({ headers }: { headers: { 'x-api-key': string } }) => ({
      'x-api-key': headers['x-api-key'],
    })
    expect((await exported('?table=pools', sent(right))).status).toBe(200)
    const refused = await exported('', sent(wrong))
    expect(refused.status).toBe(403)
    expect(JSON.parse(refused.bytes.toString()).detail).toBe(
      `The API key ${wrong.name} lacks the scope export.`,
    )
  })

  test('is one at a time, and ends with its client', async () => {
    const leaving = new AbortController()
    const lock = await sample.deps.store.pool.connect()
    try {
      await lock.query('BEGIN; LOCK TABLE pool IN ACCESS EXCLUSIVE MODE')
      const first = fetch(`${sample.base}/export`, { headers: asAdmin, signal: leaving.signal })
      const cut = expect(first).rejects.toThrow()
      await vi.waitUntil(() => leftOver().length > 0)
      const { response, status } = await exported()
      expect([status, response.headers.get('retry-after')]).toEqual([429, '5'])
      leaving.abort()
      await cut
      await vi.waitUntil(() => leftOver().length === 0, { timeout: 10_000 })
    } finally {
      await lock.query('ROLLBACK')
      lock.release()
    }
    expect((await exported('?table=pools')).status).toBe(200)
  })
})

describe('an import', () => {
  const small = {
    'pools.jsonl': jsonLines([record.pools]),
    'markets.jsonl': jsonLines([record.markets]),
  }

  test('of an export gives the same store, once checked, and twice changes nothing', async () => {
    const { bytes } = await exported()
    const checked = await imported(bytes, { query: '?check=true' })
    expect(checked).toMatchObject({ status: 200, body: { check: true } })
    expect((await counts(empty)).positions.totalCount).toBe(0)
    const first = await imported(Readable.from([bytes]))
    expect(first).toMatchObject({ status: 200, body: { check: false, warnings: [] } })
    expect(first.body.dates).toHaveLength(3)
    expect(await counts(empty)).toEqual(await counts(sample))
    const copy = (await exported('', asAdmin, empty)).bytes
    expect(await contentOf(copy)).toEqual(await contentOf(bytes))
    const { dataVersion } = await empty.ask('{ dataVersion }')
    const again = await imported(bytes)
    expect(again.body.dates).toEqual([])
    expect((await empty.ask('{ dataVersion }')).dataVersion).toBe(dataVersion)
    expect(leftOver()).toEqual([])
  })

  test('takes folders, compressed files, and leaves out what it does not know', async () => {
    const body = await archive({
      './data/pools.jsonl.gz': gzipSync(small['pools.jsonl']),
      'data/._pools.jsonl': 'of a Mac',
      'data/notes.txt': 'x',
    })
    const answer = await imported(body)
    expect(answer).toMatchObject({
      status: 200,
      body: { warnings: ['notes.txt is not a file of the import format.'] },
    })
    expect(answer.body.files['pools.jsonl.gz']).toMatchObject({ lines: 1 })
  })

  test('names the lines that it cannot take, and stores nothing', async () => {
    const before = await counts(empty)
    const lines = [
      { ...record.pools, id: `0x${'9'.repeat(40)}` },
      { ...record.pools, id: 'none' },
    ]
    const { status, headers, body } = await imported(
      await archive({ 'pools.jsonl': `${jsonLines(lines)}{"id":\n` }),
    )
    expect(status).toBe(400)
    expect(headers.get('content-type')).toContain('application/problem+json')
    expect(body.detail).toMatch(/^The body has \d+ problems; nothing was imported/)
    const places = body.errors.map(({ name }: { name: string }) => name)
    expect(new Set(places)).toEqual(new Set(['pools.jsonl:2', 'pools.jsonl:3']))
    expect(await counts(empty)).toEqual(before)
  })

  test('is for admins and keys with its scope, and is recorded under their name', async () => {
    const own = await startGateway()
    closing.push(() => own.close())
    const body = await archive(small)
    expect((await imported(body, { to: own, headers: { authorization: 'x' } })).status).toBe(401)
    const wrong = await addKey(own, 'export')
    expect(
      await imported(body, { to: own, headers: { ...wrong.headers, authorization: 'x' } }),
    ).toMatchObject({
      status: 403,
      body: { detail: `The API key ${wrong.name} lacks the scope import.` },
    })
    const right = await addKey(own, 'import')
    const headers = { ...right.headers, authorization: 'x' }
    expect((await imported(body, { to: own, headers })).status).toBe(200)
    const { runs } = await own.ask('{ runs(first: 1) { nodes { requestedBy } } }')
    expect(runs.nodes).toEqual([{ requestedBy: right.name }])
  })

  test.each([
    ['no archive', Buffer.from('{"query":"{ __typename }"}'), 400, 'tar archive'],
    ['nothing', Buffer.alloc(0), 400, 'truncated'],
    ['no files', Buffer.alloc(4096), 400, 'no file of the import format'],
    ['random bytes', Buffer.from('x'.repeat(5000)), 400, 'tar archive'],
  ])('of %s is refused', async (_, bytes, status, detail) => {
    const answer = await imported(bytes)
    expect(answer.status).toBe(status)
    expect(answer.body.detail).toContain(detail)
    expect(answer.body.detail).not.toContain(tmpdir())
  })

  test('of an archive that is cut, or has a file twice, is refused', async () => {
    const whole = await archive({ 'pools.jsonl': jsonLines(Array(50).fill(record.pools)) })
    expect((await imported(whole.subarray(0, 2000))).status).toBe(400)
    const twice = await imported(await archive({ 'a/pools.jsonl': '', 'b/pools.jsonl': '' }))
    expect(twice).toMatchObject({
      status: 400,
      body: { detail: 'The body has pools.jsonl twice.' },
    })
    const both = await imported(await archive({ 'pools.jsonl': '', 'pools.jsonl.gz': '' }))
    expect(both.body.detail).toContain('The body has both pools.jsonl and pools.jsonl.gz')
    const broken = await imported(await archive({ 'pools.jsonl.gz': 'no gzip' }))
    expect(broken.status).toBe(400)
  })

  test('writes no file outside of its directory', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'datasets-'))
    closing.push(() => rmSync(dir, { recursive: true }))
    writeFileSync(join(dir, 'pools.jsonl'), small['pools.jsonl'])
    await run('ln', ['-s', '/etc/passwd', 'users.jsonl'], { cwd: dir })
    const names = ['pools.jsonl', 'users.jsonl']
    const tar = ['-cPf', 'out.tar', '--transform=s,^,../../../../tmp/,', ...names]
    await run('tar', tar, { cwd: dir })
    const answer = await imported(readFileSync(join(dir, 'out.tar')))
    expect([200, 400]).toContain(answer.status)
    expect(readdirSync('/tmp')).not.toContain('pools.jsonl')
    expect(answer.body.files?.['users.jsonl']).toBeUndefined()
  })

  test.each([
    ['JSON', { 'content-type': 'application/json' }, 'application/x-tar'],
    ['a compressed archive', { 'content-encoding': 'gzip' }, 'must not be compressed'],
  ])('of %s is a 415', async (_, headers, detail) => {
    const answer = await imported(gzipSync(await archive(small)), { headers })
    expect(answer).toMatchObject({ status: 415 })
    expect(answer.body.detail).toContain(detail)
  })

  test('of too many bytes is a 413, also if they are compressed', async () => {
    const small = await startGateway({ on: empty, env: { IMPORT_MAX_BYTES: '100000' } })
    closing.push(() => small.close())
    const lines = jsonLines(Array(2000).fill(record.pools))
    const large = await archive({ 'pools.jsonl': lines })
    const dense = await archive({ 'pools.jsonl.gz': gzipSync(lines) })
    for (const body of [large, Readable.from([large]), dense]) {
      const answer = await imported(body, { to: small })
      expect(answer).toMatchObject({ status: 413 })
      expect(answer.body.detail).toContain('more than 100,000 bytes')
    }
    expect((await small.get('/livez')).status).toBe(200)
    expect(leftOver()).toEqual([])
  })

  test('is one at a time, and ends with its client, without a trace', async () => {
    const before = await counts(empty)
    const half = (await archive(small)).subarray(0, 700)
    const sending = request(`${empty.base}/import`, {
      method: 'POST',
      headers: { ...TAR, ...asAdmin, 'content-length': 4096 },
    })
    sending.on('error', () => {})
    sending.write(half)
    await vi.waitUntil(() => leftOver().length > 0)
    const second = await imported(await archive(small))
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '5'])
    sending.destroy()
    await vi.waitUntil(() => leftOver().length === 0, { timeout: 10_000 })
    expect(await counts(empty)).toEqual(before)
    expect((await imported(await archive(small))).status).toBe(200)
  })

  test('whose client leaves while it stores is rolled back', async () => {
    const own = await startGateway()
    closing.push(() => own.close())
    const lock = await own.deps.store.pool.connect()
    try {
      await lock.query('BEGIN; LOCK TABLE pool IN ACCESS EXCLUSIVE MODE')
      const leaving = new AbortController()
      const sent = fetch(`${own.base}/import`, {
        method: 'POST',
        headers: { ...TAR, ...asAdmin },
        body: (await archive(small)) as never,
        signal: leaving.signal,
      })
      const cut = expect(sent).rejects.toThrow()
      await new Promise((resolve) => setTimeout(resolve, 500))
      leaving.abort()
      await cut
    } finally {
      await lock.query('ROLLBACK')
      lock.release()
    }
    await vi.waitUntil(() => leftOver().length === 0, { timeout: 10_000 })
    expect((await own.ask('{ pools { totalCount } }')).pools.totalCount).toBe(0)
    expect((await imported(await archive(small), { to: own })).status).toBe(200)
  })

  test('of another method, or with a parameter that is none', async () => {
    expect((await empty.get('/import', asAdmin)).status).toBe(405)
    const answer = await imported(await archive(small), { query: '?dry=1' })
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ in: 'query', name: 'dry' }] } })
  })
})
