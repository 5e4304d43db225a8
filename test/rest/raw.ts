import { connect } from 'node:net'

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * Sends bytes that fetch would refuse or repair, and reads the answer until the server hangs up.
 */
export function sendRaw(
  base: string,
  head: string,
  body: string | Uint8Array = '',
): Promise<RawAnswer> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head}\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`)
      socket.write(body)
    })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', (error) => (chunks.length ? undefined : reject(error)))
    socket.on('close', () => {
      const [top = '', ...rest] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n')
      const [status = '', ...lines] = top.split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 1).trim(),
        ]),
      )
      resolve({ status: Number(status.split(' ')[1]), headers, body: rest.join('\r\n\r\n') })
    })
  })
}
