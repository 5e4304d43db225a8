/**
 * The stores of the bench: generated files, loaded by the product's own import, copied from there
 * to plain tables, and reused between runs.
 */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { openEmbedded } from '../../embedded/index.ts'
import { root, runProduct } from './processes.ts'

export interface Shape {
  users: number
  pools: number
  /** A user has a position in as many pools, on each of the DAYS dates. */
  poolsPerUser: number
  snapshots: number
}

export type Size = 'small' | 'medium' | 'full'

export const SHAPES: Record<Size, Shape> = {
  small: { users: 500, pools: 40, poolsPerUser: 2, snapshots: 10_000 },
  medium: { users: 2_000, pools: 200, poolsPerUser: 5, snapshots: 100_000 },
  full: { users: 20_000, pools: 200, poolsPerUser: 5, snapshots: 1_000_000 },
}
/** A tenth of the users and snapshots; the rows of each user, and the pools, stay. */
export const tenthOf = (shape: Shape): Shape => ({
  ...shape,
  users: shape.users / 10,
  snapshots: shape.snapshots / 10,
})

export const DAYS = 30
const DAY = 86_400
export const FIRST_DAY = Date.UTC(2025, 2, 1) / 1000
const VAULTS = 20
const A_TOKENS = 100
const B_TOKENS = 20
/** What a user with many snapshots has: so many markets and vaults, one row a day in each. */
const MANY = { markets: 35, vaults: 5 }

const digest = (label: string) => createHash('sha256').update(label).digest('hex')
const addresses = (kind: string, count: number) =>
  Array.from({ length: count }, (_, i) => `0x${digest(`${kind} ${i}`).slice(0, 40)}`)
const at = (list: string[], i: number) => list[i % list.length] as string

/** The addresses of a store; the first of `users` are those with many snapshots. */
export function namesOf({ users, pools, snapshots }: Shape) {
  const many = Math.max(1, Math.round(snapshots * 0.0003))
  return {
    users: addresses('user', users),
    many: addresses('user', many),
    pools: addresses('pool', pools),
    markets: addresses('market', pools * 2),
    vaults: addresses('vault', VAULTS),
    /**
     * No token is on both sides, so that a condition on one column finds what a token's two sides
     * would give.
     */
    aTokens: addresses('token a', Math.min(pools, A_TOKENS)),
    bTokens: addresses('token b', B_TOKENS),
  }
}

/** Digits as real amounts have them, without the cost of a generator. */
const amount = (i: number, salt: number) => ((i * 7919 + salt * 104_729) % 1_000_003) / 997 + 0.001
const usd = (i: number, salt: number) => Math.round(amount(i, salt) * 1e4) / 1e4
const units = (i: number, salt: number) =>
  `${(i * 7919 + salt * 104_729) % 1_000_003}000123456789012`
const uuid = (label: string) =>
  digest(label).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
const price = (i: number, salt: number) => (i % 50 === 7 ? null : usd(i, salt))

/** The records of every file of the import format. */
function records(shape: Shape): Record<string, () => Generator<object>> {
  const { users, many, pools, markets, vaults, aTokens, bTokens } = namesOf(shape)
  const dayOf = (day: number) => String(FIRST_DAY + day * DAY)
  const reward = (user: number, n: number) => ({
    chainId: 1,
    txHash: `0x${digest(`liquidation ${user} ${n}`)}`,
    logIndex: n,
    timestamp: String(FIRST_DAY + n * DAY + user),
    accountId: at(users, user),
    supplySent: units(user, n),
    supplySentUsd: price(user + n, 21),
    collateralReceived: units(user, n + 1),
    collateralReceivedUsd: usd(user + n, 22),
    liquidReward: units(user, n + 2),
    liquidRewardUsd: usd(user + n, 23),
    userRoi: '0.0512',
    claimedTimestamp: n % 2 ? String(FIRST_DAY + n * DAY + user + 60) : null,
  })
  return {
    *pools() {
      for (const [i, id] of pools.entries())
        yield {
          id,
          chainId: 1,
          marketId: i + 1,
          name: `A${i % A_TOKENS}/B${i % B_TOKENS}`,
          asset_1_address: at(aTokens, i),
          asset_1_name: `Token A${i % A_TOKENS}`,
          asset_1_symbol: `A${i % A_TOKENS}`,
          asset_2_address: at(bTokens, i),
          asset_2_name: `Token B${i % B_TOKENS}`,
          asset_2_symbol: `B${i % B_TOKENS}`,
          createdTimestamp: FIRST_DAY,
          interestLastUpdated: FIRST_DAY + i,
          unit_1_id: markets[i * 2],
          unit_2_id: markets[i * 2 + 1],
        }
    },
    *multipliers() {
      const time = new Date(FIRST_DAY * 1000).toISOString()
      for (const [i, poolAddress] of pools.entries())
        yield {
          id: uuid(`multiplier ${i}`),
          poolAddress,
          deposit_tokenA: 1 + (i % 4) / 4,
          deposit_tokenB: 2,
          borrow_tokenA: 1,
          borrow_tokenB: (i % 3) / 2,
          createdAt: time,
          updatedAt: time,
        }
    },
    *markets() {
      for (const [i, id] of markets.entries())
        yield {
          chainId: 1,
          id,
          poolId: at(pools, i >> 1),
          assetAddress: i % 2 ? at(bTokens, i >> 1) : at(aTokens, i >> 1),
          assetSymbol: i % 2 ? `B${(i >> 1) % B_TOKENS}` : `A${(i >> 1) % A_TOKENS}`,
          assetDecimals: 18,
          depositRate: 0.01 + (i % 37) / 1000,
          borrowRate: 0.02 + (i % 41) / 1000,
          maxLtv: 0.75,
          liquidationThreshold: 0.8,
        }
    },
    *vaults() {
      for (const [i, id] of vaults.entries())
        yield {
          chainId: 1,
          id,
          name: `Vault ${i}`,
          assetAddress: at(bTokens, i),
          assetSymbol: `B${i % B_TOKENS}`,
          assetDecimals: 6,
          depositRate: 0.03 + i / 1000,
        }
    },
    // A day's users after another's, as an exporter writes them.
    *positions() {
      for (let day = 0; day < DAYS; day++)
        for (let user = 0; user < shape.users; user++)
          for (let nth = 0; nth < shape.poolsPerUser; nth++) {
            const pool = (user * 13 + nth * 41) % shape.pools
            const i = (day * shape.users + user) * shape.poolsPerUser + nth
            yield {
              userAddress: users[user],
              marketAddress: pools[pool],
              distributionDate: new Date((FIRST_DAY + day * DAY) * 1000).toISOString(),
              aTokenAddress: at(aTokens, pool),
              aTokenSymbol: `A${pool % A_TOKENS}`,
              aTokenPrice: usd(pool, 1),
              aSuppliedAmount: amount(i, 2),
              aSuppliedAmountUsd: usd(i, 3),
              aProtectedSuppliedAmount: amount(i, 4),
              aProtectedSuppliedAmountUsd: usd(i, 5),
              aBorrowedAmount: 0,
              aBorrowedAmountUsd: 0,
              bTokenAddress: at(bTokens, pool),
              bTokenSymbol: `B${pool % B_TOKENS}`,
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
    *'market-snapshots'() {
      const row = (user: number, market: number, day: number) => {
        const i = (user * DAYS + day) * 40 + market
        return {
          chainId: 1,
          marketId: at(markets, market),
          accountId: at(users, user),
          positionId: 'main',
          timestamp: dayOf(day),
          collateralAssets: units(i, 9),
          collateralUsd: usd(i, 9),
          protectedAssets: '0',
          protectedUsd: 0,
          debtAssets: units(i, 10),
          debtUsd: price(i, 10),
        }
      }
      for (let user = 0; user < many.length; user++)
        for (let nth = 0; nth < MANY.markets; nth++)
          for (let day = 0; day < DAYS; day++) yield row(user, user + nth * 2, day)
      for (const { user, day, entity, vault } of fewSnapshots(shape, many.length))
        if (!vault) yield row(user, user * 7 + entity * 13, day)
    },
    *'vault-snapshots'() {
      const row = (user: number, vault: number, day: number) => {
        const i = (user * DAYS + day) * 40 + vault
        const keys = {
          chainId: 1,
          vaultId: at(vaults, vault),
          accountId: at(users, user),
          positionId: 'main',
        }
        return {
          ...keys,
          timestamp: dayOf(day),
          shares: units(i, 11),
          assets: units(i, 12),
          assetsUsd: price(i, 12),
        }
      }
      for (let user = 0; user < many.length; user++)
        for (let nth = 0; nth < MANY.vaults; nth++)
          for (let day = 0; day < DAYS; day++) yield row(user, user + nth, day)
      for (const { user, day, entity, vault } of fewSnapshots(shape, many.length))
        if (vault) yield row(user, user * 7 + entity, day)
    },
    *'market-liquidation-rewards'() {
      for (let user = 0; user < shape.users; user += 2)
        for (let n = 0; n < 4; n++)
          yield {
            ...reward(user, n),
            debtMarketId: at(markets, user + 1),
            collateralMarketId: at(markets, user),
          }
    },
    *'vault-liquidation-rewards'() {
      for (let user = 0; user < shape.users; user += 2)
        for (let n = 0; n < 4; n++) yield { ...reward(user, n), vaultId: at(vaults, user) }
    },
    *'cash-flows'() {
      // Three in a market, then two in a vault.
      const kinds = ['deposit', 'borrow', 'deposit', 'deposit', 'withdraw']
      for (let user = 0; user < shape.users; user++)
        for (let n = 0; n < kinds.length; n++)
          yield {
            chainId: 1,
            entityType: n < 3 ? 'market' : 'vault',
            entityId: n < 3 ? at(markets, user * 7) : at(vaults, user * 7),
            accountId: users[user],
            txHash: `0x${digest(`flow ${user} ${n}`)}`,
            logIndex: n,
            timestamp: String(FIRST_DAY + n * DAY),
            kind: kinds[n],
            amountUsd: price(user + n, 31),
          }
    },
  }
}

/**
 * The snapshots of all other users: a row a day in one entity after another, as many as are left of
 * all.
 */
function* fewSnapshots({ users, snapshots }: Shape, many: number) {
  const each = Math.floor((snapshots - many * (MANY.markets + MANY.vaults) * DAYS) / (users - many))
  for (let user = many; user < users; user++)
    for (let nth = 0; nth < each; nth++) {
      const entity = Math.floor(nth / DAYS)
      yield { user, day: DAYS - 1 - (nth % DAYS), entity, vault: (user + entity) % 3 === 0 }
    }
}

function* lines(from: Iterable<object>): Generator<string> {
  let batch = ''
  for (const record of from) {
    batch += `${JSON.stringify(record)}\n`
    if (batch.length < 1 << 18) continue
    yield batch
    batch = ''
  }
  yield batch
}

/** Writes the files of a shape to a directory that is not there yet. */
export async function writeFiles(shape: Shape, directory: string): Promise<void> {
  await mkdir(directory)
  for (const [file, make] of Object.entries(records(shape)))
    await pipeline(
      Readable.from(lines(make())),
      createWriteStream(join(directory, `${file}.jsonl`)),
    )
}

export interface SpeedStore {
  url: string
  /** The process id of its postmaster. */
  pid: number
  pool: pg.Pool
  names: ReturnType<typeof namesOf>
  close(): Promise<void>
}

const silent = { info() {}, warn() {} }
const plain = join(import.meta.dirname, 'plain.sql')

/**
 * Opens the store of a shape in `dir`, and makes it when it is not there or was made by another
 * migration or generator.
 */
export async function openSpeedStore(
  shape: Shape,
  dir: string,
  say: (text: string) => void,
): Promise<SpeedStore> {
  const mark = join(dir, 'made-of.txt')
  const madeOf = await fingerprint(shape)
  const data = join(dir, 'data')
  const made = (await readFile(mark, 'utf8').catch(() => '')) === madeOf
  if (!made) {
    // A server that a killed run has left stops when its last user leaves.
    if (await stat(join(data, 'postgres')).catch(() => undefined))
      await (await openEmbedded({ dataDir: data, log: silent })).release()
    await rm(dir, { recursive: true, force: true })
    await mkdir(data, { recursive: true })
  }
  const server = await openEmbedded({ dataDir: data, log: silent })
  const pool = new pg.Pool({ connectionString: server.url, max: 2 })
  pool.on('error', () => {})
  const close = async () => {
    await pool.end()
    await server.release()
  }
  try {
    if (!made) {
      const files = join(dir, 'files')
      const since = performance.now()
      await writeFiles(shape, files)
      say(
        `${dir}: the files took ${Math.round((performance.now() - since) / 1000)} s, importing ` +
          'them',
      )
      await runProduct(['import', files], { DATABASE_URL: server.url })
      await rm(files, { recursive: true })
      await pool.query(await readFile(plain, 'utf8'))
      await pool.query('VACUUM (ANALYZE)')
      await pool.query('CHECKPOINT')
      await writeFile(mark, madeOf)
      say(`${dir}: loaded after ${Math.round((performance.now() - since) / 1000)} s`)
    }
    const pid = Number(
      (await readFile(join(data, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0],
    )
    return { url: server.url, pid, pool, names: namesOf(shape), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function fingerprint(shape: Shape): Promise<string> {
  const migrations = join(root, 'prisma/migrations')
  const migrated = (await readdir(migrations, { recursive: true }))
    .filter((file) => file.endsWith('.sql'))
    .sort()
  const files = [import.meta.filename, plain, ...migrated.map((file) => join(migrations, file))]
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  return JSON.stringify([shape, digest(texts.join())])
}
