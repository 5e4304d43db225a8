import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../db/connect/scope.ts'
import { GatewayError } from '../errors.ts'
import { escapeHtml } from '../http/page-text.ts'
import { ACCENT, OTHER_SITES } from './cards.ts'
import { type Chart, chartOf } from './embedded-chart.ts'
import { poolChartOperation, walletChartOperation } from './operations.ts'
import { addressOf, oneOf, type Share, serve } from './serve.ts'
import { brief, points, shown, usd } from './words.ts'

const THEMES = ['auto', 'light', 'dark'] as const
const READ_COST = 100

const LIGHT = '--ground:#fff;--ink:#14161f;--muted:#5b6072;--line:#e3e5ee'
const DARK = '--ground:#10131f;--ink:#f2f3f8;--muted:#a3aac2;--line:#2a2f42'

/** Serves charts for frames of other sites: pages without a script, whose chart is an SVG. */
export function mountEmbeds(app: FastifyInstance, share: Share): void {
  const { config, graph, edge } = share
  const name = shown(config.DASHBOARD_NAME, 40) || 'Points'
  const style = styleOf(config.DASHBOARD_COLOR ?? ACCENT)
  const digest = createHash('sha256').update(style).digest('base64')
  const headers = [
    'content-security-policy',
    `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; ` +
      'frame-ancestors *',
    'referrer-policy',
    'no-referrer',
    ...OTHER_SITES,
  ]
  const base = { cache: edge.cache, type: 'text/html; charset=utf-8', cost: READ_COST, headers }
  const page = (request: FastifyRequest, path: string, chart: Chart) =>
    pageOf({ chart, name, style, theme: themeOf(request), href: `${config.BASE_PATH}${path}` })

  app.get<{ Params: { address: string } }>('/embed/wallets/:address', (request, reply) => {
    const address = addressOf(request.params.address)
    const make = async (caller: Caller) => {
      const { user } = await graph.runDocument(walletChartOperation, { address }, { caller })
      const series = user.series.map(({ start, points }) => [start, points] as const)
      const title = `Points per day of ${brief(address)}`
      const path = `/dashboard/wallets/${address}`
      return page(request, path, { title, series, written: points })
    }
    const key = `embed wallet ${address} ${themeOf(request)}`
    return serve(share, { ...base, name: '/embed/wallets/{address}', key, make }, request, reply)
  })

  app.get<{ Params: { address: string } }>('/embed/pools/:address', (request, reply) => {
    const address = addressOf(request.params.address)
    const show = oneOf(request, 'show', ['tvl', 'points'])
    const make = async (caller: Caller) => {
      const { pool } = await graph.runDocument(poolChartOperation, { address }, { caller })
      if (!pool) throw new GatewayError('NOT_FOUND', `No pool has the address ${address}.`)
      const isTvl = show === 'tvl'
      const series = pool.series.map(
        ({ start, points, tvlUsd }) => [start, isTvl ? tvlUsd : points] as const,
      )
      const pair = shown(pool.displayName, 40) || brief(address)
      const title = `${isTvl ? 'TVL' : 'Points per day'} of ${pair}`
      const path = `/dashboard/pools/${address}`
      return page(request, path, { title, series, written: isTvl ? usd : points })
    }
    const key = `embed pool ${address} ${show} ${themeOf(request)}`
    return serve(share, { ...base, name: '/embed/pools/{address}', key, make }, request, reply)
  })
}

const themeOf = (request: FastifyRequest) => oneOf(request, 'theme', THEMES)

const styleOf = (color: string) =>
  `html{${LIGHT}}@media(prefers-color-scheme:dark){html{${DARK}}}` +
  `html.light{${LIGHT}}html.dark{${DARK}}` +
  'body{margin:0;padding:12px 16px;box-sizing:border-box;height:100vh;display:flex;' +
  'flex-direction:column;gap:8px;background:var(--ground);color:var(--ink);' +
  'font:14px/1.4 Inter,system-ui,sans-serif}' +
  'header,footer{display:flex;justify-content:space-between;gap:12px;align-items:baseline}' +
  'h1{font-size:14px;font-weight:600;margin:0;overflow:hidden;text-overflow:ellipsis;' +
  'white-space:nowrap}b{font-size:18px}footer,p{color:var(--muted);font-size:12px;margin:0}' +
  'a{color:inherit;display:inline-block;min-height:24px;line-height:24px}' +
  'svg{flex:1;width:100%;min-height:0}' +
  `.line{fill:none;stroke:${color};stroke-width:2;vector-effect:non-scaling-stroke}` +
  `.area{fill:${color};opacity:.16}.grid{stroke:var(--line);vector-effect:non-scaling-stroke}`

interface EmbedPage {
  chart: Chart
  name: string
  style: string
  theme: (typeof THEMES)[number]
  /** The page of the dashboard that shows more. */
  href: string
}

function pageOf({ chart, name, style, theme, href }: EmbedPage): string {
  const { svg, newest, first, last } = chartOf(chart)
  const title = escapeHtml(chart.title)
  return (
    `<!doctype html><html lang="en"${theme === 'auto' ? '' : ` class="${theme}"`}><head>` +
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<meta name="robots" content="noindex"><title>${title}</title><style>${style}</style></head>` +
    `<body><header><h1>${title}</h1><b>${newest}</b></header>${svg}` +
    `<footer><span>${first}</span><a href="${href}" target="_blank" rel="noopener">` +
    `${escapeHtml(name)}</a><span>${last}</span></footer></body></html>`
  )
}
