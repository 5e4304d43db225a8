import type { Fetcher } from '@graphiql/toolkit'
import { getOperationAST, parse } from 'graphql'
import { createClient } from 'graphql-sse'
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
    if (isSubscription(query, operationName)) return subscribe(body, headers)
    const answer = post(body, headers)
    return hidesRest && operationName === 'IntrospectionQuery' ? answer.then(withoutRest) : answer
  }

interface Body {
  query: string
  variables?: Record<string, unknown>
  operationName?: string
}

async function post(body: Body, headers?: Record<string, string>) {
  const response = await fetch(served('/graphql'), {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  try {
    return JSON.parse(text)
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
