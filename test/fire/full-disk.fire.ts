import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { command, parsed, serve } from '../support/command-line.ts'

/**
 * A database whose disk fills up in the middle of an import, a run and a change, and is enlarged
 * again.
 */

const ADMIN_TOKEN = 'full-disk-admin-token'
let dir: string
let disk: string
let mounted = false
const DATA_DIR = () => join(disk, 'store')
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-full-disk-'))
  disk = join(dir, 'disk')
  await mkdir(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2g,mode=1777', 'tmpfs', disk], {
      stdio: 'ignore',
    })
    mounted = true
  } catch {
    // This user may not mount.
  }
})
afterAll(async () => {
  if (mounted) execFileSync('umount', ['--lazy', disk])
  await rm(dir, { recursive: true, force: true })
})

const resize = (size: string) => execFileSync('mount', ['-o', `remount,size=${size}`, disk])
const used = () => {
  const [, line = ''] = execFileSync('df', ['-k', '--output=used', disk], { encoding: 'utf8' })
    .trim()
    .split('\n')
  return Number(line)
}
const FULL = /^The disk of the database is full\..* Nothing was changed: run it again after that\.$/

/** Positions of many users on one date. */
async function writeDataset(path: string, users: number, factor: number): Promise<void> {
  await mkdir(path, { recursive: true })
  const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
  const pool = {
    ...{
      id: address(1),
      chainId: 1,
      marketId: 1,
      name: 'A/B',
      createdTimestamp: 1,
      interestLastUpdated: 1,
    },
    ...{
      asset_1_address: address(2),
      asset_1_name: 'A',
      asset_1_symbol: 'A',
      unit_1_id: address(4),
    },
    ...{
      asset_2_address: address(3),
      asset_2_name: 'B',
      asset_2_symbol: 'B',
      unit_2_id: address(5),
    },
  }
  const side = (name: string, token: number) => ({
    [`${name}TokenAddress`]: address(token),
    ...{ [`${name}TokenSymbol`]: name.toUpperCase(), [`${name}TokenPrice`]: 1 },
    ...{ [`${name}SuppliedAmount`]: factor, [`${name}SuppliedAmountUsd`]: factor },
    ...{ [`${name}ProtectedSuppliedAmount`]: 0, [`${name}ProtectedSuppliedAmountUsd`]: 0 },
    ...{ [`${name}BorrowedAmount`]: 0, [`${name}BorrowedAmountUsd`]: 0 },
  })
  const date = { distributionDate: '2026-03-01T00:00:00.000Z' }
  const lines = Array.from({ length: users }, (_, i) =>
    JSON.stringify({
      userAddress: address(1000 + i),
      marketAddress: pool.id,
      ...date,
      ...side('a', 2),
      ...side('b', 3),
    }),
  )
  await writeFile(join(path, 'pools.jsonl'), `${JSON.stringify(pool)}\n`)
  const multiplier = {
    poolAddress: pool.id,
    deposit_tokenA: 1,
    deposit_tokenB: 1,
    borrow_tokenA: 1,
    borrow_tokenB: 1,
  }
  await writeFile(join(path, 'multipliers.jsonl'), `${JSON.stringify(multiplier)}\n`)
  await writeFile(join(path, 'positions.jsonl'), `${lines.join('\n')}\n`)
}

test('a full disk is one sentence everywhere, changes nothing, and the same work succeeds on a larger one', async (context) => {
  if (!mounted) return context.skip('this user may not mount')
  const [few, many] = [join(dir, 'few'), join(dir, 'many')]
  await writeDataset(few, 20_000, 1)
  await writeDataset(many, 200_000, 2)
  const gateway = await serve({ DATA_DIR: DATA_DIR(), ADMIN_TOKEN })
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  const graphql = async (query: string) => {
    const response = await fetch(`${gateway.base}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    })
    return (await response.json()) as any
  }
  try {
    expect(await command(['import', few], { DATA_DIR: DATA_DIR() })).toMatchObject({ code: 0 })
    const totals = '{ distributions { nodes { date points positionCount } } }'
    const before = await graphql(totals)
    resize(`${used() + 6 * 1024}k`)
    const imported = await command(['import', many, '--json'], { DATA_DIR: DATA_DIR() })
    expect(imported.code).toBe(6)
    expect(parsed(imported.err).at(-1).message).toMatch(FULL)
    resize(`${used() + 1024}k`)
    const resync =
      'mutation { resyncDistribution(input: { date: "2026-03-01" }) { run { recordId } } }'
    const failed = await graphql(resync)
    expect(failed.errors[0]).toMatchObject({
      message: expect.stringMatching(FULL),
      extensions: { code: 'UNAVAILABLE' },
    })
    const rest = await fetch(`${gateway.base}/points/resync?date=2026-03-01`, {
      method: 'POST',
      headers,
    })
    expect(rest.status).toBe(503)
    resize('2g')
    // Postgres cannot start again while it has no room for its log.
    await vi.waitFor(async () => expect(await graphql(totals)).toEqual(before), {
      timeout: 60_000,
      interval: 500,
    })
    const { data } = await graphql('{ runs(last: 10) { nodes { status error } } }')
    for (const { status, error } of data.runs.nodes)
      if (status === 'FAILED') expect(error).toMatch(FULL)
    expect(await command(['import', many], { DATA_DIR: DATA_DIR() })).toMatchObject({ code: 0 })
    expect((await graphql(resync)).errors).toBeUndefined()
    expect((await graphql(totals)).data.distributions.nodes).toMatchObject([
      { positionCount: 200_000 },
    ])
  } finally {
    await gateway.stop('SIGTERM')
  }
})
