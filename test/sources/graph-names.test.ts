import { buildSchema, parse, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { defaultNames, parseNames } from '../../src/sources/index.ts'
import { inNamesOf } from '../../src/sources/positions/graph-names.ts'
import {
  positionsByCursor,
  positionsByOffset,
} from '../../src/sources/positions/graph-operations.ts'

const plain = (text: string) => text.replace(/\s+/g, ' ').trim()

describe('names of a source', () => {
  test('those that are given replace ours', () => {
    expect(
      parseNames('{"user": "account.id", "time": "where.timestamp: BigInt!", "pools": ""}'),
    ).toEqual({
      ...defaultNames,
      user: 'account.id',
      time: 'where.timestamp: BigInt!',
      pools: '',
    })
  })

  test.each([
    ['nonsense', 'must be a JSON object such as {"user": "account.id", "time": "timestamp"}'],
    ['["user"]', 'must be a JSON object'],
    ['{"usr": "account"}', 'names "usr", which is not one of positions, block, '],
    ['{"toString": "account"}', 'names "toString", which is not one of'],
    ['{"user": ""}', 'must not leave out user: only block, pools, time, first, limit can be'],
    ['{"user": 7}', 'must give user a name such as "user" or "account.id", not 7'],
    ['{"user": "account id"}', 'must give user a name'],
    ['{"user": "account { id }"}', 'must give user a name'],
    ['{"user": "account.id: String"}', 'must give user a name'],
    [
      '{"time": "at: Int) {"}',
      'must give time a name such as "time", "where.time" or "time: Int!", not "at: Int) {"',
    ],
  ])('%s', (text, message) => {
    expect(() => parseNames(text)).toThrow(message)
  })
})

const named = (names: object) => parseNames(JSON.stringify(names))

describe('an operation in the names of a source', () => {
  test('is ours where the source has our names', () => {
    const text = plain(inNamesOf(defaultNames, positionsByCursor))
    expect(text).toContain(
      'query PositionsByCursor($pools: [String!]!, $time: Int!, $first: Int!, $after: String)',
    )
    expect(text).not.toMatch(/\w: \w+ [{}\w]/)
  })

  test('has its names under aliases that are ours, paths, nested arguments and types', () => {
    const names = named({
      positions: 'lending.userPositions',
      block: '',
      totalCount: 'count',
      pageInfo: 'paging',
      hasNextPage: 'more',
      nodes: 'edges.node',
      user: 'account.id',
      aSupplied: 'a.supplied',
      aProtected: 'a.protectedSupplied',
      pools: 'where.pool_in: [ID!]!',
      time: 'where.timestamp: BigInt!',
      first: '',
      after: 'cursor',
    })
    expect(plain(inNamesOf(names, positionsByCursor))).toBe(
      plain(`query PositionsByCursor($pools: [ID!]!, $time: BigInt!, $after: String) {
        positions: lending {
          userPositions(where: {pool_in: $pools, timestamp: $time}, cursor: $after) {
            totalCount: count
            pageInfo: paging { hasNextPage: more endCursor }
            nodes: edges { node {
              user: account { id }
              pool
              aSupplied: a { supplied }
              aProtected: a { protectedSupplied }
              aBorrowed bSupplied bProtected bBorrowed
            } }
          }
        }
      }`),
    )
  })

  test('is valid in a schema of other names', () => {
    const schema = buildSchema(`
      scalar BigInt
      type Query { userPositions(where: Filter, limit: Int, offset: Int): Page! }
      input Filter { timestamp: BigInt! }
      type Page { total: Int! items: [Item!]! }
      type Item { account: Account! pool: ID! a: Side! b: Side! }
      type Account { id: ID! }
      type Side { supplied: BigInt! protected: BigInt! borrowed: BigInt! }`)
    const names = named({
      positions: 'userPositions',
      totalCount: 'total',
      block: '',
      nodes: 'items',
      user: 'account.id',
      aSupplied: 'a.supplied',
      aProtected: 'a.protected',
      aBorrowed: 'a.borrowed',
      bSupplied: 'b.supplied',
      bProtected: 'b.protected',
      bBorrowed: 'b.borrowed',
      pools: '',
      time: 'where.timestamp: BigInt!',
    })
    expect(validate(schema, parse(inNamesOf(names, positionsByOffset)))).toEqual([])
    expect(validate(schema, parse(inNamesOf(defaultNames, positionsByOffset)))).not.toEqual([])
  })
})
