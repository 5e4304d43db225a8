import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { type Browser, hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import { datasetOf, goodFiles, record } from '../support/datasets.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { silent } from '../support/store.ts'

const svg = (more = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/>${more}</svg>`
const asData = (image: string) => `data:image/svg+xml,${encodeURIComponent(image)}`
const [S, USDC] = [record.pools.asset_1_address, record.pools.asset_2_address]

describe.skipIf(!hasBrowser)(`logos of tokens${hasBrowser ? '' : SKIPPED}`, () => {
  let gateway: Gateway
  let browser: Browser
  beforeAll(async () => {
    gateway = await startGateway({ env: { LOGO_HOSTS: 'logos.example' } })
    browser = await openBrowser(gateway.base)
  })
  afterEach(() => browser.closePages())
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  /**
   * Stores the logos of both tokens of the pool, and opens a page.
   * @returns it, with the hosts that it sends requests to
   */
  async function visit(logos: [string, string], path = '/pools') {
    const tokens = [S, USDC].map((address, i) => ({
      chainId: 1,
      address,
      name: `Token ${i + 1}`,
      logoURI: logos[i],
    }))
    const { deps } = gateway
    await importDataset(
      { ...deps, pool: deps.store.pool, log: silent },
      datasetOf({ ...goodFiles(), tokens }),
    )
    const page = await browser.context.newPage()
    const hosts = new Set<string>()
    page.on('request', (request) => {
      const { protocol, host } = new URL(request.url())
      if (protocol !== 'data:' && !gateway.base.endsWith(host)) hosts.add(host)
    })
    await page.route('https://logos.example/*', (route) =>
      route.request().url().endsWith('/there.svg')
        ? route.fulfill({ contentType: 'image/svg+xml', body: svg() })
        : route.abort(),
    )
    await page.goto(`${gateway.base}/dashboard${path}`)
    return { page, hosts }
  }
  const icon = (page: Page) => page.locator('tbody a svg').first()
  const shown = (page: Page) => icon(page).locator('image:not([visibility=hidden])')
  const letters = (page: Page) => icon(page).locator('text').allTextContents()

  test('take the place of letters, as data and by a link to an allowed host, in the size that letters have', async () => {
    const { page, hosts } = await visit([asData(svg()), 'https://logos.example/there.svg'])
    await shown(page).nth(1).waitFor()
    expect(await letters(page)).toEqual([])
    expect([...hosts]).toEqual(['logos.example'])
    expect(await icon(page).getAttribute('aria-hidden')).toBe('true')
    const size = await icon(page).boundingBox()
    const { page: other } = await visit(['ipfs://none', 'ipfs://none'])
    await icon(other).waitFor()
    expect(await letters(other)).toEqual(['USD', 'S'])
    expect(await icon(other).boundingBox()).toEqual(size)
  })

  test('that fail to load leave the letters, and those of other hosts are not requested', async () => {
    const { page, hosts } = await visit([
      'https://logos.example/gone.svg',
      'https://evil.example/track.png',
    ])
    await expect.poll(() => [...hosts]).toEqual(['logos.example'])
    expect(await letters(page)).toEqual(['USD', 'S'])
    expect(await shown(page).count()).toBe(0)
    const blocked = await page.evaluate(
      () =>
        new Promise((resolve) => {
          addEventListener('securitypolicyviolation', ({ blockedURI }) => resolve(blockedURI))
          document.body.append(
            Object.assign(document.createElement('img'), { src: 'https://evil.example/track.png' }),
          )
        }),
    )
    expect(blocked).toBe('https://evil.example/track.png')
  })

  test('run no script and load nothing', async () => {
    const attack = svg(
      '<script>parent.document.title = 1</script><image href="https://logos.example/there.svg" width="8" height="8"/>',
    ).replace('<svg ', '<svg onload="parent.document.title = 1" ')
    const { page, hosts } = await visit([asData(attack), asData('<not an image>')])
    await shown(page).first().waitFor()
    expect(await letters(page)).toEqual(['USD'])
    expect(await page.title()).toBe('Pools · Lending dashboard')
    expect([...hosts]).toEqual([])
  })

  test('come with the names of tokens, and change with the data', async () => {
    const { page } = await visit([asData(svg()), 'ipfs://none'], `/vaults/1/${record.vaults.id}`)
    const lede = page.locator('p.lede').filter({ hasText: /^Lends/ })
    await expect.poll(() => lede.textContent()).toMatch(/^Lends USDC Token 2 on /)
    const { deps } = gateway
    const tokens = [{ chainId: 1, address: USDC, name: 'Renamed' }]
    await importDataset({ ...deps, pool: deps.store.pool, log: silent }, datasetOf({ tokens }))
    await expect
      .poll(() => lede.textContent(), { timeout: 10_000 })
      .toMatch(/^Lends USDC Renamed on /)
  })
})
