/**
 * Bare node:http serving ready bytes: what a cache is compared to. The bytes are in the file that
 * BYTES names.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

/** By path, or for a POST by its body. */
const answers: Record<string, { body: string; etag: string }> = JSON.parse(
  readFileSync(process.env.BYTES ?? '', 'utf8'),
)
const ready = new Map(
  Object.entries(answers).map(([key, { body, etag }]) => {
    const bytes = Buffer.from(body)
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': bytes.length,
      etag,
    }
    return [key, { bytes, etag, headers }]
  }),
)

createServer((request, response) => {
  const send = (key: string) => {
    const answer = ready.get(key)
    if (!answer) return response.writeHead(key === '/health' ? 200 : 404).end()
    if (request.headers['if-none-match'] === answer.etag)
      return response.writeHead(304, { etag: answer.etag }).end()
    return response.writeHead(200, answer.headers).end(answer.bytes)
  }
  if (request.method === 'GET') return void send(request.url ?? '')
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => send(Buffer.concat(chunks).toString()))
}).listen(Number(process.env.PORT), '127.0.0.1')
