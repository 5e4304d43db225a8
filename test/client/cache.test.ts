import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InMemoryCache } from '@apollo/client'
import { Client, fetchExchange } from '@urql/core'
import {
  buildSchema,
  type DocumentNode,
  execute,
  type GraphQLFieldResolver,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  introspectionFromSchema,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
} from 'graphql'
import * as client from 'lending-graph-client'
import { graphcacheKeys, possibleTypes, typePolicies, withPages } from 'lending-graph-client'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'

/** What the caches of client libraries keep of every document of the client. */

const ROOT = join(import.meta.dirname, '../..')
const schema = buildSchema(readFileSync(join(ROOT, 'src/generated/schema.graphql'), 'utf8'))

const queries = Object.entries(client).filter(
  (entry): entry is [string, DocumentNode] =>
    entry[0].endsWith('Document') && operationOf(entry[1] as DocumentNode)?.operation === 'query',
)

function operationOf({ definitions }: DocumentNode): OperationDefinitionNode | undefined {
  return definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION)
}

const VALUES: Record<string, unknown> = {
  Address: `0x${'1'.repeat(40)}`,
  BigInt: '7',
  Boolean: true,
  Date: '2026-01-02',
  DateTime: '2026-01-02T00:00:00.000Z',
  Float: 0.5,
  ID: 'id',
  Int: 2,
  SafeInt: 1,
  String: 'text',
}

/** Of an input object the required fields, or the first one if there must be exactly one. */
function inputOf(type: GraphQLInputType): unknown {
  const bare = getNullableType(type)
  if (isListType(bare)) return [inputOf(bare.ofType)]
  if (isEnumType(bare)) return bare.getValues()[0]?.name
  if (!isInputObjectType(bare)) return VALUES[bare.name]
  const all = Object.values(bare.getFields())
  const sent = bare.isOneOf ? all.slice(0, 1) : all.filter((field) => isNonNullType(field.type))
  return Object.fromEntries(sent.map((field) => [field.name, inputOf(field.type)]))
}

/** A value of each required variable. */
const variablesOf = (document: DocumentNode) =>
  Object.fromEntries(
    (operationOf(document)?.variableDefinitions ?? []).flatMap(({ variable, type }) => {
      const typed = typeFromAST(schema, type as never) as GraphQLInputType
      return isNonNullType(typed) ? [[variable.name.value, inputOf(typed)]] : []
    }),
  )

/** A value that depends on nothing but its object, its field and the field's arguments. */
const made: GraphQLFieldResolver<{ at: string }, unknown> = (parent, args, _, info) => {
  const at = `${parent?.at ?? ''}/${info.fieldName}${JSON.stringify(args)}`
  const value = (type: GraphQLOutputType, place: string): unknown => {
    const bare = getNullableType(type)
    if (isListType(bare)) return [0, 1].map((i) => value(bare.ofType, `${place}:${i}`))
    if (isEnumType(bare)) return bare.getValues()[0]?.value
    if (isObjectType(bare)) return { __typename: bare.name, at: place }
    if (isAbstractType(bare)) {
      const [first] = schema.getPossibleTypes(bare)
      return { __typename: first?.name, at: place }
    }
    const { name } = getNamedType(bare)
    if (name === 'ID') return `${info.parentType.name} ${place}`
    return name === 'String' ? place : VALUES[name]
  }
  return value(info.returnType, at)
}

const answerTo = (document: DocumentNode, variables = variablesOf(document)) => {
  const { data, errors } = execute({
    schema,
    document,
    variableValues: variables as Record<string, unknown>,
    fieldResolver: made as GraphQLFieldResolver<unknown, unknown>,
  }) as { data?: unknown; errors?: unknown }
  expect(errors).toBeUndefined()
  return JSON.parse(JSON.stringify(data))
}

const read = (cache: InMemoryCache, query: DocumentNode) =>
  cache.readQuery<object>({ query, variables: variablesOf(query) })

describe("Apollo's cache", () => {
  const warned = vi.fn()
  for (const method of ['error', 'warn'] as const)
    vi.spyOn(console, method).mockImplementation(warned)
  beforeEach(() => void warned.mockClear())
  afterAll(() => void vi.restoreAllMocks())

  const filled = (policies: typeof typePolicies | undefined, order: typeof queries) => {
    const cache = new InMemoryCache({
      possibleTypes,
      ...(policies && { typePolicies: policies }),
    })
    const written = order.map(([name, query]) => {
      const data = answerTo(cache.transformDocument(query))
      cache.writeQuery({ query, data, variables: variablesOf(query) })
      return { name, query, data }
    })
    const lost = written.filter(({ query }) => read(cache, query) === null)
    return { cache, written, lost: lost.map(({ name }) => name) }
  }

  test.each([
    ['in the order of their names', (all: typeof queries) => all],
    ['in the reverse order', (all: typeof queries) => all.toReversed()],
  ])('has all answers after all documents, %s', (_, ordered) => {
    const { cache, written, lost } = filled(typePolicies, ordered(queries))
    expect(written.length).toBeGreaterThan(30)
    expect(lost).toEqual([])
    const root = { __typename: 'Query' }
    for (const { name, query, data } of written)
      expect({ ...root, ...read(cache, query) }, name).toEqual({ ...root, ...data })
    expect(warned.mock.calls).toEqual([])
  })

  test('loses some of them without the policies', () => {
    expect(filled(undefined, queries).lost).not.toEqual([])
  })

  const row = (address: string, more: object) => ({
    __typename: 'EntityEarnings',
    entityAddress: address,
    ...more,
  })
  const merged = (existing: object[] | undefined, incoming: object[]) =>
    typePolicies.Earnings?.fields?.breakdown?.merge(existing, incoming, {
      args: null,
      mergeObjects: (before, now) => ({ ...before, ...now }),
    })

  test('rows are merged only if they agree in what both have', () => {
    const [first, second] = [row('0x1', { worthUsd: 1 }), row('0x2', { worthUsd: 2 })]
    expect(merged([first, second], [row('0x1', { earningsUsd: 3 }), row('0x3', {})])).toEqual([
      { ...first, earningsUsd: 3 },
      row('0x3', {}),
    ])
    expect(merged([first], [second, first])).toEqual([second, first])
    expect(merged([{ __typename: 'A', x: 1 }], [{ __typename: 'A', y: 1 }])).toEqual([
      { __typename: 'A', y: 1 },
    ])
    expect(merged(undefined, [first])).toEqual([first])
  })

  test('withPages appends the pages of fetchMore, and a page that is read again replaces itself', () => {
    const { activity } = withPages({ User: ['activity'] }).User?.fields ?? {}
    const nodes = (...ids: number[]) => ids.map((id) => ({ __ref: `Activity:${id}` }))
    const merge = (existing: object | undefined, ids: number[], args: Record<string, unknown>) =>
      activity?.merge(
        existing,
        { nodes: nodes(...ids) },
        {
          args,
          mergeObjects: (before, now) => ({ ...before, ...now }),
        },
      )
    expect(activity?.keyArgs?.({ first: 2, after: 'x', where: {} })).toEqual(['where'])
    const first = merge(undefined, [1, 2], { first: 2 })
    const second = merge(first, [3, 4], { first: 2, after: 'b' })
    expect(second).toEqual({ nodes: nodes(1, 2, 3, 4) })
    expect(merge(second, [3, 5], { first: 2, after: 'b' })).toEqual({ nodes: nodes(1, 2, 3, 5) })
    expect(merge(second, [9], { first: 1, offset: '2' })).toEqual({ nodes: nodes(1, 2, 9) })
    expect(merge(second, [8], { first: 1 })).toEqual({ nodes: nodes(8) })
    expect(withPages({}).User).toEqual(typePolicies.User)
  })
})

test("Graphcache's keys are the types without an id, and no others", () => {
  const without = Object.values(schema.getTypeMap()).filter(
    (type) =>
      isObjectType(type) &&
      !type.name.startsWith('__') &&
      !['Query', 'Mutation', 'Subscription'].includes(type.name) &&
      !('id' in type.getFields()),
  )
  expect(Object.keys(graphcacheKeys).sort()).toEqual(without.map(({ name }) => name).sort())
  for (const key of Object.values(graphcacheKeys)) expect(key()).toBeNull()
})

// A package that the repository need not have.
const GRAPHCACHE = '@urql/exchange-graphcache'
const graphcache = await import(/* @vite-ignore */ GRAPHCACHE).catch(() => undefined)

test.skipIf(!graphcache)(`${GRAPHCACHE} has all answers after all documents`, async () => {
  const warned = vi.fn()
  const logger = (_: string, message: string) => warned(message)
  const introspected = introspectionFromSchema(schema)
  const store = graphcache.cacheExchange({ keys: graphcacheKeys, schema: introspected, logger })
  const urql = new Client({
    url: 'http://127.0.0.1/graphql',
    exchanges: [store, fetchExchange],
    preferGetMethod: false,
    fetch: async (_, request) => {
      const { query, variables } = JSON.parse(String(request?.body))
      return Response.json({ data: answerTo(parse(query), variables) })
    },
  })
  const answers = async (requestPolicy: 'network-only' | 'cache-only') => {
    const all: Record<string, unknown> = {}
    for (const [name, query] of queries) {
      const asked = urql.query<unknown>(query, variablesOf(query), { requestPolicy })
      const { data, error, stale } = await asked.toPromise()
      expect({ error, stale }, name).toEqual({ error: undefined, stale: false })
      all[name] = data
    }
    return all
  }
  const sent = await answers('network-only')
  expect(Object.keys(sent).length).toBeGreaterThan(30)
  expect(await answers('cache-only')).toEqual(sent)
  expect(warned.mock.calls).toEqual([])
})
