import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command, parsed, start } from '../support/command-line.ts'
import { conformanceData } from '../support/conformance.ts'
import { addressOf, type Files, goodFiles, record } from '../support/datasets.ts'
import { everything, records } from '../support/dump.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import {
  ANN,
  BEN,
  CAT,
  DAY,
  jsonLines,
  midnight,
  multiplier,
  POOL,
  pool,
  position,
} from '../support/one-pool.ts'
import { hold } from '../support/pause.ts'
import { startServer } from '../support/positions-server.ts'

let dir: string
let gateway: Gateway
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-import-'))
  gateway = await startGateway()
})
afterAll(async () => {
  await gateway.close()
  await rm(dir, { recursive: true, force: true })
})

const run = (args: string[]) =>
  command(args, { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' })
async function dataset(files: Files): Promise<string> {
  const path = await mkdtemp(join(dir, 'files-'))
  for (const [file, rows] of Object.entries(files))
    await writeFile(join(path, `${file}.jsonl`), jsonLines(rows as object[]))
  return path
}
const must = async (args: string[]) => {
  const { code, out, err } = await run(args)
  expect({ code, err }, args.join(' ')).toEqual({ code: 0, err: '' })
  return out
}

/**
 * All that a user may see of the store: its rows, and the numbers of its next run and its next
 * revision.
 */
const visible = async ({ deps: { store } } = gateway) => {
  const sequences = ['run_id_seq', 'multiplier_revision_id_seq'].map((name) =>
    store.pool.query(`SELECT last_value, is_called FROM ${name}`).then(({ rows }) => rows),
  )
  return [await everything(store.pool), await records(store.pool), await Promise.all(sequences)]
}

describe('import --check', () => {
  const changed = () =>
    goodFiles({
      multipliers: [{ ...record.multipliers, deposit_tokenA: 5 }],
      positions: [record.positions, { ...record.positions, distributionDate: '2026-11-10' }],
      markets: [{ ...record.markets, borrowRate: 0.5 }],
      'cash-flows': [{ ...record['cash-flows'], kind: 'withdraw' }],
    })
  const counts = (out: string) => out.split('\n').filter((line) => / records?, /.test(line))

  test('says what an import would change, and leaves no trace, in an empty store and in a full one', async () => {
    for (const [files, dates] of [
      [goodFiles(), '1 distribution date'],
      [changed(), '2 distribution dates'],
    ] as const) {
      const path = await dataset(files)
      const before = await visible()
      const checked = await must(['import', path, '--check'])
      expect(checked).toContain(`it would update ${dates}. Nothing was stored.\n`)
      expect(await visible()).toEqual(before)
      const [json] = parsed(await must(['import', path, '--check', '--json']))
      expect(json).toMatchObject({
        check: true,
        warnings: [],
        dates: expect.arrayContaining(['2026-11-09']),
      })
      expect(await visible()).toEqual(before)
      const imported = await must(['import', path])
      expect(counts(imported)).toEqual(counts(checked))
      expect(counts(imported).length).toBeGreaterThanOrEqual(12)
      expect(await must(['import', path, '--check'])).toContain(
        'it would update 0 distribution dates',
      )
    }
    const { data } = await gateway.graphql('{ runs { nodes { recordId kind status } } }')
    expect(data.runs.nodes.map(({ recordId }: { recordId: string }) => recordId)).toEqual([
      '4',
      '3',
      '2',
      '1',
    ])
  })

  test('finds all that an import finds, fails, and leaves no trace of that either', async () => {
    const id = '00000000-0000-4000-8000-000000000001'
    const pools = [record.pools, { ...record.pools, id: addressOf('other') }]
    const multipliers = pools.map(({ id: poolAddress }) => ({
      ...record.multipliers,
      poolAddress,
      id,
    }))
    const huge = {
      ...record.positions,
      distributionDate: '2026-11-12',
      aSuppliedAmountUsd: 1e300,
      aSuppliedAmount: 2e300,
    }
    const cases: [Files, string][] = [
      [
        { positions: [record.positions, { ...record.positions, aTokenPrice: 'x' }] },
        'positions.jsonl:2: aTokenPrice: must',
      ],
      [{ positions: [{ ...record.positions, marketAddress: addressOf('x') }] }, 'which is no pool'],
      [
        { positions: [record.positions, { ...record.positions, aTokenPrice: 2 }] },
        'positions.jsonl:2: has the same key',
      ],
      [{ pools, multipliers }, `multipliers.jsonl:2: id: ${id} is the id of another record`],
      [{ positions: [huge] }, 'The points are beyond what a number can hold'],
    ]
    for (const [files, said] of cases) {
      const path = await dataset(files)
      const before = await visible()
      const { code, out, err } = await run(['import', path, '--check'])
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toContain(said)
      expect(await visible()).toEqual(before)
      const json = await run(['import', '--check', path, '--json'])
      expect(json.code).toBe(2)
      expect(parsed(json.err)).toEqual([
        expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining(said) }),
      ])
      expect(await visible()).toEqual(before)
    }
  })

  test('of what cannot be read is a sentence', async () => {
    const before = await visible()
    for (const [args, said] of [
      [['import', '--check', join(dir, 'nowhere')], 'does not exist.'],
      [['import', '--check'], "missing required argument 'from'"],
      [
        ['import', '--check', await mkdtemp(join(dir, 'empty-'))],
        'holds no file of the import format',
      ],
      [['import', '--check', 'http://127.0.0.1:1'], '127.0.0.1:1'],
    ] as const) {
      const { code, err } = await run([...args])
      expect(code, err).toBeGreaterThan(0)
      expect(err).toContain(said)
      expect(err).not.toMatch(/\n\s+at /)
    }
    expect(await visible()).toEqual(before)
  })

  test('checks the files of an address too', async () => {
    const server = await startServer(({ url }, response) => {
      const rows = url === '/pools.jsonl' ? jsonLines([pool]) : undefined
      response.writeHead(rows ? 200 : 404, { 'content-length': rows?.length ?? 0 }).end(rows)
    })
    try {
      const before = await visible()
      expect(await must(['import', server.base, '--check'])).toContain(
        'pools.jsonl: 1 record, 1 new or changed',
      )
      expect(await visible()).toEqual(before)
    } finally {
      await server.close()
    }
  })

  test('waits for another writer, may be interrupted, and lets the next one in', async () => {
    const path = await dataset({ pools: [pool], positions: [position(ANN, 1)] })
    const before = await visible()
    const held = await hold(gateway)
    const one = start(['import', path, '--check'], {
      DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '',
    })
    await held.caught(one)
    const two = run(['import', path, '--check'])
    expect(await one.stop('SIGINT')).toBe(130)
    await held.release()
    expect((await two).code).toBe(0)
    expect(await visible()).toEqual(before)
  })

  test('has no doubts about the conformance data', async () => {
    const { code, err } = await run(['import', conformanceData, '--check'])
    expect(code).toBe(0)
    expect(err).not.toContain('contradicts')
  })
})

describe('each import is a run', () => {
  const runs = async () =>
    (
      await gateway.deps.store.pool.query(
        'SELECT id::int, status, requested_by, date::text, sources FROM run ORDER BY id',
      )
    ).rows
  const last = async () =>
    (await gateway.ask('{ status { lastImport { recordId status requestedBy } } }')).status
      .lastImport

  test('one of analytics has who and when, one that changes nothing takes no number, and a failure is not the last word', async () => {
    const path = await dataset(goodFiles())
    await must(['import', path])
    const before = await runs()
    await must(['import', path])
    await must(['import', path, '--check'])
    expect(await runs()).toEqual(before)

    const next = before.at(-1).id + 1
    await must([
      'import',
      await dataset({ 'cash-flows': [{ ...record['cash-flows'], kind: 'withdraw' }] }),
    ])
    expect((await runs()).at(-1)).toMatchObject({
      id: next,
      date: null,
      requested_by: 'cli',
      status: 'succeeded',
      sources: [{ kind: 'ANALYTICS', count: 1, name: expect.stringContaining('cash-flows.jsonl') }],
    })

    // A dataset whose last line is wrong has stored dates before it is refused.
    const days = ['2026-11-10', '2026-11-11', '2026-11-12']
    const positions = days.map((distributionDate) => ({
      ...record.positions,
      id: undefined,
      distributionDate,
    }))
    const wrong = await dataset({
      positions,
      'cash-flows': [{ ...record['cash-flows'], kind: 'steal' }],
    })
    expect((await run(['import', wrong])).code).toBe(2)
    expect(await last()).toEqual({
      recordId: String(next + 1),
      status: 'FAILED',
      requestedBy: 'cli',
    })
    await must(['import', path])
    expect((await last()).status).toBe('SUCCEEDED')
    const { id } = (await runs()).at(-1)
    await must(['import', path])
    expect((await last()).recordId).toBe(String(id))

    // Only the dates that change get numbers, in their order.
    await must(['import', await dataset({ positions })])
    const changed = positions.map((one, i) => (i === 1 ? one : { ...one, aSuppliedAmount: 7 }))
    await run(['import', await dataset({ positions: changed })])
    expect((await runs()).slice(-5).map((one) => [one.id, one.date])).toEqual([
      [id + 1, '2026-11-10'],
      [id + 2, '2026-11-11'],
      [id + 3, '2026-11-12'],
      [id + 4, '2026-11-10'],
      [id + 5, '2026-11-12'],
    ])
    const { nodes } = (
      await gateway.ask(
        `{ positions(where: { date: { gte: "2026-11-10" } }) { nodes { date run { recordId } } } }`,
      )
    ).positions
    expect(nodes.map((one: any) => [one.date, Number(one.run.recordId)]).sort()).toEqual([
      ['2026-11-10', id + 4],
      ['2026-11-11', id + 2],
      ['2026-11-12', id + 5],
    ])
  })
})

describe('an import warns', () => {
  const zero = {
    ...multiplier,
    poolAddress: CAT,
    deposit_tokenA: 0,
    deposit_tokenB: 0,
    borrow_tokenA: 0,
    borrow_tokenB: 0,
  }
  const other = { ...pool, id: CAT, marketId: 8 }
  const set = (address: string, from: string) =>
    `\`gateway multipliers set ${address} --deposit-a 1 --deposit-b 1 --borrow-a 1 --borrow-b 1 --from ${from}\``

  test('of positions that score 0, as their pool has no multiplier', async () => {
    const positions = [ANN, BEN].map((user) => position(user, 5))
    const withPoints = { ...position(CAT, 5), pointsA: 1, pointsB: 0 }
    const elsewhere = { ...position(ANN, 5), marketAddress: CAT }
    const path = await dataset({
      pools: [pool, other],
      multipliers: [zero],
      positions: [...positions, withPoints, elsewhere],
    })
    const said = `3 positions score 0, because the pools have no multiplier: S·USDC·7 (${POOL}): 2 on ${DAY}, S·USDC·8 (${CAT}): 1 on ${DAY}. Set one with ${set(POOL, DAY)}, ${set(CAT, DAY)}, then import again.`
    for (const args of [['--check'], []])
      expect(await run(['import', path, ...args])).toMatchObject({
        code: 0,
        err: `Warning: ${said}\n`,
      })
    const { out, err } = await run(['import', path, '--json'])
    expect(parsed(err)).toEqual([{ warning: said }])
    expect(parsed(out)).toMatchObject([{ warnings: [said] }])
    // What the sentence says helps.
    await must([
      'multipliers',
      'set',
      POOL,
      '--deposit-a',
      '1',
      '--deposit-b',
      '1',
      '--borrow-a',
      '1',
      '--borrow-b',
      '1',
      '--from',
      DAY,
    ])
    expect((await run(['import', path])).err).toContain(
      `Warning: 1 position scores 0, because the pool has no multiplier: S·USDC·8 (${CAT}): 1 on ${DAY}.`,
    )
    const { data } = await gateway.graphql(`{ pool(address: "${POOL}") { points: totalPoints } }`)
    expect(data.pool.points).toBe(11)
  })

  test('of dates before the first rule of a pool: what it says to do leaves the other dates as they are', async () => {
    const late = { ...pool, id: `0x${'7'.repeat(40)}`, marketId: 9 }
    const days = ['2026-02-01', '2026-02-02', '2026-02-03', '2026-02-04', '2026-02-05']
    const positions = days.flatMap((day) =>
      [ANN, BEN].map((user) =>
        position(user, 5, { marketAddress: late.id, distributionDate: day }),
      ),
    )
    await must(['import', await dataset({ pools: [late] })])
    await must(['multipliers', 'set', late.id, '--deposit-a', '3', '--from', '2026-02-03'])
    await must(['multipliers', 'set', late.id, '--deposit-a', '4', '--from', '2026-02-05'])
    const path = await dataset({ positions })
    const { err } = await run(['import', path])
    expect(err).toContain(
      `Warning: 4 positions score 0, because the pool has no multiplier: S·USDC·9 (${late.id}): 4 from 2026-02-01 to 2026-02-02.`,
    )
    const [, remedy = ''] =
      /with `gateway (multipliers date \d+ --from 2026-02-01 --yes)`, then import again/.exec(
        err,
      ) ?? []
    await must(remedy.split(' '))
    expect((await run(['import', path])).err).not.toContain('score')
    const { rows } = await gateway.deps.store.pool.query(
      `SELECT distribution_date::text AS date, points_a / 1000000 AS points FROM position
       WHERE pool_address = $1 AND user_address = $2 ORDER BY 1`,
      [late.id, ANN],
    )
    expect(rows.map(({ date, points }) => [date, Number(points)])).toEqual(
      days.map((day) => [day, day === '2026-02-05' ? 20 : 15]),
    )
  })

  test('of a USD amount that contradicts the amount and the price, but not of one that is rounded', async () => {
    const day = { distributionDate: '2026-03-05' }
    const positions = [
      position(ANN, 3000, {
        ...day,
        aSuppliedAmount: 3000.9,
        aBorrowedAmount: 0.5,
        bTokenPrice: 9,
        bBorrowedAmount: 0.1,
      }),
      position(BEN, 3, { ...day, aSuppliedAmount: 1000, aTokenPrice: 3 }),
      position(CAT, 5, { ...day, bTokenPrice: 0, bSuppliedAmountUsd: 5000 }),
    ]
    const { code, err } = await run(['import', await dataset({ positions })])
    expect({ code, err }).toEqual({
      code: 0,
      err: 'Warning: 2 lines have a USD amount that contradicts amount × price. The first is positions.jsonl:2: aSuppliedAmountUsd is 3, but aSuppliedAmount × aTokenPrice is 3000.\n',
    })
  })

  test('of distribution dates after today', async () => {
    const path = await dataset({
      ...goodFiles(),
      positions: ['2099-01-01', '2099-01-02'].map((day) =>
        position(ANN, 1, { distributionDate: midnight(day) }),
      ),
    })
    expect((await run(['import', path, '--check'])).err).toMatch(
      /Warning: 2 distribution dates are after today, 20\d\d-\d\d-\d\d \(UTC\): 2099-01-01, 2099-01-02\. The latest counts/,
    )
  })

  test('of times in milliseconds', async () => {
    const flow = { ...record['cash-flows'], logIndex: 99, timestamp: '1772366400000' }
    const path = await dataset({ ...goodFiles(), 'cash-flows': [flow] })
    expect((await run(['import', path, '--check'])).err).toContain(
      'Warning: One line has a time that seems to be in milliseconds, not in seconds. The first is cash-flows.jsonl:1: timestamp is 1772366400000.\n',
    )
  })
})
