import {
  buildConnector,
  type Dispatcher,
  interceptors,
  request,
  Agent as UndiciAgent,
} from 'undici'
import { allowedLookup, assertAllowed, ForbiddenRedirect } from './address.ts'

const CONNECTIONS = 8
const REDIRECTIONS = 5

export interface Agent {
  request(
    url: string,
    options: Omit<Dispatcher.RequestOptions, 'origin' | 'path'>,
  ): Promise<Dispatcher.ResponseData>
  close(): Promise<void>
}

export function openAgent(timeoutMs: number): Agent {
  const agent = new UndiciAgent({
    connections: CONNECTIONS,
    connect: allowedConnector(timeoutMs),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
  return {
    request: (url, options) => {
      const dispatcher = agent.compose(
        onHost(new URL(url)),
        interceptors.redirect({ maxRedirections: REDIRECTIONS }),
      )
      return request(url, { ...options, dispatcher })
    },
    close: () => agent.destroy(),
  }
}

function allowedConnector(timeout: number): buildConnector.connector {
  const connect = buildConnector({ timeout, lookup: allowedLookup })
  return (options, callback) => {
    try {
      assertAllowed(options.hostname)
    } catch (error) {
      process.nextTick(callback, error as Error, null)
      return
    }
    connect(options, callback)
  }
}

// Refuses requests of a redirect to another host, or from https to http, before they are sent.
function onHost({ host, protocol }: URL): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const to = new URL(String(options.origin))
    const reason = refusalOf(to)
    if (reason === undefined) return dispatch(options, handler)
    handler.onResponseError?.(null as never, new ForbiddenRedirect(reason))
    return true
  }

  function refusalOf(to: URL): string | undefined {
    if (to.host !== host) return `it redirects to another host, ${to.host}`
    if (protocol === 'https:' && to.protocol === 'http:') return 'it redirects from https to http'
    return undefined
  }
}
