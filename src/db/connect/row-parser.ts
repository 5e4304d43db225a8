import { isAscii } from 'node:buffer'
import type { Readable } from 'node:stream'
import type pg from 'pg'
import { Parser } from 'pg-protocol/dist/parser.js'

/** The texts of a row's columns. */
export type TextRow = (string | null)[]

const DATA_ROW = 68
/** A character of Latin-1 that is a part of a longer one in UTF-8. */
const WIDE = /[\x80-\xff]/

interface Message {
  name: string
}

/** Internal properties of pg's parser. */
interface Internal {
  bufferOffset: number
  bufferLength: number
  parse(chunk: Buffer, callback: (message: Message) => void): void
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): Message
}

/** Parses messages of Postgres. The values of rows are parts of one string for each chunk: decoding each takes ten times as long. */
class RowParser extends (Parser as unknown as new () => Internal) {
  /** The bytes of a chunk as Latin-1, one character a byte. Undefined before they are needed. */
  #text: string | undefined
  #isAscii = false

  override parse(chunk: Buffer, callback: (message: Message) => void): void {
    this.#text = undefined
    super.parse(chunk, callback)
  }

  override handlePacket(offset: number, code: number, length: number, bytes: Buffer): Message {
    return code === DATA_ROW ? new Row(this, bytes, offset, length) : super.handlePacket(offset, code, length, bytes)
  }

  /** The values of a row as pg decodes them. */
  fields(bytes: Buffer, offset: number, length: number): TextRow {
    return (super.handlePacket(offset, DATA_ROW, length, bytes) as Message & { fields: TextRow }).fields
  }

  texts(bytes: Buffer, offset: number): TextRow {
    const start = this.bufferOffset
    if (this.#text === undefined) {
      const end = start + this.bufferLength
      this.#text = bytes.toString('latin1', start, end)
      this.#isAscii = isAscii(bytes.subarray(start, end))
    }
    const values: TextRow = new Array(bytes.readUInt16BE(offset))
    let at = offset + 2
    for (let i = 0; i < values.length; i++) {
      const length = bytes.readInt32BE(at)
      at += 4
      if (length < 0) values[i] = null
      else {
        const value = this.#text.substring(at - start, at - start + length)
        values[i] = this.#isAscii || !WIDE.test(value) ? value : bytes.toString('utf8', at, at + length)
        at += length
      }
    }
    return values
  }
}

/** A row, to be read before the next one arrives. */
export class Row implements Message {
  readonly name = 'dataRow'
  readonly length: number
  readonly #parser: RowParser
  readonly #bytes: Buffer
  readonly #offset: number

  constructor(parser: RowParser, bytes: Buffer, offset: number, length: number) {
    this.length = length
    this.#parser = parser
    this.#bytes = bytes
    this.#offset = offset
  }

  /** The values of its columns, for pg. */
  get fields(): TextRow {
    return this.#parser.fields(this.#bytes, this.#offset, this.length)
  }

  /** The same, faster. Each value keeps its chunk in memory, so they are for answers, not to be cached. */
  get texts(): TextRow {
    return this.#parser.texts(this.#bytes, this.#offset)
  }
}

/** An internal method of pg's connection. */
type Listening = pg.Connection & { attachListeners(stream: Readable): void }

/** Makes a connection parse its messages with this parser. */
export function parseRows(connection: pg.Connection): void {
  ;(connection as Listening).attachListeners = (stream) => {
    const parser = new RowParser()
    const emit = (message: Message) =>
      connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)
    stream.on('data', (chunk: Buffer) => parser.parse(chunk, emit))
  }
}
