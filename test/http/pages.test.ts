import { join } from 'node:path'
import type { BrowserContext, Locator } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../src/rest/index.ts'
import { sampleMarket, sampleUser } from '../../src/sample/index.ts'
import { type Browser, hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

describe.skipIf(!hasBrowser)(`the REST docs in a browser${hasBrowser ? '' : SKIPPED}`, () => {
  let gateway: Gateway
  let browser: BrowserContext
  let opened: Browser
  let elsewhere: string[]

  beforeAll(async () => {
    gateway = await startOnSample({ users: 20, days: 4 })
    opened = await openBrowser(gateway.base)
    browser = opened.context
    elsewhere = []
    browser.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(gateway.base) && !/^(data|blob|about|chrome)/.test(url))
        elsewhere.push(url)
    })
  })
  // A page that is left open goes on rendering.
  afterEach(() => opened.closePages())
  afterAll(async () => {
    await opened?.close()
    await gateway?.close()
  })

  test('the REST docs list every endpoint, and ask no other host for anything', async () => {
    const page = await browser.newPage()
    await page.goto(`${gateway.base}/docs/rest`)
    await page.getByText('/v1/users/{address}/net-apr').first().waitFor({ timeout: 60_000 })
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: join(process.env.SCREENSHOTS, 'docs.png'), fullPage: true })
    const { paths } = (await (await gateway.get('/openapi.json')).json()) as {
      paths: Record<string, object>
    }
    const operations = Object.values(paths).flatMap((item) => Object.keys(item))
    expect(operations.length).toBeGreaterThan(20)
    await expect.poll(() => page.locator('.opblock').count()).toBe(operations.length)
    expect(elsewhere).toEqual([])
  })

  test.each([
    ['Points_program-getPointsOfAddress', `/points/${sampleUser}?limit=10`],
    [
      'User_analytics-getMarketLiquidationRewards',
      `/v1/users/${sampleUser}/market-liquidation-rewards?page=1&page_size=100&market=${sampleMarket.address}`,
    ],
  ])(
    'the form of %s opens with the examples that are required, and its first Execute succeeds',
    async (id, path) => {
      const page = await browser.newPage()
      await page.goto(`${gateway.base}/docs/rest`)
      const sent = page.waitForRequest(
        (request) => new URL(request.url()).pathname === path.replace(/\?.*/, ''),
      )
      expect(await execute(page.locator(`#operations-${id}`))).toMatch(/^200/)
      expect((await sent).url().slice(gateway.base.length)).toBe(path)
    },
  )

  test('the docs show a problem as the gateway sent it', { timeout: 60_000 }, async () => {
    const page = await browser.newPage()
    await page.goto(`${gateway.base}/docs/rest`)
    const wrong = page.locator('#operations-Points_program-getPositionsBreakdownByMarkets')
    await wrong.locator('.opblock-summary-control').click({ timeout: 20_000 })
    await wrong.getByPlaceholder('cursor').fill('no-such-record')
    expect(await execute(wrong)).toMatch(/^400/)
    const problem = await (
      await gateway.get('/positions/breakdown-by-markets?cursor=no-such-record')
    ).json()
    expect(await shownJson(wrong)).toEqual(problem)
    const post = page.locator('#operations-Points_program-resync')
    expect(await execute(post)).toMatch(/^401/)
    expect(await shownJson(post)).toMatchObject({ status: 401, detail: expect.any(String) })
    expect(await post.getByRole('button', { name: 'Open in GraphiQL' }).count(), 'of a POST').toBe(
      0,
    )
  })

  test('a GET of the docs opens in GraphiQL with the parameters of its form', {
    timeout: 120_000,
  }, async () => {
    const page = await browser.newPage()
    await page.goto(`${gateway.base}/docs/rest`)
    const block = page.locator('#operations-Points_program-getPointsOfAddress')
    await block.locator('.opblock-summary-control').click()
    await block.getByPlaceholder('limit').fill('2')
    const [opened] = await Promise.all([
      browser.waitForEvent('page'),
      block.getByRole('button', { name: 'Open in GraphiQL' }).click(),
    ])
    const { items } = (await (await gateway.get(`/points/${sampleUser}?limit=2`)).json()) as {
      items: { points: number }[]
    }
    expect(items).toHaveLength(2)
    const visible = () => opened.evaluate(() => document.body.innerText.replace(/\u00a0/g, ' '))
    for (const text of [
      '"dailyPoints"',
      `"address": "${sampleUser}"`,
      '"first": 2',
      `"points": ${items[0]?.points}`,
    ])
      await expect.poll(visible).toContain(text)
  })
})

/**
 * Clicks the Execute of an operation of the docs, which it opens first.
 * @returns the status that the page shows
 */
async function execute(block: Locator): Promise<string> {
  const button = block.getByRole('button', { name: 'Execute' })
  if (!(await button.isVisible())) await block.locator('.opblock-summary-control').click()
  await button.click()
  const status = block.locator('.live-responses-table .response .response-col_status')
  await status.waitFor({ timeout: 60_000 })
  return (await status.innerText()).trim()
}

/** The JSON body of the answer that the page shows, next to which it has a button. */
async function shownJson(block: Locator): Promise<unknown> {
  const text = await block.locator('.live-responses-table .highlight-code').first().innerText()
  return JSON.parse(/\{.*\}/s.exec(text.replace(/\u00a0/g, ' '))?.[0] ?? text)
}

test('every GET of the document succeeds with its required examples', async () => {
  const gateway = await startOnSample({ users: 20, days: 4 })
  try {
    const { paths } = (await (await gateway.get('/openapi.json')).json()) as {
      paths: Record<string, { get?: Get }>
    }
    const gets = Object.entries(paths).flatMap(([path, { get }]) =>
      get ? [{ path, parameters: get.parameters }] : [],
    )
    const documented = endpoints.filter(([method]) => method === 'GET')
    expect(gets.length).toBeGreaterThan(documented.length)
    for (const { path, parameters = [] } of gets) {
      const required = parameters.filter((parameter) => parameter.required)
      const search = new URLSearchParams(
        required.filter((one) => one.in === 'query').map((one) => [one.name, one.example]),
      )
      const filled = path.replace(
        /\{(\w+)\}/g,
        (_, name) => required.find((one) => one.name === name)?.example ?? '',
      )
      const { status } = await gateway.get(`${filled}?${search}`)
      expect([path, status]).toEqual([
        path,
        ['/multipliers/all', '/pools/all'].includes(path) ? 201 : 200,
      ])
    }
  } finally {
    await gateway.close()
  }
})

interface Get {
  parameters?: { name: string; in: string; required?: boolean; example: string }[]
}

test('the page of the docs has a policy, whatever its query string, and its files are compressed and revalidate', async () => {
  const gateway = await startGateway()
  try {
    const page = await gateway.get('/docs/rest?utm_source=x')
    expect(page.headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*frame-ancestors 'self'/,
    )
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    const html = await page.text()
    expect(html).toContain('<meta name="viewport" content="width=device-width')
    const script = /src="(.*?)"/.exec(html)?.[1] ?? ''
    for (const encoding of ['gzip', 'br']) {
      const file = await gateway.get(script, { 'accept-encoding': encoding })
      expect(file.headers.get('content-encoding')).toBe(encoding)
      expect(file.headers.get('content-type')).toMatch(/javascript/)
      expect(Number(file.headers.get('content-length'))).toBeLessThan(
        (await file.text()).length / 2,
      )
      const kept = { 'accept-encoding': encoding, 'if-none-match': file.headers.get('etag') ?? '' }
      expect((await gateway.get(script, kept)).status).toBe(304)
    }
  } finally {
    await gateway.close()
  }
})
