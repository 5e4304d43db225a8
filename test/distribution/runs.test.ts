import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { datasetPositions, openDirectory } from '../../src/sources/index.ts'
import { command } from '../support/command-line.ts'
import { everything } from '../support/dump.ts'
import { asAdmin, type Gateway, onCitus, startGateway } from '../support/gateway.ts'
import {
  ANN,
  BEN,
  CAT,
  importFiles,
  jsonLines,
  midnight,
  multiplier,
  POOL,
  pool,
  position,
} from '../support/one-pool.ts'
import { hold } from '../support/pause.ts'

const POOL_2 = `0x${'6'.repeat(40)}`
const FACTORS = 'depositA depositB borrowA borrowB'
const RUN = `recordId kind date status requestedBy startedAt finishedAt durationMs error basePointsDeposit basePointsBorrow
  multipliers { totalCount nodes { poolAddress ${FACTORS} changedBy } }
  sources { kind name digest count block time fetchedAt }
  totalsBefore { positionCount userCount totalPoints: points } totalsAfter { positionCount userCount totalPoints: points }`
const zeros = { positionCount: 0, userCount: 0, totalPoints: 0 }
const alice = { authorization: 'Bearer the-token-of-alice' }
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

let gateway: Gateway
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-runs-'))
  gateway = await startGateway({
    env: { ADMIN_TOKENS: 'alice:the-token-of-alice,bob:the-token-of-bob' },
    positionsSource: datasetPositions(dir, () => openDirectory(dir)),
  })
  await importFiles(gateway, { pools: [pool, { ...pool, id: POOL_2 }], multipliers: [multiplier] })
})
afterAll(async () => {
  await gateway.close()
  await rm(dir, { recursive: true })
})

const at = (day: string, user: string, usd: number, more: object = {}) =>
  position(user, usd, { distributionDate: midnight(day), ...more })
/** Makes the source have these positions. @returns its bytes */
async function source(rows: object[]): Promise<string> {
  const text = jsonLines(rows)
  await writeFile(join(dir, 'positions.jsonl'), text)
  return text
}
const post = (
  verb: string,
  day: string,
  headers: Record<string, string> = asAdmin,
  base = gateway.base,
) => fetch(`${base}/points/${verb}?date=${day}`, { method: 'POST', headers })
const graph = (query: string, headers = {}) => gateway.ask(query, undefined, headers)
/** The runs of a day, newest first. */
const runsOf = async (day: string) =>
  (await graph(`{ runs(where: { date: { eq: "${day}" } }) { nodes { ${RUN} } } }`)).runs.nodes
const setDepositA = (factor: number, poolAddress = POOL) =>
  graph(
    `mutation { updateMultipliers(input: { multipliers: { poolAddress: "${poolAddress}", depositA: ${factor} } }) { multipliers { id } } }`,
    alice,
  )
const env = () => ({ DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '', POSITIONS_SOURCE: dir })

describe('every run is a record', () => {
  test('an import is a run for each date that it changes', async () => {
    const positions = [
      at('2026-01-01', ANN, 10),
      at('2026-01-01', BEN, 5),
      at('2026-01-02', ANN, 7),
    ]
    await importFiles(gateway, { positions }, 'carol')
    const [first] = await runsOf('2026-01-01')
    expect(first).toEqual({
      recordId: expect.stringMatching(/^\d+$/),
      kind: 'IMPORT',
      date: '2026-01-01',
      status: 'SUCCEEDED',
      requestedBy: 'carol',
      startedAt: expect.any(String),
      finishedAt: expect.any(String),
      durationMs: expect.any(Number),
      error: null,
      basePointsDeposit: 1,
      basePointsBorrow: 0.5,
      multipliers: {
        totalCount: 1,
        nodes: [
          {
            poolAddress: POOL,
            depositA: 2,
            depositB: 1,
            borrowA: 1,
            borrowB: 4,
            changedBy: 'import',
          },
        ],
      },
      sources: [
        {
          kind: 'POSITIONS',
          name: 'the dataset: positions.jsonl',
          digest: digestOf(jsonLines(positions)),
          count: 3,
          block: null,
          time: null,
          fetchedAt: expect.any(String),
        },
      ],
      totalsBefore: zeros,
      totalsAfter: { positionCount: 2, userCount: 2, totalPoints: 30 },
    })
    expect(await runsOf('2026-01-02')).toMatchObject([
      { totalsBefore: zeros, totalsAfter: { positionCount: 1, totalPoints: 14 } },
    ])

    await importFiles(gateway, { positions: [...positions.slice(0, 2), at('2026-01-02', BEN, 1)] })
    expect(await runsOf('2026-01-01')).toHaveLength(1)
    expect(await runsOf('2026-01-02')).toMatchObject([
      {
        requestedBy: 'import',
        totalsBefore: { totalPoints: 14, userCount: 1 },
        totalsAfter: { totalPoints: 16, userCount: 2 },
      },
      { requestedBy: 'carol' },
    ])
    await importFiles(gateway, { positions })
    expect(await runsOf('2026-01-02')).toHaveLength(2)
  })

  test('a manualupdate, by a named token, with what it fetched', async () => {
    await importFiles(gateway, { positions: [at('2026-01-03', ANN, 10)] })
    const text = await source([
      at('2026-01-03', BEN, 3),
      at('2026-01-03', CAT, 4),
      at('2026-01-04', ANN, 1),
    ])
    const began = Date.now()
    expect((await post('manualupdate', '2026-01-03', alice)).status).toBe(200)
    const [run] = await runsOf('2026-01-03')
    expect(run).toMatchObject({
      kind: 'MANUALUPDATE',
      date: '2026-01-03',
      status: 'SUCCEEDED',
      requestedBy: 'alice',
      error: null,
      multipliers: { nodes: [{ poolAddress: POOL, depositA: 2 }] },
      sources: [
        { kind: 'POSITIONS', name: dir, digest: digestOf(text), count: 3, block: null, time: null },
      ],
      totalsBefore: { positionCount: 1, userCount: 1, totalPoints: 20 },
      totalsAfter: { positionCount: 2, userCount: 2, totalPoints: 14 },
    })
    const moment = Date.parse
    const [started, fetched, finished] = [
      moment(run.startedAt),
      moment(run.sources[0].fetchedAt),
      moment(run.finishedAt),
    ]
    for (const [earlier, later] of [
      [began, started],
      [started, fetched],
      [fetched, finished],
      [finished, Date.now()],
    ] as const)
      expect(later).toBeGreaterThanOrEqual(earlier - 1)
    expect(run.durationMs).toBe(finished - started)
    expect(await runsOf('2026-01-04')).toEqual([])
  })

  test('a resync, which fetches nothing; its answer, its number and its date lead to it', async () => {
    await importFiles(gateway, {
      positions: [at('2026-01-05', ANN, 10, { pointsA: 1, pointsB: 2 })],
    })
    const { run: done } = (
      await graph(
        `mutation { resyncDistribution(input: { date: "2026-01-05" }) { run { ${RUN} } } }`,
        {
          authorization: 'Bearer the-token-of-bob',
        },
      )
    ).resyncDistribution
    expect(done).toMatchObject({
      kind: 'RESYNC',
      requestedBy: 'bob',
      sources: [],
      totalsBefore: { positionCount: 1, userCount: 1, totalPoints: 3 },
      totalsAfter: { positionCount: 1, userCount: 1, totalPoints: 20 },
    })
    expect((await post('resync', '2026-01-05')).status).toBe(200)
    const data = await graph(`{
      run(recordId: "${done.recordId}") { ${RUN} }
      none: run(recordId: "999999") { id } far: run(recordId: "${2n ** 70n}") { id }
      distribution(date: "2026-01-05") { run { requestedBy } runs { totalCount nodes { kind requestedBy } } }
      page: distribution(date: "2026-01-05") { runs(first: 1, offset: 1) { nodes { requestedBy } pageInfo { hasNextPage } } }
    }`)
    expect(data).toEqual({
      run: done,
      none: null,
      far: null,
      distribution: {
        run: { requestedBy: 'admin' },
        runs: {
          totalCount: 3,
          nodes: [
            { kind: 'RESYNC', requestedBy: 'admin' },
            { kind: 'RESYNC', requestedBy: 'bob' },
            { kind: 'IMPORT', requestedBy: 'import' },
          ],
        },
      },
      page: { runs: { nodes: [{ requestedBy: 'bob' }], pageInfo: { hasNextPage: true } } },
    })
  })

  test('one that fails says why; the date keeps its run', async () => {
    await source([at('2026-01-06', ANN, 10)])
    expect((await post('manualupdate', '2026-01-06')).status).toBe(200)
    await source([at('2026-01-06', BEN, 10), { ...at('2026-01-06', CAT, 10), aTokenPrice: 'x' }])
    const refused = (await (await post('manualupdate', '2026-01-06', alice)).json()) as {
      detail: string
    }
    expect(await runsOf('2026-01-06')).toEqual([
      expect.objectContaining({
        kind: 'MANUALUPDATE',
        status: 'FAILED',
        requestedBy: 'alice',
        error: refused.detail,
        finishedAt: expect.any(String),
        durationMs: expect.any(Number),
        multipliers: null,
        sources: [],
        totalsBefore: null,
        totalsAfter: null,
      }),
      expect.objectContaining({ status: 'SUCCEEDED', error: null }),
    ])
    expect(refused.detail).toContain('positions.jsonl:2: aTokenPrice must be a number')
    const { distribution } = await graph(
      `{ distribution(date: "2026-01-06") { run { status } runs { totalCount } } }`,
    )
    expect(distribution).toEqual({ run: { status: 'SUCCEEDED' }, runs: { totalCount: 2 } })
  })

  test('a resync that fails inside reveals no internals', async () => {
    const held = await hold(gateway)
    const resync = post('resync', '2026-01-06')
    await held.caught()
    await gateway.deps.store.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE classid = 7014011
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
    expect((await resync).status).toBe(503)
    await held.release()
    expect((await runsOf('2026-01-06'))[0]).toMatchObject({
      kind: 'RESYNC',
      status: 'FAILED',
      error: 'It failed inside the gateway.',
    })
  })

  test.each([1e308, 1e-308])('a factor of %d is beyond what points can be', async (factor) => {
    await importFiles(gateway, {
      positions: [at('2026-01-08', ANN, factor, { pointsA: 0, pointsB: 0 })],
    })
    await setDepositA(factor)
    const refused = await post('resync', '2026-01-08')
    expect(refused.status).toBe(400)
    const { detail } = (await refused.json()) as { detail: string }
    expect(detail).toContain('beyond what a number can hold')
    expect((await runsOf('2026-01-08'))[0]).toMatchObject({
      kind: 'RESYNC',
      status: 'FAILED',
      error: detail,
    })
    await expect(
      importFiles(gateway, { positions: [at('2026-01-08', BEN, factor)] }),
    ).rejects.toThrow(detail)
    await setDepositA(2)
  })

  test('an import that fails has no date', async () => {
    const bad = importFiles(
      gateway,
      { positions: [at('2026-01-07', ANN, 1), at('2026-01-07', 'me', 1)] },
      'carol',
    )
    await expect(bad).rejects.toThrow('positions.jsonl:2')
    const { runs } = await graph(`{ runs(first: 1) { nodes { ${RUN} } } }`)
    expect(runs.nodes).toEqual([
      expect.objectContaining({
        kind: 'IMPORT',
        status: 'FAILED',
        date: null,
        requestedBy: 'carol',
        error: expect.stringMatching(
          /^the dataset has one problem; nothing was imported:\npositions.jsonl:2: userAddress/,
        ),
        totalsBefore: null,
        totalsAfter: null,
      }),
    ])
    expect(await runsOf('2026-01-07')).toEqual([])
  })

  test('what never began is no run', async () => {
    const count = async () => (await graph('{ runs { totalCount } }')).runs.totalCount
    const before = await count()
    for (const [verb, day, headers, status] of [
      ['resync', '2026-01-01', { authorization: 'Bearer the-token-of-mallory' }, 401],
      ['resync', '2026-07-01', asAdmin, 404],
      ['resync', '2999-01-01', asAdmin, 400],
      ['manualupdate', '2999-01-01', asAdmin, 400],
    ] as const)
      expect((await post(verb, day, headers)).status).toBe(status)
    expect(await count()).toBe(before)
  })

  test('runs are listed by date, kind and outcome, newest first', async () => {
    const list = async (args: string) =>
      (await graph(`{ runs(${args}) { totalCount nodes { recordId kind status date } } }`)).runs
    const all = await list('first: 1000')
    expect(all.nodes.map((run: any) => Number(run.recordId))).toEqual(
      all.nodes.map((run: any) => Number(run.recordId)).sort((a: number, b: number) => b - a),
    )
    for (const [args, fits] of [
      ['where: { kinds: IMPORT }', (run: any) => run.kind === 'IMPORT'],
      [
        'where: { kinds: RESYNC, statuses: FAILED }',
        (run: any) => run.kind === 'RESYNC' && run.status === 'FAILED',
      ],
      ['where: { statuses: SUCCEEDED }', (run: any) => run.status === 'SUCCEEDED'],
      ['where: { statuses: RUNNING }', () => false],
      ['where: { date: { eq: "2026-01-06" } }', (run: any) => run.date === '2026-01-06'],
    ] as const) {
      const matching = all.nodes.filter(fits)
      expect(await list(args), args).toEqual({ totalCount: matching.length, nodes: matching })
    }
  })
})

test('a position says which run and which multiplier gave it its points', async () => {
  const day = '2026-02-01'
  const positions = async () => {
    const { positions } = await graph(`{ positions(where: { date: { eq: "${day}" } }) { nodes {
      userAddress poolAddress points run { recordId kind requestedBy } multiplierUsed { ${FACTORS} changedBy } } } }`)
    return Object.fromEntries(
      positions.nodes.map(({ userAddress, poolAddress, ...rest }: any) => {
        if (userAddress === ANN) return ['imported', rest]
        return [poolAddress === POOL ? 'computed' : 'no multiplier', rest]
      }),
    )
  }
  const used = (depositA: number) => ({
    ...{ depositA, depositB: 1, borrowA: 1, borrowB: 4, changedBy: 'alice' },
  })
  const imported = { kind: 'IMPORT', requestedBy: 'carol' }
  await setDepositA(3)
  await setDepositA(2)
  await importFiles(
    gateway,
    {
      positions: [
        at(day, ANN, 10, { pointsA: 3, pointsB: 4 }),
        at(day, BEN, 10),
        at(day, BEN, 10, { marketAddress: POOL_2 }),
      ],
    },
    'carol',
  )
  expect(await positions()).toMatchObject({
    imported: { points: 7, run: imported, multiplierUsed: null },
    computed: { points: 20, run: imported, multiplierUsed: used(2) },
    'no multiplier': { points: 0, run: imported, multiplierUsed: null },
  })

  await setDepositA(5)
  expect(await positions()).toMatchObject({
    imported: { multiplierUsed: null },
    computed: { multiplierUsed: used(2) },
  })
  expect((await post('resync', day)).status).toBe(200)
  const resynced = await positions()
  expect(resynced).toMatchObject({
    imported: { points: 50, run: { kind: 'RESYNC' }, multiplierUsed: used(5) },
    computed: { points: 50, run: { kind: 'RESYNC' }, multiplierUsed: used(5) },
    'no multiplier': { points: 0, run: { kind: 'RESYNC' }, multiplierUsed: null },
  })

  await setDepositA(2)
  await setDepositA(9, POOL_2)
  await importFiles(gateway, { positions: [at('2026-02-02', ANN, 1)] })
  expect((await post('resync', '2026-02-02')).status).toBe(200)
  expect(await positions()).toEqual(resynced)
  const { run } = await graph(
    `{ run(recordId: "${resynced.computed.run.recordId}") { multipliers { nodes { poolAddress depositA } } } }`,
  )
  expect(run.multipliers.nodes).toEqual([{ poolAddress: POOL, depositA: 5 }])

  await source([at(day, ANN, 10), at(day, BEN, 10, { marketAddress: POOL_2 })])
  expect((await post('manualupdate', day, alice)).status).toBe(200)
  expect(await positions()).toMatchObject({
    imported: {
      points: 20,
      run: { kind: 'MANUALUPDATE', requestedBy: 'alice' },
      multiplierUsed: used(2),
    },
    'no multiplier': { points: 90, multiplierUsed: { depositA: 9, borrowA: 0 } },
  })
})

test('points that stay what they were for another reason name that reason', async () => {
  const day = '2026-02-04'
  const why = async () => {
    const { positions } = await graph(
      `{ positions(where: { date: { eq: "${day}" } }) { nodes { points run { recordId } multiplierUsed { depositA } } } }`,
    )
    return positions.nodes[0]
  }
  const load = async (usd: number, more?: object) => {
    await importFiles(gateway, { positions: [at(day, ANN, usd, more)] })
    return why()
  }
  const first = await load(10)
  expect(first).toMatchObject({ points: 20, multiplierUsed: { depositA: 2 } })
  await setDepositA(4)
  const halved = await load(5)
  expect(halved).toMatchObject({ points: 20, multiplierUsed: { depositA: 4 } })
  expect(Number(halved.run.recordId)).toBeGreaterThan(Number(first.run.recordId))
  expect(await load(5, { pointsA: 20, pointsB: 0 })).toMatchObject({
    points: 20,
    multiplierUsed: null,
  })
  const computed = await load(5)
  expect(computed).toMatchObject({ points: 20, multiplierUsed: { depositA: 4 } })
  expect(await load(5)).toEqual(computed)
  await setDepositA(2)
})

test.skipIf(onCitus)(
  'a multiplier that others change while a run computes is not taken for one that it used',
  async () => {
    const day = '2026-02-03'
    await importFiles(gateway, { positions: [at(day, ANN, 10)] })
    const held = await hold(gateway, 'while it computes')
    const resync = post('resync', day)
    await held.caught()
    const sql = 'UPDATE multiplier SET deposit_token_a = 77 WHERE pool_address = $1'
    await gateway.deps.store.pool.query(sql, [POOL])
    await held.release()
    expect((await resync).status).toBe(200)
    const { positions } = await graph(
      `{ positions(where: { date: { eq: "${day}" } }) { nodes { points multiplierUsed { depositA } } } }`,
    )
    expect(positions.nodes).toEqual([{ points: 20, multiplierUsed: { depositA: 2 } }])
    await setDepositA(2)
  },
)

describe('a run that fails or has nothing', () => {
  const day = '2026-03-01'
  const good = () => [at(day, ANN, 10), at(day, BEN, 20)]
  test.each([
    ['is empty', () => []],
    ['has other dates only', () => [at('2026-03-02', ANN, 1)]],
    [
      'has a line that does not fit, behind good ones',
      () => [at(day, CAT, 1), { userAddress: BEN }],
    ],
    ['has the id of another date', async () => [at(day, CAT, 1, { id: await idOf('2026-01-01') })]],
    ['has a price of zero', () => [at(day, CAT, 1, { aTokenPrice: 0 })]],
  ])('changes nothing of a good date: a source that %s', async (_, rows) => {
    await source(good())
    if ((await runsOf(day)).length === 0) expect((await post('manualupdate', day)).status).toBe(200)
    const before = await everything(gateway.deps.store.pool)
    await source(await rows())
    expect((await post('manualupdate', day)).status).toBe(502)
    expect(await everything(gateway.deps.store.pool)).toEqual(before)
    expect((await runsOf(day))[0]).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining(dir),
    })
  })

  test('changes nothing of a good date: a bad import', async () => {
    const before = await everything(gateway.deps.store.pool)
    await expect(importFiles(gateway, { positions: [at(day, ANN, 999), '{'] })).rejects.toThrow(
      'positions.jsonl:2',
    )
    expect(await everything(gateway.deps.store.pool)).toEqual(before)
  })

  const idOf = async (of: string) =>
    (
      await graph(
        `{ positions(where: { date: { eq: "${of}" } }, first: 1) { nodes { legacy { recordId } } } }`,
      )
    ).positions.nodes[0].legacy.recordId
})

describe('one run of a date at a time', () => {
  const day = '2026-04-01'
  test('the error of the second names the run in progress, on this gateway, another one, and the command line', async () => {
    await importFiles(gateway, { positions: [at(day, ANN, 10)] })
    const other = await startGateway({ on: gateway })
    const held = await hold(gateway)
    try {
      const first = post('resync', day, alice)
      await held.caught()
      const [run] = await runsOf(day)
      expect(run).toMatchObject({
        kind: 'RESYNC',
        status: 'RUNNING',
        requestedBy: 'alice',
        finishedAt: null,
        durationMs: null,
        multipliers: null,
        sources: [],
        totalsBefore: null,
        totalsAfter: null,
      })
      const named = `A run for ${day} is in progress (run ${run.recordId}, a resync that alice started at ${run.startedAt}).`
      for (const base of [gateway.base, other.base])
        for (const verb of ['resync', 'manualupdate']) {
          const second =
            base === gateway.base || verb === 'resync'
              ? await post(verb, day, asAdmin, base)
              : undefined
          if (!second) continue
          expect(second.status).toBe(409)
          expect(await second.json()).toMatchObject({
            title: 'Conflict',
            detail: expect.stringContaining(named),
          })
        }
      const { errors } = await other.graphql(
        `{ previewDistribution(date: "${day}") { kind } }`,
        {},
        asAdmin,
      )
      expect(errors).toMatchObject([
        { message: expect.stringContaining(named), extensions: { code: 'CONFLICT' } },
      ])
      const line = await command(['resync', '--date', day], env())
      expect(line).toMatchObject({ code: 4, out: '', err: expect.stringContaining(named) })
      await held.release()
      expect((await first).status).toBe(200)
      expect((await post('resync', day, asAdmin, other.base)).status).toBe(200)
      expect((await runsOf(day)).map((one: any) => one.requestedBy)).toEqual([
        'admin',
        'alice',
        'import',
      ])
    } finally {
      await held.release()
      await other.close()
    }
  })

  test('runs of different dates take turns: both are done', async () => {
    await importFiles(gateway, {
      positions: [at('2026-04-02', ANN, 10), at('2026-04-03', ANN, 10)],
    })
    const held = await hold(gateway)
    const runs = ['2026-04-02', '2026-04-03'].map((one) => post('resync', one))
    await held.caught().finally(held.release)
    expect((await Promise.all(runs)).map(({ status }) => status)).toEqual([200, 200])
  })

  test('more runs at once than there are connections: all are done, and readers are answered in the meantime', async () => {
    const days = Array.from({ length: 20 }, (_, i) => `2026-05-${String(i + 1).padStart(2, '0')}`)
    await importFiles(gateway, { positions: days.map((one) => at(one, ANN, 10)) })
    const held = await hold(gateway)
    const runs = days.map((one) => post('resync', one))
    await held.caught()
    const read = await gateway.get('/points/leaderboard').finally(held.release)
    expect(read.status).toBe(200)
    expect(new Set((await Promise.all(runs)).map(({ status }) => status))).toEqual(new Set([200]))
  })
})
