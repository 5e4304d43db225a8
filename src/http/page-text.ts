import type { Config } from '../config.ts'

/**
 * The origin of the gateway in the documents, and the first and the newest date of their sample.
 */
export const WRITTEN = { host: '127.0.0.1:4000', first: '2026-08-23', last: '2026-11-20' }

// A date, also one that is percent-encoded in quotes.
const DATE = /(?<=\b|%22)\d{4}-\d\d-\d\d(?!\d)/g
const DAY_MS = 86_400_000

/** Puts the prefix of all paths before those that a page links to. */
export const withBase = (html: string, basePath: string): string =>
  basePath === '' ? html : html.replace(/\b(href|src)="\/(?!\/)/g, `$1="${basePath}/`)

/** Writes the name, colour and links of the gateway's operator into a page. */
export function withIdentity(html: string, config: Config): string {
  const { DASHBOARD_NAME: name, DASHBOARD_COLOR: color, DASHBOARD_LINKS: links = [] } = config
  const identity = escapeHtml(JSON.stringify({ name, color, links }))
  const named = html
    .replaceAll('%IDENTITY%', () => identity)
    .replaceAll('%NAME%', () => escapeHtml(name))
  return color ? named.replaceAll("fill='%234f46e5'", `fill='%23${color.slice(1)}'`) : named
}

/** A text as HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)

interface ClientPlace {
  /** The place at which the client reaches the gateway. Undefined if it is not known. */
  origin: string | undefined
  basePath: string
  newest: Date | null
}

/**
 * The text of a document for a client: with the origin that it has asked, and dates that the store
 * has.
 */
export function placed(text: string, { origin, basePath, newest }: ClientPlace): string {
  const at = `${origin ?? `http://${WRITTEN.host}`}${basePath}`
  const moved = newest ? withDates(text, newest) : text
  return withBase(moved, basePath)
    .replaceAll('](/', `](${basePath}/`)
    .replaceAll(`http://${WRITTEN.host}`, at)
    .replaceAll(`ws://${WRITTEN.host}`, at.replace(/^http/, 'ws'))
}

// Moves the dates of the sample in the documents, so that its newest one is that of the store.
function withDates(text: string, newest: Date): string {
  const shift = newest.getTime() - Date.parse(WRITTEN.last)
  if (shift === 0) return text
  return text.replace(DATE, (date) => {
    if (date < WRITTEN.first || date > WRITTEN.last) return date
    return new Date(Date.parse(date) + Math.round(shift / DAY_MS) * DAY_MS)
      .toISOString()
      .slice(0, 10)
  })
}
