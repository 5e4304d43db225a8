import { createHash } from 'node:crypto'

// Words in the paths of well-known servers. Messages may contain them.
const PLAIN = new Set(
  `analytics apis cash-flows coins data dataset datasets exports files gateway graphql json lending
   market-snapshots markets points pools positions prices public query rates rest rewards snapshots
   source sources subgraph subgraphs tokens users vault-snapshots vaults`.split(/\s+/),
)
// Shorter texts are in messages by chance.
const MIN_LENGTH = 4

const USER = '(?<=\\w://)[^\\s/@"]+(?=@)'

// Texts that no message may contain, in lower case.
const secrets = new Set<string>()
// Matches them, and the users of URLs.
let pattern = new RegExp(USER, 'gi')

/** Keeps a key out of messages and logs from now on. */
export function keepSecret(text: string | undefined): void {
  if (text === undefined || secrets.has(text.toLowerCase())) return
  for (const form of [
    text,
    encodeURIComponent(text),
    Buffer.from(text).toString('base64').replace(/=+$/, ''),
  ])
    if (form.length >= MIN_LENGTH && !PLAIN.has(form.toLowerCase())) secrets.add(form.toLowerCase())
  // The longest first, as one may be a part of another.
  const longest = [...secrets].sort((a, b) => b.length - a.length)
  pattern = new RegExp([USER, ...longest.map(escaped)].join('|'), 'gi')
}

/** Keeps everything of a URL but its host out of messages and logs from now on. */
export function keepUrlSecret(text: string): void {
  const { username, password, pathname, search, searchParams, hash } = new URL(text)
  const parts = [username, password, ...pathname.split('/'), search.slice(1), hash.slice(1)]
  for (const part of [...parts, ...searchParams.values()]) {
    keepSecret(part)
    keepSecret(decoded(part))
  }
  if (username !== '') keepSecret(`${decoded(username)}:${decoded(password)}`)
}

/** A text in which `…` stands for each secret. */
export const withoutSecrets = (text: string): string => text.replace(pattern, '…')

/** A text in which each URL is cut to its scheme and host. */
export const hostsOnly = (text: string): string =>
  text.replace(
    /\b(https?|postgres(?:ql)?):\/\/(?:[^\s/"@]*@)?([^\s/?#",;()]+)(?:[/?#](?:[^\s"]*[^\s",.;:)])?)?/gi,
    '$1://$2',
  )

/**
 * Names a URL in messages and records by its scheme and host, never by its path, query or user. A
 * name, or else a digest, follows the host, as two sources may share one. From then on, messages
 * contain no other part of the URL.
 */
export function shownUrl(text: string, name?: string): string {
  const { protocol, host, pathname, search } = new URL(text)
  keepUrlSecret(text)
  const place = `${pathname.replace(/\/+$/, '')}${search}`
  const digest =
    place === ''
      ? undefined
      : createHash('sha256').update(`${host}${place}`).digest('hex').slice(0, 8)
  const mark = name ?? digest
  return `${protocol}//${host}${mark === undefined ? '' : ` (${mark})`}`
}

/** A percent-encoded text in clear. As it is if it is not encoded: a password may have a `%`. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
