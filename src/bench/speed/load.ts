/**
 * The load: a number of connections, each with one request under way at a time, over plain sockets.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Request } from './operations.ts'

export interface Load {
  port: number
  /** Requests as they go over the wire; each is sent in turn. */
  requests: Buffer[]
  connections: number
  /** How long it runs before the window that counts. */
  warmMs: number
  windowMs: number
  /** What is read when the window opens and when it closes, such as CPU times. */
  sample?: () => number[]
}

export interface Window {
  /** Answers that arrived in it. */
  answers: number
  seconds: number
  /** Of those whose request was sent in it, sorted, in milliseconds. */
  latencies: Float64Array
  /** By how much each of the samples grew. */
  grown: number[]
}

/** A request as bytes. */
export function wire({ path, body }: Request, headers: Record<string, string> = {}): Buffer {
  const json = body && JSON.stringify(body)
  const all = {
    host: 'bench',
    accept: 'application/json',
    ...(json && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(json)),
    }),
    ...headers,
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(
    `${json ? 'POST' : 'GET'} ${path} HTTP/1.1\r\n${head.join('')}\r\n${json ?? ''}`,
  )
}

/**
 * Sends requests until the window is over.
 * @throws if an answer is not a success or has GraphQL errors
 */
export async function run({
  port,
  requests,
  connections,
  warmMs,
  windowMs,
  sample = () => [],
}: Load): Promise<Window> {
  const latencies: number[] = []
  let answers = 0
  let opened = Number.POSITIVE_INFINITY
  let nth = 0
  let over = false
  const next = () => (over ? undefined : requests[nth++ % requests.length])
  const done = (ms: number, sent: number) => {
    answers++
    if (sent >= opened) latencies.push(ms)
  }
  const lanes = Promise.all(Array.from({ length: connections }, () => lane(port, next, done)))
  try {
    await Promise.race([sleep(warmMs), lanes])
    const before = sample()
    answers = 0
    opened = performance.now()
    await Promise.race([sleep(windowMs), lanes])
    const counted = answers
    const seconds = (performance.now() - opened) / 1000
    const grown = sample().map((value, i) => value - (before[i] ?? 0))
    return { answers: counted, seconds, latencies: Float64Array.from(latencies).sort(), grown }
  } finally {
    over = true
    await lanes
  }
}

/**
 * Sends each request once, one after another on one connection.
 * @returns their latencies, in milliseconds
 */
export async function each(port: number, requests: Buffer[]): Promise<number[]> {
  const latencies: number[] = []
  const left = requests.values()
  await lane(
    port,
    () => left.next().value,
    (ms) => latencies.push(ms),
  )
  return latencies
}

/** The smallest of sorted values that `percent` of them do not exceed. */
export const percentileOf = (sorted: Float64Array, percent: number) =>
  sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN

/** One connection: it ends when there is nothing next and its last answer has come. */
function lane(
  port: number,
  next: () => Buffer | undefined,
  done: (ms: number, sent: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0
    /** What has come of an answer's head that is not whole yet. */
    let head = ''
    /** Bytes of the answer's body that are still to come; undefined: its head is not there yet. */
    let missing: number | undefined
    let chunked = false
    const send = () => {
      const request = next()
      if (!request) {
        resolve()
        socket.destroy()
        return
      }
      sent = performance.now()
      socket.write(request)
    }
    const fail = (answer: string) => {
      reject(new Error(`it answered ${answer.slice(0, 1000)}`))
      socket.destroy()
    }
    const readHead = (bytes: Buffer): boolean => {
      let body = head === '' ? bytes.indexOf('\r\n\r\n') + 4 : 3
      if (body > 3) head = bytes.toString('latin1', 0, body)
      else {
        const had = head.length
        head += bytes.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return false
        body = end + 4 - had
      }
      const status = head.slice(9, 12)
      if (status[0] !== '2' && status !== '304') fail(head + bytes.toString('latin1', body))
      if (bytes.toString('latin1', body, body + 9) === '{"errors"')
        fail(bytes.toString('latin1', body))
      const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
      chunked = length === undefined && status !== '304'
      missing = status === '304' ? 0 : Number(length ?? 0) - (bytes.length - body)
      return true
    }
    const data = (bytes: Buffer) => {
      if (missing !== undefined) missing -= bytes.length
      else if (!readHead(bytes)) return
      if (chunked ? bytes.toString('latin1', bytes.length - 5) !== '0\r\n\r\n' : (missing ?? 0) > 0)
        return
      head = ''
      missing = undefined
      done(performance.now() - sent, sent)
      send()
    }
    // One buffer for all that it reads: a new one a read would cost more than the rest.
    const buffer = Buffer.allocUnsafeSlow(1 << 16)
    const onread = {
      buffer,
      callback(length: number) {
        data(buffer.subarray(0, length))
        return true
      },
    }
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
    socket.once('connect', send)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed the connection')))
  })
}
