import { isAscii, isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { Pacer } from '../pacer.ts'

/** The reasons why a line cannot be read. */
export interface UnreadableLine {
  reason: string
}

/** The lines of one read, in order. */
export interface LineBatch {
  /** The number of the first line in its file, starting at 1. */
  first: number
  lines: (string | UnreadableLine)[]
  bytes: number
}

/** The maximum length of a line, which bounds memory. A record has a few hundred bytes. */
export const MAX_LINE_BYTES = 1024 * 1024

const PIECE_BYTES = 64 * 1024

/**
 * Splits a stream of UTF-8 into lines, without line feeds (carriage returns stay) or a byte order
 * mark. Lines that are not UTF-8 are marked. One that is too long is marked at once, before its end
 * arrives, and reading continues after it. Memory is bounded, and other work of the process gets
 * its turn.
 * @param onBytes receives each chunk of the stream
 */
export async function* readLines(
  stream: Readable,
  onBytes?: (bytes: Buffer) => void,
): AsyncGenerator<LineBatch> {
  const pacer = new Pacer()
  let pieces: Buffer[] = []
  let length = 0
  let first = 1
  let bytes = 0

  // Adds a part to the line that has not ended. @returns true if that makes it too long
  const keep = (piece: Buffer): boolean => {
    const isLong = length <= MAX_LINE_BYTES && length + piece.length > MAX_LINE_BYTES
    length += piece.length
    if (length > MAX_LINE_BYTES) pieces = []
    else pieces.push(piece)
    return isLong
  }
  // Ends a line. Undefined if it was marked as too long before.
  const finish = (): string | UnreadableLine | undefined => {
    const line = length > MAX_LINE_BYTES ? undefined : decode(Buffer.concat(pieces))
    pieces = []
    length = 0
    return line
  }
  const split = (data: Buffer): (string | UnreadableLine)[] => {
    const plain = isAscii(data)
    const lines: (string | UnreadableLine)[] = []
    let start = 0
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, start)) {
      if (length === 0)
        lines.push(plain ? data.toString('latin1', start, end) : decode(data.subarray(start, end)))
      else {
        if (keep(data.subarray(start, end))) lines.push(TOO_LONG)
        const line = finish()
        if (line !== undefined) lines.push(line)
      }
      start = end + 1
    }
    if (start < data.length && keep(data.subarray(start))) lines.push(TOO_LONG)
    return lines
  }

  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    const data = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    onBytes?.(data)
    for (let at = 0; at < data.length; at += PIECE_BYTES) {
      const piece = data.subarray(at, at + PIECE_BYTES)
      const lines = split(piece)
      skipMark(lines, first)
      bytes += piece.length
      yield { first, lines, bytes }
      first += lines.length
      await pacer.next()
    }
  }
  const last = length > 0 ? finish() : undefined
  if (last === undefined) return
  const lines = [last]
  skipMark(lines, first)
  yield { first, lines, bytes }
}

const TOO_LONG: UnreadableLine = { reason: `is longer than ${MAX_LINE_BYTES} bytes` }

function decode(line: Buffer): string | UnreadableLine {
  if (isAscii(line)) return line.toString('latin1')
  return isUtf8(line) ? line.toString() : { reason: 'is not valid UTF-8' }
}

function skipMark(lines: (string | UnreadableLine)[], first: number) {
  const line = lines[0]
  if (first === 1 && typeof line === 'string' && line.charCodeAt(0) === 0xfeff)
    lines[0] = line.slice(1)
}
