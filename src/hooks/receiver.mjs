/**
 * An example of a receiver: it checks the signature of each message, prints the message, and may
 * post it to a chat room: to a URL of the room that takes {"text": "..."}.
 *
 *   node receiver.mjs SECRET [PORT] [URL]
 */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const [secret = '', port = '4010', room] = process.argv.slice(2)
const webhook = new Webhook(secret)
// A message may come twice, with the same id.
const seen = new Set()

async function post(line) {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ text: line })
  const answer = await fetch(room, { method: 'POST', headers, body }).catch(() => undefined)
  return answer?.ok === true
}

createServer(async (request, response) => {
  const body = await text(request)
  try {
    webhook.verify(body, request.headers)
  } catch {
    response.writeHead(401).end()
    return
  }
  const id = request.headers['webhook-id']
  if (!seen.has(id)) {
    const { type, data } = JSON.parse(body)
    const line = `${type} ${JSON.stringify(data)}`
    process.stdout.write(`${line}\n`)
    // The gateway sends it again.
    if (room && !(await post(line))) {
      response.writeHead(502).end()
      return
    }
    seen.add(id)
  }
  response.writeHead(204).end()
}).listen(Number(port), '127.0.0.1', function listening() {
  process.stdout.write(`receiving on http://127.0.0.1:${this.address().port}/\n`)
})
