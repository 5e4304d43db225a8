import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examples } from '../../src/graphql/examples.ts'
import { sampleUser } from '../../src/sample/sample.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { loadSample } from '../support/sample.ts'

const CHROMIUM = '/usr/bin/chromium'
const present = existsSync(CHROMIUM)

describe.skipIf(!present)(`pages in a browser${present ? '' : ` (skipped: no ${CHROMIUM})`}`, () => {
  let gateway: Gateway
  let browser: BrowserContext
  let profile: string
  let elsewhere: string[]

  beforeAll(async () => {
    gateway = await startGateway()
    await loadSample(gateway, { users: 10, days: 4 })
    profile = await mkdtemp(join(tmpdir(), 'gateway-browser-'))
    browser = await chromium.launchPersistentContext(profile, {
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
    elsewhere = []
    browser.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(gateway.base) && !/^(data|blob|about|chrome)/.test(url)) elsewhere.push(url)
    })
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
    await rm(profile, { recursive: true, force: true })
  })

  test('GraphiQL opens with the examples, runs one, and asks no other host for anything', async () => {
    const page = await browser.newPage()
    await page.goto(`${gateway.base}/graphql`)
    const tabs = page.getByRole('tab')
    await expect.poll(() => tabs.count(), { timeout: 20_000 }).toBe(examples.length)
    await page.getByRole('button', { name: /execute/i }).click()
    await page.waitForFunction(() => document.body.innerText.includes('"totalPoints"'), undefined, { timeout: 20_000 })
    if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, 'graphiql.png') })
    expect(elsewhere).toEqual([])
  })

  test('the REST docs list every endpoint, and ask no other host for anything', async () => {
    const page = await browser.newPage()
    await page.goto(`${gateway.base}/docs`)
    await page.getByText('/v1/users/{address}/net-apr').first().waitFor({ timeout: 20_000 })
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: join(process.env.SCREENSHOTS, 'docs.png'), fullPage: true })
    expect(await page.locator('.opblock').count()).toBe(24)
    expect(elsewhere).toEqual([])
  })

  test('a GET of the docs opens in GraphiQL with the parameters of its form', { timeout: 120_000 }, async () => {
    const page = await browser.newPage()
    await page.goto(`${gateway.base}/docs`)
    const block = page.locator('#operations-Points_program-getPointsOfAddress')
    await block.locator('.opblock-summary-control').click()
    await block.getByPlaceholder('limit').fill('2')
    const [opened] = await Promise.all([
      browser.waitForEvent('page'),
      block.getByRole('button', { name: 'Open in GraphiQL' }).click(),
    ])
    await opened.getByRole('button', { name: /execute/i }).click({ timeout: 30_000 })
    await opened.waitForFunction(() => document.body.innerText.includes('"dailyPoints"'), undefined, {
      timeout: 20_000,
    })
    const text = await opened.evaluate(() => document.body.innerText.replace(/\u00a0/g, ' '))
    expect(text).toContain(`"address": "${sampleUser}"`)
    expect(text).toContain('"first": 2')
    const { items } = (await (await gateway.get(`/points/${sampleUser}?limit=2`)).json()) as {
      items: { points: number }[]
    }
    expect(items).toHaveLength(2)
    expect(text).toContain(`"points": ${items[0]?.points}`)
  })
})

test('the pages are compressed, and revalidate', async () => {
  const gateway = await startGateway()
  try {
    const page = await gateway.get('/graphql', { accept: 'text/html', 'accept-encoding': 'gzip' })
    expect(page.headers.get('content-encoding')).toBe('gzip')
    expect(Number(page.headers.get('content-length'))).toBeLessThan(4e6)
    expect((await page.text()).length).toBeGreaterThan(1e6)
    const again = await gateway.get('/graphql', {
      accept: 'text/html',
      'if-none-match': page.headers.get('etag') ?? '',
    })
    expect(again.status).toBe(304)
    const script = '/docs/static/swagger-ui-bundle.js'
    for (const encoding of ['gzip', 'br']) {
      const file = await gateway.get(script, { 'accept-encoding': encoding })
      expect(file.headers.get('content-encoding')).toBe(encoding)
      expect(file.headers.get('content-type')).toMatch(/javascript/)
      expect(Number(file.headers.get('content-length'))).toBeLessThan((await file.text()).length / 2)
      const kept = { 'accept-encoding': encoding, 'if-none-match': file.headers.get('etag') ?? '' }
      expect((await gateway.get(script, kept)).status).toBe(304)
    }
  } finally {
    await gateway.close()
  }
})
