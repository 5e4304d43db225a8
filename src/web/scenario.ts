import type { ShockTokensQuery } from 'lending-graph-client'
import { chainName } from './chains.ts'
import { decimalOf } from './decimal.ts'
import { useDraft } from './draft.ts'
import { nameText } from './name.tsx'
import { cut } from './names.ts'

/** The change that is shown until another one is chosen, in percent. */
const USUAL = -12
/** A change is above the first and at most the second. */
const [LEAST, MOST] = [-100, 1000]

/** The end of the slider and of the curve, in percent. */
export const RANGE = 60
const FINE = 15
const COARSE = 5
const SIZES = [
  ...Array.from({ length: FINE }, (_, i) => i + 1),
  ...Array.from({ length: (RANGE - FINE) / COARSE }, (_, i) => FINE + (i + 1) * COARSE),
]
/** The changes that are asked for at once, as fractions: fine ones near 0, and coarse ones. */
export const STEPS = [...SIZES.map((size) => -size).reverse(), ...SIZES].map((step) => step / 100)

/** The step that the slider leads to from another one. */
export function stepAt(place: number, from: number): number {
  if (Math.abs(place) > FINE)
    return (place > from ? Math.ceil(place / COARSE) : Math.floor(place / COARSE)) * COARSE
  if (place !== 0) return place
  return from < 0 ? 1 : -1
}

type Token = ShockTokensQuery['assets']['nodes'][number]

/** A token, or tokens that move together. */
export interface Mover {
  /** In the address. */
  value: string
  /** In a choice. */
  label: string
  /** In a sentence. */
  name: string
  shock: { asset: string } | { group: string }
  /** The symbols of a group. */
  members: string[]
}

/** The groups of tokens, then the tokens. */
export function moversOf(tokens: readonly Token[]): { groups: Mover[]; single: Mover[] } {
  const names = [...new Set(tokens.flatMap(({ movesWith }) => movesWith ?? []))].sort()
  const groups = names.map((group) => {
    const symbols = tokens.filter(({ movesWith }) => movesWith === group)
    const members = [...new Set(symbols.map(({ symbol }) => cut(symbol)))]
    const more = members.length > 3 ? ', …' : ''
    const label = `${cut(group)} (${members.slice(0, 3).join(', ')}${more})`
    return { value: group, label, name: cut(group), shock: { group }, members }
  })
  const single = tokens.map(({ symbol, address, chainId }) => {
    const name = nameText({ kind: 'token', name: symbol, address })
    const label = `${name} on ${chainName(chainId)}`
    return { value: address, label, name, shock: { asset: address }, members: [] }
  })
  return { groups, single }
}

/** The mover of an address, or the usual one. */
export function chosenMover(movers: readonly Mover[], value: string | undefined) {
  const known = movers.find((mover) => mover.value === value)
  const usual = movers.find((mover) => mover.value === 'ETH') ?? movers[0]
  return { mover: known ?? usual, isUnknown: value !== undefined && !known }
}

const changeOf = (text: string): number | undefined => {
  const percent = decimalOf(text.replace('−', '-'))
  const isChange = percent !== undefined && percent !== 0 && percent > LEAST && percent <= MOST
  return isChange ? percent : undefined
}

/** The change of the price, in percent. */
export const useChange = () => useDraft('change', USUAL, changeOf)

const digits = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 })

/** A change in words: −12 %. */
export const percentText = (percent: number) =>
  `${percent < 0 ? '−' : '+'}${digits.format(Math.abs(percent))} %`
