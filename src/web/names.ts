import { brief } from './format.ts'

/** Characters that show nothing, or that change how the text around them is shown. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u
const [ISOLATE, END] = ['\u2068', '\u2069']

/**
 * A name as people see it: without invisible characters, and without effect on the text around it.
 * Empty if nothing is visible.
 */
export function visible(name: string): string {
  const text = name
    .replace(/\s+/gu, ' ')
    .replace(INVISIBLE, '')
    .replace(/(\p{M}{3})\p{M}+/gu, '$1')
    .trim()
  if (!/[^\p{M}\p{Z}]/u.test(text)) return ''
  return RIGHT_TO_LEFT.test(text) ? `${ISOLATE}${text}${END}` : text
}

/** A name of at most so many characters. */
export const cut = (name: string, max = 20) =>
  name.length > max ? `${name.slice(0, max - 1)}…` : name

/** A name for a file: without what file systems refuse. */
export const fileName = (name: string) =>
  name
    .replace(/[\u2066-\u2069]/g, '')
    .replace(/[\\/:*?"<>|]/g, '-')
    .slice(0, 100)

const NAMES = new Set(['name', 'symbol', 'displayName'])

/**
 * An answer of the graph whose names are visible. The address replaces a name that shows nothing.
 */
export function withVisibleNames<Data>(data: Data): Data {
  if (Array.isArray(data)) return data.map(withVisibleNames) as Data
  if (typeof data !== 'object' || data === null) return data
  const { address } = data as { address?: unknown }
  const unnamed = typeof address === 'string' ? brief(address) : 'no name'
  const entries = Object.entries(data).map(([key, value]) => {
    const isName = NAMES.has(key) && typeof value === 'string'
    return [key, isName ? visible(value) || unnamed : withVisibleNames(value)]
  })
  return Object.fromEntries(entries) as Data
}

/** Letters and digits by the Latin ones that they look like. */
const LOOKS = new Map(
  Object.entries({
    ...{
      a: 'аɑα',
      b: 'ьЬβ',
      c: 'сϲ',
      d: 'ԁ',
      e: 'еєε',
      g: 'ɡ',
      h: 'һн',
      i: 'іıιl1|ⅼӏ',
      j: 'јϳ',
      k: 'кκ',
      m: 'мμ',
    },
    ...{
      n: 'ոη',
      o: 'оοσ0',
      p: 'рρ',
      q: 'ԛ',
      s: 'ѕ5$',
      t: 'тτ',
      u: 'υս',
      v: 'ѵν',
      w: 'ԝω',
      x: 'хχ',
      y: 'уγү',
      z: 'ᴢ2',
    },
  }).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
)

/** Equal for names that look alike. */
function lookOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}\p{C}\p{Z}\p{P}]/gu, '')
  return [...plain].map((letter) => LOOKS.get(letter) ?? letter).join('')
}

/** The kind of thing that has a name. Names of different kinds are not mistaken for each other. */
export type NameKind = 'token' | 'pool' | 'vault'

interface Shown {
  name: string
  chainId: unknown
}

/** The shown things, by the look of their names, then by address. */
const shown = new Map<string, Map<string, Shown>>()
const listeners = new Set<() => void>()

/** Notes that a name is shown for an address. */
export function noteName(kind: NameKind, name: string, address: string, chainId?: unknown): void {
  const look = `${kind} ${lookOf(name)}`
  const places = shown.get(look) ?? new Map<string, Shown>()
  const known = places.get(address)
  if (known && known.chainId === (chainId ?? known.chainId)) return
  shown.set(look, places.set(address, { name, chainId }))
  if (places.size > 1) for (const listener of listeners) listener()
}

/**
 * True if a name looks like that of another address. One token has the same name on several chains.
 */
export function looksAlike(kind: NameKind, name: string, address: string): boolean {
  const places = shown.get(`${kind} ${lookOf(name)}`)
  const chain = places?.get(address)?.chainId
  const isOnOther = (one: Shown) =>
    one.name === name && chain !== undefined && ![undefined, chain].includes(one.chainId as never)
  return [...(places ?? [])].some(([other, one]) => other !== address && !isOnOther(one))
}

/** Calls back when names begin to look alike. @returns a function that ends it */
export function onAlike(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
