import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode, InputProblem } from '../../errors.ts'
import { knownFault } from '../../graphql/execution/errors.ts'
import type { Outage } from '../../outage.ts'

const STATUS: Record<ErrorCode, number> = {
  BAD_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  SOURCE_FAILED: 502,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  TIMEOUT: 503,
  ANSWER_TOO_LARGE: 400,
  UNSUPPORTED: 501,
}

/** The HTTP status of an error. */
export const statusOf = (code: ErrorCode): number => STATUS[code]

/** A problem document (RFC 9457). A 400 lists each invalid parameter. */
export function problem(status: number, detail: string, errors: InputProblem[] = []) {
  const problems = errors.length ? errors : [{ in: 'query' as const, name: '', message: detail }]
  const title = STATUS_CODES[status] ?? 'Error'
  return {
    type: 'about:blank',
    title,
    status,
    detail,
    ...(status === 400 ? { errors: problems } : {}),
    // Older clients read these.
    statusCode: status,
    error: title,
    message: detail,
  }
}

export function sendProblem(
  reply: FastifyReply,
  status: number,
  detail: string,
  errors?: InputProblem[],
) {
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  return reply
    .code(status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .serializer((body) => JSON.stringify(body))
    .send(problem(status, detail, errors))
}

/** Answers a request for a path without a route. */
export const sendNotFound = (request: FastifyRequest, reply: FastifyReply) =>
  sendProblem(reply, 404, `There is nothing at ${request.url.split('?')[0]}.`)

/**
 * Maps an error to its problem document: known errors by code, Fastify's by status, others to a
 * 500. An outage of the store is logged once, not by request.
 */
export function errorHandler(outage: Outage) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply) =>
    handleError(error, request, reply, outage)
}

// True if a request failed because its client left: while it sent its body, or before its event
// stream began.
const isHangUp = (
  error: Error,
  { raw: request }: FastifyRequest,
  { raw: response }: FastifyReply,
): boolean =>
  error === request.errored ||
  (response.destroyed && (error as FastifyError).code === 'ERR_STREAM_PREMATURE_CLOSE')

function handleError(error: Error, request: FastifyRequest, reply: FastifyReply, outage: Outage) {
  if (isHangUp(error, request, reply)) return void reply.hijack()
  const fault = knownFault(error)
  if (fault) {
    if (fault.code === 'UNAVAILABLE' && fault !== error) outage.failed(error)
    else if (STATUS[fault.code] === 503 && !outage.active && !reply.raw.destroyed)
      request.log.warn({ reason: error.message, requestId: request.id }, fault.code.toLowerCase())
    if (fault.retryAfterSeconds !== undefined)
      reply.header('retry-after', String(fault.retryAfterSeconds))
    return sendProblem(reply, STATUS[fault.code], fault.message, fault.problems)
  }
  const { statusCode = 500, code } = error as FastifyError
  if (statusCode === 413) return sendProblem(reply, 413, 'The body is too large: at most 1 MiB.')
  if (code?.startsWith('Z_') || code?.startsWith('ERR__ERROR_FORMAT')) {
    const message = 'cannot be decompressed by its content-encoding'
    return sendProblem(reply, 400, `The body ${message}.`, [{ in: 'body', name: '', message }])
  }
  if (statusCode >= 400 && statusCode < 500 && code?.startsWith('FST_')) {
    const message =
      code === 'FST_ERR_BAD_URL'
        ? 'is not a valid URL: its percent-encoding is broken'
        : error.message
    const location = code === 'FST_ERR_BAD_URL' ? 'path' : 'body'
    return sendProblem(reply, statusCode, message, [{ in: location, name: '', message }])
  }
  request.log.error({ err: error, requestId: request.id }, 'a request failed')
  return sendProblem(
    reply,
    500,
    `Something went wrong on our side. Tell the operator this request id: ${request.id}`,
  )
}
