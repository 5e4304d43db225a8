import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sampleUser } from '../../src/sample/index.ts'
import { type Browser, hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { ANN, BEN, importFiles, multiplier, POOL, pool, position } from '../support/one-pool.ts'
import { startOnSample } from '../support/sample.ts'

/** The dashboard for those who earn points: their wallet, boosts, the planner and the rules. */

describe.skipIf(!hasBrowser)(`in a browser${hasBrowser ? '' : SKIPPED}`, () => {
  let gateway: Gateway
  let browser: Browser
  /** A wallet that others are ahead of. */
  let mine: string
  beforeAll(async () => {
    gateway = await startOnSample()
    browser = await openBrowser(gateway.base, { viewport: { width: 1280, height: 900 } })
    const { leaderboard } = await gateway.ask(
      '{ leaderboard(first: 1, offset: 4) { nodes { userAddress } } }',
    )
    mine = leaderboard.nodes[0].userAddress
  })
  afterEach(async () => {
    const page = await visit('/status')
    await page.evaluate(() => localStorage.clear())
    await browser.closePages()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  async function visit(path: string, base = gateway.base): Promise<Page> {
    const page = await browser.context.newPage()
    await page.goto(`${base}/dashboard${path}`)
    return page
  }
  const open = (page: Page, path: string) => page.goto(`${gateway.base}/dashboard${path}`)
  const parameters = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)
  const rows = (page: Page, name: string) =>
    page.getByRole('table', { name, exact: true }).locator('tbody tr')
  const numbers = (page: Page, name: string): Promise<number[][]> =>
    rows(page, name).evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll('data')].map((cell) => Number((cell as HTMLDataElement).value)),
      ),
    )
  const fact = (page: Page, name: string) =>
    page
      .locator('.facts > div')
      .filter({ has: page.getByText(name, { exact: true }) })
      .first()
  /** The numbers of a figure: the large one, then those below it. */
  const factNumbers = (page: Page, name: string) =>
    fact(page, name)
      .locator('data')
      .evaluateAll((all) => all.map((one) => Number((one as HTMLDataElement).value)))
  async function nameWallet(page: Page, address: string, name: string) {
    await open(page, `/wallets/${address}`)
    await page.getByRole('button', { name: 'Name it' }).click()
    await page.getByLabel('Name of this wallet').fill(name)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Rename' }).waitFor()
  }

  test('what others can show of a wallet closes on Escape and on a click elsewhere', async () => {
    const page = await visit(`/wallets/${mine}`)
    const summary = page.locator('.share summary')
    const link = page.getByRole('textbox', { name: 'Link' })
    await summary.click()
    await link.click()
    await page.keyboard.press('Escape')
    await link.waitFor({ state: 'detached' })
    expect(await summary.evaluate((one) => one === document.activeElement)).toBe(true)
    await summary.click()
    await link.click()
    await page.locator('h1').click()
    await link.waitFor({ state: 'detached' })
  })

  test('each field takes a wallet by its name, its beginning or a pasted link, and keeps other text', async () => {
    const page = await visit('/status')
    await nameWallet(page, mine, 'Cold <b>wallet</b>')
    await open(page, '/leaderboard')
    const field = page.getByLabel('Find a wallet')
    await field.fill('cold')
    await page.getByRole('option', { name: 'Cold <b>wallet</b>' }).click()
    await expect.poll(() => parameters(page)).toEqual({ account: mine })
    expect(await field.inputValue()).toBe('Cold <b>wallet</b>')
    for (const text of [
      `https://etherscan.io/address/${sampleUser}#tokentxns`,
      ` “0x ${sampleUser.slice(2, 20)}\u200B${sampleUser.slice(20).toUpperCase()}”, `,
      sampleUser.slice(0, 12),
    ]) {
      await open(page, '/leaderboard')
      await field.fill(text)
      if (text === sampleUser.slice(0, 12)) await page.locator('[role=option]').first().waitFor()
      await page.keyboard.press('Enter')
      await expect.poll(() => parameters(page)).toEqual({ account: sampleUser })
    }
    for (const text of ['Warm wallet', `0x${'ab'.repeat(32)}`, '<script>%', 'x'.repeat(300)]) {
      await field.fill(text)
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText(`No wallet has the name or address “`).waitFor()
      expect(await field.inputValue()).toBe(text)
      expect(parameters(page)).toEqual({ account: sampleUser })
    }
    await open(page, `/compare?wallets=${sampleUser}`)
    await page.getByLabel('Add a wallet').fill('cold')
    await page.keyboard.press('Enter')
    await expect.poll(() => parameters(page)).toEqual({ wallets: `${sampleUser},${mine}` })
    expect(await page.getByLabel('Add a wallet').inputValue()).toBe('')
    const search = page.getByRole('combobox', { name: 'Search' })
    await search.fill('cold <b')
    await page.getByRole('option', { name: 'Cold <b>wallet</b>' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: `Cold <b>wallet</b> ${mine}` }).waitFor()
    await search.fill('zzzz')
    await page.getByText('Nothing matches “zzzz”.').waitFor()
    await open(page, '/search?q=cold')
    await page.getByText('Named in this browser:').waitFor()
  })

  test('a starred wallet stands in the bar, in forms, in each table and on the first page', async () => {
    const { user, program, leaderboardAround } = await gateway.ask(
      `query ($a: Address!) { program { totalPoints userCount }
        user(address: $a) { rank totalPoints pointsPerDay change(days: 7) { rank } worth { netUsd } }
        leaderboardAround(user: $a, first: 3) { nodes { points user { address pointsPerDay } } } }`,
      { a: mine },
    )
    const at = leaderboardAround.nodes.findIndex((one: any) => one.user.address === mine)
    const above = leaderboardAround.nodes[at - 1]
    const gap = above.points - user.totalPoints
    const pace = user.pointsPerDay - above.user.pointsPerDay
    const days = pace > 0 ? [Math.max(Math.ceil(gap / pace), 1)] : []
    const page = await visit(`/wallets/${mine}`)
    const star = page.getByRole('button', { name: 'My wallet' })
    await star.click()
    expect(await star.getAttribute('aria-pressed')).toBe('true')
    const bar = page.getByRole('link', { name: /^My wallet: / })
    await expect.poll(() => bar.innerText()).toContain(`#${user.rank}`)
    await expect
      .poll(() => factNumbers(page, 'Rank'))
      .toEqual([user.rank, user.change.rank, gap, ...days].filter((one) => one !== null))
    const share = user.totalPoints / program.totalPoints
    expect((await factNumbers(page, 'Points')).at(-1)).toBe(share)
    await open(page, '')
    await expect.poll(() => factNumbers(page, 'To the next rank')).toEqual([gap, ...days])
    if (pace <= 0)
      expect(await fact(page, 'To the next rank').innerText()).toContain('not at this pace')
    expect((await factNumbers(page, 'Rank')).slice(0, 2)).toEqual([user.rank, program.userCount])
    expect(await factNumbers(page, 'Net worth')).toEqual([user.worth.netUsd])
    const row = rows(page, 'Leaderboard').filter({ has: page.locator('.mine') })
    await expect.poll(() => row.count()).toBe(1)
    const colour = (row: typeof bar) =>
      row
        .locator('td')
        .first()
        .evaluate((cell) => getComputedStyle(cell).backgroundColor)
    expect(await colour(row)).not.toBe(await colour(rows(page, 'Leaderboard').last()))
    await open(page, '/leaderboard')
    await expect.poll(() => rows(page, 'Your place').count()).toBe(5)
    expect(await page.getByLabel('Find a wallet').inputValue()).toBe(mine)
    await open(page, '/compare')
    await page.locator('.chosen').getByTitle(mine, { exact: true }).waitFor()
    await bar.click()
    await star.click()
    await expect.poll(() => bar.count()).toBe(0)
    await page.evaluate(() => localStorage.setItem('dashboard:my-wallet', '<script>alert(1)'))
    await open(page, '')
    await rows(page, 'Leaderboard').first().waitFor()
    expect(await bar.count()).toBe(0)
  })

  test('boosts are the sides of pools by the points of $1,000', async () => {
    const { pools } = await gateway.ask(
      `{ pools(first: 200) { nodes { marketA { ...side } marketB { ...side } } } }
       fragment side on Market { depositPointsPerDollar borrowPointsPerDollar }`,
    )
    const sides = pools.nodes.flatMap(({ marketA, marketB }: any) => [marketA, marketB])
    const expected = (sort: 'depositPointsPerDollar' | 'borrowPointsPerDollar') =>
      sides
        .map((side: any) => side[sort] * 1000)
        .filter((points: number) => points > 0)
        .sort((one: number, other: number) => other - one)
        .slice(0, 25)
    const page = await visit('/boosts?side=deposit')
    const shown = async () => (await numbers(page, 'Boosts now')).map(([points]) => points)
    await expect.poll(shown).toEqual(expected('depositPointsPerDollar'))
    await page.getByRole('link', { name: 'Borrow', exact: true }).click()
    await expect.poll(shown).toEqual(expected('borrowPointsPerDollar'))
    expect(parameters(page)).toEqual({ side: 'borrow' })
  })

  test('boosts are filtered by chain and token, and the filter of the pools leads there', async () => {
    const page = await visit('/pools')
    await page.getByLabel('Token').selectOption('WETH')
    await page.getByRole('main').getByRole('link', { name: 'Boosts', exact: true }).click()
    await page.waitForURL('**/boosts?token=WETH')
    const sides = () => rows(page, 'Boosts now').locator('th').allInnerTexts()
    await expect
      .poll(async () => new Set(await sides()))
      .toEqual(new Set(['Deposit WETH', 'Borrow WETH']))
    const chain = page.getByLabel('Chain')
    const value = (await chain.locator('option').nth(1).getAttribute('value')) as string
    const all = (await sides()).length
    await chain.selectOption(value)
    await expect.poll(() => parameters(page)).toEqual({ token: 'WETH', chain: value })
    await expect.poll(async () => (await sides()).length).toBeLessThan(all)
    await open(page, '/boosts?token=nothing&chain=0')
    await expect.poll(async () => new Set(await sides()).size).toBeGreaterThan(2)
  })

  test('the planner shows the estimates of the API, and the rank of the points', async () => {
    const { pools, leaderboard } = await gateway.ask(
      `{ pools(first: 100) { nodes { marketA { ...side } marketB { ...side } } }
         leaderboard(first: 1000) { nodes { points } } }
       fragment side on Market {
         estimate(amountUsd: 2500, days: 90, pointValueUsd: 0.002) { points interestUsd totalUsd } }`,
    )
    const best = pools.nodes
      .flatMap(({ marketA, marketB }: any) => [marketA.estimate, marketB.estimate])
      .sort((one: any, other: any) => other.totalUsd - one.totalUsd)
    const rankOf = (points: number) =>
      leaderboard.nodes.filter((one: any) => one.points > points).length + 1
    const page = await visit('/planner')
    await page.getByLabel('Amount').fill('2500')
    await page.getByLabel('Days').fill('90')
    await page.getByRole('button', { name: 'Plan', exact: true }).click()
    await page.getByLabel('Value of a point').fill('0,002')
    await expect
      .poll(async () => (await numbers(page, 'Plans')).slice(0, 5))
      .toEqual(
        best
          .slice(0, 5)
          .map(({ points, interestUsd, totalUsd }: any) => [
            interestUsd,
            points,
            points / 90,
            totalUsd,
            rankOf(points),
          ]),
      )
    const state = { amount: '2500', days: '90', point: '0.002' }
    await expect.poll(() => parameters(page)).toEqual(state)
    const { user } = await gateway.ask(
      'query ($a: Address!) { user(address: $a) { totalPoints } }',
      { a: mine },
    )
    await page.getByLabel('Added to the points of').fill(mine)
    await page.keyboard.press('Enter')
    const rank = rankOf(user.totalPoints + best[0].points)
    expect(rank).not.toBe(rankOf(best[0].points))
    await expect.poll(async () => (await numbers(page, 'Plans'))[0]?.at(-1)).toBe(rank)
    expect(parameters(page)).toEqual({ ...state, account: mine })
  })

  test.each([
    ['amount=ten', '“ten” is not an amount'],
    ['amount=1,000', '“1,000” is not an amount'],
    ['amount=0', 'An amount is above 0.'],
    ['amount=-5', 'An amount is above 0.'],
    ['amount=9999999999999999', 'An amount is at most $1,000,000,000,000,000.'],
    ['days=0', 'Days are a whole number from 1 to 3650.'],
    ['days=1.5', 'Days are a whole number'],
    ['token=NOPE', 'No pool has the token “NOPE”'],
    ['unit=token', 'Choose a token for an amount in tokens'],
  ])('a plan of %s has a sentence', async (state, sentence) => {
    const page = await visit(`/planner?${state}`)
    await page.getByRole('alert').getByText(sentence).waitFor()
    expect(await page.getByRole('alert').count()).toBe(1)
  })

  test('the value of a point is dragged: the plans follow within 100 ms, without a request', async () => {
    const page = await visit('/planner?point=0.001')
    await rows(page, 'Plans').first().waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.postData() ?? ''))
    const times = await page
      .getByRole('slider', { name: 'Point value' })
      .evaluate(async (input: HTMLInputElement) => {
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
        const total = () => document.querySelector('.facts data')?.getAttribute('value')
        const times: number[] = []
        for (let step = 30; step <= 50; step++) {
          const [start, before] = [performance.now(), total()]
          set?.call(input, String(step))
          input.dispatchEvent(new Event('input', { bubbles: true }))
          while (total() === before) await new Promise((done) => setTimeout(done))
          document.body.getBoundingClientRect()
          times.push(performance.now() - start)
        }
        return times
      })
    expect(times.toSorted((a, b) => a - b)[10]).toBeLessThan(100)
    await expect.poll(() => parameters(page)).toEqual({ point: '0.9' })
    expect(asked.filter((text) => text.includes('estimate'))).toEqual([])
    const [interest = 0, points = 0, , total] = (await numbers(page, 'Plans'))[0] ?? []
    expect(total).toBe(interest + points * 0.9)
    const field = page.getByLabel('Value of a point')
    for (const typed of ['-1', 'ten', '1,234', '1000001', '']) {
      await field.fill(typed)
      expect(await field.getAttribute('aria-invalid')).toBe('true')
      await page.getByText('From 0 to 1000000, such as 0.001: this is 0.9.').waitFor()
    }
    expect(parameters(page)).toEqual({ point: '0.9' })
  })

  test('a store of one date without multipliers, and then with one, says what earns', async () => {
    const one = await startGateway()
    try {
      const hostile = { ...pool, asset_2_symbol: '<img src=x>'.repeat(9), name: '\u202Ereversed' }
      await importFiles(one, {
        pools: [hostile],
        positions: [position(ANN, 300), position(BEN, 100)],
      })
      const page = await visit('/boosts', one.base)
      await page.getByText('No side of a pool earns points: no multiplier is set.').waitFor()
      await page.goto(`${one.base}/dashboard/rules`)
      await page.getByText('No side of a pool has a multiplier above 1 today.').waitFor()
      await page.getByText('No pool has a multiplier, so no position earns points.').waitFor()
      await importFiles(one, { multipliers: [multiplier] })
      await page.reload()
      await page.getByText('The highest is').waitFor()
      expect(await page.locator('.rules').innerText()).toContain('The highest is 4x: borrow')
      expect(await rows(page, 'Multipliers today').count()).toBe(1)
      await page.goto(`${one.base}/dashboard/planner`)
      await page.getByText('No pool with a market is stored').waitFor()
      for (const path of [`/leaderboard?pool=${POOL}&window=30&account=${BEN}`, '/boosts']) {
        await page.goto(`${one.base}/dashboard${path}`)
        await page.locator('main table').first().waitFor()
        await expect.poll(() => page.locator('.loading').count()).toBe(0)
        expect(await page.locator('.fault').count()).toBe(0)
        const isWider = () => document.documentElement.scrollWidth > innerWidth
        expect(await page.evaluate(isWider)).toBe(false)
      }
    } finally {
      await one.close()
    }
  })
})
