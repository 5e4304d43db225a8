import type { Fetcher } from '@graphiql/toolkit'
import { getOperationAST, parse } from 'graphql'
import { createClient } from 'graphql-sse'
import { newestAnswer, workOf } from './answers.ts'
import { served } from './served.ts'
import { withoutRest } from './without-rest.ts'

/**
 * Sends operations to the gateway: subscriptions over server-sent events, any other by POST.
 * @param hidesRest leaves what only the operations of REST endpoints read out of the schema
 */
export const createFetcher =
  (hidesRest: boolean): Fetcher =>
  ({ query, variables, operationName }, { headers } = {}) => {
    const body = { query, variables, ...(operationName && { operationName }) }
    if (isSubscription(query, operationName)) {
      newestAnswer.set(undefined)
      return subscribe(body, headers)
    }
    if (operationName === 'IntrospectionQuery')
      return post(body, headers).then(({ answer }) => (hidesRest ? withoutRest(answer) : answer))
    newestAnswer.set(undefined)
    return post(body, headers).then(({ answer, work }) => {
      newestAnswer.set({ data: answer.data, work })
      return answer
    })
  }

interface Body {
  query: string
  variables?: Record<string, unknown>
  operationName?: string
}

async function post(body: Body, headers?: Record<string, string>) {
  const started = performance.now()
  const response = await fetch(served('/graphql'), {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-explain': 'work',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  try {
    const work = workOf(response.headers.get('server-timing'), performance.now() - started)
    return { answer: JSON.parse(text), work }
  } catch {
    throw new Error(
      `The gateway answered ${response.status} ${response.statusText}: ${text.slice(0, 1000)}`,
    )
  }
}

function subscribe(body: Body, headers?: Record<string, string>) {
  const client = createClient({
    url: served('/graphql'),
    retryAttempts: 0,
    ...(headers && { headers }),
  })
  return client.iterate(body) as ReturnType<Fetcher>
}

function isSubscription(query: string, operationName?: string | null): boolean {
  try {
    return getOperationAST(parse(query), operationName)?.operation === 'subscription'
  } catch {
    // The gateway says what is wrong with it.
    return false
  }
}
