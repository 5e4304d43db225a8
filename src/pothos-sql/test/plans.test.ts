import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PgReader } from '../example/pg-reader.ts'
import { type Library, openLibrary } from './library.ts'

let library: Library
beforeAll(async () => {
  library = await openLibrary('plans')
})
afterAll(() => library.close())

/** The data of a query, which a plan reads by one statement, as resolvers do. */
async function data(text: string, variables?: Record<string, unknown>) {
  const { statements, data } = await library.planned(text, variables)
  expect(data, library.planOf(text).refusal(variables)).toBeDefined()
  expect(statements).toBe(1)
  expect({ data }).toEqual(await library.resolved(text, variables))
  return data
}

describe('fields', () => {
  test('columns, SQL, embedded objects and lookups', async () => {
    const { book } = await data(`{ book(id: 7) {
      __typename id title pages rating published isLong
      author { name born } publisher { id name place { city } } tags { name } } }`)
    expect(book).toMatchObject({ __typename: 'Book', title: 'Book 7', published: '2002-03-04' })
    expect(book.author).toEqual({ name: 'Author 8', born: null })
  })

  test('a row that is not there is null, and so is what a null leads to', async () => {
    expect(await data('{ book(id: 0) { title author { name } } }')).toEqual({ book: null })
    expect(await data('{ book(id: 4) { publisher { name } } }')).toEqual({
      book: { publisher: null },
    })
    const { book } = await data('{ book(id: 5) { rating publisher { place { city } } } }')
    expect(book).toEqual({ rating: null, publisher: { place: { city: null } } })
  })

  test('quotes in text', async () => {
    const { book } = await data('{ book(id: 1) { publisher { name } } }')
    expect(book.publisher.name).toBe('House "1"')
  })

  test('aliases, fragments, @include and @skip', async () => {
    const text = `query ($long: Boolean!) {
        first: book(id: 1) { ...Names pages @include(if: $long) }
        second: book(id: 2) { ... on Book { ...Names } pages @skip(if: $long) }
      }
      fragment Names on Book { title author { name } author { id } }`
    const long = await data(text, { long: true })
    expect(Object.keys(long.first)).toEqual(['title', 'author', 'pages'])
    expect(long.second).not.toHaveProperty('pages')
    expect((await data(text, { long: false })).second).toHaveProperty('pages')
  })
})

describe('lists', () => {
  test('within lists, with counts', async () => {
    const { authors } = await data(`{ authors(first: 5) { totalCount nodes { name
      books(first: 3, where: { pages: { gt: 100 } }) { totalCount pageInfo { hasNextPage }
        nodes { title tags { name } reviews(last: 2, orderBy: STARS) { nodes { stars } } } } } } }`)
    expect(authors.totalCount).toBe(12)
    expect(authors.nodes).toHaveLength(5)
  })

  test.each([
    'where: { title: ["Book 3", "Book 4"] }',
    'where: { rating: { gte: 2, lt: 9.5 } }',
    'where: { published: { in: ["2001-03-03", "2001-05-03"] } }',
    'where: { OR: [{ pages: { lt: 90 } }, { NOT: { pages: { lt: 400 } } }] }',
    'where: { OR: [] }',
    'where: { AND: [{ pages: { gt: 200 } }, { rating: null }] }',
    'orderBy: RATING',
    'orderBy: RATING, orderDirection: DESC',
    'orderBy: [PAGES, TITLE], orderDirection: [DESC, ASC]',
    'orderBy: TITLE, offset: "11"',
    'last: 4',
    'first: 0',
  ])('books(%s)', async (args) => {
    await data(`{ books(${args}) { totalCount nodes { id title pages rating published }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`)
  })

  test.each(['', 'orderBy: [RATING]', 'orderBy: [PAGES], orderDirection: DESC'])(
    'pages by cursor reach each row once, in both directions: %s',
    async (order) => {
      const page = '{ edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage } }'
      const forward = `query ($after: String) {
        books(first: 50, after: $after${order && `, ${order}`}) ${page} }`
      const backward = `query ($before: String) {
        books(last: 50, before: $before${order && `, ${order}`}) ${page} }`
      const ids: number[] = []
      for (let after: string | null = null, more = true; more; ) {
        const { books } = await data(forward, { after })
        ids.push(...books.edges.map(({ node }: { node: { id: number } }) => node.id))
        after = books.edges.at(-1).cursor
        more = books.pageInfo.hasNextPage
      }
      expect(new Set(ids).size).toBe(120)
      const back: number[] = []
      for (let before: string | null = null, more = true; more; ) {
        const { books } = await data(backward, { before })
        back.unshift(...books.edges.map(({ node }: { node: { id: number } }) => node.id))
        before = books.edges[0].cursor
        more = books.pageInfo.hasPreviousPage
      }
      expect(back).toEqual(ids)
    },
  )

  test('requests that differ only in values share a statement', async () => {
    const plan = library.planOf(`query ($after: String, $min: Float) {
      books(first: 2, after: $after, where: { rating: { gt: $min } }) {
        edges { cursor node { id } } } }`)
    const reader = new PgReader(library.pool)
    for (const min of [0.5, 1.5, 2.5, 3.5]) await plan.run(reader, { min })
    expect([plan.size, reader.statements]).toEqual([2, 4])
  })
})

test('what has no plan is refused with the reason, and resolvers answer it', async () => {
  const reasons = {
    '{ book(id: 1) { shout } }': 'shout is resolved',
    '{ books { edges { cursor } nodes { id } } }': 'the rows of a list are selected twice',
    '{ books { __typename } }': '__typename of a connection',
    '{ authors { nodes { books { edges { cursor } } } } }': 'a cursor of a list within a list',
    '{ __schema { queryType { name } } }': '__schema is of the schema',
  }
  for (const [text, reason] of Object.entries(reasons)) {
    expect(library.planOf(text).refusal()).toBe(reason)
    expect(await library.planned(text)).toEqual({ statements: 0, data: undefined })
    expect((await library.resolved(text)).errors).toBeUndefined()
  }
  expect(library.planOf('{ book(id: 1) { title } }').refusal()).toBeUndefined()
})
