import { afterAll, beforeAll, expect, test } from 'vitest'
import { PgReader } from '../example/pg-reader.ts'
import { SqlError } from '../index.ts'
import { type Library, openLibrary } from './library.ts'

let library: Library
beforeAll(async () => {
  library = await openLibrary('hostile')
})
afterAll(() => library.close())

const errorOf = (text: string, variables?: Record<string, unknown>) =>
  library.planned(text, variables).then(
    ({ data }) => data,
    (error) => error,
  )

/** The message of an error that a plan and resolvers report alike. */
async function refused(text: string, variables?: Record<string, unknown>) {
  const error = await errorOf(text, variables)
  expect(error).toMatchObject({ name: 'SqlError', code: 'BAD_INPUT' })
  const { errors } = await library.resolved(text, variables)
  expect(errors?.[0]?.message).toBe(error.message)
  return error.message
}

const cursorOf = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url')

test('sizes and offsets beyond the bounds', async () => {
  expect(await refused('{ books(first: 2147483647) { nodes { id } } }')).toBe(
    'first must be from 0 to 1000.',
  )
  expect(await refused('{ books(last: -1) { nodes { id } } }')).toBe('last must be from 0 to 1000.')
  expect(await refused('{ books(offset: "9223372036854775808") { nodes { id } } }')).toBe(
    'offset must be at most 2^63-1.',
  )
  await refused('{ books(last: 2, offset: "1") { nodes { id } } }')
  await refused('{ books(first: 2, last: 2) { totalCount } }')
  const last = '{ books(offset: "9223372036854775807") { nodes { id } } }'
  const { data } = await library.planned(last)
  expect(data).toEqual({ books: { nodes: [] } })
  // An Int cannot be 2^31: GraphQL reports it, not a plan.
  const text = 'query ($first: Int) { books(first: $first) { nodes { id } } }'
  expect(await errorOf(text, { first: 2 ** 31 })).toBeUndefined()
})

test.each([
  ['no base64', '%%%'],
  ['no JSON', Buffer.from('books').toString('base64url')],
  ['no list', cursorOf()],
  ['too few values', cursorOf('books', '2001-01-01')],
  ['a value of another type', cursorOf('books', '2001-01-01', '1; DROP TABLE book')],
  ['a date that does not exist', cursorOf('books', '2001-02-30', '1')],
  ['a number beyond its type', cursorOf('books', '2001-01-01', '2147483648')],
  ['numbers for text', cursorOf('books', 1, 2)],
  ['another list', cursorOf('authors', '1')],
  ['another order', cursorOf('books#00000000', '2001-01-01', '1')],
  ['a long text', 'x'.repeat(100_000)],
])('a cursor of %s', async (_, after) => {
  const text = 'query ($after: String) { books(after: $after) { edges { cursor } } }'
  expect(await refused(text, { after })).toMatch(/^The cursor (does not belong|belongs) to/)
})

test('a cursor of the same list with another filter', async () => {
  const text = `query ($after: String, $where: BookFilter) {
    books(first: 1, after: $after, where: $where) { edges { cursor } } }`
  const { data } = await library.planned(text, { where: { pages: { gt: 100 } } })
  const after = data.books.edges[0].cursor
  expect(await refused(text, { after, where: { pages: { gt: 101 } } })).toMatch(/another filter/)
})

test('filters that are too deep, too long or no number', async () => {
  const nested = (depth: number): object =>
    depth === 0 ? { pages: { gt: 1 } } : { AND: [nested(depth - 1)] }
  const text = 'query ($where: BookFilter) { books(where: $where) { totalCount } }'
  await refused(text, { where: nested(6) })
  await refused(text, { where: nested(100) })
  await refused(text, { where: { OR: Array(51).fill({ pages: { gt: 1 } }) } })
  await refused(text, { where: { title: Array.from({ length: 1001 }, (_, i) => `${i}`) } })
  await refused(text, { where: { title: ['\0'] } })
  await refused(text, { where: { AND: [{ title: ["'; DROP TABLE book --"] }, nested(6)] } })
  const { data } = await library.planned(text, { where: { title: ["'; DROP TABLE book --"] } })
  expect(data).toEqual({ books: { totalCount: 0 } })
})

test('a thousand aliases of a field, and hundreds of a row', async () => {
  const many = (count: number, of: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => of(i)).join(' ')
  const texts = [
    `{ book(id: 1) { ${many(1000, (i) => `a${i}: title`)} } }`,
    `{ books(first: 3) { nodes { ${many(1000, (i) => `a${i}: pages`)} } } }`,
    `{ ${many(100, (i) => `a${i}: book(id: ${i}) { id }`)} }`,
  ]
  for (const text of texts) {
    const { data, statements } = await library.planned(text)
    expect(statements).toBe(1)
    expect({ data }).toEqual(await library.resolved(text))
  }
})

test('a deep document', async () => {
  const deep = (depth: number): string =>
    depth === 0 ? '{ id }' : `{ books(first: 1) { nodes { author ${deep(depth - 1)} } } }`
  const text = `{ authors(first: 1) { nodes ${deep(12)} } }`
  const { data, statements } = await library.planned(text)
  expect(statements).toBe(1)
  expect({ data }).toEqual(await library.resolved(text))
})

test('an answer beyond the bytes of its reader', async () => {
  const plan = library.planOf('{ books(first: 100) { nodes { id title } } }')
  const error = await plan.run(new PgReader(library.pool, 1000)).catch((error) => error)
  expect(error).toBeInstanceOf(SqlError)
  expect(error).toMatchObject({ code: 'ANSWER_TOO_LARGE', maxBytes: 1000 })
})
