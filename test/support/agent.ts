import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export interface Agent {
  client: Client
  /** Calls a tool. @returns its answer, which is text and data, and equal in both */
  call(name: string, sent?: object): Promise<any>
  /** Calls a tool that must answer. @returns its data */
  ask(name: string, sent?: object): Promise<any>
  close(): Promise<void>
}

/** Connects the official client to a gateway. */
export async function connectAgent(base: string, headers = {}): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(`${base}/mcp`), {
    requestInit: { headers },
  })
  await client.connect(transport as never)
  const call = (name: string, sent: object = {}) =>
    client.callTool({ name, arguments: sent as Record<string, unknown> }) as Promise<any>
  return {
    client,
    call,
    async ask(name, sent) {
      const { isError, content, structuredContent } = await call(name, sent)
      if (isError) throw new Error(`${name}: ${content[0].text}`)
      return structuredContent
    },
    close: () => client.close(),
  }
}
