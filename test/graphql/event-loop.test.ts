import {
  execute,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  parse,
} from 'graphql'
import { resolveInTurns, Turns } from 'pothos-sql/host'
import { expect, test } from 'vitest'

const ROWS = 10_000

let resolved = 0
const Row = new GraphQLObjectType({
  name: 'Row',
  fields: {
    plain: { type: GraphQLString },
    loaded: {
      type: GraphQLString,
      resolve: async ({ plain }) => {
        resolved++
        return plain
      },
    },
  },
})
const rows = Array.from({ length: ROWS }, (_, n) => ({ plain: String(n) }))
const schema = resolveInTurns(
  new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      fields: { rows: { type: new GraphQLList(new GraphQLNonNull(Row)), resolve: () => rows } },
    }),
  }),
)
const document = parse('{ rows { plain loaded again: loaded } }')

/** Counts how often the event loop goes round until `work` is done. */
async function roundsDuring(work: () => Promise<unknown>): Promise<number> {
  let rounds = 0
  let isDone = false
  const count = () => {
    rounds++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isDone = true
  return rounds
}

test('the rows of a long list are completed in turns, in their order', async () => {
  const work = async () => {
    const { data, errors } = await execute({
      schema,
      document,
      contextValue: { turns: new Turns() },
    })
    expect(errors).toBeUndefined()
    expect(data?.rows).toEqual(rows.map(({ plain }) => ({ plain, loaded: plain, again: plain })))
  }
  expect(await roundsDuring(work)).toBeGreaterThan(3)
})

test('operations that work at the same time take turns', async () => {
  const ended: string[] = []
  const run = async (name: string, text: string) => {
    await execute({ schema, document: parse(text), contextValue: { turns: new Turns() } })
    ended.push(name)
  }
  const large = `{ ${Array.from({ length: 4 }, (_, n) => `a${n}: rows { plain loaded }`).join(' ')} }`
  await Promise.all([run('large', large), run('small', '{ rows { plain } }')])
  expect(ended).toEqual(['small', 'large'])
})

test('work that is over stops', async () => {
  let isOver = false
  resolved = 0
  void execute({ schema, document, contextValue: { turns: new Turns(() => isOver) } })
  await new Promise((resolve) => setImmediate(resolve))
  isOver = true
  const before = resolved
  expect(before).toBeLessThan(ROWS)
  for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve))
  expect(resolved - before).toBeLessThan(ROWS / 10)
})

test('a batch waits until all of its keys are there', async () => {
  const turns = new Turns()
  const order: string[] = []
  const values = Array.from({ length: 1000 }, async (_, n) => {
    await turns.wait()
    order.push(String(n))
  })
  turns.whenIdle(() => order.push('batch'))
  await Promise.all(values)
  await new Promise((resolve) => setImmediate(resolve))
  expect(order.at(-1)).toBe('batch')
  expect(order).toHaveLength(1001)
})
