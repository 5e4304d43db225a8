import { createHash, randomBytes } from 'node:crypto'

const SECRET = /^lgk_([0-9a-f]{12})_[0-9a-f]{64}$/

// The beginning of a key is enough, in any case of letters.
const LOOKS_LIKE_KEY = /lgk_[0-9a-z_]{8,}/i

// The letters of `lgk_` need no percent-encoding, so nobody else encodes them.
const HIDDEN = /%(?:4[bcBC]|47|5[fF]|6[bcBC]|67)/

/** A secret, its public part and its digest. */
export interface Secret {
  id: string
  digest: Buffer
}

// 256 random bits cannot be guessed, so a slow hash would only slow requests down.
const digestOf = (text: string) => createHash('sha256').update(text).digest()

/** Makes a secret. @param id the public part. A new one if it is undefined */
export function newSecret(id = randomBytes(6).toString('hex')): Secret & { secret: string } {
  const secret = `lgk_${id}_${randomBytes(32).toString('hex')}`
  return { secret, id, digest: digestOf(secret) }
}

/** Reads a secret. Undefined if it cannot be one. */
export function readSecret(text: string): Secret | undefined {
  const [, id] = SECRET.exec(text) ?? []
  return id === undefined ? undefined : { id, digest: digestOf(text) }
}

/** The key in headers. Undefined if there is none: other tokens are not keys. */
export function sentKey(headers: Readonly<Record<string, unknown>>): string | undefined {
  const { 'x-api-key': sent, authorization } = headers
  if (typeof sent === 'string' && sent.startsWith('lgk_')) return sent
  return typeof authorization === 'string'
    ? /^Bearer +(lgk_\S*) *$/i.exec(authorization)?.[1]
    : undefined
}

/** True if a URL has a key in it. */
export function hasKey(url: string): boolean {
  if (url.includes('%') && HIDDEN.test(url)) return LOOKS_LIKE_KEY.test(decodeLetters(url))
  return LOOKS_LIKE_KEY.test(url)
}

/** A URL in which `***` stands for each key. */
export const withoutKeys = (url: string): string =>
  decodeLetters(url).replace(new RegExp(LOOKS_LIKE_KEY, 'gi'), '***')

// Only letters, so a broken encoding elsewhere does not matter.
const decodeLetters = (url: string) =>
  url.replace(/%([4-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
