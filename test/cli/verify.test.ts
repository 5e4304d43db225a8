import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { digestsDue } from '../../src/domain/points/digest.ts'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { openClient, withMirror } from '../../src/sources/index.ts'
import { documents } from '../docs/markdown.ts'
import { command } from '../support/command-line.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import {
  ANN,
  BEN,
  CAT,
  DAY,
  importFiles,
  jsonLines,
  midnight,
  multiplier,
  pool,
  position,
} from '../support/one-pool.ts'
import { silent } from '../support/store.ts'

const POOL_2 = `0x${'6'.repeat(40)}`
const NEXT = '2026-03-03'
/** Computed by hand: ANN has 1/3 + 20, BEN 0, CAT 12,000,000,000 points. */
const LINES = `${ANN} 20.333333\n${BEN} 0.000000\n${CAT} 12000000000.000000\n`
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const DIGEST = sha256(LINES)

let gateway: Gateway
let dir: string
let env: Record<string, string>
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'verify-test-'))
  gateway = await startGateway()
  env = { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' }
  await importFiles(gateway, {
    pools: [pool, { ...pool, id: POOL_2, marketId: 8 }],
    multipliers: [multiplier, { ...multiplier, poolAddress: POOL_2 }],
    positions: [
      position(CAT, 3e9),
      position(CAT, 3e9, { marketAddress: POOL_2 }),
      position(BEN, 0),
      position(ANN, 10),
      position(ANN, 1 / 6, { marketAddress: POOL_2 }),
      position(BEN, 5, { distributionDate: midnight(NEXT) }),
    ],
  })
})
afterAll(async () => {
  await gateway.close()
  await rm(dir, { recursive: true })
})

const sql = (text: string) => gateway.deps.store.pool.query(text)
const resync = (day = DAY) =>
  gateway.graphql(
    `mutation { resyncDistribution(input: { date: "${day}" }) { run { recordId digest } } }`,
    undefined,
    asAdmin,
  )
const digests = async ({ ask }: Gateway = gateway) =>
  (
    await ask(
      `{ distribution(date: "${DAY}") { digest run { digest } runs(first: 1) { nodes { digest } } } }`,
    )
  ).distribution
const verify = async (...words: string[]) => {
  const { code, out, err } = await command(['verify', DAY, ...words], env)
  expect(err).toBe('')
  return { code, out }
}

test('verify and explain take the newest date by default', async () => {
  for (const words of [['verify'], ['explain', BEN]]) {
    const [newest, named] = await Promise.all([
      command(words, env),
      command([...words, ...(words[0] === 'verify' ? [NEXT] : ['--date', NEXT])], env),
    ])
    expect(newest).toMatchObject({ code: 0, err: '' })
    expect(newest).toEqual(named)
  }
  const empty = await startGateway()
  for (const words of [['verify'], ['explain', BEN]])
    expect(
      await command(words, { DATABASE_URL: empty.deps.config.DATABASE_URL as string }),
    ).toEqual({
      code: 3,
      out: '',
      err: 'No positions are stored, so there is no newest date.\n',
    })
  await empty.close()
})

describe('the digest of a distribution', () => {
  test('is SHA-256 over its sorted lines, and that of the run that stored it', async () => {
    expect(await digests()).toEqual({
      digest: DIGEST,
      run: { digest: DIGEST },
      runs: { nodes: [{ digest: DIGEST }] },
    })
    await resync()
    expect(await digests()).toMatchObject({ digest: DIGEST, run: { digest: DIGEST } })
  })

  test('follows every run, and an earlier run keeps the digest that it stored', async () => {
    await sql('UPDATE multiplier SET deposit_token_a = 1 WHERE deposit_token_a = 2')
    await resync()
    const changed = sha256(`${ANN} 10.166667\n${BEN} 0.000000\n${CAT} 6000000000.000000\n`)
    const { distribution } = await gateway.ask(
      `{ distribution(date: "${DAY}") { digest runs(first: 2) { nodes { digest } } } }`,
    )
    expect(distribution).toEqual({
      digest: changed,
      runs: { nodes: [{ digest: changed }, { digest: DIGEST }] },
    })
    await sql('UPDATE multiplier SET deposit_token_a = 2 WHERE deposit_token_a = 1')
    await resync()
    expect(await digests()).toMatchObject({ digest: DIGEST })
  })

  test('is computed once for a date that was stored before there were digests', async () => {
    await sql('UPDATE distribution SET digest = NULL; UPDATE run SET digest = NULL')
    expect(await digests()).toMatchObject({ digest: null, run: { digest: null } })
    expect(await digestsDue(gateway.deps.store.pool)).toBe(2)
    expect(await digestsDue(gateway.deps.store.pool)).toBe(0)
    expect(await digests()).toMatchObject({ digest: DIGEST, run: { digest: DIGEST } })
  })

  test('is the same on a copy of the gateway', async () => {
    const copy = await startGateway()
    const client = openClient({ timeoutMs: 10_000, retries: 0, maxBytes: 2 ** 30 })
    try {
      await withMirror({ client, base: gateway.base }, (dataset) =>
        importDataset({ ...copy.deps, pool: copy.deps.store.pool, log: silent }, dataset),
      )
      expect(await digests(copy)).toMatchObject({ digest: DIGEST })
      expect(await verify('--against', copy.base)).toMatchObject({ code: 0 })
    } finally {
      await client.close()
      await copy.close()
    }
  })

  test('is checked by the shell of the guide, without code of the gateway', async () => {
    await rebuildRankHistory(gateway.deps.store.pool)
    const guide = documents.find(({ path }) => path.endsWith('data-analyst.md'))
    const script = guide?.blocks.find(({ text }) => text.includes('sha256sum'))?.text ?? ''
    expect(script.trim().split('\n').length).toBeLessThanOrEqual(10)
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      script
        .replace('http://127.0.0.1:4000', gateway.base)
        .replace('2026-11-20', DAY)
        .replace('first: 1000', 'first: 2'),
    ])
    expect(stdout.match(/[0-9a-f]{64}/g)).toEqual([DIGEST, DIGEST])
  })
})

describe('gateway verify', () => {
  test('computes the points again, by the rules of the date', async () => {
    expect(await verify()).toEqual({
      code: 0,
      out: expect.stringMatching(
        new RegExp(
          `on record +${DIGEST}\nstored points +${DIGEST}\nby the rules +${DIGEST}\nThe points of 3 users are equal.\n$`,
        ),
      ),
    })
  })

  test('names the users whose points differ, the largest difference first', async () => {
    await sql('UPDATE account_day SET points = points - 1 WHERE points = 20333333')
    await sql('UPDATE account_day SET points = points + 2000000 WHERE points = 12000000000000000')
    const wrong = sha256(`${ANN} 20.333332\n${BEN} 0.000000\n${CAT} 12000000002.000000\n`)
    const { code, out } = await verify('--json', '--limit', '1')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toEqual({
      against: null,
      date: DAY,
      digest: DIGEST,
      storedDigest: wrong,
      expectedDigest: DIGEST,
      userCount: 3,
      importedPositionCount: 0,
      differingUserCount: 2,
      differences: [{ userAddress: CAT, stored: '12000000002', expected: '12000000000' }],
    })
    const said = await verify()
    expect(said.code).toBe(1)
    expect(said.out).toContain(
      'The stored points are not those that the last run stored.\nThe points of 2 users differ.',
    )
    expect(said.out).toMatch(
      new RegExp(`${CAT} +12000000002 +12000000000\n${ANN} +20.333332 +20.333333\n`),
    )
    await resync()
    expect(await verify()).toMatchObject({ code: 0 })
  })

  test('takes imported points as they are, and says so', async () => {
    await importFiles(gateway, { positions: [position(BEN, 0, { pointsA: 7, pointsB: 0.5 })] })
    const { code, out } = await verify()
    expect(code).toBe(0)
    expect(out).toContain('Points of 1 positions were imported, and are taken as they are.')
    await resync()
    expect(await digests()).toMatchObject({ digest: DIGEST })
  })

  test('compares the date with an export, as a directory or its file', async () => {
    const to = join(dir, 'export')
    expect(await command(['export', to], env)).toMatchObject({ code: 0 })
    for (const path of [to, join(to, 'positions.jsonl')])
      expect(await verify('--against', path)).toMatchObject({ code: 0 })
    const file = join(dir, 'positions.jsonl')
    const zero = { pointsA: 0, pointsB: 0 }
    await writeFile(
      file,
      jsonLines([
        position(ANN, 10, { pointsA: 20.333333, pointsB: 0 }),
        position(CAT, 1, { ...zero, pointsA: 1 }),
        position(CAT, 1, { ...zero, marketAddress: POOL_2, pointsB: 11.5 }),
        position(`0x${'d'.repeat(40)}`, 1, zero),
      ]),
    )
    const { code, out } = await verify('--against', file)
    expect(code).toBe(1)
    expect(out).toMatch(new RegExp(`${CAT} +12000000000 +12.5\n${BEN} +0 +-\n0xd{40} +- +0\n`))
  })

  test('refuses wrong input with a sentence', async () => {
    await writeFile(join(dir, 'x.csv'), '')
    const file = join(dir, 'positions.jsonl')
    await writeFile(file, jsonLines([position(ANN, 10)]))
    const refused: [string[], number, RegExp][] = [
      [['2026-02-30'], 2, /^A date must look like 2025-03-01, not 2026-02-30\./],
      [['2026-01-01'], 3, /^No positions are stored for 2026-01-01: nothing to verify\.\n$/],
      [[DAY, '--against', join(dir, 'x.csv')], 5, /x\.csv is not a file of the import format/],
      [[DAY, '--against', join(dir, 'nothing')], 5, /does not exist/],
      [[DAY, '--against', file], 5, /positions\.jsonl:1: has no points: an export has them\.\n$/],
      [['2026-03-03', '--against', file], 5, /it has no positions of 2026-03-03\.\n$/],
      [
        [DAY, '--against', 'http://127.0.0.1:9'],
        5,
        /^The source of positions, http:\/\/127\.0\.0\.1:9/,
      ],
      [[DAY, '--limit', '1001'], 2, /^A number from 0 to 1000 is needed, not 1001\./],
    ]
    for (const [words, code, err] of refused) {
      const answer = await command(['verify', ...words], env)
      expect(answer, words.join(' ')).toMatchObject({ code, err: expect.stringMatching(err) })
    }
  })
})
