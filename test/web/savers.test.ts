import type { Locator, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sampleUser, sampleVault } from '../../src/sample/index.ts'
import { type Browser, hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles, pool, position } from '../support/one-pool.ts'
import { startOnSample } from '../support/sample.ts'

const PHONE = { width: 360, height: 740 }

describe.skipIf(!hasBrowser)(`for savers${hasBrowser ? '' : SKIPPED}`, () => {
  let gateway: Gateway
  let browser: Browser
  beforeAll(async () => {
    gateway = await startOnSample()
    browser = await openBrowser(gateway.base, {
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
    })
  })
  afterEach(() => browser.closePages())
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  async function visit(path: string, { base = gateway.base, viewport = PHONE, wide = true } = {}) {
    const page = await browser.context.newPage()
    if (!wide) await page.setViewportSize(viewport)
    await page.goto(`${base}/dashboard${path}`)
    return page
  }
  const rows = (page: Page, name: string) =>
    page.getByRole('table', { name, exact: true }).locator('tbody tr')
  const values = (rows: Locator): Promise<number[][]> =>
    rows.evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll('data')].map((cell) => Number((cell as HTMLDataElement).value)),
      ),
    )
  const parameters = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)
  const chart = (page: Page, name: string) =>
    page.locator('figure').filter({ has: page.getByRole('heading', { name, exact: true }) })
  const addresses = (page: Page) =>
    rows(page, 'Pools')
      .locator('th a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.split('/').at(-1)))

  test('a pool has a line for each side, with the rates and boosts of the API', async () => {
    const SIDE = 'tvlUsd utilization depositApr borrowApr'
    const { pools } = await gateway.ask(
      `{ pools(first: 20, orderBy: BEST_DEPOSIT_APR, orderDirection: DESC) { nodes {
        tvlUsd utilization totalPoints marketA { ${SIDE} } marketB { ${SIDE} }
        multiplier { depositA depositB borrowA borrowB } } } }`,
    )
    const page = await visit('/pools?sort=BEST_DEPOSIT_APR_DESC')
    const numbers = (side: any) =>
      [side.tvlUsd, side.utilization, side.depositApr, side.borrowApr].filter((one) => one !== null)
    await expect
      .poll(() => values(rows(page, 'Pools')))
      .toEqual(
        pools.nodes.flatMap((one: any) => [
          [one.tvlUsd, one.utilization, one.totalPoints].filter((value) => value !== null),
          numbers(one.marketA),
          numbers(one.marketB),
        ]),
      )
    const factors = pools.nodes.flatMap(({ multiplier: one }: any) => [
      one?.depositA ?? 0,
      one?.borrowA ?? 0,
      one?.depositB ?? 0,
      one?.borrowB ?? 0,
    ])
    const raised = factors.filter((factor: number) => factor > 1)
    expect(raised.length).toBeGreaterThan(0)
    expect(await rows(page, 'Pools').locator('.chip.raised').allInnerTexts()).toEqual(
      raised.map((factor: number) => `${factor}x`),
    )
    expect(await rows(page, 'Pools').locator('s').count()).toBe(
      factors.filter((factor: number) => factor === 0).length,
    )
  })

  test('filters of pools combine, stay in the address, and say when nothing is left', async () => {
    const { pools } = await gateway.ask(
      '{ pools(first: 100, orderBy: TVL_USD, orderDirection: DESC) { nodes { address chainId assetA { symbol } assetB { symbol } multiplier { depositA depositB borrowA borrowB } } } }',
    )
    const isBoosted = ({ multiplier: m }: any) =>
      [m?.depositA, m?.depositB, m?.borrowA, m?.borrowB].some((factor) => factor > 1)
    const has = ({ assetA, assetB }: any) => [assetA.symbol, assetB.symbol].includes('USDC')
    const expected = (...tests: ((pool: any) => boolean)[]) =>
      pools.nodes.filter((one: any) => tests.every((is) => is(one))).map((one: any) => one.address)
    const page = await visit('/pools')
    await rows(page, 'Pools').first().waitFor()
    await page.getByLabel('Chain').selectOption('1')
    const onEthereum = ({ chainId }: any) => chainId === 1
    await expect.poll(() => addresses(page)).toEqual(expected(onEthereum))
    await page.getByLabel('Token').selectOption('USDC')
    await expect.poll(() => addresses(page)).toEqual(expected(onEthereum, has))
    await page.getByRole('link', { name: 'Boosted', exact: true }).click()
    const all = expected(onEthereum, has, isBoosted)
    expect(all.length).toBeGreaterThan(0)
    expect(all.length).toBeLessThan(expected(onEthereum, has).length)
    await expect.poll(() => addresses(page)).toEqual(all)
    expect(parameters(page)).toEqual({ chain: '1', token: 'USDC', boosted: '1' })
    await page.reload()
    await expect.poll(() => addresses(page)).toEqual(all)
    // A chain and a token that no pool has together.
    const other = pools.nodes.find((one: any) => one.chainId !== 1 && one.assetA.symbol === 'ARB')
    expect(other).toBeDefined()
    await page.goto(`${gateway.base}/dashboard/pools?chain=1&token=ARB`)
    await page.getByText('No pool is like this.').waitFor()
    await page.getByRole('link', { name: 'Show all pools' }).click()
    await rows(page, 'Pools').first().waitFor()
    // Choices that do not exist choose nothing.
    await page.goto(`${gateway.base}/dashboard/pools?chain=x&token=%3Cb%3E&boosted=2&sort=NO`)
    await expect.poll(() => addresses(page)).toEqual(expected().slice(0, 20))
  })

  test('the legend of a chart switches its lines, and the address keeps them', async () => {
    const page = await visit(`/wallets/${sampleUser}`)
    const worth = chart(page, 'Net worth')
    const borrowed = worth.getByRole('button', { name: /^Borrowed/ })
    await borrowed.click()
    await expect.poll(() => borrowed.getAttribute('aria-pressed')).toBe('false')
    expect(parameters(page)).toEqual({ hidden: 'Net-worth-Borrowed' })
    await page.reload()
    await expect.poll(() => borrowed.getAttribute('aria-pressed')).toBe('false')
    const on = worth.locator('.legend [aria-pressed="true"]')
    for (let left = await on.count(); left > 0; left--) {
      await on.first().click()
      await expect.poll(() => on.count()).toBe(left - 1)
    }
    await worth.getByText('All lines are switched off.').waitFor()
    await borrowed.click()
    await worth.locator('.plot').waitFor()
    // A line of zeros is left out, and its numbers stay in the table.
    const { user } = await gateway.ask(
      `query ($a: Address!) { user(address: $a) { series { worth { netUsd suppliedUsd protectedUsd vaultsUsd borrowedUsd } } } }`,
      { a: sampleUser },
    )
    const known = user.series.flatMap(({ worth }: any) => (worth ? [worth] : []))
    const alive = Object.keys(known[0]).filter((key) => known.some((one: any) => one[key] !== 0))
    expect(await worth.locator('.legend button').count()).toBe(alive.length)
    const height = await worth.evaluate((figure) => figure.getBoundingClientRect().height)
    await worth.getByRole('button', { name: 'Data table' }).click()
    await expect
      .poll(() => values(worth.locator('tbody tr')))
      .toEqual(user.series.map(({ worth }: any) => Object.values(worth ?? {})).reverse())
    expect(await worth.evaluate((figure) => figure.getBoundingClientRect().height)).toBe(height)
    for (const [net, supplied, held, vaults, debt] of (await values(
      worth.locator('tbody tr'),
    )) as any)
      if (net !== undefined) expect(supplied + held + vaults - debt).toBeCloseTo(net, 3)
  })

  test('on a phone rows are cards with the numbers that people come for', async () => {
    const shows = async (path: string, table: string, names: string[]) => {
      const page = await visit(path, { wide: false })
      await rows(page, table).first().waitFor()
      for (const name of names) {
        const cell = rows(page, table).locator(`[data-cell="${name}"]`).first()
        await cell.scrollIntoViewIfNeeded()
        const box = await cell.boundingBox()
        expect(box && box.x >= 0 && box.x + box.width <= PHONE.width, `${path}: ${name}`).toBe(true)
      }
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
        .toBeLessThanOrEqual(PHONE.width)
      return page
    }
    await shows('/pools', 'Pools', ['TVL', 'Points'])
    const pools = await shows('/pools', 'Pools', ['TVL'])
    const side = rows(pools, 'Pools').nth(1)
    for (const name of ['Deposit APR', 'Borrow APR', 'Supply boost'])
      expect(await side.locator(`[data-cell="${name}"]`).isVisible()).toBe(true)
    await pools.getByLabel('Sort by').selectOption('BEST_DEPOSIT_APR_DESC')
    expect(parameters(pools)).toEqual({ sort: 'BEST_DEPOSIT_APR_DESC' })
    await shows('/vaults', 'Vaults', ['Net APY, 30 days', 'Share price', 'Users'])
    const wallet = `/wallets/${sampleUser}`
    await shows(wallet, 'Holdings', ['Supplied', 'Borrowed'])
    const page = await shows(wallet, 'Positions', ['Points per day', 'Health factor', 'Borrowed'])
    const menu = page.getByRole('navigation', { name: 'Main views' })
    expect(await menu.getByRole('link').allInnerTexts()).toEqual(['Home', 'Ranks', 'Pools', 'Risk'])
    await menu.getByRole('button', { name: 'More' }).click()
    await menu.getByRole('link', { name: 'Vaults' }).click()
    await rows(page, 'Vaults').first().waitFor()
    expect(await menu.getByRole('link', { name: 'Status' }).count()).toBe(0)
  })

  test('a vault shows the growth of its share as a yearly rate', async () => {
    const { vault } = await gateway.ask(
      'query ($c: SafeInt!, $a: Address!) { vault(chainId: $c, address: $a) { series { start sharePrice } } }',
      { c: sampleVault.chainId, a: sampleVault.address },
    )
    const known = vault.series.filter(({ sharePrice }: any) => sharePrice !== null)
    const [one, last] = [known[0], known.at(-1)]
    const days = (Date.parse(last.start) - Date.parse(one.start)) / 86_400_000
    const expected = (last.sharePrice / one.sharePrice) ** (365 / days) - 1
    const page = await visit(`/vaults/${sampleVault.chainId}/${sampleVault.address}`)
    const apy = page.locator('.facts > div').filter({ hasText: 'Net APY' }).locator('data')
    await expect.poll(async () => Number(await apy.getAttribute('value'))).toBeCloseTo(expected, 12)
    await page.getByText('Unknown: no market has a snapshot of this vault.').waitFor()
  })

  test('a gateway without its store is said so once, and sections wait', async () => {
    const page = await browser.context.newPage()
    const unavailable = (route: Route) =>
      route.fulfill({ status: 503, headers: { 'retry-after': '5' }, json: { errors: [] } })
    await page.route(/\/graphql$/, unavailable)
    await page.goto(`${gateway.base}/dashboard/wallets/${sampleUser}`)
    await page.getByText('The gateway cannot read its store now: try again in 5 s.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(1)
    expect(await page.locator('.loading').count()).toBeGreaterThan(0)
    await page.unroute(/\/graphql$/, unavailable)
    await page.getByRole('button', { name: 'Try again' }).click()
    await rows(page, 'Holdings').first().waitFor()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  })

  test('a wallet prints without menu and buttons, and fits the paper', async () => {
    const page = await visit(`/wallets/${sampleUser}`)
    await rows(page, 'Holdings').first().waitFor()
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize({ width: 718, height: 1000 })
    for (const hidden of ['header', '.tabs', '.chart-tools', '.origin'])
      expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false)
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(718)
    const tables = await page
      .locator('main table')
      .evaluateAll((tables) => tables.map((table) => table.getBoundingClientRect().right))
    expect(Math.max(...tables)).toBeLessThanOrEqual(718)
  })

  test('a store without prices, multipliers and history has dashes and no broken chart', async () => {
    const bare = await startGateway()
    try {
      await importFiles(bare, { pools: [pool], positions: [position(`0x${'a'.repeat(40)}`, 10)] })
      const faults: string[] = []
      const page = await browser.context.newPage()
      page.on('pageerror', (error) => faults.push(error.message))
      await page.goto(`${bare.base}/dashboard/pools`)
      await expect.poll(() => rows(page, 'Pools').count()).toBe(3)
      expect(await rows(page, 'Pools').locator('s').count()).toBe(4)
      await page.goto(`${bare.base}/dashboard/pools/${pool.id}`)
      await page.getByText('The line begins with the second date.').first().waitFor()
      expect(faults).toEqual([])
    } finally {
      await bare.close()
    }
  })
})
