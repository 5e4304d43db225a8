import type { FastifyInstance } from 'fastify'
import pLimit from 'p-limit'
import type { Caller } from '../db/connect/scope.ts'
import { GatewayError } from '../errors.ts'
import type { Card } from './draw-card.ts'
import { addressOf, type Share, serve } from './serve.ts'
import { type Figures, programFigures, walletFigures } from './standing.ts'
import { brief, drawn } from './words.ts'

/** The colour of the product, if the operator has not chosen one. */
export const ACCENT = '#4f46e5'

const AT_ONCE = 2
const MAX_WAITING = 30
const RETRY_SECONDS = 2
const CARD_COST = 300
const PNG = 'image/png'

/** Serves the cards of wallets, and that of the program. */
export function mountCards(app: FastifyInstance, share: Share): void {
  const { config, graph, cards } = share
  const limit = pLimit(AT_ONCE)
  const name = drawn(config.DASHBOARD_NAME, 40, 'Points')
  const color = config.DASHBOARD_COLOR ?? ACCENT
  const base = { cache: cards, type: PNG, cost: CARD_COST, headers: OTHER_SITES }

  const draw = async (read: () => Promise<Omit<Card, 'name' | 'color'>>) => {
    if (limit.activeCount + limit.pendingCount >= AT_ONCE + MAX_WAITING)
      throw new GatewayError(
        'RATE_LIMITED',
        `Too many cards are being drawn. Try again in ${RETRY_SECONDS} s.`,
        [],
        RETRY_SECONDS,
      )
    return limit(async () => {
      const card = await read()
      // Its packages are large, and most gateways draw no card when they start.
      const { drawCard } = await import('./draw-card.ts')
      return (await drawCard({ ...card, name, color })).toString('base64')
    })
  }

  app.get<{ Params: { address: string } }>(
    '/dashboard/wallets/:address/card.png',
    (request, reply) => {
      const address = addressOf(request.params.address)
      const make = (caller: Caller) =>
        draw(async () => walletCard(address, await walletFigures(graph, address, caller)))
      const made = { ...base, name: CARD_PATH, key: `card ${address}`, make }
      return serve(share, made, request, reply)
    },
  )
  app.get('/dashboard/card.png', (request, reply) => {
    const make = (caller: Caller) =>
      draw(async () => programCard(await programFigures(graph, caller)))
    return serve(share, { ...base, name: '/dashboard/card.png', key: 'card', make }, request, reply)
  })
}

const CARD_PATH = '/dashboard/wallets/{address}/card.png'

/** Headers of what other sites show. */
export const OTHER_SITES = ['cross-origin-resource-policy', 'cross-origin']

function walletCard(address: string, { isRanked, rank, users, figures, date }: Figures) {
  const title = brief(address)
  if (!isRanked)
    return { address, title, lead: 'No points yet', note: '', figures, date: date ?? '' }
  return { address, title, lead: rank, note: `of ${users} wallets`, figures, date: date ?? '' }
}

function programCard({ points, figures, date }: Figures) {
  const note = date ? 'points earned so far' : 'No distribution yet'
  const [, ...others] = figures
  return {
    ...{ address: undefined, title: 'Points program', lead: points, note },
    figures: others,
    date: date ?? '',
  }
}
