import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { randomQuery } from '../support/random-query.ts'
import { memoryOf } from './server.ts'

const MB = 1024 * 1024
const MAX_BYTES = 350 * MB
const INCLUDES = 60_000
const RANDOM = 20_000

let dataDir: string
let child: ReturnType<typeof spawn>
let port: string
/** The program as `npm start` starts it: with its flags, an embedded Postgres and the sample. */
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'fire-memory-'))
  const { PATH = '', HOME = '' } = process.env
  const [, args = ''] = /exec node (.*)/.exec(manifest.scripts.start) ?? []
  const cwd = join(import.meta.dirname, '../..')
  const env = { PATH, HOME, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'warn' }
  child = spawn(process.execPath, args.split(' '), {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout?.on('data', (data) => {
    printed += data
  })
  const listening = () => {
    const [, port] = /gateway on http:\S+:(\d+)/.exec(printed) ?? []
    if (port === undefined) throw new Error(printed)
    return port
  }
  port = await vi.waitFor(listening, { timeout: 110_000 })
})
afterAll(async () => {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  await rm(dataDir, { recursive: true, force: true })
})

const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const headers = { 'content-type': 'application/json', accept: 'application/json' }

function post(body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, path: '/graphql', method: 'POST', headers, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    sent.once('error', reject).end(body)
  })
}

/**
 * Sends documents over several connections.
 * @returns the most memory that the gateway took meanwhile
 */
async function peakOf(count: number, bodyOf: (i: number) => string): Promise<number> {
  let next = 0
  let answered = 0
  let peak = 0
  const lane = async () => {
    while (next < count) {
      // Some random ones cost more than is allowed.
      expect([200, 400]).toContain(await post(bodyOf(next++)))
      if (++answered % 500 === 0) peak = Math.max(peak, await memoryOf(child.pid as number))
    }
  }
  await Promise.all(Array.from({ length: 16 }, lane))
  return peak
}

const SWITCHES = Array.from({ length: 16 }, (_, n) => n)
const switched = `query (${SWITCHES.map((n) => `$v${n}: Boolean!`).join(' ')}) {
  program { ${SWITCHES.map((n) => `a${n}: totalPoints @include(if: $v${n})`).join(' ')} totalPoints } }`
/** The same fields, chosen by the document or by its variables. */
function included(i: number): string {
  const isOn = (n: number) => ((i >> n) & 1) === 1
  const variables = Object.fromEntries(SWITCHES.map((n) => [`v${n}`, isOn(n)]))
  if (i % 3 > 0) return JSON.stringify({ query: switched, variables })
  const fields = SWITCHES.map((n) => `a${n}: totalPoints @include(if: ${isOn(n)})`)
  return JSON.stringify({ query: `{ program { ${fields.join(' ')} totalPoints } }` })
}

const seeds = fc.sample(fc.array(fc.nat({ max: 5039 }), { minLength: 40, maxLength: 120 }), {
  numRuns: RANDOM,
  seed: 1,
})

test('documents that differ in @include, and random ones, leave the memory below its budget', async () => {
  const idle = await memoryOf(child.pid as number)
  const peaks = {
    included: await peakOf(INCLUDES, included),
    random: await peakOf(RANDOM, (i) =>
      JSON.stringify({ query: randomQuery({}, seeds[i] as number[], 2) }),
    ),
  }
  expect(peaks.included).toBeGreaterThan(idle)
  expect(Math.max(peaks.included, peaks.random), JSON.stringify({ idle, ...peaks })).toBeLessThan(
    MAX_BYTES,
  )
}, 1_200_000)
