import { parse, validate } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examples } from '../../src/graphql/examples.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { subscribe } from '../support/events.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { loadSample } from '../support/sample.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
  await loadSample(gateway, { days: 30 })
})
afterAll(() => gateway.close())

const schema = createSchema()

test('each has a name of its own, which is that of its operation', () => {
  expect(new Set(examples.map((example) => example.name)).size).toBe(examples.length)
  for (const { name, query } of examples) expect(query).toMatch(new RegExp(`^(query|subscription) ${name}\\b`, 'm'))
})

for (const { name, query, variables } of examples)
  test(`${name} answers on the sample`, async () => {
    expect(validate(schema, parse(query))).toEqual([])
    const { data, errors } = await ask(query, variables)
    expect(errors).toBeUndefined()
    expect(emptyPlaces(data), JSON.stringify(data).slice(0, 2000)).toEqual([])
  })

async function ask(query: string, variables: object | undefined) {
  if (!/^subscription/m.test(query)) return gateway.graphql(query, variables)
  const stream = await subscribe(gateway, query, variables && { variables })
  const event = await stream.next()
  stream.leave()
  return event
}

/** The lists without rows and the objects that are null: an example must show something everywhere. */
function emptyPlaces(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.length ? emptyPlaces(value[0], `${path}.0`) : [path]
  if (value === null || typeof value !== 'object') return value === null && !leaves.test(path) ? [path] : []
  return Object.entries(value).flatMap(([key, one]) => emptyPlaces(one, `${path}.${key}`))
}

/** What may be null in a row: a missing price, a reward not claimed, what is wrong with a text, the cursor of an empty page. */
const leaves = /(Usd|claimedTimestamp|problem)$/
