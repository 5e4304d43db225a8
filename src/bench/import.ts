/**
 * The import next to a bare COPY of the same rows into the same indexed tables, on one server in
 * one run; and the import's memory. It must reach 0.8 of COPY's speed, in less than 300 MB.
 *
 *     npm run bench -- import [--lines 3000000]
 *
 * The server is TEST_POSTGRES_URL, or one that the bench starts for itself.
 */
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import setup from '../../test/support/global-setup.ts'
import { openStore, silent } from '../../test/support/store.ts'
import { importDataset } from '../domain/dataset/import.ts'
import { openDirectory } from '../sources/index.ts'
import { tablesBehind } from './tables.ts'

const USERS = 20_000
const POOLS = 200
const DAY = 86_400
const FIRST_DAY = Date.UTC(2026, 0, 1) / 1000
const STORED = ['pool', 'multiplier', 'market', '"user"', 'position', 'market_snapshot']

const digest = (label: string) => createHash('sha256').update(label).digest('hex')
const addresses = (kind: string, count: number) =>
  Array.from({ length: count }, (_, i) => `0x${digest(`${kind} ${i}`).slice(0, 40)}`)
const uuid = (i: number) =>
  digest(`id ${i}`).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')

const users = addresses('user', USERS)
const pools = addresses('pool', POOLS)
const markets = addresses('market', POOLS * 2)
const tokens = addresses('token', POOLS)
const at = (list: string[], i: number) => list[i % list.length] as string
/** Digits as real amounts have them, without the cost of a generator. */
const amount = (i: number, salt: number) => ((i * 7919 + salt * 104_729) % 1_000_003) / 997 + 0.001
const usd = (i: number, salt: number) => Math.round(amount(i, salt) * 1e4) / 1e4

const generators: Record<string, (lines: number) => Generator<object>> = {
  *pools() {
    for (const [i, id] of pools.entries())
      yield {
        id,
        chainId: 1,
        marketId: i,
        name: `T${i}/U${i}`,
        asset_1_address: at(tokens, i),
        asset_1_name: `Token ${i}`,
        asset_1_symbol: `T${i}`,
        asset_2_address: at(tokens, i + 1),
        asset_2_name: `Unit ${i}`,
        asset_2_symbol: `U${i}`,
        createdTimestamp: FIRST_DAY,
        interestLastUpdated: FIRST_DAY,
        unit_1_id: markets[i * 2],
        unit_2_id: markets[i * 2 + 1],
      }
  },
  *multipliers() {
    for (const poolAddress of pools)
      yield {
        poolAddress,
        deposit_tokenA: 1,
        deposit_tokenB: 2,
        borrow_tokenA: 1,
        borrow_tokenB: 0.5,
      }
  },
  *markets() {
    for (const [i, id] of markets.entries())
      yield {
        chainId: 1,
        id,
        poolId: at(pools, i >> 1),
        assetAddress: at(tokens, i >> 1),
        assetSymbol: 'T',
        assetDecimals: 18,
        depositRate: 0.05,
        borrowRate: 0.07,
      }
  },
  // A day's users after another's, as an exporter writes them.
  *positions(lines) {
    for (let i = 0; i < lines; i++) {
      const day = Math.floor(i / USERS)
      const pool = (i * 13 + day) % POOLS
      yield {
        id: uuid(i),
        userAddress: at(users, i),
        marketAddress: at(pools, pool),
        distributionDate: new Date((FIRST_DAY + day * DAY) * 1000).toISOString(),
        aTokenAddress: at(tokens, pool),
        aTokenSymbol: `T${pool}`,
        aTokenPrice: usd(pool, 1),
        aSuppliedAmount: amount(i, 2),
        aSuppliedAmountUsd: usd(i, 3),
        aProtectedSuppliedAmount: amount(i, 4),
        aProtectedSuppliedAmountUsd: usd(i, 5),
        aBorrowedAmount: 0,
        aBorrowedAmountUsd: 0,
        bTokenAddress: at(tokens, pool + 1),
        bTokenSymbol: `U${pool}`,
        bTokenPrice: usd(pool, 6),
        bSuppliedAmount: 0,
        bSuppliedAmountUsd: 0,
        bProtectedSuppliedAmount: 0,
        bProtectedSuppliedAmountUsd: 0,
        bBorrowedAmount: amount(i, 7),
        bBorrowedAmountUsd: usd(i, 8),
      }
    }
  },
  *'market-snapshots'(lines) {
    for (let i = 0; i < lines; i++) {
      const day = Math.floor(i / USERS)
      yield {
        chainId: 1,
        marketId: at(markets, i * 13 + day),
        accountId: at(users, i),
        positionId: 'main',
        timestamp: String(FIRST_DAY + day * DAY),
        collateralAssets: `${(i * 7919) % 1_000_003}000123456789012`,
        collateralUsd: usd(i, 9),
        protectedAssets: '0',
        protectedUsd: 0,
        debtAssets: `${(i * 104_729) % 1_000_003}00012345`,
        debtUsd: i % 50 === 0 ? null : usd(i, 10),
      }
    }
  },
}

function* text(records: Iterable<object>): Generator<string> {
  let batch = ''
  for (const record of records) {
    batch += `${JSON.stringify(record)}\n`
    if (batch.length < 1 << 18) continue
    yield batch
    batch = ''
  }
  yield batch
}

const print = (text: string) => process.stdout.write(`${text}\n`)

interface Imported {
  seconds: number
  /** Peak resident memory of the process, in bytes. */
  peak: number
}

const [mode, childUrl, childDir] = process.argv.slice(2)
if (mode === '--child') await runImport(childUrl as string, childDir as string)
else await compare()

async function runImport(url: string, dir: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url })
  const deps = { pool, basePoints: { deposit: 1, borrow: 0.5 }, log: silent }
  const { seconds } = await importDataset(deps, await openDirectory(dir))
  await pool.end()
  process.send?.({ seconds, peak: process.resourceUsage().maxRSS * 1024 } satisfies Imported)
}

async function compare(): Promise<void> {
  const { values } = parseArgs({ options: { lines: { type: 'string', default: '3000000' } } })
  const half = Math.floor(Number(values.lines) / 2)
  const dir = await mkdtemp(join(tmpdir(), 'gateway-bench-'))
  const stop = process.env.TEST_POSTGRES_URL ? async () => {} : await setup()
  try {
    for (const [file, records] of Object.entries(generators))
      await pipeline(
        Readable.from(text(records(half))),
        createWriteStream(join(dir, `${file}.jsonl`)),
      )

    const imported = await timeImport(dir)
    const copied = await timeCopy(dir)
    const lines = 2 * half + 2 * POOLS + 2 * POOLS
    const ratio = copied / imported.seconds
    const megabytes = imported.peak / 2 ** 20
    const row = (name: string, seconds: number) =>
      print(
        `${name.padEnd(14)}${seconds.toFixed(1).padStart(8)} s${Math.round(lines / seconds)
          .toLocaleString('en')
          .padStart(12)} lines/s`,
      )
    row('bare COPY', copied)
    row('import', imported.seconds)
    print(
      `ratio ${ratio.toFixed(2)} (at least 0.8), peak memory ${megabytes.toFixed(0)} MB (less ` +
        'than 300)',
    )
    if (ratio < 0.8 || megabytes >= 300) process.exitCode = 1
  } finally {
    await stop()
    await rm(dir, { recursive: true, force: true })
  }
}

/** Imports in a separate process, then leaves the rows as COPY files in `dir`. */
async function timeImport(dir: string): Promise<Imported> {
  const store = await openStore()
  try {
    await store.pool.query('CHECKPOINT')
    const result = await new Promise<Imported>((resolve, reject) => {
      const child = fork(import.meta.filename, ['--child', store.url, dir], {
        execArgv: process.execArgv,
      })
      child.once('message', (message) => resolve(message as Imported))
      child.once('exit', (code) => reject(new Error(`the import ended with ${code}`)))
    })
    const client = await store.pool.connect()
    for (const table of await tablesBehind(client, STORED))
      await pipeline(
        client.query(copyTo(`COPY ${table} TO STDOUT`)),
        createWriteStream(join(dir, `${table}.copy`)),
      )
    client.release()
    return result
  } finally {
    await store.close()
  }
}

async function timeCopy(dir: string): Promise<number> {
  const store = await openStore()
  try {
    await store.pool.query('CHECKPOINT')
    const client = await store.pool.connect()
    const tables = await tablesBehind(client, STORED)
    const started = performance.now()
    for (const table of tables)
      await pipeline(
        createReadStream(join(dir, `${table}.copy`), { highWaterMark: 1 << 19 }),
        client.query(copyFrom(`COPY ${table} FROM STDIN`)),
      )
    const seconds = (performance.now() - started) / 1000
    client.release()
    return seconds
  } finally {
    await store.close()
  }
}
