import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { samplePool, sampleUser, sampleVault } from '../../src/sample/index.ts'
import { day } from '../../src/web/format.ts'
import { type Browser, hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { DAY, importFiles, pool, position } from '../support/one-pool.ts'
import { startOnSample } from '../support/sample.ts'

describe.skipIf(!hasBrowser)(`as of a date${hasBrowser ? '' : SKIPPED}`, () => {
  let gateway: Gateway
  let browser: Browser
  let first: string
  let newest: string
  /** A date in the middle, and its end. */
  let past: string
  let at: string
  beforeAll(async () => {
    gateway = await startOnSample()
    browser = await openBrowser(gateway.base, { viewport: { width: 1280, height: 900 } })
    const dates = await gateway.ask(
      '{ newest: distributions(first: 1) { nodes { date } } oldest: distributions(last: 1) { nodes { date } } }',
    )
    newest = dates.newest.nodes[0].date.slice(0, 10)
    first = dates.oldest.nodes[0].date.slice(0, 10)
    past = shifted(newest, -4)
    at = `${past}T23:59:59.999Z`
  })
  afterEach(() => browser.closePages())
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  const shifted = (date: string, days: number) =>
    new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
  async function visit(path: string, base = gateway.base): Promise<Page> {
    const page = await browser.context.newPage()
    await page.goto(`${base}/dashboard${path}`)
    return page
  }
  const rows = (page: Page, name: string) =>
    page.getByRole('table', { name, exact: true }).locator('tbody tr')
  const fact = (page: Page, name: string) =>
    page
      .locator('.facts > div')
      .filter({ has: page.getByText(name, { exact: true }) })
      .first()
      .locator('data')
      .first()
  const value = async (page: Page, name: string) =>
    Number(await fact(page, name).getAttribute('value'))
  const asOf = (page: Page) => new URL(page.url()).searchParams.get('asOf')
  const field = (page: Page) => page.getByRole('textbox', { name: 'As of', exact: true })
  const notice = (page: Page) => page.locator('.past')
  const ask = (query: string, variables: object = {}) => gateway.ask(query, variables as any)

  test('the bar chooses a date that links keep, and that one click leaves', async () => {
    const page = await visit('/pools')
    await expect.poll(() => field(page).inputValue()).toBe(day(newest))
    await page.getByRole('link', { name: 'Leaderboard', exact: true }).first().click()
    await page.getByRole('button', { name: 'Previous day' }).click()
    await notice(page)
      .getByText(`You see the past: ${day(shifted(newest, -1))}`)
      .waitFor()
    await field(page).fill(day(past))
    await field(page).press('Enter')
    await expect.poll(() => asOf(page)).toBe(past)
    const { leaderboard } = await ask(
      'query ($asOf: Date!) { leaderboard(scope: { asOf: $asOf }, first: 25) { nodes { points } } }',
      { asOf: past },
    )
    await expect
      .poll(() =>
        rows(page, 'Leaderboard').evaluateAll((all) =>
          all.map((row) => Number(row.querySelectorAll('data')[1]?.getAttribute('value'))),
        ),
      )
      .toEqual(leaderboard.nodes.map(({ points }: any) => points))
    await rows(page, 'Leaderboard').first().getByRole('link').first().click()
    await expect.poll(() => new URL(page.url()).pathname).toContain('/wallets/')
    expect(asOf(page)).toBe(past)
    const links = await page
      .locator('main a[href*="/dashboard/"]')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))
    expect(links.length).toBeGreaterThan(0)
    for (const link of links) expect(new URL(link).searchParams.get('asOf'), link).toBe(past)
    // The dates of the leaderboard were replaced: the view before it comes after one step more.
    await page.goBack()
    await expect.poll(() => new URL(page.url()).pathname).toContain('/leaderboard')
    expect(asOf(page)).toBe(past)
    await notice(page).getByRole('link').click()
    await expect.poll(() => asOf(page)).toBeNull()
    await expect.poll(() => notice(page).count()).toBe(0)
    await expect.poll(() => field(page).inputValue()).toBe(day(newest))
    await page.goBack()
    await expect.poll(() => new URL(page.url()).pathname).toContain('/pools')
    expect(asOf(page)).toBeNull()
  })

  test('views show the numbers of the date, and charts end with it', async () => {
    const page = await visit(`/wallets/${sampleUser}?asOf=${past}`)
    const { user } = await ask(
      `query ($a: Address!, $asOf: Date!, $at: DateTime!) { user(address: $a) {
        totalPoints(asOf: $asOf) rank(asOf: $asOf) worth(at: $at) { netUsd } earnings(at: $at) { profitUsd }
        latestSnapshots(at: $at) { id } positions(asOf: $asOf) { totalCount }
        activity(where: { time: { lte: $at } }) { totalCount } } }`,
      { a: sampleUser, asOf: past, at },
    )
    await expect.poll(() => value(page, 'Points')).toBe(user.totalPoints)
    expect(await value(page, 'Rank')).toBe(user.rank)
    expect(await value(page, 'Net worth')).toBe(user.worth.netUsd)
    expect(await value(page, 'Profit')).toBe(user.earnings.profitUsd)
    await expect.poll(() => rows(page, 'Holdings').count()).toBe(user.latestSnapshots.length)
    await expect.poll(() => rows(page, 'Positions').count()).toBe(user.positions.totalCount)
    await expect
      .poll(() => rows(page, 'Activity').count())
      .toBe(Math.min(10, user.activity.totalCount))
    const chart = page
      .locator('figure')
      .filter({ has: page.getByRole('heading', { name: 'Rank', exact: true }) })
    await chart.getByRole('button', { name: 'Data table' }).click()
    await expect
      .poll(() => chart.locator('tbody time').first().getAttribute('datetime'))
      .toContain(past)

    await page.goto(`${gateway.base}/dashboard/pools/${samplePool.address}?asOf=${past}`)
    const { pool } = await ask(
      `query ($a: Address!, $asOf: Date!) { pool(address: $a) { totals(asOf: $asOf) { tvlUsd borrowedUsd totalPoints sideA { suppliedUsd } }
        positions(asOf: $asOf, orderBy: POINTS, orderDirection: DESC, first: 1) { nodes { points } } } }`,
      { a: samplePool.address, asOf: past },
    )
    await expect.poll(() => value(page, 'TVL')).toBe(pool.totals.tvlUsd)
    expect(await value(page, 'Borrowed')).toBe(pool.totals.borrowedUsd)
    expect(await value(page, 'Points')).toBe(pool.totals.totalPoints)
    expect(await value(page, 'Supplied')).toBe(pool.totals.sideA.suppliedUsd)
    const top = rows(page, 'Top wallets of the pool').first().locator('data').first()
    await expect
      .poll(async () => Number(await top.getAttribute('value')))
      .toBe(pool.positions.nodes[0].points)
    await page.getByRole('heading', { name: 'Price shock' }).waitFor()
    expect(await page.locator('.section-head .of-now').allInnerTexts()).toEqual(['as of now'])

    const { chainId, address } = sampleVault
    await page.goto(`${gateway.base}/dashboard/vaults/${chainId}/${address}?asOf=${past}`)
    const { vault } = await ask(
      'query ($c: SafeInt!, $a: Address!, $asOf: Date!) { vault(chainId: $c, address: $a) { totals(asOf: $asOf) { sharePrice tvlUsd } } }',
      { c: chainId, a: address, asOf: past },
    )
    await expect.poll(() => value(page, 'Share price')).toBe(vault.totals.sharePrice)
    expect(await value(page, 'Total assets')).toBe(vault.totals.tvlUsd)

    await page.goto(`${gateway.base}/dashboard?asOf=${past}`)
    const { program } = await ask(
      'query ($time: DateTime!) { program { series(from: $time, to: $time) { tvlUsd } } }',
      { time: past },
    )
    await expect.poll(() => value(page, 'TVL')).toBe(program.series[0].tvlUsd)
    await page.goto(`${gateway.base}/dashboard/distributions?asOf=${past}`)
    await expect
      .poll(() => rows(page, 'Distributions').first().locator('time').first().innerText())
      .toBe(day(past))
    for (const view of ['pools', 'vaults', 'risk', 'boosts', 'planner', 'rules', 'status']) {
      await page.goto(`${gateway.base}/dashboard/${view}?asOf=${past}`)
      await page.locator('h1').getByText('as of now').waitFor()
    }
  })

  test('the star’s rank and a comparison follow the date', async () => {
    const page = await visit(`/wallets/${sampleUser}`)
    await page.getByRole('button', { name: 'My wallet' }).click()
    const { user } = await ask(
      'query ($a: Address!, $asOf: Date!) { user(address: $a) { rank(asOf: $asOf) totalPoints(asOf: $asOf) } }',
      { a: sampleUser, asOf: first },
    )
    await page.goto(`${gateway.base}/dashboard/compare?asOf=${first}`)
    await expect.poll(() => page.locator('.my-wallet').innerText()).toBe(`#${user.rank}`)
    await expect
      .poll(async () =>
        Number(
          await rows(page, 'The wallets').first().locator('data').first().getAttribute('value'),
        ),
      )
      .toBe(user.totalPoints)
    expect(await page.getByText('Points in 7 days').count()).toBe(0)
    await page.evaluate(() => localStorage.clear())
  })

  test('a date that is not stored is said so, and what was shown stays', async () => {
    const page = await visit(`/leaderboard?asOf=${past}`)
    await rows(page, 'Leaderboard').first().waitFor()
    const shown = await rows(page, 'Leaderboard').allInnerTexts()
    for (const [text, why] of [
      [day(shifted(newest, 1)), `The newest stored date is ${day(newest)}`],
      ['1 Jan 1999', `The first stored date is ${day(first)}`],
      ['soon', 'Not a date: write it as 25 Nov 2026'],
      ['5/6/2026', 'Either 6 May 2026 or 5 Jun 2026: write the month as a word'],
      ['30 Feb 2026', 'Not a date'],
    ] as const) {
      await field(page).fill(text)
      await field(page).press('Enter')
      await page.getByRole('alert').getByText(why).waitFor()
      expect(await field(page).getAttribute('aria-invalid')).toBe('true')
      expect(asOf(page)).toBe(past)
      expect(await rows(page, 'Leaderboard').allInnerTexts()).toEqual(shown)
    }
    await field(page).press('Escape')
    expect(await field(page).inputValue()).toBe(day(past))
    expect(await page.locator('.date-fault').count()).toBe(0)
    for (const [text, why] of [
      ['yesterday', '“yesterday” is not a date'],
      ['2026-02-30', '“2026-02-30” is not a date'],
      ['<b>1</b>', '“<b>1</b>” is not a date'],
      ['2999-12-31', '31 Dec 2999 is not stored'],
      [shifted(first, -1), `${day(shifted(first, -1))} is not stored`],
    ] as const) {
      await page.goto(`${gateway.base}/dashboard/leaderboard?asOf=${encodeURIComponent(text)}`)
      await page.getByRole('alert').getByText(why).waitFor()
      await notice(page)
        .getByText(`The first date is ${day(first)}`)
        .waitFor()
      await rows(page, 'Leaderboard').first().waitFor()
    }
    await notice(page).getByRole('link').click()
    await expect.poll(() => asOf(page)).toBeNull()
  })

  test('a store with one date has no past, and an empty one says so', async () => {
    const small = await startGateway()
    try {
      const page = await visit('/leaderboard?asOf=2026-03-02', small.base)
      await notice(page).getByText('no distribution is stored').waitFor()
      await page.getByText('The store is empty.').waitFor()
      expect(await field(page).inputValue()).toBe('')
      await importFiles(small, { pools: [pool], positions: [position(`0x${'a'.repeat(40)}`, 10)] })
      await page.goto(`${small.base}/dashboard/leaderboard?asOf=${DAY}`)
      await rows(page, 'Leaderboard').first().waitFor()
      await expect.poll(() => field(page).inputValue()).toBe(day(DAY))
      expect(await notice(page).count()).toBe(0)
      for (const name of ['Previous day', 'Next day'])
        expect(await page.getByRole('button', { name }).isDisabled()).toBe(true)
    } finally {
      await small.close()
    }
  })

  test('a date is read in any usual way, and not guessed', async () => {
    const page = await visit('/operate')
    const date = page.getByRole('textbox', { name: 'Date', exact: true })
    for (const text of [
      '2026-11-25',
      '25 Nov 2026',
      '25. november 2026',
      'Nov 25, 2026',
      '25.11.2026',
      '11/25/2026',
      '25/11/2026',
    ]) {
      await date.fill(text)
      await date.blur()
      await expect.poll(() => date.inputValue(), { message: text }).toBe('25 Nov 2026')
      expect(await page.locator('input[name="date"]').inputValue()).toBe('2026-11-25')
    }
    for (const text of [
      'x',
      '31 Feb 2026',
      '25 Nov 26',
      '13/13/2026',
      '2026-13-01',
      '25 Foo 2026',
    ]) {
      await date.fill(text)
      await date.blur()
      await page.getByRole('alert').getByText('Not a date').waitFor()
    }
    await date.fill('')
    await date.blur()
    await expect.poll(() => date.inputValue()).toBe('25 Nov 2026')
    expect(await page.locator('.date-fault').count()).toBe(0)
  })
})
