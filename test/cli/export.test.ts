import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { exportedFiles } from '../../src/domain/dataset/records.ts'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { command, type Outcome, parsed, start } from '../support/command-line.ts'
import { differences, everyRequest, someOf } from '../support/compare.ts'
import { conformanceCases, startOnConformance } from '../support/conformance.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { pageExamples } from '../support/graphiql.ts'
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
import { startOnSample } from '../support/sample.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-export-'))
})
afterAll(() => rm(dir, { recursive: true }))

const urlOf = ({ deps }: Gateway) => deps.config.DATABASE_URL ?? ''
const run = (
  gateway: Gateway,
  args: string[],
  env: Record<string, string> = {},
): Promise<Outcome> => command(args, { DATABASE_URL: urlOf(gateway), ...env })
const must = async (
  gateway: Gateway,
  args: string[],
  env?: Record<string, string>,
): Promise<string> => {
  const { code, out, err } = await run(gateway, args, env)
  expect({ code, err }, args.join(' ')).toEqual({ code: 0, err: '' })
  return out
}
const read = (...path: string[]) => readFile(join(...path), 'utf8')

/** All of the graph that REST does not show, and the documented examples. */
async function graphAnswers(gateway: Gateway): Promise<Record<string, string>> {
  const revision =
    'recordId poolAddress depositA depositB borrowA borrowB changedAt recordedAt changedBy'
  const totals = 'positionCount userCount totalPoints: points'
  const run = `recordId kind date status requestedBy startedAt finishedAt durationMs error basePointsDeposit basePointsBorrow
    sources { kind name digest count block time fetchedAt } totalsBefore { ${totals} } totalsAfter { ${totals} }
    multipliers(first: 100) { nodes { ${revision} } }`
  const queries = [
    `{ runs(first: 100) { totalCount nodes { ${run} } } }`,
    `{ multiplierRevisions(first: 1000) { nodes { ${revision} } } }`,
    '{ basePoints { deposit borrow } basePointsRevisions { recordId deposit borrow from changedAt changedBy revokedAt revokedBy } }',
    `{ distributions(first: 100) { nodes { date kind startedAt finishedAt totalPoints: points positionCount run { recordId } } } }`,
    '{ markets(first: 100) { nodes { address maxLtv liquidationThreshold rateSeries: aprSeries { start depositRate: depositApr borrowRate: borrowApr } } } }',
    '{ vaults(first: 100) { nodes { address rateSeries: aprSeries { start depositRate: depositApr borrowRate: borrowApr } } } }',
    '{ users(first: 1000) { nodes { address rank points: totalPoints } } }',
    `{ users(first: 20) { nodes { address ledger(first: 100) { nodes {
      runRecordId date pointsBefore pointsAfter reasons pool { address } multiplierBefore { recordId } } } } } }`,
    '{ runs(first: 20) { nodes { changesNotKept changes(first: 100) { totalCount nodes { user { address } pointsChange } } } } }',
    '{ program { seasons { name startsAt endsAt status digest closedAt } } }',
    '{ positions(first: 1000) { nodes { id points healthFactor run { recordId } multiplierUsed { depositA depositB borrowA borrowB } } } }',
    `{ users(first: 5) { nodes { address activity(first: 100) { nodes { __typename chainId txHash logIndex legacy { timestamp } } }
      snapshots(first: 100) { nodes { positionId supplied { usd } } } } } }`,
  ]
  const examples = (await pageExamples(gateway.base)).filter(
    ({ query }) => !/^subscription/m.test(query) && !/dataVersion|\bversion\b/.test(query),
  )
  const answers: Record<string, string> = {}
  for (const query of queries) answers[query] = JSON.stringify(await gateway.graphql(query))
  for (const { name, query, variables } of examples)
    answers[name] = JSON.stringify(await gateway.graphql(query, variables))
  return answers
}

const HISTORY = ['base-points-revisions', 'multiplier-revisions', 'runs', 'ledger', 'seasons']

async function brokenDataset(): Promise<string> {
  const path = await mkdtemp(join(dir, 'broken-'))
  await writeFile(join(path, 'positions.jsonl'), '{"id": 1}\n')
  return path
}

/**
 * Runs of all kinds, revisions of multipliers, base points and rates, odd texts, a user without
 * records.
 */
async function addHistory(gateway: Gateway): Promise<void> {
  const { store } = gateway.deps
  const { rows } = await store.pool.query<{ day: string }>(
    'SELECT date::text AS day FROM distribution ORDER BY date',
  )
  const days = rows.map(({ day }) => day)
  const { rows: pools } = await store.pool.query<{ id: string }>(
    'SELECT id FROM pool ORDER BY id LIMIT 2',
  )
  const [one = '', other = ''] = pools.map(({ id }) => id)
  await must(gateway, [
    'multipliers',
    'set',
    one,
    '--deposit-a',
    '3.5',
    '--borrow-b',
    '0.000001',
    '--every-date',
    '--yes',
  ])
  await must(gateway, [
    'base-points',
    'set',
    '--deposit',
    '1.5',
    '--borrow',
    '0.25',
    '--from',
    days[1] as string,
  ])
  await must(gateway, ['resync'])
  await must(gateway, ['multipliers', 'set', one, '--deposit-a', '2', '--every-date', '--yes'])
  await must(gateway, ['multipliers', 'set', other, '--deposit-b', '7', '--every-date', '--yes'])
  await must(gateway, ['resync', '--date', days[1] as string])
  await must(gateway, [
    'seasons',
    'set',
    'Season 1',
    '--from',
    days[0] as string,
    '--to',
    days[2] as string,
  ])
  await must(gateway, ['seasons', 'set', 'Season 2', '--from', days[3] ?? '2100-01-01'])
  const source = join(dir, `source-${days[0]}-${days.length}`)
  await must(gateway, [
    'export',
    source,
    '--table',
    'positions',
    '--from',
    days[0] as string,
    '--to',
    days[0] as string,
  ])
  await must(gateway, ['manualupdate', '--date', days[0] as string, '--reopen'], {
    POSITIONS_SOURCE: source,
  })
  // A user whose positions of a date are all removed keeps what the ledger has of that date.
  const lines = (await readFile(join(source, 'positions.jsonl'), 'utf8')).trim().split('\n')
  const [first = ''] = lines
  const kept = lines.filter(
    (line) => JSON.parse(line).userAddress !== JSON.parse(first).userAddress,
  )
  await writeFile(join(source, 'positions.jsonl'), kept.join('\n'))
  await must(gateway, ['manualupdate', '--date', days[0] as string, '--reopen'], {
    POSITIONS_SOURCE: source,
  })
  await rm(source, { recursive: true })
  expect((await run(gateway, ['import', await brokenDataset()])).code).toBe(2)
  await store.pool.query(
    `UPDATE market SET deposit_rate = deposit_rate + 1e-7; UPDATE vault SET deposit_rate = 1e6`,
  )
  await store.pool.query(
    `UPDATE pool SET name = E'"a", \\\\b\\n\\t\\u0001 \\u2028 \\U0001F984 \\\\.' WHERE id = $1`,
    [one],
  )
  await store.pool.query('UPDATE market SET liquidation_threshold = 0.99, max_ltv = max_ltv / 2')
  await store.pool.query(`INSERT INTO "user" VALUES ('0x${'9'.repeat(40)}')`)
  await store.pool.query('DELETE FROM multiplier WHERE pool_address = $1', [other])
  // The value of a snapshot is unknown where the price of its day is.
  await store.pool.query('DELETE FROM asset_price WHERE date = (SELECT max(date) FROM asset_price)')
  await store.pool.query(
    'UPDATE market_snapshot SET collateral_assets = 2::numeric ^ 256 - 1, collateral_usd = NULL, debt_usd = 1e21 WHERE timestamp = (SELECT max(timestamp) FROM market_snapshot)',
  )
  // Writers of the gateway store what users are worth. SQL does not.
  await must(gateway, ['rebuild'])
}

/** Exports a store, imports it in an empty one, and compares all that both answer. */
async function compareRestored(source: Gateway, copy: Gateway, paths: string[]): Promise<void> {
  const [out, again] = [await mkdtemp(join(dir, 'export-')), join(dir, 'again')]
  await must(source, ['export', out])
  expect((await readdir(out)).sort()).toEqual(exportedFiles.map((file) => `${file}.jsonl`).sort())
  expect((await run(copy, ['import', await brokenDataset()])).code).toBe(2)
  await must(copy, ['import', out])
  for (const { deps } of [source, copy]) await rebuildRankHistory(deps.store.pool)
  expect(await differences(source, copy, paths)).toEqual([])
  const answers = await graphAnswers(source)
  expect(Object.values(answers).join('')).not.toContain('"errors"')
  expect(await graphAnswers(copy)).toEqual(answers)

  await must(copy, ['export', again])
  for (const file of await readdir(out))
    expect(await read(again, file), file).toBe(await read(out, file))
  await rm(again, { recursive: true })
  const { rows: runs } = await copy.deps.store.pool.query('SELECT max(id) AS newest FROM run')
  const second = await must(copy, ['import', out, '--json'])
  expect(parsed(second)).toMatchObject([
    { dates: [], leftOut: HISTORY.map((file) => `${file}.jsonl`) },
  ])
  // An import without differences is recorded only if the newest import on record has failed.
  const { status } = await copy.ask('{ status { lastImport { status sources { kind } } } }')
  expect(status.lastImport).toMatchObject({ status: 'SUCCEEDED' })
  await copy.deps.store.pool.query('DELETE FROM run WHERE id > $1', [runs[0].newest])
  expect(await graphAnswers(copy)).toEqual(answers)
}

describe('an export, imported in an empty store, answers every request alike', {
  timeout: 300_000,
}, () => {
  const start = new Date()
  const now = () => start
  let source: Gateway
  let copy: Gateway
  afterEach(() => Promise.all([source.close(), copy.close()]))

  test('with the sample', async () => {
    source = await startOnSample({ users: 8, days: 5, now })
    copy = await startGateway({ now })
    await addHistory(source)
    await compareRestored(source, copy, someOf(await everyRequest(source), 7))
  })

  test('with the conformance data', async () => {
    source = await startOnConformance({ now })
    copy = await startGateway({ now })
    const cases = conformanceCases().filter(({ method = 'GET' }) => method === 'GET')
    await compareRestored(source, copy, [
      ...someOf(cases, 7).map(({ path }) => path),
      ...someOf(await everyRequest(source), 31),
    ])
  })

  test('with nothing', async () => {
    source = await startGateway({ now })
    copy = await startGateway({ now })
    const out = await mkdtemp(join(dir, 'nothing-'))
    const [{ files } = { files: {} }] = parsed(await must(source, ['export', out, '--json']))
    expect(files).toEqual(
      Object.fromEntries(exportedFiles.map((file) => [`${file}.jsonl`, { rows: 0 }])),
    )
    await must(copy, ['import', out])
    expect(
      await differences(source, copy, ['/points/leaderboard', '/points/userpoints', '/pools/all']),
    ).toEqual([])
  })
})

describe('on one pool', () => {
  const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03']
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway()
    await importFiles(gateway, {
      pools: [{ ...pool, name: 'S "wrapped",\nUSDC 🦄' }],
      multipliers: [multiplier],
      positions: DAYS.map((day, i) =>
        position(ANN, 10, {
          distributionDate: midnight(day),
          pointsA: 8589934591.999999,
          pointsB: i / 1e6,
        }),
      ),
      markets: [
        {
          chainId: 1,
          id: pool.unit_1_id,
          poolId: POOL,
          assetAddress: pool.asset_1_address,
          assetSymbol: 'S',
          assetDecimals: 18,
          depositRate: 1e-7,
          borrowRate: 1e6,
        },
      ],
      'market-snapshots': ['1772323199', '1772323200', '1772496000'].map((timestamp) => ({
        chainId: 1,
        marketId: pool.unit_1_id,
        accountId: ANN,
        timestamp,
        collateralAssets: String(2n ** 256n - 1n),
        collateralUsd: null,
        protectedAssets: '0',
        protectedUsd: 1e-7,
        debtAssets: '1',
        debtUsd: 1e21,
      })),
    })
  })
  afterAll(() => gateway.close())
  const folder = () => mkdtemp(join(dir, 'one-pool-'))

  test('tables and dates can be chosen, to be imported too', async () => {
    const out = await folder()
    const args = [
      'export',
      out,
      '--table',
      'pools,positions',
      '--table',
      'market-snapshots',
      '--from',
      DAYS[0] as string,
      '--to',
      DAYS[1] as string,
    ]
    const [summary] = parsed(await must(gateway, [...args, '--json']))
    expect(summary.files).toEqual({
      'pools.jsonl': { rows: 1 },
      'positions.jsonl': { rows: 2 },
      'market-snapshots.jsonl': { rows: 1 },
    })
    expect(
      (await read(out, 'market-snapshots.jsonl'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).timestamp),
    ).toEqual(['1772323200'])
    const other = await startGateway()
    try {
      await rm(join(out, 'market-snapshots.jsonl'))
      await must(other, ['import', out])
      const { data } = await other.graphql(
        '{ runs { nodes { kind requestedBy } } positions { totalCount } }',
      )
      expect(data).toEqual({
        runs: { nodes: [1, 2].map(() => ({ kind: 'IMPORT', requestedBy: 'cli' })) },
        positions: { totalCount: 2 },
      })
    } finally {
      await other.close()
    }
  })

  test('CSV has exact numbers, dates as dates, and quotes where they are needed', async () => {
    const out = await folder()
    await must(gateway, ['export', out, '--format', 'csv'])
    expect(await read(out, 'pools.csv')).toContain(`,"S ""wrapped"",\nUSDC 🦄",`)
    const [header = '', ...rows] = (await read(out, 'positions.csv')).trim().split('\n')
    expect(header).toContain(
      'userAddress,marketAddress,distributionDate,pointsA,pointsB,points,pointsGiven,runId,',
    )
    expect(rows[1]).toContain(
      `${ANN},${POOL},2026-03-02,8589934591.999999,0.000001,8589934592,true,`,
    )
    const [, snapshot] = (await read(out, 'market-snapshots.csv')).split('\n')
    expect(snapshot).toContain(
      `1,${ANN},main,1772323199,${pool.unit_1_id},${2n ** 256n - 1n},,0,1e-07,1,1e+21`,
    )
    expect(await read(out, 'vaults.csv')).toMatch(
      /^chainId,id,name,assetAddress,assetSymbol,assetDecimals,depositRate.*\n$/,
    )
  })

  test('Parquet has exact numbers and dates as dates', async () => {
    const out = await folder()
    await must(gateway, ['export', out, '--format', 'parquet'])
    const rowsOf = async (file: string) =>
      parquetReadObjects({ file: await asyncBufferFromFile(join(out, `${file}.parquet`)) })
    const positions = await rowsOf('positions')
    expect(
      positions.map(({ distributionDate, pointsA, pointsB }) => ({
        distributionDate,
        pointsA,
        pointsB,
      })),
    ).toEqual(
      DAYS.map((day, i) => ({
        distributionDate: new Date(day),
        pointsA: 8589934591.999999,
        pointsB: i / 1e6,
      })),
    )
    expect((await rowsOf('market-snapshots'))[1]).toEqual({
      chainId: 1n,
      accountId: ANN,
      positionId: 'main',
      timestamp: new Date(1772323200_000),
      marketId: pool.unit_1_id,
      collateralAssets: String(2n ** 256n - 1n),
      collateralUsd: null,
      protectedAssets: '0',
      protectedUsd: 1e-7,
      debtAssets: '1',
      debtUsd: 1e21,
    })
    expect((await rowsOf('pools'))[0]).toMatchObject({
      name: 'S "wrapped",\nUSDC 🦄',
      createdTimestamp: new Date(1000),
      marketId: 7n,
    })
    expect((await rowsOf('runs'))[0]).toMatchObject({ kind: 'import', startedAt: expect.any(Date) })
    expect(await rowsOf('vaults')).toEqual([])
  })

  test('no cell of CSV is a formula, and removing the first apostrophe gives the text', async () => {
    const { store } = gateway.deps
    const texts = [
      '=1+1',
      '+A1',
      '-A1',
      '@SUM(1)',
      '\t=1',
      '\r=1',
      '\n=1',
      '＝1',
      "'=1",
      "''-x",
      "'quoted",
      "''",
      '-1',
      '+1.5e-7',
      '1=1',
      ' =1',
      '',
    ]
    const formulas = texts.slice(0, 10)
    const out = await folder()
    const { rows: before } = await store.pool.query('SELECT id, name FROM pool')
    await store.pool.query(
      `INSERT INTO vault SELECT 1, '0x' || lpad(n::text, 40, '0'), name, '0x' || repeat('0', 40), name, 18, -0.5
       FROM unnest($1::text[]) WITH ORDINALITY AS t(name, n)`,
      [texts],
    )
    try {
      await must(gateway, ['export', out, '--format', 'csv', '--table', 'vaults'])
      const cell = '("(?:[^"]|"")*"|[^",\\n]*)'
      const line = new RegExp(`^1,0x\\d+,${cell},0x0+,${cell},18,-0\\.5$`, 'gm')
      const unquoted = (text = '') => text.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')
      const cells = [...(await read(out, 'vaults.csv')).matchAll(line)].map(([, name]) =>
        unquoted(name),
      )
      expect(cells).toHaveLength(texts.length)
      for (const [at, text] of texts.entries())
        expect(cells[at]).toBe(formulas.includes(text) ? `'${text}` : text)
      expect(cells.map((text) => text.replace(/^'(?='*[=+\-@\t\r\n＝＋－＠])/, ''))).toEqual(texts)
    } finally {
      await store.pool.query(
        'DELETE FROM vault; DELETE FROM rate_revision WHERE entity_type = $$vault$$',
      )
    }
    expect((await store.pool.query('SELECT id, name FROM pool')).rows).toEqual(before)
  })

  test('a file that appears meanwhile stays, and is an error', async () => {
    for (const out of [await folder(), join(dir, 'made')]) {
      const held = await hold(gateway, 'before rates are read')
      const exporting = start(['export', out], { DATABASE_URL: urlOf(gateway) })
      await held.caught(exporting)
      await writeFile(join(out, 'vaults.jsonl'), 'mine')
      await held.release()
      expect(await new Promise((resolve) => exporting.child.once('close', resolve))).toBe(2)
      expect(exporting.printed()).toBe(
        `${out} has a vaults.jsonl that was not there before; it stays, and nothing was written. Name another directory.\n`,
      )
      expect(await readdir(out)).toEqual(['vaults.jsonl'])
      expect(await read(out, 'vaults.jsonl')).toBe('mine')
    }
  })

  test('is one snapshot, whatever is written meanwhile', async () => {
    const [before, during] = [await folder(), await folder()]
    await must(gateway, ['export', before])
    const held = await hold(gateway, 'before rates are read')
    const exporting = start(['export', during], { DATABASE_URL: urlOf(gateway) })
    await held.caught(exporting)
    await importFiles(gateway, {
      positions: [position(BEN, 5, { distributionDate: midnight('2026-03-04') })],
    })
    expect((await readdir(during)).every((name) => name.endsWith('.partial'))).toBe(true)
    await held.release()
    await new Promise((resolve) => exporting.child.once('close', resolve))
    for (const file of await readdir(before))
      expect(await read(during, file), file).toBe(await read(before, file))
    await gateway.deps.store.pool.query(
      "DELETE FROM stored_position WHERE distribution_date = '2026-03-04'",
    )
  })

  test('leaves nothing when it is interrupted or loses its connection', async () => {
    const out = join(dir, 'cut-off')
    const held = await hold(gateway, 'before rates are read')
    const one = start(['export', out], { DATABASE_URL: urlOf(gateway) })
    await held.caught(one)
    expect(await one.stop('SIGINT')).toBe(130)
    expect(one.printed()).toBe('Interrupted: unfinished work has changed nothing.\n')
    expect(existsSync(out)).toBe(false)

    const other = start(['export', out], { DATABASE_URL: urlOf(gateway) })
    await held.caught(other)
    const ended = new Promise((resolve) => other.child.once('close', resolve))
    await gateway.deps.store.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY%' AND wait_event_type = 'Lock'",
    )
    expect(await ended).toBe(6)
    expect(other.printed().trim().split('\n')).toHaveLength(1)
    expect(existsSync(out)).toBe(false)
    await held.release()
  })

  test('refuses what it cannot do in a sentence, and writes nothing', async () => {
    const [full, file, free] = [await folder(), join(dir, 'a-file'), join(dir, 'free')]
    await writeFile(join(full, 'notes.txt'), 'mine')
    await writeFile(file, '')
    const cases: [string[], string][] = [
      [[full], `${full} is not empty, it has notes.txt: name a new or an empty directory.`],
      [[file], `${file} is not a directory.`],
      [[join(file, 'below')], `${join(file, 'below')} is not a directory.`],
      [
        [join(free, 'below')],
        `${join(free, 'below')} cannot be created, as the directory above it does not exist.`,
      ],
      [
        [free, '--table', 'positions,position'],
        `There is no table position; the tables are ${exportedFiles.join(', ')}.`,
      ],
      [[free, '--from', '2026-03-02', '--to', '2026-03-01'], '--from must not be after --to.'],
      [[free, '--from', 'yesterday'], 'A date must look like 2025-03-01, not yesterday.'],
      [
        [free, '--format', 'xml'],
        "error: option '--format <format>' argument 'xml' is invalid. Allowed choices are jsonl, csv, parquet.",
      ],
    ]
    for (const [args, sentence] of cases) {
      const { code, err } = await run(gateway, ['export', ...args])
      expect({ code, first: err.split('\n')[0] }).toEqual({ code: 2, first: sentence })
    }
    expect(await readdir(full)).toEqual(['notes.txt'])
    expect(existsSync(free)).toBe(false)
  })
})

test('a history is checked like every other file', async () => {
  const gateway = await startGateway()
  try {
    const path = await mkdtemp(join(dir, 'history-'))
    const run = {
      id: 1,
      kind: 'resync',
      date: null,
      status: 'succeeded',
      sources: [{ kind: 'POSITIONS' }],
      totalPointsAfter: '1.0000001',
    }
    await writeFile(join(path, 'runs.jsonl'), jsonLines([run]))
    await writeFile(join(path, 'users.jsonl'), jsonLines([{ address: ANN }, { address: 'ann' }]))
    const { code, err } = await command(['import', path], { DATABASE_URL: urlOf(gateway) })
    expect(code).toBe(2)
    expect(err).toContain('users.jsonl:2: address: must be an address')
    expect(err).toContain('runs.jsonl:1: sources: must be a list of receipts')
    expect(err).toContain('runs.jsonl:1: totalPointsAfter: must be a decimal string')
    expect((await gateway.graphql('{ users { totalCount } }')).data.users.totalCount).toBe(0)
  } finally {
    await gateway.close()
  }
})
