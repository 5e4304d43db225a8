import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { records, sampleRecords } from '../../src/domain/dataset/records.ts'
import { command, parsed } from '../support/command-line.ts'
import { answerJson, startServer } from '../support/positions-server.ts'
import { openStore } from '../support/store.ts'
import { ROOT } from './markdown.ts'

/** The guide from an empty folder: its mappings are read from it. */
let dir: string
let mappings: Record<string, any>[]
let store: Awaited<ReturnType<typeof openStore>>
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-your-protocol-'))
  const guide = await readFile(join(ROOT, 'src/docs/your-protocol.md'), 'utf8')
  mappings = [...guide.matchAll(/```jsonc\n(.*?)```/gs)].map(([, text = '']) => JSON.parse(text))
})
afterAll(() => rm(dir, { recursive: true }))

const samples = sampleRecords('market-snapshots')

/** Takes the steps of the guide, with these settings of step 2. */
async function follow(name: string, settings: (folder: string) => Record<string, string>) {
  const folder = join(dir, name)
  store = await openStore()
  const env = { DATABASE_URL: store.url, ...settings(folder) }
  try {
    expect(await command(['template', folder], env)).toMatchObject({ code: 0 })
    for (const file of Object.keys(records))
      if (records[file as keyof typeof records].user && name !== 'files')
        await rm(join(folder, `${file}.jsonl`), { force: true })
    expect(await command(['import', folder, '--check'], env)).toMatchObject({ code: 0 })
    expect(await command(['import', folder], env)).toMatchObject({ code: 0 })
    const doctor = parsed((await command(['doctor', '--json'], env)).out)
    const update = await command(['update', '--json'], env)
    expect(update.code, update.err).toBe(0)
    const { rows } = await store.pool.query(
      'SELECT user_address, market_id, collateral_assets::text, collateral_usd, debt_assets::text, debt_usd FROM market_snapshot ORDER BY 1, 2',
    )
    return {
      rows,
      update: parsed(update.out),
      fields: doctor.filter(({ check }) => check === 'analytics'),
    }
  } finally {
    await store.close()
  }
}

const rowOf = (record: Record<string, unknown>) => ({
  user_address: record.accountId,
  market_id: record.marketId,
  collateral_assets: record.collateralAssets,
  collateral_usd: record.collateralUsd,
  debt_assets: record.debtAssets,
  debt_usd: record.debtUsd,
})
const expected = samples
  .map(rowOf)
  .toSorted((a, b) => (String(a.market_id) < String(b.market_id) ? -1 : 1))
const mappingOf = async (name: string, mapping: object | undefined) => {
  const path = join(dir, `${name}.json`)
  await writeFile(path, JSON.stringify(mapping))
  return path
}

test('with files', async () => {
  const { rows, update } = await follow('files', (folder) => ({ ANALYTICS_SOURCE: folder }))
  expect(rows).toEqual(expected)
  expect(update.map(({ fetched, written }) => [fetched > 0, written])).toContainEqual([true, 0])
})

test('with a subgraph', async () => {
  const server = await startServer(({ body }, response) => {
    const { query, variables } = JSON.parse(body)
    const shown = samples.map((record, at) => ({ ...record, id: String(at) }))
    const names = /records: positionSnapshots\(.*account \{\s*id\s*\}.*market \{\s*id\s*\}/s
    if (!names.test(query))
      return answerJson(response, { errors: [{ message: `a wrong query: ${query}` }] })
    const page = shown
      .filter(({ id }) => variables.after === undefined || id > variables.after)
      .map((record) => ({
        ...record,
        key: record.id,
        accountId: { id: (record as any).accountId },
        marketId: { id: (record as any).marketId },
      }))
    return answerJson(response, { data: { records: page } })
  })
  try {
    const mapping = await mappingOf('subgraph', mappings[0])
    const { rows, fields } = await follow('subgraph', () => ({
      ANALYTICS_SOURCE: server.base,
      ANALYTICS_MAPPING: mapping,
    }))
    expect(rows).toEqual(expected)
    expect(fields.at(-1).message).toContain('provides every field.')
  } finally {
    await server.close()
  }
})

test('with the database of a Ponder app', async () => {
  const ponder = await openStore()
  try {
    await ponder.pool.query(
      `CREATE TABLE position_snapshot (id text PRIMARY KEY, account text, market text, timestamp numeric(78, 0),
         collateral numeric(78, 0), collateral_usd float8, debt numeric(78, 0), debt_usd float8)`,
    )
    for (const [at, record] of (samples as Record<string, unknown>[]).entries())
      await ponder.pool.query(
        'INSERT INTO position_snapshot VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
        [
          ...[at, record.accountId, record.marketId, record.timestamp, record.collateralAssets],
          ...[record.collateralUsd, record.debtAssets, record.debtUsd],
        ],
      )
    const mapping = await mappingOf('ponder', mappings[1])
    const { rows, fields } = await follow('ponder', () => ({
      ANALYTICS_SOURCE: ponder.url,
      ANALYTICS_MAPPING: mapping,
    }))
    expect(rows).toEqual(expected)
    expect(fields.at(-1).message).toContain('provides every field.')
  } finally {
    await ponder.close()
  }
})
