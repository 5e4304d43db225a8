import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Library, openLibrary } from './library.ts'

let library: Library
beforeAll(async () => {
  library = await openLibrary('random')
})
afterAll(() => library.close())

/** How many random queries a run reads. */
const QUERIES = 100
const seed = Number(process.env.SEED ?? Date.now() % 1e6)

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const ARGUMENTS: Record<string, string[]> = {
  Author: ['orderBy: BORN', 'where: { born: { gt: "1901-01-01" } }', 'last: 3', 'offset: "2"'],
  Book: [
    'where: { rating: { lt: 8 } }',
    'orderBy: [RATING, PAGES], orderDirection: [DESC, ASC]',
    'where: { NOT: { pages: { in: [87, 124] } } }',
    'first: 1, orderBy: TITLE',
    'last: 2',
  ],
  Review: ['orderBy: STARS, orderDirection: DESC', 'where: { stars: { gte: 4 } }', 'first: 0'],
}

function randomQuery(random: () => number): string {
  const pick = <One>(all: readonly One[]) => all[Math.floor(random() * all.length)] as One
  const select = (type: GraphQLObjectType, depth: number): string => {
    const parts: string[] = []
    for (const field of Object.values(type.getFields())) {
      if (field.name === 'shout' || random() < 0.5) continue
      const of = getNamedType(field.type)
      if (!isObjectType(of)) parts.push(field.name)
      else if (depth === 0) continue
      else if (!of.name.endsWith('Connection')) parts.push(`${field.name} ${select(of, depth - 1)}`)
      else parts.push(connection(field.name, of, depth))
    }
    return `{ ${parts.length > 0 ? parts.join(' ') : '__typename'} }`
  }
  const connection = (name: string, of: GraphQLObjectType, depth: number): string => {
    const row = getNamedType(of.getFields().nodes?.type) as GraphQLObjectType
    const args = random() < 0.5 ? `(${pick(ARGUMENTS[row.name] ?? [''])})` : '(first: 4)'
    const total = random() < 0.3 ? 'totalCount' : ''
    const info = random() < 0.3 ? 'pageInfo { hasNextPage hasPreviousPage }' : ''
    return `${name}${args} { nodes ${select(row, depth - 1)} ${total} ${info} }`
  }
  const query = library.schema.getQueryType() as GraphQLObjectType
  const { authors, books } = query.getFields()
  const root = pick(['authors', 'books', 'book'])
  if (root === 'book') {
    const book = library.schema.getType('Book') as GraphQLObjectType
    return `{ book(id: ${Math.floor(random() * 125)}) ${select(book, 3)} }`
  }
  const type = getNamedType((root === 'authors' ? authors : books)?.type)
  return `{ ${connection(root, type as GraphQLObjectType, 4)} }`
}

test(`random queries have the answers of resolvers, by one statement (SEED=${seed})`, async () => {
  const random = numbersFrom(seed)
  for (let i = 0; i < QUERIES; i++) {
    const text = randomQuery(random)
    const { data, statements } = await library.planned(text)
    expect(data, `${text}: ${library.planOf(text).refusal()}`).toBeDefined()
    expect(statements, text).toBe(1)
    expect({ data }, text).toEqual(await library.resolved(text))
  }
})
