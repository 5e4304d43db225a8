import type { Row } from './reader.ts'

/** Large enough that rows sorted by key are neighbours in an index, small enough not to matter for memory. */
const FULL_BYTES = 8 * 1024 * 1024
/** More than a row can need: a field has at most a few hundred characters. */
const ROW_BYTES = 256 * 1024

/** A chunk of records as COPY text. All chunks of a file share one buffer. */
export class Chunk {
  /** Whether a key occurred more than once, so that only its last record counts. */
  hasDuplicates = false
  private readonly keys = new Set<string>()
  private readonly buffer = Buffer.allocUnsafe(FULL_BYTES + ROW_BYTES)
  private count = 0
  private bytes = 0

  /** @param line the record's line number in its file, which becomes its last column */
  add({ texts, key }: Row, line: number): void {
    this.bytes += this.buffer.write(`${texts.join('\t')}\t${line}\n`, this.bytes)
    this.count++
    this.keys.add(key)
    this.hasDuplicates = this.keys.size < this.count
  }

  get rows(): number {
    return this.count
  }

  get isFull(): boolean {
    return this.bytes >= FULL_BYTES
  }

  /** The text since the last `clear`. */
  toBuffer(): Buffer {
    return this.buffer.subarray(0, this.bytes)
  }

  clear(): void {
    this.keys.clear()
    this.hasDuplicates = false
    this.count = 0
    this.bytes = 0
  }
}
