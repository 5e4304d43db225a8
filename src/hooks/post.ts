import { Webhook } from 'standardwebhooks'
import { Agent, request } from 'undici'
import { targetConnector } from './target.ts'

const TIMEOUT_MS = 10_000
const MAX_ANSWER = 64 * 1024
const MAX_ERROR = 300

/** A message for a receiver. */
export interface Message {
  url: string
  /** The same at each attempt. */
  id: string
  /** 1 for the first. */
  attempt: number
  body: string
  /** Each of them signs it. */
  secrets: string[]
}

/** Sends messages. */
export interface Post {
  /**
   * Sends a message.
   * @returns undefined if the receiver has taken it, else why not, in one line
   */
  send(message: Message, now: Date): Promise<string | undefined>
  /** Ends requests in progress. */
  close(): Promise<void>
}

/** Opens what sends messages: it follows no redirects, and bounds time and answers. */
export function openPost(allowsPrivate: boolean, timeoutMs = TIMEOUT_MS): Post {
  const connect = targetConnector(allowsPrivate, timeoutMs)
  const dispatcher = new Agent({ connect })
  const send: Post['send'] = async ({ url, id, attempt, body, secrets }, now) => {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'lending-graph-gateway',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': secrets.map((one) => new Webhook(one).sign(id, now, body)).join(' '),
      'webhook-attempt': String(attempt),
    }
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const answer = await request(url, { method: 'POST', headers, body, dispatcher, signal })
      const { statusCode } = answer
      await answer.body.dump({ limit: MAX_ANSWER, signal }).catch(() => {})
      if (statusCode >= 200 && statusCode < 300) return undefined
      if (statusCode >= 300 && statusCode < 400)
        return `it answers ${statusCode}: redirects are not followed`
      return `it answers ${statusCode}`
    } catch (error) {
      if (signal.aborted) return `it does not answer within ${timeoutMs} ms`
      return (error as Error).message.slice(0, MAX_ERROR) || 'it cannot be reached'
    }
  }
  return { send, close: () => dispatcher.destroy() }
}
