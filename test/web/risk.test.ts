import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { ANN, BEN, CAT, importFiles, pool, position } from '../support/one-pool.ts'
import { startOnSample } from '../support/sample.ts'

/** The page of risk: a slider of one price, and all that follows it. */

let gateway: Gateway
let browser: Browser
const faults: string[] = []
beforeAll(async () => {
  gateway = await startOnSample()
  if (hasBrowser)
    browser = await openBrowser(gateway.base, {
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
    })
})
afterEach(() => browser?.closePages())
afterAll(async () => {
  await browser?.close()
  await gateway?.close()
})

async function visit(path: string, base = gateway.base): Promise<Page> {
  const page = await browser.context.newPage()
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(error.message))
  await page.goto(`${base}/dashboard/risk${path}`)
  return page
}

const rows = (page: Page, name: string) =>
  page.getByRole('table', { name, exact: true }).locator('tbody tr')
const field = (page: Page) => page.getByRole('textbox', { name: 'Price shock, in %' })
const slider = (page: Page) => page.getByRole('slider', { name: 'Price shock' })
const fact = (page: Page, name: string) =>
  page
    .locator('.facts > div', { has: page.getByText(name, { exact: true }) })
    .locator('dd > data')
    .first()
    .getAttribute('value')
    .then(Number)
const parameters = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

const SUMS = 'change positionCount collateralUsd debtUsd'
const shocked = async (shock: object, on = gateway) =>
  on.ask(
    `query ($shock: PriceShock!) {
      collateralAtRisk(shocks: [$shock]) { ${SUMS} }
      poolsAtRisk(shocks: [$shock]) { debtUsd }
      currentPositions(shock: $shock, orderBy: HEALTH_FACTOR, first: 20) {
        totalCount nodes { user { address } } } }`,
    { shock },
  )

/** The figures, the total of the heat map at the present change, and the list say the same. */
async function expectShown(page: Page, group: string, percent: number) {
  const change = percent / 100
  const { collateralAtRisk, poolsAtRisk, currentPositions } = await shocked({ group, change })
  const [total] = collateralAtRisk
  await expect.poll(() => fact(page, 'Debt at risk')).toBe(total.debtUsd)
  expect(await fact(page, 'Positions at risk')).toBe(total.positionCount)
  expect(await fact(page, 'Collateral at risk')).toBe(total.collateralUsd)
  const wallets = currentPositions.nodes.map(({ user }: any) => user.address)
  await expect
    .poll(() => rows(page, 'Closest to liquidation').locator('th a').evaluateAll(titles))
    .toEqual(wallets)
  expect(currentPositions.totalCount).toBe(total.positionCount)
  const heads = await page
    .getByRole('table', { name: 'Debt at risk by pool', exact: true })
    .locator('thead th')
    .allTextContents()
  const at = heads.findIndex((text) => text.startsWith('▸'))
  const column = await rows(page, 'Debt at risk by pool').evaluateAll(
    (rows, at) => rows.map((row) => Number(row.children[at]?.querySelector('data')?.value)),
    at,
  )
  expect(column.at(-1)).toBe(total.debtUsd)
  const sum = (values: number[]) => values.reduce((sum, value) => sum + value, 0)
  expect(sum(column.slice(0, -1))).toBeCloseTo(total.debtUsd, 4)
  expect(sum(poolsAtRisk.map(({ debtUsd }: any) => debtUsd))).toBeCloseTo(total.debtUsd, 4)
}
const titles = (links: Element[]) => links.map((link) => link.getAttribute('title'))

describe.skipIf(!hasBrowser)(`the page of risk${hasBrowser ? '' : SKIPPED}`, () => {
  test('begins with a fall of ETH, and its total is the sum of pools and list', async () => {
    const page = await visit('')
    await page.getByRole('heading', { name: 'Risk: ETH −12 %', exact: true }).waitFor()
    await expectShown(page, 'ETH', -12)
    expect(parameters(page)).toEqual({})
    await page.getByLabel('Token or group').selectOption('USD')
    await expectShown(page, 'USD', -12)
    await field(page).fill('37,5')
    await expect.poll(() => parameters(page)).toEqual({ shock: 'USD', change: '37.5' })
    await expectShown(page, 'USD', 37.5)
    await page.reload()
    await expectShown(page, 'USD', 37.5)
    expect(await field(page).inputValue()).toBe('37.5')
    expect(faults).toEqual([])
  })

  test('the slider moves by keys over fine and coarse steps, and the list follows at rest', async () => {
    const page = await visit('?shock=ETH&change=-14')
    await expectShown(page, 'ETH', -14)
    await slider(page).focus()
    for (const [key, shown] of [
      ['ArrowLeft', '-15'],
      ['ArrowLeft', '-20'],
      ['ArrowRight', '-15'],
      ['ArrowRight', '-14'],
      ['End', '60'],
      ['Home', '-60'],
    ] as const) {
      await page.keyboard.press(key)
      expect(await field(page).inputValue()).toBe(shown)
    }
    await expectShown(page, 'ETH', -60)
    expect(parameters(page)).toEqual({ shock: 'ETH', change: '-60' })
    await field(page).fill('-1')
    await slider(page).focus()
    await page.keyboard.press('ArrowRight')
    expect(await field(page).inputValue()).toBe('1')
  })

  test('each step of the slider is drawn within 100 ms, without a request', async () => {
    const page = await visit('?change=-5')
    await expectShown(page, 'ETH', -5)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.postData() ?? ''))
    const times = await slider(page).evaluate(async (input: HTMLInputElement) => {
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
      const times: number[] = []
      for (let step = -6; step >= -60; step -= step > -15 ? 1 : 5) {
        const start = performance.now()
        set?.call(input, String(step))
        input.dispatchEvent(new Event('input', { bubbles: true }))
        const title = `Risk: ETH −${-step} %`
        while (document.querySelector('h1')?.textContent !== title)
          await new Promise((done) => setTimeout(done))
        document.body.getBoundingClientRect()
        times.push(performance.now() - start)
      }
      return times
    })
    expect(times).toHaveLength(19)
    expect(times.toSorted((a, b) => a - b)[9]).toBeLessThan(100)
    expect(asked.filter((text) => text.includes('poolsAtRisk'))).toEqual([])
    await expectShown(page, 'ETH', -60)
  })

  test.each(['0', '-100', '1001', 'x', '1,234', ''])(
    'a change of "%s" is marked, and the last answer stays',
    async (typed) => {
      const page = await visit('?change=-30')
      await expectShown(page, 'ETH', -30)
      await field(page).fill(typed)
      expect(await field(page).getAttribute('aria-invalid')).toBe('true')
      await page.getByText('Above −100, at most 1000, not 0: this is -30.').waitFor()
      await page.waitForTimeout(300)
      expect(parameters(page)).toEqual({ change: '-30' })
      await expectShown(page, 'ETH', -30)
      await field(page).fill('-20')
      await expectShown(page, 'ETH', -20)
      expect(await field(page).getAttribute('aria-invalid')).toBeNull()
    },
  )

  test('an address with an unknown token and no change says what it shows instead', async () => {
    const page = await visit(`?shock=0x${'0'.repeat(40)}&change=-100`)
    await page.getByText(`No token or group is 0x${'0'.repeat(40)}: this is ETH.`).waitFor()
    await page.getByText('not 0: this is -12.').waitFor()
    expect(await page.getByLabel('Token or group').getAttribute('aria-invalid')).toBe('true')
    await expectShown(page, 'ETH', -12)
    expect(faults).toEqual([])
  })

  test('a range of health factors leads to its positions, which the back button leaves', async () => {
    const page = await visit('?shock=USD&change=20')
    await expectShown(page, 'USD', 20)
    const range = page.getByRole('link', { name: '1.1 to 1.25', exact: true })
    await range.click()
    const { currentPositions } = await gateway.ask(`{ currentPositions(
      where: { healthFactor: { gte: 1.1, lt: 1.25 } }, orderBy: HEALTH_FACTOR, first: 20) {
        totalCount nodes { user { address } } } }`)
    await page.getByRole('heading', { name: 'Health factors: 1.1 to 1.25' }).waitFor()
    await expect
      .poll(() => rows(page, 'Closest to liquidation').locator('th a').evaluateAll(titles))
      .toEqual(currentPositions.nodes.map(({ user }: any) => user.address))
    expect(parameters(page)).toEqual({ shock: 'USD', change: '20', health: 'below125' })
    await page.goBack()
    await expectShown(page, 'USD', 20)
    await page.goto(`${gateway.base}/dashboard/risk?health=nothing`)
    await expectShown(page, 'ETH', -12)
    expect(faults).toEqual([])
  })

  test('prints on one page, without what only a screen needs', async () => {
    const page = await visit('?shock=USD&change=20')
    await expectShown(page, 'USD', 20)
    await page.emulateMedia({ media: 'print' })
    for (const hidden of ['header', 'footer', '.choices', '.origin', 'input[type="range"]'])
      expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false)
    await page.getByRole('heading', { name: 'Risk: USD +20 %', exact: true }).waitFor()
    expect(await page.locator('.lede time').first().isVisible()).toBe(true)
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1')
    expect(pdf.match(/\/Type \/Page\b/g)).toHaveLength(1)
  })

  test('an empty store says how to fill it', async () => {
    const empty = await startGateway()
    try {
      const page = await visit('?shock=ETH', empty.base)
      await page.getByText('The store is empty.').waitFor()
      expect(await page.locator('.fault').count()).toBe(0)
    } finally {
      await empty.close()
    }
  })

  test('positions below 1, of unknown health and without debt look different, whatever names tokens have', async () => {
    const small = await startGateway()
    const name = '\u202Eevil<b>\u200B'.padEnd(60, 'x')
    const owes = (user: string, supplied: number, borrowed: number) =>
      position(user, supplied, {
        ...{ aTokenSymbol: name, bBorrowedAmount: borrowed, bBorrowedAmountUsd: borrowed },
      })
    const market = (side: 1 | 2, liquidationThreshold: number | null) => ({
      ...{ chainId: 1, id: pool[`unit_${side}_id`], poolId: pool.id, assetSymbol: name },
      ...{ assetAddress: pool[`asset_${side}_address`], assetDecimals: 18, maxLtv: null },
      ...{ depositRate: 0, borrowRate: 0, liquidationThreshold },
    })
    try {
      await importFiles(small, {
        pools: [{ ...pool, asset_1_symbol: name }],
        markets: [market(1, 0.8), market(2, null)],
        positions: [owes(ANN, 1000, 820), owes(BEN, 1000, 700), position(CAT, 1000)],
      } as never)
      const page = await visit(`?shock=${pool.asset_1_address}&change=-15`, small.base)
      const list = rows(page, 'Closest to liquidation')
      await expect.poll(() => list.count()).toBe(2)
      const [first, second] = await list.allInnerTexts()
      expect(first).toMatch(/can be liquidated now/)
      expect(second).toMatch(/−12\.50%/)
      expect(await list.first().locator('.liquidatable').count()).toBe(1)
      expect(await list.nth(1).locator('.liquidatable').count()).toBe(0)
      const counts = () =>
        rows(page, 'Health factors now').evaluateAll((rows) =>
          rows.map((row) => Number(row.querySelector('data')?.value)),
        )
      await expect.poll(counts).toEqual([1, 0, 0, 1, 0, 0, 0, 0])
      const red = rows(page, 'Health factors now').locator('th .loss')
      expect(await red.allInnerTexts()).toEqual(['Below 1', '1 to 1.05', '1.05 to 1.1'])
      await page.getByText('1 more have no debt.').waitFor()
      expect(await page.locator('main b').count()).toBe(0)
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
      ).toBe(true)
      expect(faults).toEqual([])
    } finally {
      await small.close()
    }
  })
})
