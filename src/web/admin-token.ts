import { useSyncExternalStore } from 'react'
import type { CombinedError } from 'urql'

/** The admin token that was accepted. It lasts as long as the page: no address and no storage has it. */
let token = ''
const listeners = new Set<() => void>()

/** The admin token that the gateway has accepted, or an empty text. */
export const adminToken = (): string => token

/** Keeps a token that the gateway has accepted. */
export function keepAdminToken(accepted: string): void {
  token = accepted
  for (const listener of listeners) listener()
}

/** The accepted admin token, also when another part of the page gets it. */
export const useAdminToken = (): string =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, adminToken)

/** The token that a form has sent. Undefined if no header can have it. */
export function sentToken(form: HTMLFormElement): string | undefined {
  const text = String(new FormData(form).get('token')).trim()
  return /^[!-~]+$/.test(text) ? text : undefined
}

/** Headers that show a token. */
export const bearing = (token: string) => ({ authorization: `Bearer ${token}` })

/** Options of an operation of the graph that needs a token. */
export const asOperator = (token: string) => ({
  requestPolicy: 'network-only' as const,
  fetchOptions: {
    headers: {
      accept: 'application/graphql-response+json, application/json',
      ...bearing(token),
    },
  },
})

/** True if the gateway does not accept the token of an operation. */
export const isRefused = ({ graphQLErrors: [error] }: CombinedError): boolean =>
  error?.extensions.code === 'UNAUTHENTICATED'

/** Said of a token that is wrong. */
export const REFUSED = 'The gateway does not accept this token.'
