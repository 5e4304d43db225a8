import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { command } from '../support/command-line.ts'
import { record } from '../support/datasets.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles } from '../support/one-pool.ts'

/** CSV that people open in a spreadsheet. */

let gateway: Gateway
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-spreadsheet-'))
  gateway = await startGateway()
  const market = { ...record.markets, chainId: 1, assetDecimals: 6 }
  const vault = { ...record.vaults, chainId: 1, name: '=KŌBAN', assetDecimals: 18 }
  const of = { chainId: 1, marketId: market.id, positionId: 'main' }
  await importFiles(gateway, {
    pools: [{ ...record.pools, chainId: 1 }],
    markets: [market],
    vaults: [vault],
    'market-snapshots': [
      {
        ...{
          ...record['market-snapshots'],
          ...of,
          timestamp: '1772323200',
          collateralAssets: '1500000',
        },
        ...{ protectedAssets: '123456789012345678901', debtAssets: '1000000000000000000000000' },
      },
      { ...record['market-snapshots'], ...of, timestamp: '99999999999999', collateralAssets: '1' },
    ],
    'vault-snapshots': [
      {
        ...record['vault-snapshots'],
        chainId: 1,
        vaultId: vault.id,
        assets: '1000000000000000001',
        shares: '12',
      },
    ],
    'cash-flows': [
      {
        ...record['cash-flows'],
        chainId: 1,
        entityType: 'vault',
        entityId: vault.id,
        assets: '2500000',
      },
    ],
  })
})
afterAll(async () => {
  await gateway?.close()
  await rm(dir, { recursive: true })
})

const run = (args: string[]) =>
  command(args, { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' })

/** The rows of a file by the fields of its header. No cell of these has a comma. */
async function rows(out: string, file: string): Promise<Record<string, string>[]> {
  const text = await readFile(join(out, `${file}.csv`), 'utf8')
  expect(text.charCodeAt(0)).toBe(0xfeff)
  const [head = [], ...cells] = text
    .slice(1)
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  return cells.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ''])))
}

test('--for spreadsheet writes times in ISO 8601, whole tokens, every digit, and no formula', async () => {
  const out = join(dir, 'sheet')
  const { code, err } = await run(['export', out, '--for', 'spreadsheet'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(await rows(out, 'market-snapshots')).toMatchObject([
    {
      timestamp: '2026-03-01T00:00:00Z',
      collateralAssets: '1.5',
      protectedAssets: "'123456789012345.678901",
      debtAssets: '1000000000000000000',
    },
    { timestamp: '99999999999999', collateralAssets: '0.000001' },
  ])
  expect(await rows(out, 'vault-snapshots')).toMatchObject([
    { assets: "'1.000000000000000001", shares: '12' },
  ])
  expect(await rows(out, 'cash-flows')).toMatchObject([{ assets: '0.0000000000025' }])
  expect(await rows(out, 'vaults')).toMatchObject([{ name: "'=KŌBAN" }])
})

test('it is CSV', async () => {
  const named = await run([
    'export',
    join(dir, 'named'),
    '--for',
    'spreadsheet',
    '--format',
    'csv',
    '--table',
    'vaults',
  ])
  expect(named.code).toBe(0)
  const { code, err } = await run([
    'export',
    join(dir, 'none'),
    '--for',
    'spreadsheet',
    '--format',
    'parquet',
  ])
  expect(code).toBe(2)
  expect(err).toContain('--for spreadsheet writes CSV: leave out --format parquet.')
})
