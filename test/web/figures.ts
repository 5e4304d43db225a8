/**
 * Measures the dashboard of a gateway that runs on sample data: `npm start`, then `node --import
 * tsx test/web/figures.ts`, or with an address at its end. For each view, by a new visitor: the
 * milliseconds to the first number and to the largest contents (medians of five), the layout shift,
 * and the widths at which the page scrolls sideways.
 */
import { samplePool, sampleUser, sampleVault } from '../../src/sample/index.ts'
import { openBrowser } from '../support/browser.ts'

const VISITS = 5
/** A view that is not complete by then is said so, and the next one is measured. */
const COMPLETE_MS = 15_000
const WIDTHS = [360, 768, 1280, 2560]
const [, , base = 'http://127.0.0.1:4000'] = process.argv

const views = {
  overview: '',
  leaderboard: '/leaderboard',
  wallet: `/wallets/${sampleUser}`,
  compare: `/compare?wallets=${sampleUser}`,
  pools: '/pools',
  pool: `/pools/${samplePool.address}`,
  vaults: '/vaults',
  vault: `/vaults/${sampleVault.chainId}/${sampleVault.address}`,
  distributions: '/distributions',
  run: '/runs/1',
  rules: '/rules',
  boosts: '/boosts',
  planner: '/planner',
  risk: '/risk',
  operate: '/operate',
  status: '/status',
  search: '/search?q=usdc',
}

/** Runs in the page, before anything of it. */
function watch() {
  const figures = { firstNumber: 0, largest: 0, shift: 0 }
  Object.assign(window, { figures })
  new MutationObserver(() => {
    if (!figures.firstNumber && document.querySelector('main data, main time'))
      figures.firstNumber = performance.now()
  }).observe(document, { childList: true, subtree: true })
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) figures.largest = startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      value: number
      hadRecentInput: boolean
    })[])
      if (!entry.hadRecentInput) figures.shift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
}

const median = (list: number[]) =>
  list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN

const browser = await openBrowser(base)
const html = await (await fetch(`${base}/dashboard`)).text()
for (const [, url] of html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)) {
  const file = await fetch(new URL(url as string, base), { headers: { 'accept-encoding': 'br' } })
  process.stdout.write(
    `${url} ${(Number(file.headers.get('content-length')) / 1000).toFixed(1)} kB\n`,
  )
  await file.body?.cancel()
}
for (const [name, path] of Object.entries(views)) {
  const visits: { firstNumber: number; largest: number; shift: number }[] = []
  let wide: number[] = []
  for (let visit = 0; visit < VISITS; visit++) {
    const context = await browser.another({ viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    await page.addInitScript(watch)
    await page.goto(`${base}/dashboard${path}`)
    const isComplete = await page
      .waitForFunction(
        () => !document.querySelector('.loading') && document.querySelector('main table'),
        null,
        { timeout: COMPLETE_MS },
      )
      .then(
        () => true,
        () => false,
      )
    if (!isComplete) process.stdout.write(`${name} is not complete after ${COMPLETE_MS} ms\n`)
    await page.waitForTimeout(500)
    visits.push(
      await page.evaluate(() => (window as unknown as { figures: (typeof visits)[0] }).figures),
    )
    if (visit === 0) {
      wide = []
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        await page.waitForTimeout(100)
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
          wide.push(width)
      }
    }
    await context.close()
  }
  const of = (key: 'firstNumber' | 'largest' | 'shift') => median(visits.map((visit) => visit[key]))
  const sideways = wide.length > 0 ? `, scrolls sideways at ${wide.join(', ')} px` : ''
  const [number, largest, shift] = [
    of('firstNumber').toFixed(0),
    of('largest').toFixed(0),
    of('shift').toFixed(3),
  ]
  process.stdout.write(
    `${name.padEnd(14)} first number ${number} ms, LCP ${largest} ms, CLS ${shift}${sideways}\n`,
  )
}
await browser.close()
