/**
 * An example of a receiver: it checks the signature of each message, and prints the message.
 *
 *   node receiver.mjs SECRET [PORT]
 */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const [secret = '', port = '4010'] = process.argv.slice(2)
const webhook = new Webhook(secret)
// A message may come twice, with the same id.
const seen = new Set()

createServer(async (request, response) => {
  const body = await text(request)
  try {
    webhook.verify(body, request.headers)
  } catch {
    response.writeHead(401).end()
    return
  }
  response.writeHead(204).end()
  const id = request.headers['webhook-id']
  if (seen.has(id)) return
  seen.add(id)
  const { type, data } = JSON.parse(body)
  process.stdout.write(`${type} ${JSON.stringify(data)}\n`)
}).listen(Number(port), '127.0.0.1', function listening() {
  process.stdout.write(`receiving on http://127.0.0.1:${this.address().port}/\n`)
})
