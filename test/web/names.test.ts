import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import { addressOf, record } from '../support/datasets.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles } from '../support/one-pool.ts'

/** Names are anybody's text. */

const NAMES = {
  invisible: '\u200B\u2060\u3164',
  marks: '\u0301\u0302',
  long: 'W'.repeat(300),
  turned: '\u202EUSDC vault',
  hebrew: 'כספת (1)',
  plain: 'Tide vault',
  cyrillic: 'Tidе vаult',
  wide: 'ＴＩＤＥ　vault',
}
type Kind = keyof typeof NAMES
const kinds = Object.keys(NAMES) as Kind[]
const address = (kind: Kind) => addressOf(kind.slice(0, 8))
const brief = (kind: Kind) => `${address(kind).slice(0, 6)}…${address(kind).slice(-4)}`

describe.skipIf(!hasBrowser)(`in a browser${hasBrowser ? '' : SKIPPED}`, () => {
  let gateway: Gateway
  let browser: Browser
  beforeAll(async () => {
    gateway = await startGateway()
    await importFiles(gateway, {
      vaults: kinds.map((kind, n) => ({
        ...record.vaults,
        ...{ chainId: 1, id: address(kind), name: NAMES[kind], assetSymbol: NAMES[kind] },
        ...{ assetAddress: addressOf(`t${n}`) },
      })),
      pools: kinds.map((kind, n) => ({
        ...record.pools,
        ...{ chainId: 1, id: addressOf(`p${n}`), marketId: n + 1, name: NAMES[kind] },
        ...{
          asset_1_symbol: NAMES[kind],
          asset_1_address: addressOf(`t${n}`),
          unit_1_id: addressOf(`u${n}`),
        },
        ...{ unit_2_id: addressOf(`w${n}`) },
      })),
    })
    browser = await openBrowser(gateway.base, { viewport: { width: 1280, height: 900 } })
  })
  // Each open page follows the data, and a browser has six connections to a server.
  afterEach(() => browser.closePages())
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  async function visit(path: string): Promise<Page> {
    const page = await browser.context.newPage()
    await page.goto(`${gateway.base}/dashboard${path}`)
    return page
  }

  test('each row has a text, no column is wide, and names that look alike have their addresses', async () => {
    const page = await visit('/vaults')
    const links = page.getByRole('table', { name: 'Vaults' }).locator('tbody th a')
    await expect.poll(() => links.count()).toBe(kinds.length)
    const texts = new Map<string, string>()
    for (const link of await links.all())
      texts.set(String(await link.getAttribute('title')), (await link.innerText()).trim())
    const of = (kind: Kind) => texts.get(address(kind))
    expect(of('invisible')).toBe(brief('invisible'))
    expect(of('marks')).toBe(brief('marks'))
    expect(of('turned')).toBe('USDC vault')
    expect(of('hebrew')).toBe('\u2068כספת (1)\u2069')
    for (const kind of ['plain', 'cyrillic', 'wide'] as const)
      expect(of(kind)).toContain(brief(kind))
    expect(of('long')).not.toContain(brief('long'))
    for (const link of await links.all())
      expect((await link.boundingBox())?.width).toBeLessThan(400)
    expect(await page.locator('.name[title^=WWW]').first().getAttribute('title')).toBe(NAMES.long)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      1280,
    )
  })

  test.each(['/pools', '/search?q=vault', '/search?q=WWW', '/rules', '/leaderboard', '/'])(
    'no cell of %s is wide, and no link is empty',
    async (path) => {
      const page = await visit(path)
      await page.locator('h1').waitFor()
      await expect.poll(() => page.locator('.loading').count()).toBe(0)
      const cells = await page
        .locator('main :is(td, th)')
        .evaluateAll((all) => all.map((one) => one.clientWidth))
      for (const width of cells) expect(width).toBeLessThan(800)
      const empty = await page.locator('a').evaluateAll((all) => {
        const isEmpty = (one: Element) => !/[^\p{C}\p{Z}\p{M}\u3164]/u.test(one.textContent ?? '')
        return all
          .filter((one) => isEmpty(one) && !one.getAttribute('aria-label'))
          .map((one) => one.outerHTML)
      })
      expect(empty).toEqual([])
      expect(await page.locator('body').innerText()).not.toMatch(/[\u200B\u202E\u2060]/)
    },
  )

  test.each(kinds)('the page of the vault with a name that is %s has a title', async (kind) => {
    const page = await visit(`/vaults/1/${address(kind)}`)
    await page.getByText('Deposit APR').first().waitFor()
    expect(await page.title()).not.toMatch(/^\P{L}*· Lending|[\u200B\u202E]/u)
    expect((await page.locator('h1').innerText()).trim()).not.toBe('')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      1280,
    )
  })

  test('suggestions of the search have names', async () => {
    const page = await visit('/pools')
    await page.getByRole('combobox', { name: 'Search' }).fill('tide')
    await page.getByRole('option').first().waitFor()
    const widths = () =>
      page.getByRole('option').evaluateAll((all) => all.map((one) => one.clientWidth))
    await expect.poll(async () => (await widths()).length).toBeGreaterThan(0)
    expect(Math.max(...(await widths()))).toBeLessThan(700)
  })
})
