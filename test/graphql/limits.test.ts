import {
  type GraphQLObjectType,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isObjectType,
  parse,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documents } from '../../src/bench/index.ts'
import { noValues } from '../../src/graphql/example-values.ts'
import { examples } from '../../src/graphql/examples.ts'
import { Limiter, NO_LIMITS } from '../../src/graphql/policy/limits.ts'
import { compileCost, figureOf } from '../../src/graphql/policy/operation-cost.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { endpointOperations } from '../../src/rest/endpoint-operations.ts'
import { graphOperations } from '../../src/sources/index.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'

const DEFAULTS = { depth: 15, aliases: 100, tokens: 2000, cost: 100_000 }
const schema = createSchema()
const costOf = (query: string, variables: object = {}, operationName?: string) => {
  const cost = compileCost(schema, parse(query), operationName)
  return cost === undefined ? undefined : figureOf(cost, variables as Record<string, unknown>)
}

describe('the cost of an operation', () => {
  test.each<[string, string, number, object?]>([
    ['stored values cost nothing', '{ __typename }', 0],
    ['a value that a resolver computes costs 1', '{ dataVersion __typename }', 1],
    ['an object costs 1, and 30 for its place', '{ program { totalPoints userCount } }', 30 + 1],
    [
      'a list costs its page, and 100 for its place',
      '{ leaderboard(first: 5) { nodes { rank } pageInfo { hasNextPage } } }',
      100 + 1 + 5,
    ],
    ['a page has 100 rows when left out', '{ leaderboard { nodes { rank } } }', 100 + 101],
    ['first: null is left out', '{ leaderboard(first: null) { nodes { rank } } }', 100 + 101],
    ['a page from the end', '{ leaderboard(last: 7) { nodes { rank } } }', 100 + 8],
    [
      'edges cost what nodes do',
      '{ leaderboard(first: 5) { edges { cursor node { rank } } } }',
      100 + 6,
    ],
    [
      'pages multiply',
      '{ pools(first: 10) { nodes { positions(first: 5) { nodes { user { rank } } } } } }',
      100 + 600 + 30 + 1 + 10 * (1 + 1 + 5 * 2),
    ],
    ['counting costs 10', '{ pools(first: 10) { totalCount } }', 100 + 11],
    [
      'a page that is larger than pages are',
      '{ leaderboard(first: 2147483647) { nodes { rank } } }',
      100 + 1001,
    ],
    [
      'a page that cannot be full',
      '{ user(address: "a") { earnings { breakdown(first: 1000) { earningsUsd } } } }',
      30 + 1 + 30 + 5 + 100 + 1 + 20,
    ],
    ['a page without rows', '{ pools(first: 10) { pageInfo { hasNextPage } } }', 100 + 1],
    [
      'as many users as addresses',
      `{ lookupUsers(addresses: ["a", "b", "c"]) { earnings { earningsUsd } } }`,
      100 + 1 + 30 + 3 * (1 + 5),
    ],
    [
      'a list that is a variable',
      'query ($a: [Address!]!) { lookupUsers(addresses: $a) { rank } }',
      100 + 1 + 2,
      { a: ['a', 'b'] },
    ],
    [
      'a variable that is one of a list',
      'query ($a: [Address!]!) { lookupUsers(addresses: $a) { rank } }',
      100 + 1 + 1,
      { a: 'a' },
    ],
    [
      'a page that is a variable',
      'query ($n: Int) { leaderboard(first: $n) { nodes { rank } } }',
      1101,
      { n: 1000 },
    ],
    [
      'a variable that is not given',
      'query ($n: Int) { leaderboard(first: $n) { nodes { rank } } }',
      201,
    ],
    [
      'a variable that is null',
      'query ($n: Int = 5) { leaderboard(first: $n) { nodes { rank } } }',
      201,
      { n: null },
    ],
    [
      'a variable with a default',
      'query ($n: Int = 5) { leaderboard(first: $n) { nodes { rank } } }',
      106,
    ],
    ['an argument with a default', '{ search(text: "a") { match } }', 100 + 200 + 10 * (1 + 1)],
    [
      "a user's series costs its buckets",
      '{ user(address: "a") { series(from: "2023-01-01", to: "2025-09-01") { points } } }',
      30 + 1 + 300 + 10 + 975 * (2 + 1),
    ],
    [
      'fewer of them where they are longer',
      '{ user(address: "a") { series(interval: WEEK, from: "2023-01-01", to: "2025-09-01") { points } } }',
      30 + 1 + 300 + 10 + 141 * (2 + 1),
    ],
    [
      'a series whose start is a variable',
      'query ($from: DateTime) { user(address: "a") { series(from: $from, to: "2025-09-01") { points } } }',
      30 + 1 + 300 + 10 + 32 * (2 + 1),
      { from: '2025-08-01' },
    ],
    [
      'ranks of many days, of many users',
      '{ lookupUsers(addresses: ["a", "b"]) { series(from: "2023-01-01", to: "2025-09-01") { rank } } }',
      100 + 1 + 300 + 2 * (1 + 10 + 975 * (2 + 1)),
    ],
    [
      'earnings through time',
      '{ user(address: "a") { series(from: "2025-08-01", to: "2025-09-01") { positionCount earningsUsd worth { netUsd } } } }',
      30 + 1 + 300 + 10 + 32 * (2 + 1 + 3 + 3),
    ],
    [
      'a portfolio through time, by its addresses',
      'query ($to: DateTime) { portfolio(addresses: ["a", "b", "c"]) { series(from: "2025-08-01", to: $to) { points earningsUsd } } }',
      50 + 1 + 3 + 300 + 10 + 32 * (2 + 1 + 3) + 3 * 32 * 2,
      { to: '2025-09-01' },
    ],
    [
      'rates of many days',
      '{ market(chainId: 1, address: "a") { rateSeries: aprSeries(from: "2023-01-01", to: "2025-09-01") { to } } }',
      30 + 1 + 300 + 10 + 975,
    ],
    [
      'a list of a known bound',
      '{ user(address: "a") { latestSnapshots { time } } }',
      30 + 1 + 100 + 1 + 10,
    ],
    [
      'the dearest of several types',
      '{ node(id: "a") { ... on User { earnings { earningsUsd } } ... on Pool { name } } }',
      50 + 1 + 30 + 5,
    ],
    [
      'what is requested twice is read once',
      '{ program { totalPoints } program { userCount } ...F } fragment F on Query { program { positionCount: recordCount } }',
      31,
    ],
    [
      'an alias is read for itself',
      '{ a: program { totalPoints } b: program { totalPoints } }',
      62,
    ],
    ['what is skipped is not read', '{ program @skip(if: true) { totalPoints } dataVersion }', 1],
    [
      'what is not included is not read',
      'query ($all: Boolean!) { program @include(if: $all) { totalPoints } }',
      0,
      { all: false },
    ],
    [
      'what is included is',
      'query ($all: Boolean!) { ... @include(if: $all) { program { totalPoints } } }',
      31,
      { all: true },
    ],
    [
      'a default of a condition',
      'query ($all: Boolean = true) { program @include(if: $all) { totalPoints } }',
      31,
    ],
  ])('%s', (_, query, cost, variables) => {
    expect(costOf(query, variables)).toBe(cost)
  })

  test('it is that of the operation that is named', () => {
    const two = 'query A { program { totalPoints } } query B { dataVersion }'
    expect([costOf(two, {}, 'A'), costOf(two, {}, 'B'), costOf(two, {}, 'C'), costOf(two)]).toEqual(
      [31, 1, undefined, undefined],
    )
  })

  test('every list of the graph has a size that is real', () => {
    const unknown = Object.values(schema.getTypeMap())
      .filter((type): type is GraphQLObjectType => isObjectType(type) && !isIntrospectionType(type))
      .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
      .filter(
        ({ field }) =>
          isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type)),
      )
      .filter(
        ({ field: { args, extensions } }) =>
          !extensions.cost && !args.some(({ type }) => /^\[.*\]!$/.test(String(type))),
      )
      .map(({ type, field }) => `${type.name}.${field.name}`)
    expect(unknown).toEqual([])
  })

  test('a document that expands without end is refused at once', () => {
    const levels = 400
    const level = (i: number) => `fragment F${i} on User { latestSnapshots {
      user { ...F${i + 1} } ... { user { ...F${i + 1} rank } } } }`
    const bomb = `{ user(address: "a") { ...F0 } } ${Array.from({ length: levels }, (_, i) => level(i)).join('\n')} fragment F${levels} on User { rank }`
    const started = process.cpuUsage()
    expect(costOf(bomb)).toBeGreaterThan(1e100)
    const doubling = (i: number) =>
      `fragment F${i} on Pool { a: marketA { pool { ...F${i + 1} } } b: marketA { pool { ...F${i + 1} } } }`
    const wide = `{ pool(address: "a") { ...F0 } } ${Array.from({ length: levels }, (_, i) => doubling(i)).join('\n')} fragment F${levels} on Pool { name }`
    expect(costOf(wide)).toBeGreaterThan(1e100)
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1000).toBeLessThan(2000)
  })

  test('one that has more fields than can be looked at costs more than any limit', () => {
    const many = `{ ${Array.from({ length: 15_000 }, (_, i) => `a${i}: program { totalPoints }`).join(' ')} }`
    expect(costOf(many)).toBe(Number.POSITIVE_INFINITY)
    const limiter = new Limiter(schema, { ...NO_LIMITS, cost: 10 })
    expect(() => limiter.assertAllowed({ document: limiter.parse(many) }, {})).toThrow(
      /costs too much to compute/,
    )
  })

  test('the check takes microseconds', () => {
    const limiter = new Limiter(schema, DEFAULTS)
    const operation = { document: limiter.parse(documents.userPage) }
    const started = process.cpuUsage()
    for (let i = 0; i < 10_000; i++) limiter.assertAllowed(operation, { address: 'a' })
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 10_000).toBeLessThan(100)
  })
})

describe('the defaults let through', () => {
  const limiter = new Limiter(schema, DEFAULTS)
  const variables = { first: 1000, addresses: Array(1000).fill('a') }
  test.each([
    ...examples.map((one): [string, string, object] => [
      `the example ${one.name}`,
      one.query,
      one.variables?.(noValues) ?? {},
    ]),
    ...Object.entries(documents).map(([name, text]): [string, string, object] => [
      `the bench's ${name}`,
      text,
      variables,
    ]),
    ...Object.entries(graphOperations).map(([name, text]): [string, string, object] => [
      `an import's ${name}`,
      text,
      {},
    ]),
    ...endpointOperations.map((text): [string, string, object] => [
      `REST's ${text.slice(0, 40)}`,
      text,
      variables,
    ]),
    ['the introspection of a client', getIntrospectionQuery(), {}],
    [
      'the introspection of GraphiQL',
      getIntrospectionQuery({
        inputValueDeprecation: true,
        schemaDescription: true,
        specifiedByUrl: true,
        directiveIsRepeatable: true,
      }),
      {},
    ],
  ])('%s', (_, text, variables) => {
    const document = limiter.parse(text)
    expect(limiter.validate(document)).toEqual([])
    expect(() =>
      limiter.assertAllowed({ document }, variables as Record<string, unknown>),
    ).not.toThrow()
  })
})

describe('over HTTP', () => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway()
  })
  afterAll(() => gateway.close())

  const post = async (body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${gateway.base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return {
      status: response.status,
      ...((await response.json()) as { data?: any; errors?: any[]; extensions?: any }),
    }
  }
  const NESTED =
    'query ($n: Int!) { users(first: $n) { nodes { positions(first: $n) { nodes { points } } } } }'

  test('too much is a 400 that says what it cost, what is allowed and what to do', async () => {
    const answer = await post({ query: NESTED, variables: { n: 1000 } })
    expect(answer.status).toBe(400)
    expect(answer.data).toBeUndefined()
    expect(answer.errors?.[0]).toMatchObject({
      message: expect.stringMatching(/costs 1,002,701, at most 100,000 is allowed.*first:/),
      extensions: {
        code: 'COST_LIMIT_EXCEEDED',
        cost: { requested: 1_002_701, allowed: 100_000 },
        requestId: expect.any(String),
      },
    })
  })

  test('a document that passed with a small page is refused with a large one, however often it came', async () => {
    for (let i = 0; i < 4; i++)
      expect((await post({ query: NESTED, variables: { n: 2 } })).status).toBe(200)
    for (let i = 0; i < 3; i++)
      expect((await post({ query: NESTED, variables: { n: 1000 } })).status).toBe(400)
    const get = (n: number) =>
      gateway.get(
        `/graphql?query=${encodeURIComponent(NESTED)}&variables=${encodeURIComponent(JSON.stringify({ n }))}`,
      )
    for (let i = 0; i < 4; i++) expect((await get(3)).status).toBe(200)
    expect((await get(1000)).status).toBe(400)
    const form = (n: number) =>
      fetch(`${gateway.base}/graphql`, {
        method: 'POST',
        body: new URLSearchParams({ query: NESTED, variables: JSON.stringify({ n }) }),
      })
    expect((await form(2)).status).toBe(200)
    expect((await form(1000)).status).toBe(400)
    for (const accept of [
      'application/graphql-response+json',
      'multipart/mixed, application/json',
      'text/event-stream',
    ])
      expect(
        (
          await fetch(`${gateway.base}/graphql`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', accept },
            body: JSON.stringify({ query: NESTED, variables: { n: 1000 } }),
          })
        ).status,
        accept,
      ).toBe(400)
  })

  test('it applies to subscriptions', async () => {
    const query = `subscription ($n: Int!) { dataChanged { query { users(first: $n) { nodes { positions(first: $n) { nodes { points } } } } } } }`
    const open = (n: number) => {
      const end = new AbortController()
      return fetch(`${gateway.base}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({ query, variables: { n } }),
        signal: end.signal,
      }).then((response) => ({ response, end: () => end.abort() }))
    }
    const small = await open(2)
    expect(small.response.status).toBe(200)
    small.end()
    const large = await open(1000)
    expect(large.response.status).toBe(400)
    expect(await large.response.text()).toContain('COST_LIMIT_EXCEEDED')
  })

  test('it applies to mutations and previews', async () => {
    const query =
      'mutation ($n: Int!) { resyncDistribution { run { distribution { positions(first: $n) { nodes { user { positions(first: $n) { nodes { points } } } } } } } } }'
    const answer = await post({ query, variables: { n: 1000 } }, asAdmin)
    expect(answer).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'COST_LIMIT_EXCEEDED' } }],
    })
  })

  test('the cost is reported on request, in every kind of response', async () => {
    const asked = { query: '{ leaderboard(first: 5) { nodes { rank } } }' }
    for (let i = 0; i < 3; i++) {
      expect(await post(asked)).not.toHaveProperty('extensions')
      expect((await post(asked, { 'x-graphql-cost': '1' })).extensions).toEqual({
        cost: { requested: 106, allowed: 100_000 },
      })
    }
    const response = await gateway.get(`/graphql?query=${encodeURIComponent(asked.query)}`, {
      'x-graphql-cost': '1',
    })
    expect(await response.json()).toHaveProperty('extensions.cost.requested', 106)
  })

  const refused: [string, string, string][] = [
    [
      '10,000 aliases',
      `{ ${Array.from({ length: 10_000 }, (_, i) => `a${i}: dataVersion`).join(' ')} }`,
      'TOKEN_LIMIT_EXCEEDED',
    ],
    [
      '200 aliases',
      `{ ${Array.from({ length: 200 }, (_, i) => `a${i}: dataVersion`).join(' ')} }`,
      'ALIAS_LIMIT_EXCEEDED',
    ],
    [
      'aliases in fragments that are spread over and over',
      `{ program { ...A } } fragment A on Program { a: totalPoints b: totalPoints ${'...B '.repeat(60)} } fragment B on Program { c: totalPoints d: totalPoints }`,
      'ALIAS_LIMIT_EXCEEDED',
    ],
    [
      'depth',
      `{ pool(address: "0x${'1'.repeat(40)}") ${'{ marketA { pool '.repeat(10)} { name } ${'} }'.repeat(10)} }`,
      'DEPTH_LIMIT_EXCEEDED',
    ],
    [
      'depth that fragments hide',
      `{ pool(address: "0x${'1'.repeat(40)}") { ...F0 } } ${Array.from({ length: 10 }, (_, i) => `fragment F${i} on Pool { marketA { pool { ...F${i + 1} } } }`).join(' ')} fragment F10 on Pool { name }`,
      'DEPTH_LIMIT_EXCEEDED',
    ],
    [
      'fragments in a cycle',
      '{ program { ...A } } fragment A on Program { ...B } fragment B on Program { ...A totalPoints }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'introspection in depth',
      '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'introspection over and over',
      `{ ${Array.from({ length: 90 }, (_, i) => `a${i}: __schema { ...S }`).join(' ')} } fragment S on __Schema { types { fields { type { fields { args { name type { name } } } } } } }`,
      'COST_LIMIT_EXCEEDED',
    ],
    [
      'introspection over and over that would cost little',
      `{ ${Array.from({ length: 30 }, (_, i) => `a${i}: __schema { types { name fields { name type { name } } } }`).join(' ')} }`,
      'COST_LIMIT_EXCEEDED',
    ],
  ]
  test.each(refused)('%s is refused, again and again', async (_, query, code) => {
    for (let i = 0; i < 3; i++) {
      const started = process.cpuUsage()
      const answer = await post({ query })
      const { user, system } = process.cpuUsage(started)
      expect(answer.errors?.[0]?.extensions.code, JSON.stringify(answer).slice(0, 500)).toBe(code)
      if (!code.startsWith('GRAPHQL_')) expect(answer.status).toBe(400)
      expect((user + system) / 1000).toBeLessThan(2000)
    }
    expect((await post({ query }, { accept: 'application/graphql-response+json' })).status).toBe(
      400,
    )
  })

  test('nesting that no parser takes is refused', async () => {
    const open = await startGateway({ on: gateway, env: { MAX_QUERY_TOKENS: '0' } })
    const answer = await open.graphql('{ a '.repeat(200_000))
    expect(answer.errors?.[0]?.extensions.code).toMatch(
      /^(DEPTH_LIMIT_EXCEEDED|GRAPHQL_PARSE_FAILED)$/,
    )
    await open.close()
  })

  test('clients can query the limits; 0 means no limit', async () => {
    const query = '{ limits { depth aliases tokens cost pageSize } }'
    expect((await gateway.graphql(query)).data).toEqual({ limits: { ...DEFAULTS, pageSize: 1000 } })
    const off = {
      MAX_QUERY_DEPTH: '0',
      MAX_QUERY_ALIASES: '0',
      MAX_QUERY_TOKENS: '0',
      MAX_QUERY_COST: '0',
    }
    const open = await startGateway({ on: gateway, env: off })
    try {
      expect((await open.graphql(query)).data).toEqual({
        limits: { depth: null, aliases: null, tokens: null, cost: null, pageSize: 1000 },
      })
      expect((await open.graphql(NESTED, { n: 1000 })).errors).toBeUndefined()
      for (const [what, text, code] of refused)
        if (!code.startsWith('GRAPHQL_') && !what.startsWith('introspection'))
          expect((await open.graphql(text)).errors, what).toBeUndefined()
      const { extensions } = (await open.graphql(query, {}, { 'x-graphql-cost': '1' })) as {
        extensions?: object
      }
      expect(extensions).toEqual({ cost: { requested: 1, allowed: null } })
    } finally {
      await open.close()
    }
  })

  test("REST's own operations are exempt", async () => {
    const strict = await startGateway({
      on: gateway,
      env: { MAX_QUERY_COST: '1', MAX_QUERY_DEPTH: '1' },
    })
    expect((await strict.get('/pools/all')).status).toBeLessThan(300)
    expect((await strict.get(`/points/0x${'1'.repeat(40)}`)).status).toBeLessThan(300)
    await strict.close()
  })
})
