import { type Dispatcher, interceptors, request, Agent as UndiciAgent } from 'undici'

const CONNECTIONS = 8
const REDIRECTIONS = 5

export interface Agent {
  request(url: string, options: Omit<Dispatcher.RequestOptions, 'origin' | 'path'>): Promise<Dispatcher.ResponseData>
  close(): Promise<void>
}

export function openAgent(timeoutMs: number): Agent {
  const agent = new UndiciAgent({
    connections: CONNECTIONS,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: REDIRECTIONS }))
  return {
    request: (url, options) => request(url, { ...options, dispatcher }),
    close: () => agent.destroy(),
  }
}
