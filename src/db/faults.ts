import { SqlError } from 'pothos-sql'
import { GatewayError } from '../errors.ts'
import { Prisma } from '../generated/prisma/client.ts'
import { LOCK_NOT_AVAILABLE } from './locks.ts'

const RETRY_SECONDS = 1

export const unavailable = () =>
  new GatewayError(
    'UNAVAILABLE',
    'The store cannot be reached or is too busy. Try again in a moment.',
    [],
    RETRY_SECONDS,
  )

const locked = () =>
  new GatewayError(
    'UNAVAILABLE',
    'Another session of the database has locked the rows that this changes. Nothing was ' +
      'changed; try again in a moment.',
    [],
    RETRY_SECONDS,
  )

export const tooSlow = () =>
  new GatewayError(
    'TIMEOUT',
    'The store took longer over this than the server allows. Ask for less: fewer rows, ' +
      'a narrower filter or range of dates, no totals; or split it into several requests.',
    [],
    RETRY_SECONDS,
  )

const RUN_AGAIN = 'Nothing was changed: run it again after that.'

const RESOURCES: Record<string, string> = {
  '53100':
    'The disk of the database is full. ' +
    `Free space on it, or move it to a larger one. ${RUN_AGAIN}`,
  '53200': `The database has run out of memory. Give it more, or a smaller work_mem. ${RUN_AGAIN}`,
  '53300': 'The database takes no more connections. Nothing was changed: try again in a moment.',
  '53400':
    'The database does not allow so much temporary space (temp_file_limit). ' +
    `Raise it. ${RUN_AGAIN}`,
  '25006':
    'The database takes no changes now: it, its role or this server may only be read. ' +
    'Nothing was changed.',
}

/** The sentence for a resource that the server lacks. Undefined for other errors. */
export function lackOfResources(error: unknown): GatewayError | undefined {
  const sentence =
    error instanceof Error &&
    codesOf(error)
      .map((code) => RESOURCES[code])
      .find(Boolean)
  return sentence ? new GatewayError('UNAVAILABLE', sentence, [], RETRY_SECONDS) : undefined
}

const otherVersion = () =>
  new GatewayError(
    'UNAVAILABLE',
    'The tables of the store are not those of this version of the gateway: its operator ' +
      'has to update it.',
    [],
    RETRY_SECONDS,
  )

// Clients send UTF-8, so no other character is refused.
const withNul = () => new GatewayError('BAD_INPUT', 'A text must not hold a NUL character.')

const unsupported = () =>
  new GatewayError(
    'UNSUPPORTED',
    'The store is spread over several servers, which cannot answer this. Leave the ' +
      'field out, or ask for one user or pool at a time.',
  )

const noRight = () =>
  new GatewayError('FORBIDDEN', 'The database role of this gateway has no right to do this.')

export const answerTooLarge = (maxBytes: number) =>
  new GatewayError(
    'ANSWER_TOO_LARGE',
    `The answer would have more than ${maxBytes.toLocaleString('en-US')} bytes, the limit ` +
      '(MAX_ANSWER_BYTES). Ask for fewer rows or fields, or split it into several requests.',
  )

// The error of a query that the graph plans. Undefined if resolvers have to find the error.
function queryFault({ code, message, problems, maxBytes }: SqlError): GatewayError | undefined {
  if (maxBytes !== undefined) return answerTooLarge(maxBytes)
  return code === 'NO_JSON' ? undefined : new GatewayError(code, message, problems)
}

/**
 * Maps an error of Postgres, the network or Prisma to one for clients. Undefined if it is a fault
 * of ours.
 */
export function storeFault(error: unknown): GatewayError | undefined {
  if (error instanceof GatewayError) return error
  if (error instanceof SqlError) return queryFault(error)
  if (!(error instanceof Error)) return undefined
  const codes = codesOf(error)
  if (codes.includes(QUERY_CANCELED)) return tooSlow()
  if (codes.includes(LOCK_NOT_AVAILABLE)) return locked()
  if (codes.includes(INSUFFICIENT_PRIVILEGE)) return noRight()
  if (codes.includes(UNDEFINED_TABLE) || codes.includes(UNDEFINED_COLUMN) || isStalePlan(error))
    return otherVersion()
  const lack = lackOfResources(error)
  if (lack) return lack
  if (codes.includes(FEATURE_NOT_SUPPORTED)) return unsupported()
  if (codes.includes(UNTRANSLATABLE)) return withNul()
  if (codes.some(isUnavailable) || NO_CONNECTION.test(error.message)) return unavailable()
  return undefined
}

/** True if an error says that a connection to Postgres was lost, or that there is none. */
export const isLostConnection = (error: unknown): boolean =>
  error instanceof Error &&
  (NO_CONNECTION.test(error.message) || codesOf(error).some((code) => LOST.test(code)))

/** The error of a transaction whose connection was lost while it was committed. */
export const unknownOutcome = () =>
  new GatewayError(
    'UNAVAILABLE',
    'The database went away while it stored this, so it is not known whether it is ' +
      'stored. Look before you try again.',
    [],
    RETRY_SECONDS,
  )

/** True if the role of DATABASE_URL lacks a right, or may only read. */
export const isLackOfRights = (error: unknown): boolean =>
  error instanceof Error &&
  codesOf(error).some((code) => code === INSUFFICIENT_PRIVILEGE || code === READ_ONLY)

/** True if the store has no plan for a statement. */
export const isUnsupported = (error: unknown): boolean =>
  error instanceof Error && codesOf(error).includes(FEATURE_NOT_SUPPORTED) && !isStalePlan(error)

const FEATURE_NOT_SUPPORTED = '0A000'
const UNTRANSLATABLE = '22021'
// A prepared statement whose columns a migration has changed has the same code. Messages may be in
// another language.
const isStalePlan = (error: Error) =>
  'routine' in error && error.routine === 'RevalidateCachedQuery'
export const QUERY_CANCELED = '57014'
const INSUFFICIENT_PRIVILEGE = '42501'
const READ_ONLY = '25006'
const UNDEFINED_TABLE = '42P01'
const UNDEFINED_COLUMN = '42703'

// Codes of a lost connection: of Postgres and of Node's network.
const LOST = /^(08...|57P0[123]|E(CONN|HOST|NET|PIPE|TIMEDOUT).*)$/

// SQLSTATE classes that do not depend on the statement: no connection, no resources.
const UNAVAILABLE_CLASSES = ['08', '53']

const UNAVAILABLE = new Set([
  // SQLSTATE: the server stops, starts or became a replica; conflicts with other transactions.
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  READ_ONLY,
  '25P03',
  '40001',
  '40P01',
  // Node's network errors.
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  // Prisma and its adapter.
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
  'P2037',
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TooManyConnections',
  'TransactionAlreadyClosed',
])

const isUnavailable = (code: string) =>
  UNAVAILABLE.has(code) ||
  (/^[0-9A-Z]{5}$/.test(code) && UNAVAILABLE_CLASSES.includes(code.slice(0, 2)))

// Errors of pg itself have no code.
const NO_CONNECTION = new RegExp(
  [
    'connection terminated',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'query read timeout',
    'is not queryable',
    'pool after calling end',
  ].join('|'),
  'i',
)

function codesOf(error: Error): string[] {
  const initialization =
    error instanceof Prisma.PrismaClientInitializationError ? error.errorCode : undefined
  const cause = adapterCause(error)
  return [codeOf(error), initialization, cause?.kind, cause?.originalCode, cause?.code].filter(
    (code): code is string => typeof code === 'string',
  )
}

const codeOf = (error: Error) => ('code' in error ? error.code : undefined)

function adapterCause(
  error: Error,
): { kind?: unknown; originalCode?: unknown; code?: unknown } | undefined {
  const meta =
    'meta' in error
      ? (error.meta as { driverAdapterError?: { cause?: unknown } } | undefined)
      : undefined
  const cause = meta?.driverAdapterError?.cause ?? error.cause
  return typeof cause === 'object' && cause !== null ? cause : undefined
}
