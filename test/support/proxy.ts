import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { send } from './send.ts'

export interface Proxied {
  method: string
  /** With its query. */
  path: string
}

export interface ProxyServer {
  base: string
  /** The requests, in order. */
  requests: Proxied[]
  close(): Promise<void>
}

export interface ProxyOptions {
  /** Answers a request itself, or leaves it to the server behind: then it gives false. */
  answer?(request: Proxied, response: ServerResponse): boolean | Promise<boolean>
  /** Changes a JSON answer of the server behind. */
  change?(path: string, body: any): unknown
}

/** A server in front of another one. */
export async function startProxy(
  target: string,
  { answer, change }: ProxyOptions = {},
): Promise<ProxyServer> {
  const requests: Proxied[] = []
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const request = { method: incoming.method ?? 'GET', path: incoming.url ?? '/' }
    requests.push(request)
    if ((await answer?.(request, outgoing)) || outgoing.destroyed) return
    const body = incoming.method === 'POST' ? await bodyOf(incoming) : undefined
    const { status, text } = await send(target + request.path, {
      method: request.method,
      headers: { 'content-type': incoming.headers['content-type'] ?? 'application/json' },
      ...(body !== undefined && { body }),
    })
    const changed = change ? JSON.stringify(change(request.path, JSON.parse(text))) : text
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(changed)
  }
  // The server behind may be closed while a request waits.
  const server = createServer(
    (incoming, outgoing) => void forward(incoming, outgoing).catch(() => outgoing.destroy()),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!address || typeof address !== 'object') throw new Error('the proxy does not listen')
  return {
    base: `http://127.0.0.1:${address.port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/**
 * Answers 404 to what `isThere` does not let through, such as the paths that a legacy server does
 * not have.
 */
export const only =
  (isThere: (path: string) => boolean) =>
  ({ path }: Proxied, response: ServerResponse): boolean => {
    if (isThere(path)) return false
    response
      .writeHead(404, { 'content-type': 'application/json' })
      .end('{"statusCode":404,"message":"Not Found"}')
    return true
  }

/** What a legacy server has: the documented paths. */
export const documented = only((path) => /^\/(v1|points|positions|pools|multipliers)\//.test(path))

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
