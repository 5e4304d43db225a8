import { buildSchema, parse } from 'graphql'
import { expect, test } from 'vitest'
import { Limiter } from '../../src/graphql/policy/limits.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'

const limiter = new Limiter(createSchema())
const USER = `0x${'1'.repeat(40)}`

const refused = [
  ['{ program(asOf: "2026-01-02") { points: totalPoints series { points } } }', /asOf.*`to`/],
  [
    'query ($asOf: Date) { program(asOf: $asOf) { ...P } } fragment P on Program { series { points } }',
    /`program { series }` ignores asOf/,
  ],
  [
    `{ portfolio(addresses: "${USER}", at: "2026-01-02") { sum: series { points } } }`,
    /`portfolio { series }` ignores at: .*`to`/,
  ],
  [
    `{ portfolio(addresses: "${USER}", at: "2026-01-02") { ... { users { address } } } }`,
    /`portfolio { users }` ignores at: .*lookupUsers/,
  ],
] as const

test.each(refused)('%s is refused', (query, message) => {
  const [error, ...more] = limiter.validate(parse(query))
  expect(more).toEqual([])
  expect(error?.message).toMatch(message)
  expect(error?.extensions.code).toBe('BAD_INPUT')
})

test.each([
  '{ program(asOf: null) { totalPoints series { points } } }',
  '{ program(asOf: "2026-01-02") { series: totalPoints } }',
  `{ portfolio(addresses: "${USER}") { users { address } series { points } } }`,
])('%s is answered', (query) => {
  expect(limiter.validate(parse(query))).toEqual([])
})

test('other schemas have no such fields', () => {
  const schema = buildSchema('type Query { program(asOf: Int): Int }')
  expect(new Limiter(schema).validate(parse('{ program(asOf: 1) }'))).toEqual([])
})
