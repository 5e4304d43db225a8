import { digestOf } from './conflicts.ts'
import type { ReadRecord } from './reader.ts'

// Large enough that rows sorted by key are neighbours in an index, small enough not to matter for
// memory.
const FULL_BYTES = 8 * 1024 * 1024
const FIRST_BYTES = 64 * 1024

/**
 * A chunk of records as COPY text. All chunks of a file share one buffer, which grows with the
 * first: most files are small.
 */
export class Chunk {
  /** True if a key occurred more than once. */
  hasDuplicates = false
  private readonly keys = new Set<string>()
  private buffer = Buffer.allocUnsafe(FIRST_BYTES)
  private count = 0
  private bytes = 0
  private readonly fullBytes: number

  constructor(fullBytes = FULL_BYTES) {
    this.fullBytes = fullBytes
  }

  /**
   * @param line the record's line number in its file, which becomes its last column, after the
   * digests of key and values
   */
  add({ texts, key }: ReadRecord, line: number): void {
    const values = texts.join('\t')
    const text = `${values}\t${digestOf(key)}\t${digestOf(values)}\t${line}\n`
    // In UTF-8 a UTF-16 code unit has at most three bytes.
    this.reserve(3 * text.length)
    this.bytes += this.buffer.write(text, this.bytes)
    this.count++
    this.keys.add(key)
    this.hasDuplicates = this.keys.size < this.count
  }

  private reserve(bytes: number): void {
    const needed = this.bytes + bytes
    if (needed <= this.buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * this.buffer.length, needed))
    this.buffer.copy(larger, 0, 0, this.bytes)
    this.buffer = larger
  }

  get rows(): number {
    return this.count
  }

  get isFull(): boolean {
    return this.bytes >= this.fullBytes
  }

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
