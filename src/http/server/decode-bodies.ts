import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { sendProblem } from './problem.ts'

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])
const BOM = Buffer.from('\uFEFF')

/** True if the bytes of a body are compressed. */
export const isEncoded = (encoding: string | undefined): boolean =>
  encoding !== undefined && !/^\s*(identity)?\s*$/i.test(encoding)

/**
 * Decompresses bodies of requests, whose limits then apply to what they hold. A byte-order mark
 * does not belong to the text.
 */
export function decodeBodies(app: FastifyInstance): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const {
      'content-encoding': encoding,
      'content-length': length,
      'transfer-encoding': transfer,
    } = request.headers
    const hasBody = length !== undefined || transfer !== undefined
    if (!hasBody || !isEncoded(encoding)) return done(null, payload)
    const decoder = DECODERS.get(String(encoding).trim().toLowerCase())
    if (!decoder)
      return sendProblem(
        reply.header('accept-encoding', 'gzip, deflate, br'),
        415,
        'The body has a content-encoding that is not supported. Use gzip, deflate or br, or ' +
          'send it as it is.',
      )
    // A pipeline would close the connection of a damaged body before its answer.
    const body = payload.pipe(decoder())
    reply.raw.once('close', () => {
      body.destroy()
      // Unread bytes would hold up the next request of the connection.
      payload.resume()
    })
    delete request.headers['content-encoding']
    // It is the length of the compressed body.
    delete request.headers['content-length']
    request.headers['transfer-encoding'] = 'chunked'
    done(null, body)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const { body } = request
    if (Buffer.isBuffer(body) && body.subarray(0, BOM.length).equals(BOM))
      request.body = body.subarray(BOM.length)
    done()
  })
}
