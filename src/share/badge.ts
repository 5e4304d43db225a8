import type { FastifyInstance } from 'fastify'
import type { Caller } from '../db/connect/scope.ts'
import { escapeHtml } from '../http/page-text.ts'
import { ACCENT, OTHER_SITES } from './cards.ts'
import { addressOf, oneOf, type Share, serve } from './serve.ts'
import { walletFigures } from './standing.ts'
import { shown } from './words.ts'

const SHOWN = ['rank', 'points', 'share'] as const
const READ_COST = 100

/** Serves badges: the rank, points or share of a wallet as a small picture for any page. */
export function mountBadges(app: FastifyInstance, share: Share): void {
  const { config, graph, edge } = share
  const name = shown(config.DASHBOARD_NAME, 24) || 'Points'
  const color = config.DASHBOARD_COLOR ?? ACCENT
  app.get<{ Params: { file: string } }>('/badge/:file', async (request, reply) => {
    const [, text] = /^(.*)\.svg$/.exec(request.params.file) ?? []
    if (text === undefined) return reply.callNotFound()
    const address = addressOf(text)
    const show = oneOf(request, 'show', SHOWN)
    const make = async (caller: Caller) => {
      const figures = await walletFigures(graph, address, caller)
      return badge(`${name} ${show}`, figures.isRanked ? figures[show] : 'none yet', color)
    }
    const made = {
      ...{ name: '/badge/{address}.svg', key: `badge ${address} ${show}`, cache: edge.cache, make },
      ...{ type: 'image/svg+xml', cost: READ_COST },
      // It runs no script and loads nothing.
      headers: ['content-security-policy', "default-src 'none'", ...OTHER_SITES],
    }
    return serve(share, made, request, reply)
  })
}

/** A badge of two parts, as people know them. */
export function badge(label: string, value: string, color: string): string {
  const left = widthOf(label) + 12
  const right = widthOf(value) + 12
  const width = left + right
  const [name, text] = [escapeHtml(label), escapeHtml(value)]
  const part = (text: string, x: number, length: number) =>
    `<text x="${x}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs">${text}</text>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" ` +
    `aria-label="${name}: ${text}"><title>${name}: ${text}</title>` +
    `<clipPath id="r"><rect width="${width}" height="20" rx="3"/></clipPath>` +
    `<g clip-path="url(#r)"><rect width="${left}" height="20" fill="#3f4354"/>` +
    `<rect x="${left}" width="${right}" height="20" fill="${color}"/></g>` +
    '<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">' +
    `${part(name, 6, left - 12)}${part(text, left + 6, right - 12)}</g></svg>`
  )
}

// The widths of Verdana's characters at 11 px, by classes.
const WIDTHS = [
  [/[il.,:;|!' ]/, 4],
  [/[fjrtI()[\]/-]/, 5],
  [/[mwMW%@]/, 10.5],
  [/[A-Z#&+<>=]/, 8.2],
  [/[\x21-\x7e]/, 7],
] as const

/** The width of a text in a badge, in pixels. Characters beyond ASCII count as wide. */
function widthOf(text: string): number {
  const widths = Array.from(text, (one) => WIDTHS.find(([of]) => of.test(one))?.[1] ?? 11)
  return Math.ceil(widths.reduce<number>((sum, width) => sum + width, 0))
}
