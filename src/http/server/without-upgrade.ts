import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Handles a request that offers to upgrade its connection, to HTTP/2 for instance, as if it did
 * not. Node stops to read a connection as HTTP at such a request once a server takes any upgrade.
 */
export function handleWithoutUpgrade(
  server: Server,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const { method, url, httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!/^(upgrade|http2-settings)$/i.test(rawHeaders[i] ?? ''))
      lines.push(headerLine(rawHeaders, i))
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('connection', socket)
}

function headerLine(rawHeaders: string[], at: number): string {
  const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
  if (name.toLowerCase() !== 'connection') return `${name}: ${value}`
  const options = value
    .split(',')
    .filter((option) => !/^\s*(upgrade|http2-settings)\s*$/i.test(option))
  return `${name}: ${options.join(',') || 'keep-alive'}`
}
