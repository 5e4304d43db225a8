import { parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { examples } from '../../src/graphql/examples.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { startOnConformance } from '../support/conformance.ts'
import { subscribe } from '../support/events.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { graphiqlPage } from '../support/graphiql.ts'
import { loadSample, startOnSample } from '../support/sample.ts'

test('each has a name of its own, which is that of its operation, and short lines', () => {
  const schema = createSchema()
  expect(new Set(examples.map(({ name }) => name)).size).toBe(examples.length)
  for (const { name, query } of examples) {
    expect(query).toMatch(new RegExp(`^(query|subscription) ${name}\\b`, 'm'))
    expect(validate(schema, parse(query)), name).toEqual([])
    expect(Math.max(...query.split('\n').map(({ length }) => length)), name).toBeLessThanOrEqual(64)
    expect(query.split('\n').length, name).toBeGreaterThan(3)
  }
})

interface Store {
  start(): Promise<Gateway>
  /** True if every list and object of every example must have something. */
  isFull: boolean
}

const stores: [string, Store][] = [
  ['the sample', { start: () => startOnSample({ users: 60, days: 30 }), isFull: true }],
  ['an empty store', { start: startGateway, isFull: false }],
  [
    'the conformance dataset',
    {
      start: async () => {
        const gateway = await startOnConformance()
        await rebuildRankHistory(gateway.deps.store.pool)
        return gateway
      },
      isFull: false,
    },
  ],
]

describe.each(stores)('on %s', (name, { start, isFull }) => {
  let gateway: Gateway
  let page: Awaited<ReturnType<typeof graphiqlPage>>
  beforeAll(async () => {
    gateway = await start()
    page = await graphiqlPage(gateway.base)
  })
  afterAll(() => gateway?.close())

  test('the page says how to load data if there is none', () => {
    if (name === 'an empty store')
      expect(page.data.notice).toMatch(/npm start.*npm run gateway -- import DIR/s)
    else expect(page.data.notice).toBeUndefined()
  })

  test.each(examples.map((example) => example.name))('%s answers', async (example) => {
    const ofPage = page.data.examples.find((one) => one.name === example)
    const { data, errors } = await answerTo(
      gateway,
      ofPage?.query ?? '',
      JSON.parse(ofPage?.variables ?? '{}'),
    )
    expect(errors, JSON.stringify(errors)).toBeUndefined()
    if (isFull) expect(emptyPlaces(data), JSON.stringify(data).slice(0, 2000)).toEqual([])
    else if (name !== 'an empty store') expect(hasRecord(data), JSON.stringify(data)).toBe(true)
  })
})

test('the variables follow the data: the page of a store that gets data names its records', async () => {
  const gateway = await startGateway()
  try {
    expect((await graphiqlPage(gateway.base)).data.notice).toBeDefined()
    await loadSample(gateway)
    await expect
      .poll(async () => (await graphiqlPage(gateway.base)).data.notice, { timeout: 60_000 })
      .toBeUndefined()
    const { data } = await graphiqlPage(gateway.base)
    const statements = async () => {
      gateway.statements.length = 0
      await graphiqlPage(gateway.base)
      return gateway.statements.length
    }
    await expect
      .poll(statements, { message: 'while the data stays as it is', timeout: 60_000 })
      .toBe(0)
    const { user } = JSON.parse(data.examples[0]?.variables ?? '{}')
    const { data: account } = await gateway.graphql(
      'query($user: Address!) { user(address: $user) { rank } }',
      {
        user,
      },
    )
    expect(account.user.rank).toBeGreaterThan(0)
  } finally {
    await gateway.close()
  }
})

async function answerTo(
  gateway: Gateway,
  query: string,
  variables: object,
): Promise<{ data?: any; errors?: any[] }> {
  if (!/^subscription/m.test(query)) return gateway.graphql(query, variables)
  const stream = await subscribe(gateway, query, { variables })
  const event = await stream.next()
  stream.leave()
  return event
}

/**
 * The lists without rows and the objects that are null: an example must show something everywhere.
 */
function emptyPlaces(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.length ? emptyPlaces(value[0], `${path}.0`) : [path]
  if (value === null || typeof value !== 'object')
    return value === null && !leaves.test(path) ? [path] : []
  return Object.entries(value).flatMap(([key, one]) => emptyPlaces(one, `${path}.${key}`))
}

/**
 * What may be null in a row: a missing price, a reward not claimed, the market or vault of activity
 * in the other, what is wrong with a text, an error of a run, the ratio of a price in USD.
 */
const leaves =
  /(Usd|claimedAt|market|vault|amount|asset|entity|problem|error|durationMs|against|ratio)$/

/**
 * True if an answer has any record: a row of a list, or an object with more than nulls and empty
 * lists.
 */
function hasRecord(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasRecord)
  if (value !== null && typeof value === 'object') return Object.values(value).some(hasRecord)
  return value !== null && value !== 0
}
