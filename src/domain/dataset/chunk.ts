import type { Row } from './reader.ts'

/** Large enough that a chunk's statements cost little beside its rows, small enough that two of them are nothing. */
const FULL_CHARACTERS = 8 * 1024 * 1024

/** Records on their way to the store, as the lines of a COPY. Of those with the same key it keeps the last. */
export class Chunk {
  private readonly lines: string[] = []
  private readonly places = new Map<string, number>()
  private length = 0

  /** @param line the record's line number in its file, which becomes its last column */
  add({ texts, key }: Row, line: number): void {
    const text = `${texts.join('\t')}\t${line}\n`
    const place = this.places.get(key)
    if (place === undefined) this.places.set(key, this.lines.push(text) - 1)
    else this.lines[place] = text
    this.length += text.length
  }

  get rows(): number {
    return this.lines.length
  }

  get isFull(): boolean {
    return this.length >= FULL_CHARACTERS
  }

  toBuffer(): Buffer {
    return Buffer.from(this.lines.join(''))
  }
}
