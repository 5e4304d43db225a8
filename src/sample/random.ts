import { createHash } from 'node:crypto'

const digest = (label: string) => createHash('sha256').update(label).digest('hex')
export const address = (label: string) => `0x${digest(label).slice(0, 40)}`
export const hash = (label: string) => `0x${digest(label)}`
export const uuid = (label: string) =>
  digest(label).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')

export type Random = () => number

/** A stream of numbers in [0, 1) that depends only on the label (mulberry32). */
export function random(label: string): Random {
  let state = Number.parseInt(digest(label).slice(0, 8), 16)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const normal = (rng: Random) =>
  Math.sqrt(-2 * Math.log(1 - rng())) * Math.cos(2 * Math.PI * rng())
export const between = (rng: Random, low: number, high: number) => low + rng() * (high - low)
export const whole = (rng: Random, low: number, high: number) => Math.floor(between(rng, low, high))
export const pick = <T>(rng: Random, list: T[], skew = 1) =>
  list[Math.floor(list.length * rng() ** skew)] as T
