import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pMap from 'p-map'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { command, type Outcome, parsed, start } from '../support/command-line.ts'
import { emptyProgram, everything, records } from '../support/dump.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import {
  ANN,
  BEN,
  importFiles,
  jsonLines,
  midnight,
  multiplier,
  POOL,
  pool,
  position,
} from '../support/one-pool.ts'
import { hold } from '../support/pause.ts'

const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04']
const POOL_2 = `0x${'6'.repeat(40)}`

let gateway: Gateway
let dir: string
let url: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-cli-runs-'))
  gateway = await startGateway()
  url = gateway.deps.config.DATABASE_URL ?? ''
  await importFiles(gateway, { pools: [pool, { ...pool, id: POOL_2 }] })
})
afterAll(async () => {
  await gateway.close()
  await rm(dir, { recursive: true })
})

const on = (day: string, user: string, usd: number, more: object = {}) =>
  position(user, usd, { distributionDate: midnight(day), ...more })
const points = { pointsA: 1, pointsB: 0 }

/**
 * The first three days are stored, each with 1 point that a resync makes 20 or 40; the source has
 * all but the third.
 */
beforeEach(async () => {
  await emptyProgram(gateway.deps.store.pool)
  await gateway.deps.store.pool.query('DELETE FROM run; DELETE FROM multiplier_revision')
  const stored = [
    ...DAYS.slice(0, 3).map((day) => on(day, ANN, 10, points)),
    on('2026-03-03', BEN, 10, points),
  ]
  await importFiles(gateway, { multipliers: [multiplier], positions: stored })
  const fetched = ['2026-03-01', '2026-03-02', '2026-03-04'].map((day) => on(day, BEN, 7))
  await writeFile(join(dir, 'positions.jsonl'), jsonLines(fetched))
})

const run = (args: string[], env: Record<string, string> = {}): Promise<Outcome> =>
  command(args, { DATABASE_URL: url, POSITIONS_SOURCE: dir, ...env })
const file = async (name: string, value: unknown) => {
  await writeFile(join(dir, name), JSON.stringify(value))
  return join(dir, name)
}
const totals = async () => {
  const { data } = await gateway.graphql(
    '{ distributions { nodes { date totalPoints: points kind } } }',
  )
  return Object.fromEntries(
    data.distributions.nodes.map(({ date, totalPoints, kind }: any) => [
      date.slice(0, 10),
      `${kind} ${totalPoints}`,
    ]),
  )
}

describe('a range of dates', () => {
  test('is resynced in order, one line a date, and ends with a summary', async () => {
    const { code, out, err } = await run(['resync', '--from', '2026-03-02', '--to', '2026-03-31'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^2026-03-02: 1 positions, 20 points, \d+\.\d\d s \(run \d+\)$/),
      expect.stringMatching(/^2026-03-03: 2 positions, 40 points, /),
      'All 2 dates done.',
      '',
    ])
    expect(await totals()).toEqual({
      '2026-03-01': 'IMPORT 1',
      '2026-03-02': 'RESYNC 20',
      '2026-03-03': 'RESYNC 40',
    })
  })

  test('may be all stored dates; a line of JSON each', async () => {
    const { code, out } = await run(['resync', '--all', '--json'])
    expect(code).toBe(0)
    expect(parsed(out)).toEqual(
      [1, 1, 2].map((positionCount, i) => ({
        id: expect.stringMatching(/^\d+$/),
        distributionDate: midnight(DAYS[i] as string),
        positionCount,
        totalPoints: 20 * positionCount,
        startedAt: expect.any(String),
        finishedAt: expect.any(String),
      })),
    )
  })

  test('of a source stops at the first date that fails, and says which are done', async () => {
    const { code, out, err } = await run([
      'manualupdate',
      '--from',
      '2026-03-01',
      '--to',
      '2026-03-04',
    ])
    expect(code).toBe(5)
    expect(out.match(/^2026-03-0\d(?=: 1 positions, 14 points)/gm)).toEqual([
      '2026-03-01',
      '2026-03-02',
    ])
    expect(err).toBe(
      `Stopped at 2026-03-03: 2 of 4 dates done.\nThe source of positions, ${dir}, failed: it has no positions of 2026-03-03; the stored ones stay as they are.\n`,
    )
    expect(await totals()).toEqual({
      '2026-03-01': 'MANUALUPDATE 14',
      '2026-03-02': 'MANUALUPDATE 14',
      '2026-03-03': 'IMPORT 2',
    })
  })

  test('that is interrupted keeps what is done, and says so', async () => {
    const held = await hold(gateway)
    const started = start(['resync', '--all'], { DATABASE_URL: url })
    try {
      await held.caught(started)
      expect(await started.stop('SIGINT')).toBe(130)
    } finally {
      await held.release()
    }
    expect(started.printed()).toBe(
      'Stopped at 2026-03-01: 0 of 3 dates done.\nInterrupted: unfinished work has changed nothing.\n',
    )
  })
})

describe('--dry-run', () => {
  test('shows what would change, with multipliers of a file, and changes nothing', async () => {
    const multipliers = await file('multipliers.json', { poolAddress: POOL, deposit_tokenA: 3 })
    const before = await everything(gateway.deps.store.pool)
    const dry = ['resync', '--date', '2026-03-03', '--dry-run', '--multipliers', multipliers]
    const [text, json] = [await run([...dry, '--movers', '1']), await run([...dry, '--json'])]
    expect(text).toMatchObject({ code: 0, err: '' })
    const cells = (line: string) =>
      line
        .split(/ {2,}/)
        .map((cell) => cell.trim())
        .filter((cell) => cell !== '')
    const lines = text.out.split('\n').map(cells)
    for (const line of [
      ['resync 2026-03-03', 'now', 'after'],
      ['points of the date', '2', '60'],
      ['positions', '2', '2'],
      ['users', '2', '2'],
      ['points of the program', '4', '62'],
      ['The points of 2 users would change, the rank of 0.'],
      [ANN, '3', '32', '29', '1', '1'],
    ])
      expect(lines).toContainEqual(line)
    expect(text.out).not.toContain(BEN)

    expect(json.code).toBe(0)
    expect(parsed(json.out)).toEqual([
      {
        distributionDate: midnight('2026-03-03'),
        kind: 'resync',
        totalsBefore: { positionCount: 2, userCount: 2, totalPoints: 2 },
        totalsAfter: { positionCount: 2, userCount: 2, totalPoints: 60 },
        programPointsBefore: 4,
        programPointsAfter: 62,
        changedUserCount: 2,
        gainingUserCount: 2,
        losingUserCount: 0,
        changedRankCount: 0,
        pools: [{ poolAddress: POOL, pointsBefore: 2, pointsAfter: 60 }],
        movers: [
          {
            userAddress: ANN,
            pointsBefore: 3,
            pointsAfter: 32,
            pointsChange: 29,
            rankBefore: 1,
            rankAfter: 1,
          },
          {
            userAddress: BEN,
            pointsBefore: 1,
            pointsAfter: 30,
            pointsChange: 29,
            rankBefore: 2,
            rankAfter: 2,
          },
        ],
      },
    ])
    expect(await everything(gateway.deps.store.pool)).toEqual(before)
  })

  test('of a range, from the source', async () => {
    const range = ['manualupdate', '--from', '2026-03-01', '--to', '2026-03-02', '--dry-run']
    const [text, json] = [await run(range), await run([...range, '--json'])]
    expect(text).toMatchObject({
      code: 0,
      out: expect.stringMatching(/\nAll 2 dates previewed\.\n$/),
    })
    expect(parsed(json.out)).toMatchObject([
      {
        distributionDate: midnight('2026-03-01'),
        kind: 'manualupdate',
        totalsAfter: { totalPoints: 14 },
      },
      { distributionDate: midnight('2026-03-02'), kind: 'manualupdate', programPointsBefore: 4 },
    ])
    expect(await totals()).toMatchObject({ '2026-03-01': 'IMPORT 1' })
  })
})

test('runs shows their records', async () => {
  await run(['resync', '--date', '2026-03-02'])
  await run(['manualupdate', '--date', '2026-03-03'])
  const [all, failed, dated, none, table] = await Promise.all([
    run(['runs', '--json']),
    run(['runs', '--status', 'failed', '--json']),
    run(['runs', '--date', '2026-03-02', '--kind', 'resync', '--limit', '5', '--json']),
    run(['runs', '--kind', 'manualupdate', '--status', 'succeeded']),
    run(['runs', '--limit', '2']),
  ])
  const record = { kind: 'update', leg: 'prices', status: 'succeeded', requested_by: 'schedule' }
  await gateway.deps.store.pool.query(
    `INSERT INTO run (${Object.keys(record)}, started_at, finished_at, base_deposit, base_borrow)
     SELECT $1, $2, $3, $4, now(), now(), 1, 0.5 FROM generate_series(1, 5)`,
    Object.values(record),
  )
  const kindsOf = async (kinds: string) =>
    parsed((await run(['runs', '--kind', kinds, '--limit', '2', '--json'])).out).map(
      ({ kind }) => kind,
    )
  expect(await kindsOf('distribution')).toEqual(['MANUALUPDATE', 'RESYNC'])
  expect(await kindsOf('resync,import')).toEqual(['RESYNC', 'IMPORT'])
  expect(await run(['runs', '--kind', 'resync,x'])).toMatchObject({
    code: 2,
    err: 'A kind of run is one of import, manualupdate, resync, update, distribution, not x.\n',
  })
  expect(
    parsed(all.out).map(({ kind, status, requestedBy }) => [kind, status, requestedBy]),
  ).toEqual([
    ['MANUALUPDATE', 'FAILED', 'cli'],
    ['RESYNC', 'SUCCEEDED', 'cli'],
    ...[1, 2, 3].map(() => ['IMPORT', 'SUCCEEDED', 'import']),
  ])
  expect(parsed(failed.out)).toMatchObject([
    { error: expect.stringContaining('no positions of 2026-03-03') },
  ])
  expect(parsed(dated.out)).toMatchObject([
    { date: '2026-03-02', totalsAfter: { totalPoints: 20 } },
  ])
  expect(none).toEqual({ code: 0, out: 'No runs match.\n', err: '' })
  for (const line of table.out.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
  expect(
    table.out.match(/ {2}(manualupdate|resync|import) +(failed|succeeded) +cli {2}/g),
  ).toHaveLength(2)
})

describe('multipliers', () => {
  test('without a date, set counts from the day after the newest distribution: a resync of stored dates changes nothing', async () => {
    await run(['resync', '--all'])
    const before = await totals()
    for (const args of [
      ['multipliers', 'set', POOL, '--deposit-a', '2.5'],
      ['base-points', 'set', '--deposit', '3', '--borrow', '4'],
    ]) {
      const { code, out } = await run(args)
      expect({ code, out }).toMatchObject({
        code: 0,
        out: expect.stringContaining('They count from 2026-03-04 on.'),
      })
    }
    await run(['resync', '--all'])
    expect(await totals()).toEqual(before)
    const set = await run(['multipliers', 'set', POOL, '--deposit-a', '2.5', '--every-date'])
    expect(set.out).toContain('Stored points change when their date is resynced.')
    await run(['resync', '--all'])
    expect(await totals()).not.toEqual(before)
    expect(
      (
        await run([
          'multipliers',
          'set',
          POOL,
          '--deposit-a',
          '2',
          '--every-date',
          '--from',
          '2026-03-01',
        ])
      ).code,
    ).toBe(2)
    await gateway.deps.store.pool.query('DELETE FROM base_points_revision')
  })

  test('set, of a pool and of a file, shows what is stored; history shows who changed it', async () => {
    const set = await run([
      'multipliers',
      'set',
      POOL,
      '--deposit-a',
      '0',
      '--borrow-b',
      '1.5',
      '--every-date',
      '--yes',
    ])
    expect(set).toMatchObject({ code: 0, err: '' })
    expect(set.out).toMatch(new RegExp(`${POOL} +2 -> 0 +1 +1 +4 -> 1.5\n`))
    expect(set.out).toContain('Stored points change when their date is resynced.')
    expect(await totals()).toMatchObject({ '2026-03-01': 'IMPORT 1' })

    const many = await file('many.json', [
      { poolAddress: POOL_2, borrow_tokenA: 2 },
      { poolAddress: POOL, deposit_tokenA: 9 },
    ])
    const stored = parsed(
      (await run(['multipliers', 'set', '--file', many, '--every-date', '--json'])).out,
    )
    const former = { depositA: 0, depositB: 1, borrowA: 1, borrowB: 1.5 }
    expect(stored).toMatchObject([
      { poolAddress: POOL_2, depositA: 0, depositB: 0, borrowA: 2, borrowB: 0, before: null },
      { poolAddress: POOL, depositA: 9, depositB: 1, borrowA: 1, borrowB: 1.5, before: former },
    ])

    const [all, ofPool, table] = await Promise.all([
      run(['multipliers', 'history', '--json']),
      run(['multipliers', 'history', POOL, '--limit', '2', '--json']),
      run(['multipliers', 'history', POOL_2]),
    ])
    expect(parsed(all.out).map(({ poolAddress, changedBy }) => [poolAddress, changedBy])).toEqual([
      [POOL_2, 'cli'],
      [POOL, 'cli'],
      [POOL, 'cli'],
      [POOL, 'import'],
    ])
    expect(parsed(ofPool.out).map(({ depositA }) => depositA)).toEqual([9, 0])
    expect(table.out).toMatch(new RegExp(`${POOL_2} +0 +0 +2 +0 +2026-.* cli\n`))
  })

  const factors = async () => {
    const { rows } = await gateway.deps.store.pool.query<{ pool: string; factors: number[] }>(
      `SELECT pool_address AS pool, ARRAY[deposit_token_a, deposit_token_b, borrow_token_a, borrow_token_b] AS factors
       FROM multiplier ORDER BY pool_address`,
    )
    return Object.fromEntries(rows.map(({ pool, factors }) => [pool, factors.join(' ')]))
  }

  test('a factor that doubles or halves, or a new one above 10, needs --yes', async () => {
    const set = (...args: string[]) => run(['multipliers', 'set', ...args, '--every-date'])
    const before = await records(gateway.deps.store.pool)
    for (const [factor, from] of [
      ['4', '2'],
      ['1', '2'],
      ['0', '2'],
      ['1e300', '2'],
    ] as const)
      expect(await set(POOL, '--deposit-a', factor)).toEqual({
        code: 2,
        out: '',
        err: `deposit A of ${POOL} would change from ${from} to ${Number(factor)}.\nNothing was changed. If that is right, add --yes.\n`,
      })
    expect((await set(POOL_2, '--borrow-b', '11')).err).toContain(
      `borrow B of ${POOL_2} would change from none to 11.\n`,
    )
    const many = await file('jumps.json', [
      { poolAddress: POOL_2, deposit_tokenA: 3 },
      { poolAddress: POOL, deposit_tokenA: 3, borrow_tokenB: 9 },
    ])
    const json = await set('--file', many, '--json')
    expect(json).toMatchObject({ code: 2, out: '' })
    expect(parsed(json.err)).toMatchObject([
      {
        code: 'BAD_INPUT',
        message: `borrow B of ${POOL} would change from 4 to 9.\nNothing was changed. If that is right, add --yes.`,
      },
    ])
    expect(await records(gateway.deps.store.pool)).toEqual(before)

    expect(await set(POOL, '--deposit-a', '3.9', '--borrow-b', '2.1')).toMatchObject({
      code: 0,
      err: '',
    })
    expect(await set(POOL_2, '--borrow-b', '10')).toMatchObject({ code: 0, err: '' })
    expect(await set('--file', many, '--yes')).toMatchObject({ code: 0, err: '' })
    expect(await factors()).toEqual({ [POOL]: '3 1 1 9', [POOL_2]: '3 0 0 10' })
  })

  test('undo puts back what was before the newest change, and is a change itself', async () => {
    const undo = (...args: string[]) => run(['multipliers', 'undo', ...args])
    const many = await file('undo.json', [
      { poolAddress: POOL_2, borrow_tokenA: 2 },
      { poolAddress: POOL, deposit_tokenA: 3 },
    ])
    await run(['multipliers', 'set', POOL, '--deposit-b', '1.5', '--every-date'])
    await run(['multipliers', 'set', '--file', many, '--every-date'])
    const log = async () => (await records(gateway.deps.store.pool)).multiplier_revision ?? []
    const before = await log()

    const undone = await undo()
    expect(undone).toMatchObject({ code: 0, err: '' })
    expect(undone.out).toMatch(new RegExp(`${POOL} +3 -> 2 +1.5 +1 +4\n`))
    expect(undone.out).toMatch(
      new RegExp(`${POOL_2} +0 -> none +0 -> none +2 -> none +0 -> none\n`),
    )
    expect(undone.out).toContain('Stored points change when their date is resynced.')
    expect(await factors()).toEqual({ [POOL]: '2 1.5 1 4' })
    const after = await log()
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after).toHaveLength(before.length + 2)
    expect(after.at(-1)).toMatchObject({ changed_by: 'cli' })

    // Of one pool: it had 3 before the undoing.
    expect(parsed((await undo(POOL.toUpperCase(), '--json')).out)).toEqual([
      {
        poolAddress: POOL,
        ...{ depositA: 3, depositB: 1.5, borrowA: 1, borrowB: 4 },
        before: { depositA: 2, depositB: 1.5, borrowA: 1, borrowB: 4 },
      },
    ])
    expect(await factors()).toEqual({ [POOL]: '3 1.5 1 4' })
    expect(await undo(POOL_2)).toMatchObject({ code: 0 })
    expect(await factors()).toEqual({ [POOL]: '3 1.5 1 4', [POOL_2]: '0 0 2 0' })
    // A gap of a millisecond between the two is enough to tell changes of one actor apart.
    await run(['multipliers', 'set', POOL, '--deposit-a', '2.5', '--every-date'])
    await undo()
    expect(await factors()).toEqual({ [POOL]: '3 1.5 1 4', [POOL_2]: '0 0 2 0' })
  })

  test('two that undo at once undo one change', async () => {
    await run(['multipliers', 'set', POOL, '--deposit-a', '3', '--every-date'])
    const held = await hold(gateway)
    const both = [
      start(['multipliers', 'undo'], { DATABASE_URL: url }),
      start(['multipliers', 'undo', POOL], { DATABASE_URL: url }),
    ]
    const codes = both.map(({ child }) => new Promise((resolve) => child.once('close', resolve)))
    await expect
      .poll(async () => {
        const { rows } =
          await gateway.deps.store.pool.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
        return rows.length
      })
      .toBe(2)
    await held.release()
    expect((await Promise.all(codes)).sort()).toEqual([0, 4])
    expect(both.map((one) => one.printed()).join('')).toMatch(
      /^cli changed the multipliers meanwhile, at \S+; nothing was undone\. See the history, then undo again if that is right\.$/m,
    )
    expect(await factors()).toEqual({ [POOL]: '2 1 1 4' })
  })

  test('with nothing to undo is a sentence', async () => {
    await gateway.deps.store.pool.query('DELETE FROM multiplier; DELETE FROM multiplier_revision')
    for (const [args, err] of [
      [[], 'No multiplier was ever set: there is nothing to undo.\n'],
      [[POOL], `The pool ${POOL} never had a multiplier: there is nothing to undo.\n`],
      [[ANN], `There is no pool ${ANN}; nothing was changed.\n`],
    ] as const)
      expect(await run(['multipliers', 'undo', ...args])).toEqual({ code: 3, out: '', err })
  })

  test('Ctrl-C ends one that waits for its turn', async () => {
    const held = await hold(gateway)
    const started = start(['multipliers', 'set', POOL, '--deposit-a', '3'], { DATABASE_URL: url })
    try {
      await held.caught(started)
      expect(await started.stop('SIGINT')).toBe(130)
    } finally {
      await held.release()
    }
  })
})

test('the exit code says what went wrong', async () => {
  const unknown = await file('unknown.json', { poolAddress: ANN })
  const nowhere = { DATABASE_URL: 'postgres://127.0.0.1:1/x' }
  const cases: [number, string[], Record<string, string>, RegExp][] = [
    [2, ['runs'], { DATABASE_URL: url.replace(/[^/]+$/, 'no_such_database') }, /no_such_database/],
    [2, ['resync', '--date', '2999-01-01'], {}, /must not be in the future/],
    [
      2,
      ['multipliers', 'set', '--file', await file('none.json', [])],
      {},
      /must hold at least one multiplier/,
    ],
    [3, ['resync', '--date', '2026-03-08'], {}, /No positions are stored for 2026-03-08/],
    [
      3,
      ['resync', '--from', '2026-04-01', '--to', '2026-04-30'],
      {},
      /No positions are stored from 2026-04-01 to 2026-04-30: nothing/,
    ],
    [
      3,
      ['multipliers', 'set', '--file', unknown],
      {},
      new RegExp(`There is no pool ${ANN}; nothing was changed`),
    ],
    [5, ['manualupdate', '--date', '2026-03-03', '--dry-run'], {}, /no positions of 2026-03-03/],
    [
      6,
      ['manualupdate', '--date', '2026-03-03'],
      { POSITIONS_SOURCE: '' },
      /Set POSITIONS_SOURCE, then try again/,
    ],
    [6, ['runs'], nowhere, /ECONNREFUSED/],
  ]
  const outcomes = await pMap(cases, ([, args, env]) => run(args, env), { concurrency: 3 })
  for (const [i, [code, args, , message]] of cases.entries()) {
    expect(outcomes[i], args.join(' ')).toMatchObject({
      code,
      out: '',
      err: expect.stringMatching(message),
    })
    expect(outcomes[i]?.err, args.join(' ')).not.toMatch(/\n\s+at /)
  }
})

test('wrong usage says how to fix it, before anything is opened', async () => {
  const wrong = await file('wrong.json', [{ poolAddress: 'S', deposit_tokenA: -1, depositB: 2 }])
  const cases: [string[], RegExp][] = [
    [['resync', '--date', 'yesterday'], /must look like 2025-03-01, not yesterday/],
    [
      ['resync', '--date', '2026-03-01', '--all'],
      /'--date <YYYY-MM-DD>' cannot be used with option '--all'/,
    ],
    [['resync', '--to', '2026-03-01'], /--to needs --from/],
    [['resync', '--from', '2026-03-02', '--to', '2026-03-01'], /--to must not be before --from/],
    [['manualupdate', '--from', '2999-01-01'], /must not reach into the future/],
    [['resync', '--multipliers', wrong], /--multipliers is for --dry-run/],
    [
      ['resync', '--dry-run', '--multipliers', wrong],
      /^The multipliers are not valid\.\nMultiplier 1: poolAddress must be an address: 0x and 40 hexadecimal digits\.\nMultiplier 1: deposit_tokenA must be a finite number from 0 up\.\nMultiplier 1: depositB is unknown, the fields are poolAddress, /,
    ],
    [['runs', '--kind', 'dance'], /import, manualupdate, resync/],
    [['multipliers'], /Usage: lending-graph-gateway multipliers/],
    [['multipliers', 'set'], /Give the address of a pool, or --file/],
    [['multipliers', 'set', POOL], /at least one of --deposit-a/],
    [['multipliers', 'set', POOL, '--deposit-a', '-1'], /from 0 up, not -1/],
    [['multipliers', 'set', POOL, '--file', wrong], /not both/],
    [
      ['multipliers', 'set', '0x12', '--deposit-a', '1'],
      /^A pool's address is 0x and 40 hexadecimal digits, not 0x12\.\n$/,
    ],
    [
      ['multipliers', 'undo', '0x12'],
      /^A pool's address is 0x and 40 hexadecimal digits, not 0x12\.\n$/,
    ],
    [
      ['multipliers', 'set', POOL, '--supply-a', '1'],
      /^There is no --supply-a: the factor for each dollar supplied is --deposit-a\.\n$/,
    ],
  ]
  const nowhere = { DATABASE_URL: 'postgres://127.0.0.1:1/x' }
  const outcomes = await pMap(cases, ([args]) => run(args, nowhere), { concurrency: 3 })
  for (const [i, [args, message]] of cases.entries())
    expect(outcomes[i], args.join(' ')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(message),
    })
})
