import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { endpoints } from '../../src/rest/index.ts'
import { sampleFiles, sampleMarket, sampleUser, sampleVault } from '../../src/sample/index.ts'
import { type DatasetFile, datasetFiles } from '../../src/sources/index.ts'
import { datasetOf, type Files } from '../support/datasets.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { pageExamples } from '../support/graphiql.ts'
import { silent } from '../support/store.ts'

const now = new Date()
/** What others refer to, in the order in which they do. */
const ENTITIES: DatasetFile[] = ['pools', 'markets', 'vaults', 'multipliers']
/** Records of amounts. */
const AMOUNTS = datasetFiles.filter((file) => !ENTITIES.includes(file))

/** The sample, with amounts whose sums in doubles depend on the order of addition. */
const records = Object.fromEntries(
  Object.entries(sampleFiles({ now, users: 14, days: 8 })).map(([file, lines]) => [
    file,
    [...lines()].map((line, i) =>
      JSON.stringify(JSON.parse(line), (key, value) => odd(key, value, i)),
    ),
  ]),
) as Record<DatasetFile, string[]>

function odd(key: string, value: unknown, i: number): unknown {
  if (/^points/.test(key)) return undefined
  return /usd$/i.test(key) && typeof value === 'number'
    ? value / 3 + (i % 13 === 0 ? 12_345_678.9 : 0)
    : value
}

const load = async ({ deps: { store, basePoints } }: Gateway, files: Files) =>
  void (await importDataset({ pool: store.pool, basePoints, log: silent }, datasetOf(files)))

const REQUIRED: Record<string, string> = {
  'market-liquidation-rewards': `market=${sampleMarket.address}`,
  'vault-liquidation-rewards': `vault=${sampleVault.address}`,
}
/** Of a query without these every answer follows from the records alone. */
const OF_RUNS = /\b(runs?|finishedAt|startedAt|dataVersion|version|multiplierRevisions|changedAt)\b/

async function answers(gateway: Gateway): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for (const [method, path] of endpoints) {
    if (method !== 'GET') continue
    for (const query of [
      '',
      'limit=3&page_size=3',
      'should_group_by_timestamp=true',
      `account=${sampleUser}`,
    ]) {
      const url = `${path.replace('{address}', sampleUser)}?${REQUIRED[path.split('/').at(-1) ?? ''] ?? ''}&${query}`
      const response = await gateway.get(url)
      expect(response.ok, url).toBe(true)
      all[url] = await response.text()
    }
  }
  for (const { name, query, variables } of await pageExamples(gateway.base)) {
    if (/^subscription/m.test(query) || OF_RUNS.test(query)) continue
    // Once by a plan, where there is one, and once by resolvers: only those say what type a row is
    // of.
    for (const text of [query, query.replace(/\}\s*$/, ' __typename }')])
      all[`${name} ${text.length}`] = JSON.stringify(await gateway.graphql(text, variables))
  }
  return all
}

let ordered: Gateway
let expected: Record<string, string>
beforeAll(async () => {
  ordered = await startGateway({ now: () => now })
  await load(ordered, records)
  await rebuildRankHistory(ordered.deps.store.pool)
  expected = await answers(ordered)
})
afterAll(() => ordered.close())

test('stores with the same records give byte-equal answers, in any order and chunking of the records', async () => {
  expect(Object.keys(expected).length).toBeGreaterThan(80)
  expect(Object.values(expected).join('')).not.toContain('"errors"')
  await fc.assert(
    fc.asyncProperty(
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      fc.integer({ min: 1, max: 4 }),
      async (random, chunks) => {
        const shuffled = (lines: string[]) =>
          lines
            .map((line) => ({ line, at: random.next().value }))
            .sort((a, b) => a.at - b.at)
            .map(({ line }) => line)
        const gateway = await startGateway({ now: () => now })
        try {
          await load(
            gateway,
            Object.fromEntries(ENTITIES.map((file) => [file, shuffled(records[file])])),
          )
          const parts = AMOUNTS.map((file) => [file, shuffled(records[file])] as const)
          for (let i = 0; i < chunks; i++)
            await load(
              gateway,
              Object.fromEntries(
                parts.map(([file, lines]) => [file, lines.filter((_, n) => n % chunks === i)]),
              ),
            )
          await rebuildRankHistory(gateway.deps.store.pool)
          expect(await answers(gateway)).toEqual(expected)
        } finally {
          await gateway.close()
        }
      },
    ),
    { numRuns: 3, interruptAfterTimeLimit: 60_000 },
  )
})
