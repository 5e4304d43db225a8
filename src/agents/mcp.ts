import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js'
import manifest from '../../package.json' with { type: 'json' }
import { DistributionDatesDocument } from '../generated/client/graphql.ts'
import { nearest } from '../nearest.ts'
import { callTool, type Http, type OfferedTool, type Served } from './call-tool.ts'
import { type InputSchema, inputSchema } from './input-schema.ts'
import { instructions } from './overview.ts'
import { PROMPTS, promptText } from './prompts.ts'
import { type Resource, resourcesOf } from './resources.ts'
import { documentOf, TOOLS } from './tools.ts'

const MAX_MESSAGES = 10

type Message = { method?: unknown } | null

/** Answers messages of MCP clients. Nothing is kept from one request to the next. */
export class Mcp {
  readonly #served: Served
  readonly #name: string
  readonly #tools: Map<string, OfferedTool>
  readonly #listed: object[]
  readonly #resources: Promise<Resource[]>
  // Each server would make one, in milliseconds, and never use it.
  readonly #jsonSchemaValidator = new AjvJsonSchemaValidator()

  constructor(served: Served, name: string) {
    this.#served = served
    this.#name = name
    const tools = TOOLS.map((tool) => offered(tool, served))
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]))
    this.#listed = tools.map(({ name, title, about, inputSchema }) => ({
      ...{ name, title, description: about, inputSchema },
      annotations: { title, readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    }))
    this.#resources = resourcesOf(served.graph.schema)
  }

  /** Answers the body of a POST: a message, or up to ten. */
  async answer(body: unknown, http: Http): Promise<Response> {
    let message: unknown
    try {
      message = JSON.parse(Buffer.from(body as Uint8Array).toString())
    } catch {
      return refusal(400, -32700, 'The body must be JSON: a message of JSON-RPC 2.0.')
    }
    if (Array.isArray(message) && (message.length > MAX_MESSAGES || message.length === 0))
      return refusal(400, -32600, `Send 1 to ${MAX_MESSAGES} messages at once.`)
    const messages = [message].flat() as Message[]
    if (messages.every(isCancellation)) return new Response(null, { status: 202 })
    const isFirst = messages.some((one) => one?.method === 'initialize')
    const server = this.#server(http, isFirst ? await this.#instructions() : '')
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    try {
      const parsedBody = Array.isArray(message)
        ? messages.filter((one) => !isCancellation(one))
        : message
      return await transport.handleRequest(requestOf(http), { parsedBody })
    } finally {
      await server.close()
    }
  }

  #server(http: Http, instructions: string): Server {
    const server = new Server(
      { name: manifest.name, title: this.#name, version: manifest.version },
      {
        capabilities: { tools: {}, resources: {}, prompts: {} },
        instructions,
        jsonSchemaValidator: this.#jsonSchemaValidator,
      },
    )
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: this.#listed as never }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      const tool = this.#tools.get(params.name)
      if (!tool) throw unknown('tool', params.name, [...this.#tools.keys()])
      return callTool(this.#served, tool, params.arguments ?? {}, http)
    })
    server.setRequestHandler(ListResourcesRequestSchema, async () => ({
      resources: (await this.#resources).map(({ uri, name, title, mimeType }) => ({
        ...{ uri, name, title, mimeType },
      })),
    }))
    // Clients ask for them next to resources.
    server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }))
    server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
      const resources = await this.#resources
      const resource = resources.find((one) => one.uri === uri)
      if (!resource)
        throw unknown(
          'resource',
          uri,
          resources.map((one) => one.uri),
        )
      return { contents: [{ uri, mimeType: resource.mimeType, text: await resource.read() }] }
    })
    server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: PROMPTS }))
    server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
      const text = promptText(params.name, params.arguments ?? {})
      if (text === undefined)
        throw unknown(
          'prompt',
          params.name,
          PROMPTS.map(({ name }) => name),
        )
      return { messages: [{ role: 'user', content: { type: 'text', text } }] }
    })
    return server
  }

  // Without a store, the newest date is left out.
  async #instructions(): Promise<string> {
    const { graph } = this.#served
    const dates = await graph.runDocument(DistributionDatesDocument, {}).catch(() => undefined)
    const [first, last] = [dates?.oldest, dates?.newest].map((list) => list?.nodes[0]?.date)
    return instructions(this.#name, first && last ? { first, last } : undefined)
  }
}

// A call that is cancelled gets no answer, and its POST would wait for one as long as its client does.
const isCancellation = (message: Message) => message?.method === 'notifications/cancelled'

const offered = (tool: (typeof TOOLS)[number], { graph }: Served): OfferedTool => {
  const schema = inputSchema(graph.schema, documentOf(tool), tool.hidden)
  const { first, offset, where } = schema.properties
  if (where?.properties && tool.filters)
    where.properties = Object.fromEntries(
      tool.filters.map((name) => [name, where.properties?.[name] as InputSchema]),
    )
  if (first) {
    const maximum = tool.most ?? 1000
    const description = `The number of rows, 1 to ${maximum}.`
    Object.assign(
      first,
      { minimum: 1, maximum, description },
      tool.first && { default: tool.first },
    )
  }
  // The graph's description recommends cursors, which such a tool has not.
  if (offset) offset.description = 'The number of rows to skip.'
  if (tool.list?.by === 'rows') schema.properties.offset = OFFSET
  for (const [name, values] of Object.entries(tool.choices ?? {}))
    Object.assign(schema.properties[name] as InputSchema, { enum: values })
  return { ...tool, inputSchema: schema }
}

const OFFSET: InputSchema = {
  type: 'string',
  pattern: '^\\d{1,9}$',
  description: 'Leaves out so many rows: next.arguments of an answer has the number.',
}

function unknown(kind: string, sent: string, known: string[]): McpError {
  const name = sent.slice(0, 100)
  const near = nearest(name, known)
  const meant = near === undefined ? `${kind}s/list has all.` : `Do you mean ${near}?`
  return new McpError(ErrorCode.InvalidParams, `There is no ${kind} ${name}. ${meant}`)
}

/** A refusal of a whole request, as JSON-RPC has it. */
export const refusal = (status: number, code: number, message: string) =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })

// Answers are JSON, so a client need not accept event streams.
function requestOf({ request }: Http): Request {
  const headers = new Headers({ accept: 'application/json, text/event-stream' })
  for (const name of ['content-type', 'mcp-protocol-version']) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  return new Request('http://gateway/mcp', { method: 'POST', headers })
}
