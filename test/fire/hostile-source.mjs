import { createServer } from 'node:http'
import { parentPort } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'

/** A source of positions that does not end, in a thread, so that it takes no time from what measures the gateway. */
const MEBIBYTE = 1024 * 1024
const chunks = {
  'blank lines': Buffer.alloc(MEBIBYTE, '\n'),
  'one line': Buffer.alloc(MEBIBYTE, 'x'),
  'a gzip bomb': gzipSync(Buffer.alloc(64 * MEBIBYTE, '\n')),
  'empty gzip members': Buffer.concat(Array.from({ length: 1000 }, () => gzipSync(''))),
}
let kind = 'blank lines'
let open = 0
parentPort.on('message', (message) => {
  if (message === 'open') parentPort.postMessage(open)
  else kind = message
})

const server = createServer((request, response) => {
  const isZipped = kind.includes('gzip')
  if (!request.url.endsWith(isZipped ? '/positions.jsonl.gz' : '/positions.jsonl')) {
    response.writeHead(404).end()
    return
  }
  open++
  response.once('close', () => open--)
  response.writeHead(200, { 'content-type': 'application/octet-stream' })
  response.flushHeaders()
  const chunk = chunks[kind]
  if (kind === 'silence') return
  if (kind === '40 bytes a second') {
    const timer = setInterval(() => response.write('\n\n\n\n'), 100)
    response.once('close', () => clearInterval(timer))
    return
  }
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', send)
  send()
})
server.listen(0, '127.0.0.1', () =>
  parentPort.postMessage(`http://127.0.0.1:${server.address().port}`),
)
