import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parse } from 'graphql'
import { Plan } from 'pothos-sql'
import { expect, test } from 'vitest'
import { Operations } from '../../src/graphql/execution/operations.ts'
import { compileCost } from '../../src/graphql/policy/operation-cost.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'

const schema = createSchema()
const MB = 2 ** 20

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
/** What is in use, and cannot be freed. */
function heapBytes(): number {
  collectGarbage()
  return getHeapStatistics().used_heap_size
}

const repeat = (count: number, of: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => of(i)).join(' ')
const lists = (count: number, name: string) =>
  repeat(
    count,
    (
      i,
    ) => `${name}${i}: leaderboard(first: 2) { totalCount nodes { rank points user { address totalPoints rank
      positions(first: 2) { totalCount nodes { id points } } } } pageInfo { hasNextPage } }`,
  )

/** Sends a document twice: one that is sent once is soon forgotten. */
const twice = (operations: Operations, text: string) => {
  operations.find(text, undefined)
  return operations.find(text, undefined)
}

test('documents that clients have sent are remembered up to a number', () => {
  const operations = new Operations(schema)
  const find = (i: number) => twice(operations, `{ a${i}: dataVersion }`)
  const first = find(0)
  expect(find(0)).toBe(first)
  for (let i = 1; i <= 1000; i++) find(i)
  const last = find(1000)
  expect(last).toBeDefined()
  expect(find(1000)).toBe(last)
  expect(find(0)).not.toBe(first)
})

test('large ones are remembered up to a sum of their sizes', () => {
  const operations = new Operations(schema)
  const find = (i: number) => twice(operations, `{ ${lists(25, `a${i}_`)} }`)
  const first = find(0)
  expect(find(0)).toBe(first)
  for (let i = 1; i <= 100; i++) find(i)
  expect(find(0)).not.toBe(first)
})

test('documents that are sent once leave those in use, and are forgotten after a few', () => {
  const operations = new Operations(schema)
  const used = twice(operations, '{ used: dataVersion }')
  const once = operations.find('{ once: dataVersion }', undefined)
  const before = operations.bytes
  for (let i = 0; i < 2000; i++) operations.find(`{ a${i}: dataVersion }`, undefined)
  expect(operations.find('{ used: dataVersion }', undefined)).toBe(used)
  expect(operations.find('{ once: dataVersion }', undefined)).not.toBe(once)
  expect(operations.bytes).toBeLessThan(20 * before)
})

const SWITCHES = 12
const VARIANTS = 60
const switched = parse(
  `query (${repeat(SWITCHES, (i) => `$v${i}: Boolean!`)}) {
    ${repeat(SWITCHES, (i) => `s${i}: program @include(if: $v${i}) { totalPoints }`)} ${lists(25, 'a')} }`,
)
const variant = (n: number) =>
  Object.fromEntries(Array.from({ length: SWITCHES }, (_, i) => [`v${i}`, Boolean((n >> i) & 1)]))

test.each<[string, () => (variables: Record<string, unknown>) => unknown]>([
  [
    'plans',
    () => {
      const plan = new Plan(schema, switched)
      return (variables) => plan.covers(variables)
    },
  ],
  [
    'costs',
    () =>
      compileCost(schema, switched, undefined) as (variables: Record<string, unknown>) => number,
  ],
])('%s by @include and @skip are remembered up to a number', (_, make) => {
  const run = make()
  const wave = (from: number) => {
    for (let n = from; n < from + VARIANTS; n++) expect(run(variant(n))).toBeTruthy()
    return heapBytes()
  }
  const before = wave(0)
  expect((wave(VARIANTS) - before) / MB).toBeLessThan(2)
  // What was made stays in use until here.
  expect(run(variant(0))).toBeTruthy()
})
