import type { FastifyReply, FastifyRequest } from 'fastify'
import pTimeout from 'p-timeout'
import type { Caller } from '../db/connect/scope.ts'
import type { HttpAnswer } from '../http/cache/answer.ts'
import { exchangeOf } from '../http/exchange.ts'
import { escapeHtml } from '../http/page-text.ts'
import { clientOrigin } from '../http/server/origin.ts'
import type { Share } from './serve.ts'
import { walletFigures } from './standing.ts'
import { brief, shown } from './words.ts'

// A page does not wait longer for the numbers of its description.
const READ_MS = 250
const READ_COST = 100
const WALLET = /^\/dashboard\/wallets\/(0x[0-9a-f]{40})\/?(?:\?|$)/i
const DESCRIPTION = /<meta name="description"[^>]*>/

/**
 * Writes into a page of the dashboard how a link to it looks in chats and feeds: its title, a
 * description, and a card.
 */
export function describePages({ config, graph, edge }: Share) {
  const { BASE_PATH: basePath, DASHBOARD_NAME: name } = config
  const originOf = clientOrigin(config.TRUST_PROXY)
  const site = shown(name, 40) || 'Points'
  return async (file: HttpAnswer, request: FastifyRequest, reply: FastifyReply) => {
    if (!file.type.startsWith('text/html')) return file
    const origin = originOf(request.raw) ?? ''
    const address = WALLET.exec(request.url)?.[1]?.toLowerCase()
    const path = address ? `/dashboard/wallets/${address}` : '/dashboard'
    const text = (description: string) => {
      const title = address ? `Wallet ${brief(address)} · ${site}` : `${site} dashboard`
      const image = `${origin}${basePath}${path}/card.png`
      const tags = tagsOf({ title, description, image, site })
      const json = file.body.toString().replace(DESCRIPTION, () => tags)
      return { name: file.name, status: file.status, json }
    }
    const exchange = exchangeOf(request.raw, reply.raw)
    const plain = () =>
      edge.cache.answer(`page ${origin} ${path} plain`, async () => text(PROGRAM), exchange)
    if (!address) return plain()
    const read = async (caller: Caller) =>
      text(descriptionOf(await walletFigures(graph, address, caller)))
    const key = `page ${origin} ${path}`
    const isCached = edge.cache.find(key, exchange.minVersion) !== undefined
    if (!isCached && (await isRefused(request, reply))) return plain()
    return pTimeout(edge.cache.answer(key, read, exchange), { milliseconds: READ_MS }).catch(plain)
  }

  // A page is never refused: a client without points gets one without numbers.
  async function isRefused({ raw: request }: FastifyRequest, { raw: response }: FastifyReply) {
    const rejection = await edge.rateLimit.charge(request, response, READ_COST)
    if (rejection !== undefined) response.removeHeader('retry-after')
    return rejection !== undefined
  }
}

const PROGRAM = 'Points, positions, pools and distributions of the lending protocol.'

function descriptionOf({
  isRanked,
  rank,
  users,
  share,
  perDay,
}: Awaited<ReturnType<typeof walletFigures>>): string {
  if (!isRanked) return 'This wallet has no points yet.'
  return `Rank ${rank} of ${users} wallets, ${share} of all points, ${perDay} points per day.`
}

interface Tags {
  title: string
  description: string
  image: string
  site: string
}

function tagsOf({ title, description, image, site }: Tags): string {
  const meta = (attribute: string, of: string, content: string) =>
    `<meta ${attribute}="${of}" content="${escapeHtml(content)}">`
  return [
    meta('name', 'description', description),
    meta('property', 'og:type', 'website'),
    meta('property', 'og:site_name', site),
    meta('property', 'og:title', title),
    meta('property', 'og:description', description),
    meta('property', 'og:image', image),
    meta('property', 'og:image:width', '1200'),
    meta('property', 'og:image:height', '630'),
    meta('property', 'og:image:alt', description),
    meta('name', 'twitter:card', 'summary_large_image'),
  ].join('\n')
}
