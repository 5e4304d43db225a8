import { randomBytes } from 'node:crypto'

// An address in 32-bit words, and a number.
const WORDS = 6
const BLOCK = 1 << 14
// The maximum number of pairs for which memory is reserved in advance.
const MOST_EXPECTED = 1 << 21
// The character x, and the bit that makes a letter lower-case.
const [X, LOWER] = [120, 32]
// The value of a hexadecimal digit by character code, or -1.
const DIGITS = Int8Array.from({ length: 256 }, (_, code) => {
  const digit = String.fromCharCode(code)
  return /[0-9a-f]/i.test(digit) ? Number.parseInt(digit, 16) : -1
})

/**
 * An exact set of pairs of an address and a small non-negative number, such as a user and the index
 * of a pool. A pair takes about 32 bytes, a fifth of what a set of texts takes, and less time.
 */
export class PairSet {
  private readonly seed = randomBytes(4).readInt32LE()
  private readonly blocks: Int32Array[] = []
  private readonly pair = new Int32Array(WORDS)
  /**
   * The hash table: numbers of pairs, starting at 1, or 0 for a free slot. Its size is a power of
   * two.
   */
  private slots: Int32Array
  private count = 0

  /** @param expected an estimate of the number of pairs */
  constructor(expected = 0) {
    const least = Math.min(Math.max(expected, BLOCK), MOST_EXPECTED) * 2
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(least)))
  }

  get size(): number {
    return this.count
  }

  /**
   * Adds a pair.
   * @returns false if it is in the set, undefined if the address is invalid (not 0x and 40 hex
   * digits)
   */
  add(address: string, number: number): boolean | undefined {
    if (!this.read(address)) return undefined
    this.pair[WORDS - 1] = number
    const { slots, pair } = this
    const mask = slots.length - 1
    let slot = this.hash(pair, 0) & mask
    for (let at = slots[slot] as number; at !== 0; at = slots[slot] as number) {
      if (this.isPair(at - 1)) return false
      slot = (slot + 1) & mask
    }
    const inBlock = this.count % BLOCK
    if (inBlock === 0) this.blocks.push(new Int32Array(BLOCK * WORDS))
    const block = this.blocks[this.blocks.length - 1] as Int32Array
    for (let word = 0; word < WORDS; word++) block[inBlock * WORDS + word] = pair[word] as number
    slots[slot] = ++this.count
    if (this.count * 2 > slots.length) this.grow()
    return true
  }

  private read(address: string): boolean {
    if (
      address.length !== 42 ||
      address.charCodeAt(0) !== 48 ||
      (address.charCodeAt(1) | LOWER) !== X
    )
      return false
    for (let word = 0, at = 2; at < 42; word++) {
      let value = 0
      for (const end = at + 8; at < end; at++) {
        // A character beyond the table is undefined, which `| 0` would turn into a digit.
        const digit = DIGITS[address.charCodeAt(at)] ?? -1
        if (digit < 0) return false
        value = (value << 4) | digit
      }
      this.pair[word] = value
    }
    return true
  }

  private isPair(index: number): boolean {
    const block = this.blocks[Math.floor(index / BLOCK)] as Int32Array
    const start = (index % BLOCK) * WORDS
    for (let word = 0; word < WORDS; word++)
      if (block[start + word] !== this.pair[word]) return false
    return true
  }

  /** Seeded at random, so that colliding addresses cannot be crafted. */
  private hash(words: Int32Array, start: number): number {
    let hash = this.seed
    for (let word = 0; word < WORDS; word++) {
      hash = Math.imul(hash ^ (words[start + word] as number), 0x9e3779b1)
      hash ^= hash >>> 15
    }
    return hash
  }

  private grow(): void {
    const slots = new Int32Array(this.slots.length * 2)
    const mask = slots.length - 1
    for (let index = 0; index < this.count; index++) {
      let slot =
        this.hash(this.blocks[Math.floor(index / BLOCK)] as Int32Array, (index % BLOCK) * WORDS) &
        mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = index + 1
    }
    this.slots = slots
  }
}
