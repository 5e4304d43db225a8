import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PairSet } from '../../src/sources/mirror/pair-set.ts'

const digits = fc.string({
  unit: fc.constantFrom(...'0123456789abcdefABCDEF'),
  minLength: 40,
  maxLength: 40,
})
const few = fc.constantFrom(
  ...[0, 1, 2, 3].map((last) => `${'0'.repeat(39)}${last}`),
  `${'f'.repeat(40)}`,
)

test('is a set of pairs, in which the case of an address does not count', () => {
  const pairs = fc.array(fc.tuple(fc.oneof(digits, few), fc.nat(3)), { maxLength: 200 })
  fc.assert(
    fc.property(pairs, fc.nat(100), (added, expected) => {
      const set = new PairSet(expected)
      const plain = new Set<string>()
      for (const [address, number] of added) {
        const key = `${address.toLowerCase()} ${number}`
        expect(set.add(`${number % 2 ? '0x' : '0X'}${address}`, number)).toBe(!plain.has(key))
        plain.add(key)
      }
      expect(set.size).toBe(plain.size)
    }),
  )
})

test('grows', () => {
  const set = new PairSet()
  const address = (at: number) => `0x${(at * 7919).toString(16).padStart(40, '0')}`
  const add = (step: number) => {
    let added = 0
    for (let at = 0; at < 100_000; at += step) if (set.add(address(at), at % 3)) added++
    return added
  }
  expect(add(1)).toBe(100_000)
  expect(add(7)).toBe(0)
  expect(set.add(address(3), 1)).toBe(true)
  expect(set.size).toBe(100_001)
})

test.each([
  '',
  '0x',
  `1x${'a'.repeat(40)}`,
  `0x${'a'.repeat(39)}`,
  `0x${'a'.repeat(41)}`,
  `0x${'a'.repeat(39)}g`,
  `0x${'a'.repeat(39)}ā`,
  `0x${'a'.repeat(39)} `,
])('"%s" is no address', (address) => {
  const set = new PairSet()
  expect(set.add(address, 0)).toBeUndefined()
  expect(set.size).toBe(0)
})
