import { vi } from 'vitest'
import type { Gateway } from './gateway.ts'

export interface EventStream {
  response: Response
  /** The data of its `next` events so far. */
  events: any[]
  /** Everything that came, as text. */
  text(): string
  /** True if the server has ended it, or the client. */
  ended(): boolean
  /** The event after those that were waited for before. */
  next(timeout?: number): Promise<any>
  leave(): void
}

export interface Subscription {
  variables?: object
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
}

/** Subscribes with nothing but fetch. */
export async function subscribe(
  { base }: Pick<Gateway, 'base'>,
  query: string,
  { variables = {}, method = 'POST', headers = {} }: Subscription = {},
): Promise<EventStream> {
  const controller = new AbortController()
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables) })
  const response = await fetch(method === 'GET' ? `${base}/graphql?${search}` : `${base}/graphql`, {
    method,
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
    signal: controller.signal,
    ...(method === 'POST' && { body: JSON.stringify({ query, variables }) }),
  })
  const events: any[] = []
  let text = ''
  let ended = false
  let seen = 0
  const read = async () => {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of response.body ?? []) {
      const added = decoder.decode(chunk, { stream: true })
      text += added
      const blocks = (rest + added).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = /^event: next\ndata: (.*)$/.exec(block)
        if (data) events.push(JSON.parse(data[1] as string))
      }
    }
  }
  void read()
    .catch(() => {})
    .finally(() => {
      ended = true
    })
  return {
    response,
    events,
    text: () => text,
    ended: () => ended,
    async next(timeout = 5000) {
      const wanted = seen++
      return vi.waitFor(
        () => {
          if (events.length <= wanted) throw new Error(`no event ${wanted} yet: ${text}`)
          return events[wanted]
        },
        { timeout, interval: 10 },
      )
    },
    leave: () => controller.abort(),
  }
}
