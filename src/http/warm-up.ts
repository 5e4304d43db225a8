import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { type DocumentNode, Kind, parse, print, type TypeNode } from 'graphql'
import { type ExampleValues, noValues, readExampleValues } from '../graphql/example-values.ts'
import { examples } from '../graphql/examples.ts'
import type { Execute } from '../graphql/execution/execute.ts'
import type { Endpoint } from '../rest/endpoint.ts'
import { endpoints } from '../rest/index.ts'

/** A statement is prepared on a connection of its own first, and once it has proved quick on a shared one. */
const ROUNDS = 3
/** What takes longer is not sent again. */
const SLOW_MS = 250
/** When it ends at the latest. */
const MAX_MS = 20_000
const WAIT_MS = 10

interface WarmUpOptions {
  /** The trusted documents of the operator. */
  documents: string[]
  /** Whether requests of clients are in progress. */
  isBusy(): boolean
}

/**
 * Sends the requests that are known to come, once the server listens: clients do not wait for connections, plans and
 * compilation then. It sends one at a time, while no request of a client is in progress. Errors are ignored: they will recur,
 * and be reported, when a client sends the request.
 */
export function addWarmUp(app: FastifyInstance, options: WarmUpOptions): void {
  let closing = false
  let warming: Promise<void> | undefined
  const until = { stopped: () => closing }
  app.addHook('onListen', async () => {
    warming = warmUp(app, options, until).catch(() => {})
  })
  app.addHook('preClose', async () => {
    closing = true
    await warming
  })
}

async function warmUp(
  app: FastifyInstance,
  { documents, isBusy }: WarmUpOptions,
  { stopped }: { stopped(): boolean },
): Promise<void> {
  const end = performance.now() + MAX_MS
  let sent = 0
  /** @throws if the warm-up has ended */
  const send = async (request: InjectOptions): Promise<string> => {
    while (isBusy() && !stopped() && performance.now() < end) await sleep(WAIT_MS)
    if (stopped() || performance.now() >= end) throw new Error('the warm-up has ended')
    // No client has an address of this network, so their rate limits are not charged.
    const remoteAddress = `0.0.${sent >> 8}.${sent++ & 255}`
    const { statusCode, body } = await app.inject({ ...request, remoteAddress })
    if (statusCode >= 500) throw new Error('the store cannot be reached')
    return body
  }
  const execute = async (document: DocumentNode, variables: object) =>
    JSON.parse(await send(query(print(document), variables))).data
  let requests = requestsOf((await readExampleValues(execute as Execute)) ?? noValues, documents)
  for (let round = 0; round < ROUNDS; round++) {
    const quick: InjectOptions[] = []
    for (const request of requests) {
      const since = performance.now()
      await send(request)
      if (performance.now() - since < SLOW_MS) quick.push(request)
    }
    requests = quick
  }
}

function requestsOf(values: ExampleValues, documents: string[]): InjectOptions[] {
  const reads = endpoints
    .filter(([method]) => method === 'GET')
    .map(([, path, endpoint]) => get(path, endpoint, values))
  const queries = examples
    .filter(({ query }) => !/^(subscription|mutation)\b/m.test(query))
    .map(({ query: text, variables }) => query(text, variables?.(values)))
  const known = documents.flatMap((text) => {
    const variables = variablesOf(text, values)
    return variables ? [query(text, variables)] : []
  })
  return [...reads, ...known, ...queries]
}

const headers = { 'cache-control': 'no-cache' }

const query = (text: string, variables: object = {}): InjectOptions => ({
  method: 'POST',
  url: '/graphql',
  headers: { ...headers, 'content-type': 'application/json' },
  payload: JSON.stringify({ query: text, variables }),
})

/** A request to an endpoint with the parameters that it requires. */
function get(path: string, endpoint: Endpoint, { user, pool, market }: ExampleValues): InjectOptions {
  const given: Record<string, unknown> = {
    address: user,
    account: user,
    asset: market.assetAddress,
    market: path.startsWith('/v1') ? market.address : pool,
    vault: pool,
    chain_id: market.chainId,
  }
  const required = Object.entries(endpoint.query?.shape ?? {}).filter(
    ([, { safeParse }]) => !safeParse(undefined).success,
  )
  const parameters = required.map(([name]) => `${name}=${given[name]}`)
  const url = path.replace(/\{(\w+)\}/g, (_, name) => String(given[name]))
  return { url: parameters.length > 0 ? `${url}?${parameters.join('&')}` : url, headers }
}

/** Values for the variables that a query requires. Undefined if it is no query, or some cannot be known. */
function variablesOf(text: string, { user, market }: ExampleValues): Record<string, unknown> | undefined {
  const operations = parse(text, { noLocation: true }).definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  )
  const [operation] = operations
  if (operation?.operation !== 'query' || operations.length > 1) return undefined
  const values: Record<string, unknown> = { Address: user, Int: market.chainId }
  const required = (operation.variableDefinitions ?? []).filter(
    ({ type, defaultValue }) => type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined,
  )
  const given = required.map(({ variable, type }) => [variable.name.value, values[nameOf(type)]])
  return given.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(given)
}

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type))
