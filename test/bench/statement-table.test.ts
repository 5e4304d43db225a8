import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { statementTable } from '../../src/bench/index.ts'
import { type ExampleValues, noValues } from '../../src/graphql/example-values.ts'
import { examples } from '../../src/graphql/examples.ts'
import { endpoints } from '../../src/rest/index.ts'
import {
  sampleAsset,
  sampleMarket,
  samplePool,
  sampleUser,
  sampleVault,
} from '../../src/sample/index.ts'
import { subscribe } from '../support/events.ts'
import { SAMPLE } from '../support/extent.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** A read that grows with its rows shows in the larger one. */
const stores: Record<string, { users: number; days: number; gateway?: Gateway }> = {
  ...(!SAMPLE && { 'a small store': { users: 25, days: 10 } }),
  'a store with ten times the rows': { users: 60, days: 42 },
}
beforeAll(async () => {
  for (const store of Object.values(stores)) {
    const { users, days } = store
    store.gateway = await startOnSample({ users, days, plan: true })
  }
})
afterAll(async () => {
  for (const { gateway } of Object.values(stores)) await gateway?.close()
})

/** Another statement of an endpoint. */
const SORTED = '/positions/breakdown-by-markets?sort=supplied'

/** What endpoints require. */
const REQUIRED: Record<string, string> = {
  'market-liquidation-rewards': `?market=${sampleMarket.address}`,
  'vault-liquidation-rewards': `?vault=${sampleVault.address}`,
}

/** The sample ends yesterday. */
const daysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** Of the sample, in which all of them have rows. */
const values: ExampleValues = {
  ...noValues,
  user: sampleUser,
  pool: samplePool.address,
  market: { ...sampleMarket, asset: { address: sampleAsset, symbol: 'usdc' } },
  leaders: [sampleUser],
  dates: { first: daysAgo(8), week: daysAgo(7), last: daysAgo(1) },
}

type Ask = (gateway: Gateway) => Promise<void>

const operations: Record<string, Ask> = {
  ...Object.fromEntries(
    examples.map(({ name, query, variables: variablesOf }): [string, Ask] => [
      `graphql ${name}`,
      async (gateway) => {
        const variables = variablesOf?.(values)
        if (/^subscription/m.test(query)) {
          const stream = await subscribe(gateway, query, variables && { variables })
          expect((await stream.next()).errors).toBeUndefined()
          stream.leave()
        } else expect((await gateway.graphql(query, variables)).errors).toBeUndefined()
      },
    ]),
  ),
  ...Object.fromEntries(
    [...endpoints.filter(([method]) => method === 'GET').map(([, path]) => path), SORTED].map(
      (path): [string, Ask] => [
        `GET ${path}`,
        async (gateway) => {
          const query = REQUIRED[path.split('/').at(-1) ?? ''] ?? ''
          const response = await gateway.get(path.replace('{address}', sampleUser) + query)
          expect(response.ok, await response.text()).toBe(true)
        },
      ],
    ),
  ),
}

test('the table has every example and every endpoint that reads, and nothing else', () => {
  expect(Object.keys(statementTable).toSorted()).toEqual(Object.keys(operations).toSorted())
})

describe.each(Object.keys(stores))('in %s', (name) => {
  test.each(Object.entries(operations))(
    '%s takes as many statements as the table says',
    async (operation, ask) => {
      const { gateway } = stores[name] ?? {}
      if (!gateway) throw new Error('no gateway')
      // The first runs find out whether it needs a transaction.
      for (let warm = 0; warm < 2; warm++) await ask(gateway)
      gateway.statements.length = 0
      await ask(gateway)
      const sent = [...gateway.statements]
      const table = statementTable[operation]
      expect(
        sent.length,
        `${operation} sent ${sent.length} statements, src/bench/statement-table.ts says ${table}. More is a loss: find out why. Where it is meant, write ${sent.length} into the table.\n${sent.join('\n')}`,
      ).toBe(table)
    },
  )
})
