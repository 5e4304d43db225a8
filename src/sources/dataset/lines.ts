import { isAscii, isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'

/** What a line cannot be read for. */
export interface UnreadableLine {
  reason: string
}

/** The lines that came with one read, in order. */
export interface LineBatch {
  /** The number of the first of them in its file, from 1. */
  first: number
  lines: (string | UnreadableLine)[]
  /** How many bytes of the file have been read so far. */
  bytes: number
}

/** A record has a few hundred bytes; what goes on for longer is no such file, and memory must not hold it. */
export const MAX_LINE_BYTES = 1024 * 1024

/**
 * Splits a stream of UTF-8 into lines, without their line feeds (a carriage return stays) and without a byte order
 * mark. Lines that are too long or no UTF-8 are told apart, and reading goes on behind them. Memory is bounded.
 * @param onBytes is given every piece of the stream as it is read
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
    return isUtf8(line) ? line.toString() : { reason: 'is not valid UTF-8' }
  }

  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    const data = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    onBytes?.(data)
    const plain = isAscii(data)
    const lines: (string | UnreadableLine)[] = []
    let start = 0
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, start)) {
      if (plain && length === 0 && end - start <= MAX_LINE_BYTES) lines.push(data.toString('latin1', start, end))
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

function skipMark(lines: (string | UnreadableLine)[], first: number) {
  const line = lines[0]
  if (first === 1 && typeof line === 'string' && line.charCodeAt(0) === 0xfeff) lines[0] = line.slice(1)
}
