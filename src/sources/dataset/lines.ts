import { isAscii, isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'

/** The reasons why a line cannot be read. */
export interface UnreadableLine {
  reason: string
}

/** The lines of one read, in order. */
export interface LineBatch {
  /** The number of the first line in its file, starting at 1. */
  first: number
  lines: (string | UnreadableLine)[]
  /** The number of bytes read so far. */
  bytes: number
}

/** The maximum length of a line, which bounds memory. A record has a few hundred bytes. */
export const MAX_LINE_BYTES = 1024 * 1024

/**
 * Splits a stream of UTF-8 into lines, without line feeds (carriage returns stay) or a byte order mark. Lines that are too long
 * or not UTF-8 are marked, and reading continues after them. Memory is bounded.
 * @param onBytes receives each chunk of the stream
 */
export async function* readLines(stream: Readable, onBytes?: (bytes: Buffer) => void): AsyncGenerator<LineBatch> {
  let pieces: Buffer[] = []
  let length = 0
  let first = 1
  let bytes = 0

  const keep = (piece: Buffer) => {
    length += piece.length
    if (length > MAX_LINE_BYTES) pieces = []
    else pieces.push(piece)
  }
  const finish = (): string | UnreadableLine => {
    const line = length > MAX_LINE_BYTES ? undefined : Buffer.concat(pieces)
    pieces = []
    length = 0
    if (!line) return { reason: `is longer than ${MAX_LINE_BYTES} bytes` }
    return decode(line)
  }

  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    const data = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    onBytes?.(data)
    const plain = isAscii(data)
    const lines: (string | UnreadableLine)[] = []
    let start = 0
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, start)) {
      if (length === 0 && end - start <= MAX_LINE_BYTES)
        lines.push(plain ? data.toString('latin1', start, end) : decode(data.subarray(start, end)))
      else {
        keep(data.subarray(start, end))
        lines.push(finish())
      }
      start = end + 1
    }
    if (start < data.length) keep(data.subarray(start))
    skipMark(lines, first)
    bytes += data.length
    yield { first, lines, bytes }
    first += lines.length
  }
  if (length > 0) {
    const lines = [finish()]
    skipMark(lines, first)
    yield { first, lines, bytes }
  }
}

function decode(line: Buffer): string | UnreadableLine {
  if (isAscii(line)) return line.toString('latin1')
  return isUtf8(line) ? line.toString() : { reason: 'is not valid UTF-8' }
}

function skipMark(lines: (string | UnreadableLine)[], first: number) {
  const line = lines[0]
  if (first === 1 && typeof line === 'string' && line.charCodeAt(0) === 0xfeff) lines[0] = line.slice(1)
}
