import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { command, parsed, serve } from '../support/command-line.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/**
 * A reader that leaves, as `| head -1` does, loses text. The work goes on, and its exit status is
 * that of the work.
 */

const MAIN = join(import.meta.dirname, '../../dist/main.js')

let gateway: Gateway
let dir: string
beforeAll(async () => {
  gateway = await startOnSample()
  dir = await mkdtemp(join(tmpdir(), 'gateway-closed-pipe-'))
})
afterAll(async () => {
  await gateway.close()
  await rm(dir, { recursive: true, force: true })
})

const settings = () => ({ DATABASE_URL: gateway.deps.config.DATABASE_URL as string })

/** Runs a command whose reader leaves after its first text. @returns the exit code */
async function withoutReader(
  args: string[],
  streams: ('stdout' | 'stderr')[] = ['stdout'],
): Promise<number> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH, HOME, LOG_LEVEL: 'silent', ...settings() },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of ['stdout', 'stderr'] as const)
    if (streams.includes(stream)) child[stream].once('data', () => child[stream].destroy())
    else child[stream].resume()
  const [code] = await once(child, 'exit')
  return code
}

const countOf = async (sql: string) =>
  Number((await gateway.deps.store.pool.query(`SELECT count(*) ${sql}`)).rows[0].count)

test('a resync of all dates computes all of them', async () => {
  const dates = await countOf('FROM distribution')
  expect(await withoutReader(['resync', '--all'])).toBe(0)
  expect(await countOf(`FROM run WHERE kind = 'resync' AND status = 'succeeded'`)).toBe(dates)
})

test('a run that fails has its exit code, also without a reader of errors', async () => {
  const before = await countOf(`FROM run WHERE kind = 'resync' AND status = 'succeeded'`)
  await gateway.deps.store.pool.query(`UPDATE stored_position SET a_supplied_amount_usd = 1e300
    WHERE distribution_date = (SELECT max(date) FROM distribution)`)
  expect(await withoutReader(['resync', '--all'], ['stdout', 'stderr'])).not.toBe(0)
  const dates = await countOf('FROM distribution')
  expect(await countOf(`FROM run WHERE kind = 'resync' AND status = 'succeeded'`)).toBe(
    before + dates - 1,
  )
})

test.each([[['schema']], [['runs', '--json']]])('%j lists without a failure', async ([...args]) => {
  expect(await withoutReader(args)).toBe(0)
})

test.each([[['schema']], [['runs', '--json']]])(
  '%j whose text cannot be written fails with a sentence',
  async ([...args]) => {
    const { PATH = '', HOME = '' } = process.env
    const full = await open('/dev/full', 'w')
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { PATH, HOME, LOG_LEVEL: 'silent', ...settings() },
      stdio: ['ignore', full.fd, 'pipe'],
    })
    let err = ''
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      err += text
    })
    const [code] = await once(child, 'close')
    await full.close()
    expect(code).toBe(1)
    expect(err).toContain('The output cannot be written (ENOSPC).')
  },
)

test('a template, an export and an import are whole', async () => {
  const [template, store] = [join(dir, 'template'), join(dir, 'store')]
  expect(await withoutReader(['template', template])).toBe(0)
  expect(await withoutReader(['import', template])).toBe(0)
  expect(await withoutReader(['export', store])).toBe(0)
  for (const made of [template, store])
    expect((await readdir(made)).filter((name) => name.endsWith('.partial'))).toEqual([])
  const { out } = await command(['import', template, '--json'], settings())
  expect(
    Object.values<{ written: number }>(parsed(out)[0].files).map(({ written }) => written),
  ).not.toContain(1)
})

test('a server whose output nobody reads goes on until it is stopped', async () => {
  const served = await serve({ ...settings(), LOG_LEVEL: 'info', LOG_REQUESTS: 'all' })
  served.child.stdout?.destroy()
  for (let i = 0; i < 5; i++) expect((await fetch(`${served.base}/livez`)).status).toBe(200)
  expect(await served.stop('SIGTERM')).toBe(0)
})
