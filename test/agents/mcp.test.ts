import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { TOOLS } from '../../src/agents/tools.ts'
import { type Agent, connectAgent } from '../support/agent.ts'
import { addressOf, record } from '../support/datasets.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles } from '../support/one-pool.ts'
import { startOnSample } from '../support/sample.ts'

/** MCP, as the official client and others speak it. */

let gateway: Gateway
let agent: Agent
let user: string
beforeAll(async () => {
  gateway = await startOnSample()
  agent = await connectAgent(gateway.base)
  user = (await gateway.ask('{ leaderboard(first: 1) { nodes { user { address } } } }')).leaderboard
    .nodes[0].user.address
})
afterAll(async () => {
  await agent?.close()
  await gateway?.close()
})

const ACCEPT = 'application/json, text/event-stream'
const HEADERS = { 'content-type': 'application/json', accept: ACCEPT }

/** Sends a body to /mcp, as no client does. */
async function send(body: string | object, headers: Record<string, string> = {}, to = gateway) {
  const response = await fetch(`${to.base}/mcp`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
}

const called = (name: string, sent: object, id = 1) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: sent },
})

describe('tools', () => {
  test('the instructions name the newest date', async () => {
    const { distributions } = await gateway.ask('{ distributions(first: 1) { nodes { date } } }')
    expect(agent.client.getInstructions()).toContain(distributions.nodes[0].date)
  })

  test('each has a description, only reads, and its schema describes every argument', async () => {
    const { tools } = await agent.client.listTools()
    expect(tools.length).toBeGreaterThan(30)
    const ajv = new Ajv({ strict: true, allowUnionTypes: true })
    for (const { name, description, inputSchema, annotations } of tools) {
      expect(name).toMatch(/^[a-z][a-z_]+$/)
      expect(description?.length, name).toBeGreaterThan(30)
      expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false })
      ajv.compile(inputSchema)
      for (const [key, value] of Object.entries(inputSchema.properties ?? {}))
        expect((value as { description?: string }).description, `${name} ${key}`).toBeTruthy()
      const { where } = inputSchema.properties as Record<string, { properties?: object }>
      const filters = TOOLS.find((one) => one.name === name)?.filters
      if (filters) expect(Object.keys(where?.properties ?? {}), name).toEqual(filters)
    }
    expect(JSON.stringify(tools).length).toBeLessThan(60_000)
  })

  test('each takes as many rows, and all choices, that its schema names', async () => {
    const { tools } = await agent.client.listTools()
    const schemaOf = (name: string) =>
      tools.find((one) => one.name === name)?.inputSchema.properties as Record<string, any>
    const most = schemaOf('search').first.maximum
    expect((await agent.call('search', { text: 'ETH', first: most })).isError).toBeFalsy()
    const over = await agent.call('search', { text: 'ETH', first: most + 1 })
    expect(over.isError).toBe(true)
    const { first, groupBy } = schemaOf('program_by_group')
    for (const value of groupBy.enum)
      expect(
        (await agent.call('program_by_group', { groupBy: value, first: first.maximum })).isError,
        value,
      ).toBeFalsy()
    for (const { name, inputSchema } of tools)
      expect(JSON.stringify(inputSchema), name).not.toMatch(/0 to 1000?\b|Cursors stay fast/)
  })

  test('each answers, with the same as text and as data, in 25,000 characters', async () => {
    const { pools, vaults } = await gateway.ask(`{
      pools(first: 1) { nodes { address marketA { chainId address } assetA { chainId address } } }
      vaults(first: 1) { nodes { chainId address } }
    }`)
    const [pool, vault] = [pools.nodes[0], vaults.nodes[0]]
    const change = { group: 'ETH', change: -0.12 }
    const dates = { from: '2026-01-01', to: '2028-01-01' }
    const date = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    const values: Record<string, unknown> = {
      ...{ text: 'ETH', address: user, addresses: [user], user, shocks: [change], date },
      ...{ amountUsd: 10_000, days: 30, groupBy: 'POOL', since: '2026-01-01', ...dates },
      ...{ pool: pool.address, collateral: pool.assetA.address },
    }
    const others: Record<string, object> = {
      positions_hit_by_price_change: { shock: change },
      market_holders: pool.marketA,
      token_prices: pool.assetA,
      vault_over_time: vault,
      vault_holders: vault,
    }
    for (const name of ['pool', 'pool_over_time', 'pool_top_wallets'])
      others[name] = { address: pool.address }
    const { tools } = await agent.client.listTools()
    for (const { name, inputSchema } of tools) {
      const required = (inputSchema.required ?? []).map((one) => [one, values[one]])
      const sent = { ...Object.fromEntries(required), ...others[name] }
      const { isError, content, structuredContent } = await agent.call(name, sent)
      const [{ text }] = content
      expect([name, isError ? text : undefined]).toEqual([name, undefined])
      expect(text.length).toBeLessThanOrEqual(25_000)
      expect(JSON.parse(text)).toEqual(structuredContent)
      expect(text).not.toMatch(/"(id|pageInfo)":/)
      expect(structuredContent, name).not.toMatchObject({ note: expect.anything() })
    }
  })
})

describe('long answers', () => {
  /** Calls a tool with the arguments of each answer until one has none. */
  async function all(name: string, sent: object, by = agent): Promise<any[]> {
    const answers = []
    for (let next: object | undefined = sent; next; ) {
      const { content, structuredContent } = await by.call(name, next)
      expect(content[0].text.length).toBeLessThanOrEqual(25_000)
      answers.push(structuredContent)
      expect(answers.length).toBeLessThan(100)
      next = structuredContent.next?.arguments
    }
    return answers
  }

  test('a page is cut at whole rows, and its cursor goes on until all rows were seen', async () => {
    const answers = await all('positions', { first: 1000 })
    expect(answers.length).toBeGreaterThan(3)
    const rows = answers.flatMap(({ positions }) => positions.nodes)
    const { positions } = await gateway.ask(
      '{ positions(first: 1000) { totalCount nodes { date poolAddress points user { address } } } }',
    )
    expect(rows.length).toBe(positions.totalCount)
    expect(rows).toMatchObject(positions.nodes)
    expect(answers[0].next.note).toContain('longer list')
    expect(answers.at(-1).next).toBeUndefined()
  })

  test.each([
    ['tokens', 'assets', {}],
    ['earnings_estimate', 'pools', { amountUsd: 1000, days: 7 }],
  ])('%s goes on in pages that are asked for', async (name, list, sent) => {
    const answers = await all(name, { ...sent, first: 7 })
    const rows = answers.flatMap((answer) => answer[list].nodes)
    const graph = await gateway.ask(`{ ${list}(first: 1000) { nodes { chainId address } } }`)
    const keys = (nodes: any[]) => nodes.map(({ chainId, address }) => `${chainId} ${address}`)
    expect(keys(rows).sort()).toEqual(keys(graph[list].nodes).sort())
    expect(answers.length).toBe(Math.ceil(rows.length / 7))
  })

  test('addresses and times go on too', async () => {
    const { users } = await gateway.ask('{ users(first: 1000) { nodes { address rank } } }')
    const addresses = users.nodes.map((one: { address: string }) => one.address)
    const wallets = await all('wallets', { addresses })
    expect(wallets.length).toBeGreaterThan(1)
    const rows = wallets.flatMap(({ lookupUsers }) => lookupUsers)
    expect(rows.map(({ address, rank }) => ({ address, rank }))).toEqual(users.nodes)
    const times = await all('wallets_over_time', { addresses: addresses.slice(0, 20) })
    expect(times.length).toBeGreaterThan(1)
    const series = times.flatMap(({ lookupUsers }) => lookupUsers[3].series)
    const { user } = await gateway.ask(
      'query ($address: Address!) { user(address: $address) { series { start points rank } } }',
      { address: addresses[3] },
    )
    expect(series.map(({ start, points, rank }) => ({ start, points, rank }))).toEqual(user.series)
  })

  describe('of lists without pages go on by their rows', () => {
    const SHOCKS = Array.from({ length: 40 }, (_, i) => ({
      group: i % 2 ? 'ETH' : 'USD',
      change: -0.02 * (i + 1),
    }))

    /** Calls a tool until its end, and puts the pages together. */
    async function together(name: string, sent: object, by = agent) {
      const answers = await all(name, sent, by)
      expect(answers.length, name).toBeGreaterThan(1)
      expect(answers[0].next.note).toMatch(/^These are rows 1 to \d+ of \d+ in /)
      const joined = (one: any, other: any): any => {
        if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other]
        if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return other
        const keys = new Set([...Object.keys(one), ...Object.keys(other)])
        return Object.fromEntries(
          [...keys].map((key) => [
            key,
            key in one && key in other ? joined(one[key], other[key]) : (one[key] ?? other[key]),
          ]),
        )
      }
      return answers
        .map(({ next, collateralAtRisk, ...data }) => data)
        .reduce((one, other) => joined(one, other))
    }

    test('price_change_totals', async () => {
      const { poolsAtRisk } = await together('price_change_totals', { shocks: SHOCKS })
      const graph = await gateway.ask(
        `query ($shocks: [PriceShock!]!) {
          poolsAtRisk(shocks: $shocks) { group change poolAddress positionCount debtUsd }
        }`,
        { shocks: SHOCKS },
      )
      expect(poolsAtRisk).toHaveLength(graph.poolsAtRisk.length)
      expect(poolsAtRisk).toMatchObject(graph.poolsAtRisk)
    })

    test('portfolio', async () => {
      const { users } = await gateway.ask('{ users(first: 300) { nodes { address } } }')
      const addresses = users.nodes.map((one: { address: string }) => one.address)
      const { portfolio } = await together('portfolio', { addresses })
      const graph = await gateway.ask(
        `query ($addresses: [Address!]!) { portfolio(addresses: $addresses) {
          totalPoints users { address } pools { poolAddress points userCount }
          entities { chainId entityAddress shares userCount supplied { raw usd } }
        } }`,
        { addresses },
      )
      expect(portfolio).toMatchObject(graph.portfolio)
      for (const list of ['users', 'pools', 'entities'])
        expect(portfolio[list]).toHaveLength(graph.portfolio[list].length)
    })

    test('wallet_holdings', async () => {
      const many = await startGateway()
      const other = await connectAgent(many.base)
      try {
        const vaults = Array.from({ length: 120 }, (_, i) => ({
          ...record.vaults,
          id: addressOf(`vault ${i}`),
        }))
        const snapshots = vaults.map(({ id }, i) => ({
          ...record['vault-snapshots'],
          ...{ vaultId: id, shares: String(i + 1) },
        }))
        await importFiles(many, { vaults, 'vault-snapshots': snapshots })
        const address = addressOf('alice')
        const { user: paged } = await together('wallet_holdings', { address }, other)
        const graph = await many.ask(
          `query ($address: Address!) {
            user(address: $address) { latestSnapshots { entityAddress shares supplied { raw } } }
          }`,
          { address },
        )
        expect(graph.user.latestSnapshots).toHaveLength(120)
        expect(paged.latestSnapshots).toHaveLength(120)
        expect(paged).toMatchObject(graph.user)
      } finally {
        await other.close()
        await many.close()
      }
    })

    test('an offset that is none is a mistake, and one past the end an empty page', async () => {
      for (const offset of ['-1', 'x', '1e3', null, {}, '9999999999']) {
        const { isError, content } = await agent.call('wallet_holdings', { address: user, offset })
        expect([offset, isError]).toEqual([offset, true])
        expect(content[0].text).toMatch(/^BAD_INPUT: offset must be a whole number/)
      }
      const past = await agent.ask('wallet_holdings', { address: user, offset: '999999' })
      expect(past).toEqual({ user: {} })
      const whole = await agent.ask('wallet_holdings', { address: user, offset: '0' })
      expect(whole).toEqual(await agent.ask('wallet_holdings', { address: user }))
    })
  })

  test('what has not even one whole row says what to ask for', async () => {
    const addresses = Array(200).fill(user)
    const { content } = await agent.call('wallets_over_time', { addresses, interval: 'MONTH' })
    expect(content[0].text).toMatch(/^ANSWER_TOO_LARGE: .*fewer addresses/)
  })
})

describe('mistakes', () => {
  test('an address that is none is the error of the graph', async () => {
    const { isError, content, structuredContent } = await agent.call('wallet_standing', {
      address: '0xabc',
    })
    expect(isError).toBe(true)
    const { errors } = await gateway.graphql(
      'query Q($address: Address!) { user(address: $address) { rank } }',
      { address: '0xabc' },
    )
    expect(structuredContent.errors).toEqual([{ code: 'BAD_INPUT', message: errors?.[0].message }])
    expect(content[0].text).toBe(`BAD_INPUT: ${errors?.[0].message}`)
  })

  test('an argument that is missing or unknown says which', async () => {
    const missing = await agent.call('wallet_standing')
    expect(missing.content[0].text).toContain('$address')
    const unknown = await agent.call('leaderboard', { frist: 3 })
    expect(unknown.content[0].text).toBe(
      'BAD_INPUT: leaderboard has no argument frist. Do you mean first? It takes scope, first, after.',
    )
    const hidden = await agent.call('leaderboard', { offset: 3 })
    expect(hidden.isError).toBe(true)
  })

  test('what is not stored is not an error', async () => {
    const address = `0x${'9'.repeat(40)}`
    expect(await agent.ask('pool', { address })).toMatchObject({
      pool: null,
      note: expect.stringContaining('search'),
    })
  })

  test('a tool or a resource that does not exist', async () => {
    await expect(agent.call('walets')).rejects.toThrow(/no tool walets. Do you mean wallets\?/)
    await expect(agent.client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow(
      /no resource/,
    )
  })

  test.each([
    ['no JSON', '{"jsonrpc"', 400, -32700],
    ['nothing', '', 400, -32700],
    ['no message of JSON-RPC', '{"query":"{ __typename }"}', 400, -32700],
    ['no messages', '[]', 400, -32600],
    ['eleven messages', Array(11).fill(called('status', {})), 400, -32600],
  ])('a body that is %s', async (_, sent, status, code) => {
    const { body, ...answer } = await send(sent)
    expect([answer.status, body.error.code]).toEqual([status, code])
  })

  test('a body that is too large', async () => {
    expect((await send('x'.repeat(2 ** 20 + 1))).status).toBe(413)
  })

  test.each(['GET', 'DELETE', 'PUT'])('%s is refused: nothing is kept', async (method) => {
    const response = await fetch(`${gateway.base}/mcp`, { method, headers: { accept: ACCEPT } })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })

  test('a call that is cancelled by its own batch is answered, and so leaves its slot', async () => {
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled' }
    const cancellation = { ...cancelled, params: { requestId: 1 } }
    const both = await send([called('positions', { first: 100 }), cancellation])
    expect([both.status, both.body.id]).toEqual([200, 1])
    expect((await send(cancellation)).status).toBe(202)
  }, 20_000)

  test('pages of this machine and of listed hosts may call, and others may not', async () => {
    const on = { on: gateway, env: { MCP_HOSTS: 'chat.example.org' } }
    const other = await startGateway(on)
    try {
      const status = async (origin: string, to: Gateway) =>
        (await send(called('seasons', {}), { origin }, to)).status
      expect(await status('http://localhost:6274', gateway)).toBe(200)
      expect(await status('https://chat.example.org', other)).toBe(200)
      expect(await status('https://chat.example.org', gateway)).toBe(403)
      for (const origin of ['https://evil.example', 'http://localhost.evil.example', 'null'])
        expect([origin, await status(origin, other)]).toEqual([origin, 403])
    } finally {
      await other.close()
    }
  })

  test('a client that accepts JSON alone gets it', async () => {
    const { status, body } = await send(called('seasons', {}), { accept: 'application/json' })
    expect([status, body.result.structuredContent.program.season]).toEqual([200, null])
  })
})

describe('limits', () => {
  test('a call costs what its operation costs, and one that is cached nothing', async () => {
    const limited = await startGateway({ on: gateway, env: { RATE_LIMIT: '6000' } })
    try {
      // Until it is notified of changes, it caches nothing.
      await vi.waitUntil(() => limited.deps.notifications.connectedUntil > 0, { timeout: 20_000 })
      const left = ({ headers }: { headers: Headers }) =>
        Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
      const one = called('leaderboard', { first: 10 })
      const first = await send(one, {}, limited)
      const again = await send(called('leaderboard', { first: 10 }, 2), {}, limited)
      expect(left(first)).toBeLessThan(5900)
      expect(left(first) - left(again)).toBe(1)
      expect(again.body.result).toEqual(first.body.result)
      const both = await send(
        [called('leaderboard', { first: 11 }), called('leaderboard', { first: 12 }, 2)],
        {},
        limited,
      )
      expect(left(again) - left(both)).toBeGreaterThan(2 * (6000 - left(first)) - 10)
    } finally {
      await limited.close()
    }
  })

  test('a call that exceeds the charge says when to try again', async () => {
    const limited = await startGateway({ on: gateway, env: { RATE_LIMIT: '150' } })
    try {
      const { body } = await send(called('leaderboard', { first: 100 }), {}, limited)
      const [error] = body.result.structuredContent.errors
      expect(body.result.isError).toBe(true)
      expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) })
    } finally {
      await limited.close()
    }
  })

  test('a call that exceeds the limit of cost does not run', async () => {
    const limited = await startGateway({ on: gateway, env: { MAX_QUERY_COST: '50' } })
    try {
      const { body } = await send(called('leaderboard', { first: 100 }), {}, limited)
      expect(body.result.structuredContent.errors[0].code).toBe('COST_LIMIT_EXCEEDED')
    } finally {
      await limited.close()
    }
  })
})

test('an empty store answers, and its instructions say so', async () => {
  const empty = await startGateway()
  const other = await connectAgent(empty.base)
  try {
    expect(other.client.getInstructions()).toContain('No date has points yet')
    expect((await other.ask('leaderboard')).leaderboard).toEqual({ totalCount: 0, nodes: [] })
    expect((await other.ask('search', { text: 'ETH' })).search).toEqual([])
  } finally {
    await other.close()
    await empty.close()
  }
})

describe('texts', () => {
  test('the schema and the guides are resources', async () => {
    const { resources } = await agent.client.listResources()
    const names = resources.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['schema.graphql', 'start.md', 'graphql.md']))
    expect((await agent.client.listResourceTemplates()).resourceTemplates).toEqual([])
    for (const { uri } of resources) {
      const { contents } = await agent.client.readResource({ uri })
      expect((contents[0] as { text: string }).text.length, uri).toBeGreaterThan(500)
    }
  })

  test('prompts name tools that exist, and take what the user says', async () => {
    const { prompts } = await agent.client.listPrompts()
    const { tools } = await agent.client.listTools()
    const names = tools.map(({ name }) => name)
    for (const { name, arguments: needed = [] } of prompts) {
      const sent = Object.fromEntries(needed.map((one) => [one.name, 'ETH']))
      const { messages } = await agent.client.getPrompt({ name, arguments: sent })
      const { text } = messages[0]!.content as { text: string }
      expect(text).toContain('ETH')
      for (const [word] of text.matchAll(/\b[a-z]+(_[a-z]+)+\b/g)) expect(names).toContain(word)
    }
    await expect(agent.client.getPrompt({ name: 'none' })).rejects.toThrow(/no prompt none/)
  })
})
