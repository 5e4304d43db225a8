import { readdirSync, readFileSync, statSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Locator, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { removeSeason, setSeason } from '../../src/domain/season/change-seasons.ts'
import { sampleMarket, samplePool, sampleUser, sampleVault } from '../../src/sample/index.ts'
import { type Browser, hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import { addressOf, record } from '../support/datasets.ts'
import { ADMIN_TOKEN, asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { ANN, DAY, importFiles, multiplier, POOL, pool, position } from '../support/one-pool.ts'
import { orderArguments } from '../support/order.ts'
import { startOnSample } from '../support/sample.ts'

const ROOT = join(import.meta.dirname, '../..')
const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')
const MAX_BYTES = { br: 150_000, gzip: 175_000 }
const STRANGER = `0x${'0'.repeat(39)}1`

let gateway: Gateway
let empty: Gateway
/** The wallet with the most points. */
let first: string
/** The newest distribution date. */
let date: string
beforeAll(async () => {
  gateway = await startOnSample()
  empty = await startGateway()
  const { data } = await gateway.graphql(
    '{ leaderboard(first: 1) { nodes { userAddress } } distributions(first: 1) { nodes { date } } }',
  )
  first = data.leaderboard.nodes[0].userAddress
  date = data.distributions.nodes[0].date.slice(0, 10)
})
afterAll(async () => {
  await gateway?.close()
  await empty?.close()
})

describe('over HTTP', () => {
  const files = (html: string) =>
    [...html.matchAll(/(?:src|href)="(\/dashboard\/[^"]+\.(?:js|css))"/g)].map(
      ([, url]) => url ?? '',
    )

  /** What links to a page show elsewhere is of its path. */
  const withoutDescription = (html: string) =>
    html.replaceAll(/<meta (name="description"|property="og:[^"]*") content="[^"]*">/g, '')

  test('each view has a path, which is answered with the page', async () => {
    const page = await (await gateway.get('/dashboard')).text()
    for (const path of [
      '/dashboard/',
      '/dashboard/pools',
      `/dashboard/wallets/${sampleUser}`,
      '/dashboard/wallets/ann.eth',
    ]) {
      const response = await gateway.get(path)
      expect(response.status, path).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('cache-control')).toBe('no-cache')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(withoutDescription(await response.text())).toBe(withoutDescription(page))
      const cachedHeaders = {
        'if-none-match': response.headers.get('etag') ?? '',
        'cache-control': 'max-age=0',
      }
      expect((await gateway.get(path, cachedHeaders)).status).toBe(304)
    }
    const head = await fetch(`${gateway.base}/dashboard/pools`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await fetch(`${gateway.base}/dashboard/pools`, { method: 'POST' })).status).toBe(405)
  })

  test('its files are compressed, cached for good, and together small', async () => {
    const urls = files(await (await gateway.get('/dashboard')).text())
    expect(urls.filter((url) => url.includes('/page-'))).toHaveLength(2)
    for (const encoding of ['br', 'gzip'] as const) {
      let bytes = 0
      for (const url of urls) {
        const file = await gateway.get(url, { 'accept-encoding': encoding })
        const isSmall = (await file.clone().text()).length < 1500
        expect(file.headers.get('content-encoding')).toBe(isSmall ? null : encoding)
        expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
        bytes += Number(file.headers.get('content-length'))
      }
      expect(bytes).toBeLessThan(MAX_BYTES[encoding])
    }
  })

  test('the page brings the name, the colour and the links of its operator, as text', async () => {
    const name = `A & "B" <script>'s`
    const env = {
      DASHBOARD_NAME: name,
      DASHBOARD_COLOR: '#0b6b4f',
      DASHBOARD_LINKS: 'App=https://app.example.org/?a=1,b,Terms=https://example.org/terms',
    }
    const branded = await startGateway({ env })
    try {
      const response = await branded.get('/dashboard', { 'accept-encoding': 'br' })
      const html = await response.text()
      expect(html).not.toContain('<script>')
      expect(html).toContain('<title>A &#38; &#34;B&#34; &#60;script&#62;&#39;s dashboard</title>')
      const identity = /name="identity" content="([^"]*)"/.exec(html)?.[1] ?? ''
      expect(
        JSON.parse(identity.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))),
      ).toEqual({
        name,
        color: '#0b6b4f',
        links: [
          { name: 'App', href: 'https://app.example.org/?a=1,b' },
          { name: 'Terms', href: 'https://example.org/terms' },
        ],
      })
    } finally {
      await branded.close()
    }
  })

  test.each([
    [
      'DASHBOARD_COLOR',
      '#ffe000',
      'must be a colour like #0b6b4f, with a contrast of at least 4.5 to white',
    ],
    ['DASHBOARD_COLOR', 'red', 'must be a colour like #0b6b4f'],
    ['DASHBOARD_LINKS', 'App=javascript:alert(1)', 'must be at most 8 name=URL pairs'],
    ['DASHBOARD_NAME', ' ', 'must be a name'],
  ])('%s is not %s', async (setting, value, message) => {
    await expect(startGateway({ env: { [setting]: value } })).rejects.toThrow(
      `${setting} ${message}`,
    )
  })

  test.each([
    'no-such.js',
    '..%2fpage.html',
    '..%2f..%2fmain.js',
    '..%2f..%2f..%2fpackage.json',
    '%00.js',
    '.hidden',
  ])('there is no file %s', async (file) => {
    const response = await gateway.get(`/dashboard/assets/${file}`)
    expect(response.status).toBe(404)
    expect(response.headers.get('cache-control') ?? '').not.toContain('immutable')
  })

  test('the policy of the page allows no script, no style and no server but its own', async () => {
    const policy = (await gateway.get('/dashboard')).headers.get('content-security-policy')
    expect(policy).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;",
    )
    expect(policy).not.toContain('unsafe')
  })

  test('whatever paths are requested, metrics have one route for them', async () => {
    await gateway.get('/dashboard/some/path')
    const metrics = await (await gateway.get('/metrics')).text()
    const routes = new Set(
      [...metrics.matchAll(/route="(\/dashboard[^"]*)"/g)].map(([, route]) => route),
    )
    expect([...routes].sort()).toEqual(['/dashboard', '/dashboard/*'])
  })

  test('the page takes its operations from the typed client, and has none of its own', () => {
    const sources = readdirSync(join(ROOT, 'src/web'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(ROOT, 'src/web', name))
      .filter((path) => statSync(path).isFile() && /\.tsx?$/.test(path))
    expect(sources.length).toBeGreaterThan(20)
    for (const path of sources)
      expect(readFileSync(path, 'utf8'), path).not.toMatch(/\bgql\b|\bgraphql\(|`\s*(query|\{)/)
  })
})

describe.skipIf(!hasBrowser)(`in a browser${hasBrowser ? '' : SKIPPED}`, () => {
  let browser: Browser
  /** Requests to other hosts, and errors of the console. */
  const faults: string[] = []
  beforeAll(async () => {
    browser = await openBrowser(gateway.base, {
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
    })
  })
  // Each open page follows the data, and a browser has six connections to a server.
  afterEach(() => browser.closePages())
  afterAll(async () => {
    await browser?.close()
  })

  async function visit(
    path: string,
    { base = gateway.base, expectFaults = false } = {},
  ): Promise<Page> {
    const page = await browser.context.newPage()
    if (!expectFaults) {
      page.on('request', (request) => {
        if (!request.url().startsWith(base) && !/^(data|blob):/.test(request.url()))
          faults.push(request.url())
      })
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
      page.on('pageerror', (error) => faults.push(error.message))
    }
    await page.goto(`${base}/dashboard${path}`)
    return page
  }

  /** Closes a gateway after its pages, which would ask for more. */
  const leave = async (gateway: Gateway) => {
    await browser.closePages()
    await gateway.close()
  }
  const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true })
  /** The exact numbers of each row of a table. */
  const numbers = (rows: Locator): Promise<number[][]> =>
    rows.evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll('data')].map((cell) => Number((cell as HTMLDataElement).value)),
      ),
    )
  const rows = (page: Page, name: string) => table(page, name).locator('tbody tr')
  const links = (page: Page, name: string) =>
    rows(page, name)
      .locator('th a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  const fact = (page: Page, name: string) =>
    page
      .locator('.facts > div')
      .filter({ has: page.getByText(name, { exact: true }) })
      .first()
  const value = (page: Page, name: string) =>
    fact(page, name)
      .locator('dd > data')
      .getAttribute('value')
      .then((text) => Number(text))
  const graphql = async (query: string, variables = {}) => {
    const data = await gateway.ask(query, variables)
    return data
  }
  const day = (iso: string) =>
    new Date(iso).toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      timeZone: 'UTC',
    })
  /** An amount of the sample, which has four decimals, without them. */
  const cents = (usd: number | undefined) => Math.round((usd ?? 0) * 1e4)
  const parameters = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

  describe('the leaderboard', () => {
    const ENTRY = 'rank userAddress points user { pointsPerDay change(days: 7) { points rank } }'

    test('shows what the API answers, and pages and comes back', async () => {
      const { leaderboard, program } = await graphql(
        `{ program { totalPoints userCount positionCount: recordCount } leaderboard(first: 40) { nodes { ${ENTRY} } } }`,
      )
      const page = await visit('/leaderboard')
      await expect.poll(() => rows(page, 'Leaderboard').count()).toBe(25)
      const expected = leaderboard.nodes.map(
        ({ rank, points, user: { pointsPerDay, change } }: any, at: number) => {
          const shown = [points, points / program.totalPoints, pointsPerDay, change.points]
          const above = leaderboard.nodes[at - 1]
          if (points === 0) return shown
          const ranks = change.rank === null ? [] : [change.rank]
          if (!above) return [rank, ...shown, ...ranks]
          const gap = above.points - points
          const pace = pointsPerDay - above.user.pointsPerDay
          const days = pace > 0 ? [Math.max(Math.ceil(gap / pace), 1)] : []
          return [rank, ...shown, ...ranks, gap, ...days]
        },
      )
      expect(await numbers(rows(page, 'Leaderboard'))).toEqual(expected.slice(0, 25))
      expect(await links(page, 'Leaderboard')).toEqual(
        leaderboard.nodes
          .slice(0, 25)
          .map(({ userAddress }: any) => `/dashboard/wallets/${userAddress}`),
      )
      expect(await value(page, 'Points')).toBe(program.totalPoints)
      expect(await value(page, 'Wallets')).toBe(program.userCount)
      expect(await page.title()).toBe('Leaderboard · Lending dashboard')
      await page.getByRole('link', { name: 'Next page' }).click()
      await expect.poll(() => numbers(rows(page, 'Leaderboard'))).toEqual(expected.slice(25))
      await expect.poll(() => page.evaluate(() => scrollY)).toBeLessThan(120)
      const deep = page.url()
      expect(parameters(page)).toEqual({ page: '2' })
      await page.goBack()
      await expect.poll(() => rows(page, 'Leaderboard').count()).toBe(25)
      await page.goto(deep)
      await expect.poll(() => numbers(rows(page, 'Leaderboard'))).toEqual(expected.slice(25))
      await page.getByRole('link', { name: 'First page' }).click()
      await expect.poll(() => rows(page, 'Leaderboard').count()).toBe(25)
      await rows(page, 'Leaderboard').first().getByRole('link').focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await expect
        .poll(() => new URL(page.url()).pathname)
        .toContain(leaderboard.nodes[1].userAddress)
    })

    test('leads back through the pages of a list', async () => {
      const { distributions } = await graphql(
        '{ distributions(first: 1) { nodes { date positionCount } } }',
      )
      const page = await visit(`/distributions/${distributions.nodes[0].date}`)
      const pages = page.getByRole('navigation', { name: 'Pages of ' }).last()
      const turn = async (name: string, to: string) => {
        await pages.getByRole('link', { name }).click()
        await pages.getByText(to, { exact: true }).waitFor()
        return new URL(page.url()).search
      }
      const last = Math.ceil(distributions.nodes[0].positionCount / 20)
      expect(last).toBeGreaterThan(2)
      const second = await turn('Next page', `Page 2 of ${last}`)
      await turn('Last page', `Page ${last} of ${last}`)
      expect(await pages.getByRole('link', { name: 'Next page' }).count()).toBe(0)
      await expect
        .poll(() => rows(page, 'Positions of the date').count())
        .toBe(distributions.nodes[0].positionCount - (last - 1) * 20)
      await turn('Previous page', `Page ${last - 1} of ${last}`)
      await turn('First page', `Page 1 of ${last}`)
      await page.goto(`${page.url()}${second}`)
      await pages.getByText(`Page 2 of ${last}`, { exact: true }).waitFor()
      await page.goto(page.url().replace('page=2', 'page=999'))
      await page.getByText('The list has no such page.').waitFor()
      await turn('Previous page', `Page ${last} of ${last}`)
    })

    test('by keyboard alone: skip link, your place, its wallet', async () => {
      const { user } = await graphql('query ($a: Address!) { user(address: $a) { rank } }', {
        a: sampleUser,
      })
      const page = await visit('/leaderboard')
      await rows(page, 'Leaderboard').first().waitFor()
      await page.keyboard.press('Tab')
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.textContent))
        .toBe('Skip to the content')
      await page.keyboard.press('Enter')
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content')
      await page.getByLabel('Find a wallet').focus()
      await page.keyboard.type(sampleUser)
      await page.keyboard.press('Enter')
      const place = rows(page, 'Your place')
      await expect.poll(() => place.count()).toBe(5)
      expect(parameters(page)).toEqual({ account: sampleUser })
      const current = table(page, 'Your place').locator('tr[aria-current]')
      expect((await numbers(current))[0]?.[0]).toBe(user.rank)
      await current.getByRole('link').focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
      expect(new URL(page.url()).pathname).toBe(`/dashboard/wallets/${sampleUser}`)
    })

    test('as of a date, in a window, a pool and a season, which combine', async () => {
      const startsAt = new Date(Date.parse(date) - 4 * 86_400_000).toISOString().slice(0, 10)
      const seasons = { pool: gateway.deps.store.pool, now: () => new Date() }
      await setSeason(
        seasons,
        { name: 'Season 7', startsAt, endsAt: '2999-12-31' },
        { requestedBy: 'test' },
      )
      const page = await visit('/leaderboard')
      const shift = (days: number) =>
        new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
      /** The board shows a scope: its first numbers, and shares of its points. */
      const shows = async (scope: object) => {
        const { leaderboard } = await graphql(
          'query ($scope: LeaderboardScope) { leaderboard(scope: $scope, first: 1000) { nodes { rank points } } }',
          { scope },
        )
        const all = leaderboard.nodes.reduce((sum: number, { points }: any) => sum + points, 0)
        await expect
          .poll(async () =>
            (await numbers(rows(page, 'Leaderboard')))
              .slice(0, 10)
              .map(([rank, points, share]) => [rank, points, share?.toFixed(6)]),
          )
          .toEqual(
            leaderboard.nodes
              .slice(0, 10)
              .map(({ rank, points }: any) => [rank, points, (points / all).toFixed(6)]),
          )
      }
      await rows(page, 'Leaderboard').first().waitFor()
      const asOf = page.getByRole('textbox', { name: 'As of', exact: true })
      await asOf.fill(shift(-3))
      await asOf.press('Enter')
      await shows({ asOf: shift(-3) })
      expect(parameters(page)).toEqual({ asOf: shift(-3) })
      await page.getByRole('link', { name: '7 days', exact: true }).click()
      await shows({ window: { from: shift(-9), to: shift(-3) } })
      await page.getByLabel('Season').selectOption('Season 7')
      await shows({ window: { from: startsAt, to: shift(-3) } })
      const pool = samplePool.address
      await page.getByRole('combobox', { name: 'Pool', exact: true }).selectOption(pool)
      await shows({ window: { from: startsAt, to: shift(-3), pool } })
      expect(parameters(page)).toEqual({
        asOf: shift(-3),
        window: '7',
        season: 'Season 7',
        pool,
      })
      await page.goto(`${gateway.base}/dashboard/leaderboard?season=Season+7&asOf=${shift(-8)}`)
      await page.getByText('No distribution is in the season and the dates').waitFor()
      await page.goto(`${gateway.base}/dashboard/leaderboard?season=Season+9`)
      await page.getByRole('alert').getByText('No season has the name “Season 9”').waitFor()
      await page.goto(`${gateway.base}/dashboard`)
      await expect
        .poll(() => page.locator('.lede').first().textContent())
        .toMatch(/Season 7 ends in [\d,]+ days, 31 Dec 2999/)
      await page.getByRole('link', { name: 'Season 7' }).click()
      await shows({ season: 'Season 7' })
      await page.getByLabel('Season').selectOption('')
      expect(parameters(page)).toEqual({})
      await removeSeason(seasons, 'Season 7', { requestedBy: 'test' })
    })
  })

  test('totals above a past leaderboard are those of its date; a date without a distribution is said so', async () => {
    const { distributions } = await graphql('{ distributions(last: 1) { nodes { date } } }')
    const oldest = distributions.nodes[0].date.slice(0, 10)
    const shift = (days: number, from = date) =>
      new Date(Date.parse(from) + days * 86_400_000).toISOString().slice(0, 10)
    const past = shift(-5)
    const board = await graphql(
      `query ($asOf: Date!, $date: Date!) { program(asOf: $asOf) { totalPoints positionCount: recordCount } distribution(date: $date) { positionCount }
        leaderboard(scope: { asOf: $asOf }, first: 1000) { totalCount nodes { points } } }`,
      { asOf: past, date: past },
    )
    const page = await visit(`/leaderboard?asOf=${past}`)
    await rows(page, 'Leaderboard').first().waitFor()
    const millionths = board.leaderboard.nodes.reduce(
      (sum: number, { points }: any) => sum + Math.round(points * 1e6),
      0,
    )
    expect(await value(page, 'Points')).toBeCloseTo(millionths / 1e6, 2)
    expect(await value(page, 'Points')).toBe(board.program.totalPoints)
    expect(await value(page, 'Wallets')).toBe(board.leaderboard.totalCount)
    expect(await value(page, 'Positions')).toBe(board.program.positionCount)
    const ofDate = fact(page, 'Positions').locator('small data')
    expect(Number(await ofDate.getAttribute('value'))).toBe(board.distribution.positionCount)
    expect(await page.getByText('There is no distribution').count()).toBe(0)

    const said = page.getByText('There is no distribution').first()
    await page.goto(`${gateway.base}/dashboard/distributions/2999-12-31`)
    await expect
      .poll(() => said.innerText())
      .toBe(
        `There is no distribution on 31 Dec 2999. The first is of ${day(oldest)}, the newest of ${day(date)}.`,
      )
    await page.getByRole('link', { name: day(date) }).click()
    await fact(page, 'Points').waitFor()
    await page.goto(`${gateway.base}/dashboard/distributions/2026-02-30`)
    await page
      .getByRole('alert')
      .getByText('is not a date: it needs a year, month and day')
      .waitFor()
  })

  test('the first page shows the program, the leaders and the largest pools; / leads to its search', async () => {
    const { program, leaderboard, pools } = await graphql(
      `{ program { series { tvlUsd points userCount } } leaderboard(first: 10) { nodes { userAddress } }
        pools(orderBy: TVL_USD, orderDirection: DESC, first: 10) { nodes { address } } }`,
    )
    const page = await visit('')
    await rows(page, 'Biggest pools').first().waitFor()
    const last = program.series.at(-1)
    await expect.poll(() => value(page, 'TVL')).toBe(last.tvlUsd)
    expect(await value(page, 'Points per day')).toBe(last.points)
    expect(await value(page, 'Active wallets')).toBe(last.userCount)
    expect(await links(page, 'Leaderboard')).toEqual(
      leaderboard.nodes.map(({ userAddress }: any) => `/dashboard/wallets/${userAddress}`),
    )
    expect(await links(page, 'Biggest pools')).toEqual(
      pools.nodes.map(({ address }: any) => `/dashboard/pools/${address}`),
    )
    await expect
      .poll(() => page.locator('.facts .spark, td .spark').count())
      .toBe(4 + pools.nodes.length)
    const { moved } = await graphql(
      '{ moved: leaderboard(first: 100) { nodes { rank user { change(days: 7) { rank points } } } } }',
    )
    const expected = moved.nodes
      .flatMap(({ rank, user: { change } }: any) =>
        change?.rank ? [[Math.abs(change.rank), rank, change.points]] : [],
      )
      .sort(([one]: number[], [other]: number[]) => (other ?? 0) - (one ?? 0))
    expect(
      (await numbers(rows(page, 'Movers'))).map(([ranks = 0, ...row]) => [Math.abs(ranks), ...row]),
    ).toEqual(expected.slice(0, 10))
    await page.getByRole('link', { name: /^(on time|some data is late|sample data)$/ }).click()
    await page.getByRole('heading', { name: 'Status', level: 1 }).waitFor()
    await page.goBack()
    await page.keyboard.press('/')
    await page.keyboard.type(sampleUser.slice(0, 12))
    const suggestion = page.getByRole('option')
    await expect.poll(() => suggestion.count()).toBe(1)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: sampleUser }).waitFor()
  })

  test('the theme is that of the system, until one chooses another, which the browser keeps', async () => {
    const page = await visit('/pools')
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await background()
    const choice = page.getByRole('button', { name: /^Theme: / })
    await choice.click()
    const light = await background()
    expect(light).not.toBe(dark)
    await page.reload()
    expect(await background()).toBe(light)
    await choice.click()
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await background()).toBe(dark)
    await choice.click()
    expect(await background()).toBe(light)
  })

  test('search finds wallets, pools, markets and vaults, and leads to them', async () => {
    const page = await visit('')
    await page.getByRole('combobox', { name: 'Search' }).fill('usdc')
    await page.getByRole('button', { name: 'Search' }).click()
    const { search } = await graphql('{ search(text: "usdc", first: 50) { item { __typename } } }')
    await expect.poll(() => rows(page, 'Results, best match first').count()).toBe(search.length)
    await page.getByRole('combobox', { name: 'Search' }).fill(sampleUser.slice(0, 12))
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /^0x/ }).click()
    await page.getByRole('heading', { name: sampleUser }).waitFor()
    await page.goBack()
    await expect.poll(() => parameters(page)).toEqual({ q: sampleUser.slice(0, 12) })
    await page.getByRole('combobox', { name: 'Search' }).fill('<script>%')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing matches.').waitFor()
  })

  describe('a wallet', () => {
    test('shows the profit and its parts, which add up', async () => {
      const { leaderboard } = await graphql(
        `{ leaderboard(first: 40) { nodes { userAddress
          user { earnings { profitUsd interestUsd priceUsd liquidationUsd } } } } }`,
      )
      const { userAddress, user } = leaderboard.nodes.find(
        ({ user: { earnings } }: any) => earnings.profitUsd !== null && earnings.interestUsd !== 0,
      )
      const page = await visit(`/wallets/${userAddress}`)
      const shown = []
      for (const name of ['Profit', 'Interest', 'Price changes', 'Liquidations'])
        shown.push(await value(page, name))
      const [profit = 0, ...parts] = shown
      expect(shown).toEqual(Object.values(user.earnings))
      expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(profit, 6)
    })

    test('shows what the API answers; points lead to their run', async () => {
      const { user } = await graphql(
        `query ($a: Address!) { user(address: $a) {
          points: totalPoints rank worth { netUsd suppliedUsd protectedUsd borrowedUsd vaultsUsd } lastDistributionDate: lastDate
          change(days: 7) { netWorthUsd }
          earnings { profitUsd }
          netApr { depositUsd borrowedUsd earnNetApr: netDepositApr borrowNetApr: netBorrowApr }
          currentPositions { nodes { points run { recordId } pool { displayName } } }
          activity(first: 10, where: { kinds: [DEPOSIT] }) { nodes { amount { value usd } } }
          series { points } } }`,
        { a: sampleUser },
      )
      const page = await visit(`/wallets/${sampleUser}`)
      await fact(page, 'Points').waitFor()
      expect(await value(page, 'Points')).toBe(user.points)
      expect(await value(page, 'Rank')).toBe(user.rank)
      const tiles = {
        netUsd: await value(page, 'Net worth'),
        suppliedUsd: await value(page, 'Supplied'),
        protectedUsd: await value(page, 'Protected'),
        borrowedUsd: await value(page, 'Borrowed'),
        vaultsUsd: await value(page, 'In vaults'),
      }
      expect(tiles).toEqual(user.worth)
      expect(cents(tiles.netUsd)).toBe(
        cents(tiles.suppliedUsd) +
          cents(tiles.protectedUsd) +
          cents(tiles.vaultsUsd) -
          cents(tiles.borrowedUsd),
      )
      const week = fact(page, 'Net worth').locator('small')
      await expect.poll(() => week.count()).toBe(3)
      const [[change], [profit], [moved]] = (await numbers(week)) as [[number], [number], [number]]
      expect(change).toBe(user.change.netWorthUsd)
      expect(cents(profit) + cents(moved)).toBe(cents(change))
      const holdings = rows(page, 'Holdings')
      await expect.poll(() => holdings.count()).toBeGreaterThan(0)
      const columns = await numbers(holdings)
      expect(
        [0, 1, 2, 3].map((column) => columns.reduce((sum, row) => sum + cents(row[column]), 0)),
      ).toEqual(
        [tiles.suppliedUsd, tiles.protectedUsd, tiles.borrowedUsd, tiles.vaultsUsd].map(cents),
      )
      expect(await value(page, 'Profit')).toBe(user.earnings.profitUsd)
      const parts = await numbers(fact(page, 'Profit').locator('small'))
      expect(
        parts
          .flat()
          .map(cents)
          .reduce((sum, one) => sum + one, 0),
      ).toBe(cents(user.earnings.profitUsd))
      const { depositUsd, borrowedUsd, earnNetApr, borrowNetApr } = user.netApr
      expect(await value(page, 'Net APY')).toBeCloseTo(
        (depositUsd * earnNetApr - borrowedUsd * borrowNetApr) / user.worth.netUsd,
        12,
      )
      expect(await value(page, 'Net APR, deposits')).toBe(user.netApr.earnNetApr)
      expect(await value(page, 'Net APR, debt')).toBe(user.netApr.borrowNetApr)
      expect(await fact(page, 'Points').locator('dd > data').getAttribute('title')).toBe(
        user.points.toLocaleString('en-US', { maximumFractionDigits: 6 }),
      )
      const positions = rows(page, 'Positions')
      await expect.poll(() => positions.count()).toBe(user.currentPositions.nodes.length)
      const hrefs = await positions.locator('a[href*="/runs/"]').evaluateAll((links) =>
        links.map((link) => ({
          points: Number(link.querySelector('data')?.getAttribute('value')),
          run: { recordId: link.getAttribute('href')?.split('/').at(-1) },
        })),
      )
      await page.getByText('How these points add up').click()
      const terms = await rows(page, 'How the points add up').evaluateAll((rows) =>
        rows.map((row) => [
          row.querySelector('a')?.textContent,
          Number(row.querySelector<HTMLDataElement>('td:last-child data')?.value),
        ]),
      )
      const sums = new Map<string, number>()
      for (const [pool, points] of terms as [string, number][])
        sums.set(pool, (sums.get(pool) ?? 0) + points)
      const stored = user.currentPositions.nodes.map(({ points, pool }: any) => [
        pool.displayName,
        points.toFixed(5),
      ])
      expect([...sums].map(([pool, points]) => [pool, points.toFixed(5)]).sort()).toEqual(
        stored.sort(),
      )
      const byPoints = (a: { points: number }, b: { points: number }) => a.points - b.points
      expect(hrefs.sort(byPoints)).toEqual(
        user.currentPositions.nodes.map(({ points, run }: any) => ({ points, run })).sort(byPoints),
      )
      const chart = page
        .locator('figure')
        .filter({ has: page.getByRole('heading', { name: 'Points per day', exact: true }) })
      await chart.getByText('Data table').click()
      await expect
        .poll(() => numbers(chart.locator('tbody tr')))
        .toEqual(user.series.map(({ points }: any) => [points]).reverse())
      await page.getByRole('combobox', { name: 'Show' }).selectOption({ label: 'Deposit' })
      const amounts = user.activity.nodes.map(({ amount }: any) => amount.value)
      await expect
        .poll(() =>
          rows(page, 'Activity')
            .locator('td:nth-of-type(2)')
            .evaluateAll((cells) =>
              cells.map((cell) => cell.querySelector('data')?.getAttribute('value') ?? null),
            ),
        )
        .toEqual(amounts)
      expect(parameters(page)).toEqual({ kind: 'DEPOSIT' })
      await positions.locator('a[href*="/runs/"]').first().click()
      await page.getByRole('heading', { name: /^Run \d+$/ }).waitFor()
      await page.goBack()
      await expect.poll(() => positions.count()).toBe(user.currentPositions.nodes.length)
    })

    test('exact numbers are shown to those who cannot hover', async () => {
      const page = await visit(`/wallets/${sampleUser}`)
      const points = fact(page, 'Points').locator('dd > data')
      await points.waitFor()
      const exact = await points.getAttribute('title')
      expect(await points.locator('[aria-hidden]').count()).toBe(1)
      await page.getByRole('button', { name: 'Exact numbers' }).click()
      await expect.poll(() => points.innerText()).toBe(exact)
      await page.getByRole('button', { name: 'Exact numbers' }).click()
    })

    test('exact numbers have no digits that arithmetic adds, break in no line, and leave the page as wide', async () => {
      const extreme = await startGateway()
      try {
        const noisy = position(ANN, 0.1, { bSuppliedAmountUsd: 0.2 })
        await importFiles(extreme, { pools: [pool], positions: [noisy] })
        const wallet = await visit(`/wallets/${ANN}`, { base: extreme.base })
        await wallet.getByRole('button', { name: 'Exact numbers' }).click()
        await rows(wallet, 'Positions').first().waitFor()
        const cells = rows(wallet, 'Positions').first().locator('td')
        await expect.poll(() => cells.nth(0).innerText()).toBe('$0.3')
        expect(await cells.nth(2).locator('[aria-hidden]').innerText()).toBe('$0')
        expect(await cells.nth(2).locator('data').getAttribute('title')).toBe('no debt')
        await wallet.getByRole('button', { name: 'Exact numbers' }).click()
        await importFiles(extreme, {
          positions: [position(ANN, 0.001, { bSuppliedAmountUsd: 1.5e20 })],
        })
        await wallet.reload()
        await rows(wallet, 'Positions').first().waitFor()
        await expect.poll(() => cells.nth(0).locator('[aria-hidden]').innerText()).toBe('$1.50e+20')
        await importFiles(extreme, { positions: [position(ANN, 0.001, { bSuppliedAmountUsd: 0 })] })
        await wallet.reload()
        await expect.poll(() => cells.nth(0).locator('[aria-hidden]').innerText()).toBe('<$0.01')
        await wallet.close()
      } finally {
        await leave(extreme)
      }
      const page = await visit(`/wallets/${sampleUser}`)
      await page.getByRole('button', { name: 'Exact numbers' }).click()
      for (const path of [`/wallets/${sampleUser}`, `/wallets/${first}`, '/pools', '/']) {
        await page.goto(`${gateway.base}/dashboard${path}`)
        await page.locator('main data').first().waitFor()
        await expect.poll(() => page.locator('.loading').count()).toBe(0)
        for (const width of [1280, 360]) {
          await page.setViewportSize({ width, height: 800 })
          // Charts follow the width of the page one frame later.
          const layout = () =>
            page.evaluate(() => ({
              isWider: document.documentElement.scrollWidth > document.documentElement.clientWidth,
              broken: [...document.querySelectorAll('.facts data')]
                .filter(
                  (number) => number.children.length === 0 && number.getClientRects().length !== 1,
                )
                .map((number) => number.textContent),
              long: [...document.querySelectorAll('main data')]
                .map((number) => number.textContent ?? '')
                .filter(
                  (text) =>
                    /^[−+]*\$|%$/.test(text) &&
                    text.replace(/\D/g, '').replace(/^0+/, '').length > 15,
                ),
            }))
          await expect
            .poll(layout, { message: `${path} at ${width}` })
            .toEqual({ isWider: false, broken: [], long: [] })
        }
      }
      await page.getByRole('button', { name: 'Exact numbers' }).click()
    })

    test('charts follow the interval of the address', async () => {
      const page = await visit(`/wallets/${sampleUser}?interval=WEEK`)
      const { user } = await graphql(
        `query ($a: Address!) { user(address: $a) { series(interval: WEEK) {
          worth { netUsd suppliedUsd protectedUsd vaultsUsd borrowedUsd } earningsUsd hasIncompletePrices } } }`,
        { a: sampleUser },
      )
      const chart = (name: string) =>
        page.locator('figure').filter({ has: page.getByRole('heading', { name, exact: true }) })
      await chart('Net worth').getByText('Data table').click()
      const expected = user.series.map(({ worth }: any) => Object.values(worth ?? {}))
      await expect
        .poll(() => numbers(chart('Net worth').locator('tbody tr')))
        .toEqual(expected.reverse())
      const { users } = await graphql(
        '{ users(first: 100) { nodes { address series(interval: DAY) { worth { netUsd } hasIncompletePrices } } } }',
      )
      const hasGap = ({ series }: any) =>
        series.some((one: any) => one.hasIncompletePrices && one.worth === null) &&
        series.filter((one: any) => one.worth !== null).length > 2
      const daily = await visit(`/wallets/${users.nodes.find(hasGap).address}?interval=DAY`)
      await daily
        .locator('figure')
        .filter({ has: daily.getByRole('heading', { name: 'Net worth', exact: true }) })
        .getByText('A gap is where a price is missing.')
        .waitFor()
    })

    test('one that left has no open positions, and one that only has vaults is worth them', async () => {
      const changed = await startOnSample()
      const [left, saver] = [addressOf('left'), addressOf('saver')]
      const [market, vault] = [sampleMarket, sampleVault].map(({ chainId, address }) => ({
        chainId,
        id: address,
      }))
      const earlier = new Date(Date.parse(date) - 86_400_000).toISOString()
      try {
        await importFiles(changed, {
          positions: [
            position(left, 5, { marketAddress: samplePool.address, distributionDate: earlier }),
          ],
          'market-snapshots': [
            {
              ...record['market-snapshots'],
              ...{ chainId: market?.chainId, marketId: market?.id, accountId: left },
              ...{ collateralAssets: '0', collateralUsd: 0, debtAssets: '0', debtUsd: 0 },
            },
          ],
          'vault-snapshots': [
            {
              ...record['vault-snapshots'],
              ...{ chainId: vault?.chainId, vaultId: vault?.id, accountId: saver, assetsUsd: 12.5 },
            },
          ],
        })
        const page = await visit(`/wallets/${left}`, changed)
        await page.getByText(/No open positions: the last ones were on/).waitFor()
        await page.getByText('No open positions.', { exact: true }).waitFor()
        expect(await rows(page, 'Positions').count()).toBe(0)
        expect(await value(page, 'Net worth')).toBe(0)
        expect(await fact(page, 'Net APY').innerText()).toContain('the net worth is not above 0')
        await page.goto(`${changed.base}/dashboard/wallets/${saver}`)
        await rows(page, 'Holdings').first().waitFor()
        expect(await numbers(rows(page, 'Holdings'))).toEqual([[0, 0, 0, 12.5]])
        expect([await value(page, 'Net worth'), await value(page, 'In vaults')]).toEqual([
          12.5, 12.5,
        ])
        expect(await fact(page, 'Net APR, debt').innerText()).toContain('not known')
      } finally {
        await leave(changed)
      }
    })

    test('of an address that the store does not know, no worth is known, and an invalid one says what it needs', async () => {
      const page = await visit(`/wallets/${STRANGER}`)
      await page.getByText('No activity is stored for this wallet.').waitFor()
      expect(await value(page, 'Points')).toBe(0)
      for (const name of ['Net worth', 'Profit', 'Net APY', 'Net APR, deposits'])
        expect(await fact(page, name).innerText()).toContain('not known')
      await page.goto(`${gateway.base}/dashboard/wallets/ann.eth`)
      await page
        .getByText('“ann.eth” is not an address: it needs 0x and 40 hexadecimal digits.')
        .waitFor()
    })
  })

  test('pools are sorted by the graph, by mouse and keyboard, and lead to their pages', async () => {
    const page = await visit('/pools')
    const sorted = (order: string) =>
      graphql(`{ pools(first: 20, ${orderArguments(order)}) { nodes { address tvlUsd } } }`).then(
        ({ pools }) => pools.nodes.map(({ address }: any) => `/dashboard/pools/${address}`),
      )
    await rows(page, 'Pools').first().waitFor()
    expect(await links(page, 'Pools')).toEqual(await sorted('TVL_USD_DESC'))
    const liquidity = page.getByRole('columnheader', { name: 'Liquidity' })
    expect(await liquidity.count()).toBe(0)
    await page.locator('summary', { hasText: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Liquidity' }).check()
    await liquidity.waitFor()
    expect(parameters(page).columns).toContain('Liquidity')
    await page.reload()
    await liquidity.waitFor()
    await page.locator('summary', { hasText: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Liquidity' }).uncheck()
    await liquidity.waitFor({ state: 'detached' })
    expect(parameters(page)).toEqual({})
    await page.getByRole('link', { name: 'Borrow APR' }).click()
    await expect
      .poll(async () => links(page, 'Pools'))
      .toEqual(await sorted('LOWEST_BORROW_APR_DESC'))
    await page.getByRole('link', { name: 'Borrow APR' }).focus()
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => links(page, 'Pools'))
      .toEqual(await sorted('LOWEST_BORROW_APR_ASC'))
    expect(await page.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('ascending')
    await page.goBack()
    await expect
      .poll(async () => links(page, 'Pools'))
      .toEqual(await sorted('LOWEST_BORROW_APR_DESC'))
    await page.getByRole('link', { name: 'TVL' }).click()
    await page.locator(`a[href="/dashboard/pools/${samplePool.address}"]`).click()
    const { pool } = await graphql(
      `query ($a: Address!) { pool(address: $a) { displayName tvlUsd borrowedUsd utilization points: totalPoints
        top: currentPositions(first: 10, orderBy: POINTS, orderDirection: DESC) { nodes { points user { rank } } } } }`,
      { a: samplePool.address },
    )
    await page.getByRole('heading', { name: pool.displayName, level: 1 }).waitFor()
    expect(await value(page, 'TVL')).toBe(pool.tvlUsd)
    expect(await value(page, 'Borrowed')).toBe(pool.borrowedUsd)
    expect(await value(page, 'Utilization')).toBe(pool.utilization)
    await expect
      .poll(() => numbers(rows(page, 'Top wallets of the pool')))
      .toEqual(pool.top.nodes.map(({ points, user }: any) => [points, user.rank]))
  })

  test('vaults show their rates and totals, and lead to their pages', async () => {
    const page = await visit('/vaults')
    const { vaults } = await graphql(
      '{ vaults(first: 25, orderBy: DEPOSIT_APR, orderDirection: DESC) { nodes { depositApr sharePrice totalAssets { usd } userCount } } }',
    )
    await expect
      .poll(async () => (await numbers(rows(page, 'Vaults'))).map(([, ...row]) => row))
      .toEqual(
        vaults.nodes.map(({ depositApr, sharePrice, totalAssets, userCount }: any) =>
          [depositApr, sharePrice, totalAssets?.usd ?? null, userCount].filter(
            (one) => one !== null,
          ),
        ),
      )
    await page
      .locator(`a[href="/dashboard/vaults/${sampleVault.chainId}/${sampleVault.address}"]`)
      .click()
    await page.getByRole('heading', { name: 'Deposit APR' }).waitFor()
  })

  test('a distribution shows its totals and positions, and its run the sources, multipliers and changes', async () => {
    const page = await visit('/distributions')
    const { distributions } = await graphql(
      '{ distributions(first: 30) { nodes { totalPoints: points userCount positionCount } } }',
    )
    await expect
      .poll(() => numbers(rows(page, 'Distributions')))
      .toEqual(
        distributions.nodes.map((one: any) => [one.totalPoints, one.userCount, one.positionCount]),
      )
    await rows(page, 'Distributions').first().getByRole('link').click()
    await fact(page, 'Points').waitFor()
    expect(await value(page, 'Points')).toBe(distributions.nodes[0].totalPoints)
    expect(new URL(page.url()).pathname).toBe(`/dashboard/distributions/${date}`)
    await expect.poll(() => rows(page, 'Positions of the date').count()).toBe(20)
    await rows(page, 'Runs').first().getByRole('link').click()
    await page.getByRole('heading', { name: /^Run/ }).waitFor()
    const recordId = new URL(page.url()).pathname.split('/').at(-1)
    const { run } = await graphql(
      `query ($id: BigInt!) { run(recordId: $id) { totalsBefore { totalPoints: points } totalsAfter { totalPoints: points }
        sources { name } multipliers { nodes { poolAddress depositA depositB borrowA borrowB } } } }`,
      { id: recordId },
    )
    const before = run.totalsBefore.totalPoints
    const after = run.totalsAfter.totalPoints
    await expect
      .poll(async () => (await numbers(rows(page, 'What changed')))[0])
      .toEqual([before, after, after - before])
    expect(await rows(page, 'Sources').locator('th').allInnerTexts()).toEqual(
      run.sources.map(({ name }: any) => name),
    )
    const { pools } = await graphql(
      '{ pools(first: 200) { nodes { address assetA { symbol } assetB { symbol } } } }',
    )
    await page.getByText(/^All \d+ that the run used$/).click()
    const SIDES = ['supply A', 'supply B', 'borrow A', 'borrow B']
    const chips = () =>
      rows(page, 'Multipliers').evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('.chip')].map((chip) => chip.textContent)),
      )
    await expect.poll(async () => (await chips()).length).toBe(run.multipliers.nodes.length)
    /** The factors that chips such as `2x supply USDC` and `1x rest` say, by side. */
    const said = (texts: string[], { assetA, assetB }: any) => {
      const sides = texts.map((text): [string, string[]] => {
        const [factor = '', ...words] = text.split(' ')
        const named = words.join(' ').split(', ')
        const isNamed = (side: string) => {
          const [kind, letter] = side.split(' ')
          const { symbol } = letter === 'A' ? assetA : assetB
          const shown = symbol.length > 20 ? `${symbol.slice(0, 19)}…` : symbol
          return named.includes(`${kind}`) || named.includes(`${kind} ${shown}`)
        }
        return [factor, SIDES.filter(isNamed)]
      })
      const rest = texts.find((text) => text.endsWith(' rest'))?.split('x')[0] ?? '0'
      return SIDES.map((side) =>
        Number.parseFloat(sides.find(([, all]) => all.includes(side))?.[0] ?? rest),
      )
    }
    for (const [at, texts] of (await chips()).entries()) {
      const { poolAddress, depositA, depositB, borrowA, borrowB } = run.multipliers.nodes[at]
      const pool = pools.nodes.find(({ address }: any) => address === poolAddress)
      expect(said(texts as string[], pool), texts.join()).toEqual([
        depositA,
        depositB,
        borrowA,
        borrowB,
      ])
    }
  })

  test('the status shows the newest data of each chain, and the last run', async () => {
    const page = await visit('/status')
    const { status } = await graphql('{ status { chains { chainId } lastRun { recordId } } }')
    await rows(page, 'Snapshots').first().waitFor()
    expect(await rows(page, 'Snapshots').count()).toBe(status.chains.length)
    await page.locator(`a[href="/dashboard/runs/${status.lastRun.recordId}"]`).first().waitFor()
  })

  test('a sample is never late, other data is when more was expected since it was loaded', async () => {
    let now = new Date()
    const old = await startGateway({ now: () => now })
    try {
      const page = await visit('/status', { base: old.base })
      const state = () => fact(page, 'State').locator('dd').innerText()
      await importFiles(old, { pools: [pool], positions: [position(ANN, 1)] }, 'sample')
      await page.goto(`${old.base}/dashboard/status`)
      await expect.poll(state).toBe('sample')
      await page.getByText('This is sample data.').waitFor()
      await page.goto(`${old.base}/dashboard`)
      await page.getByRole('link', { name: 'sample data' }).waitFor()
      now = new Date(now.getTime() + 37 * 3_600_000)
      await page.goto(`${old.base}/dashboard/status`)
      await expect.poll(state).toBe('sample')
      now = new Date()
      await importFiles(old, { positions: [position(ANN, 2)] })
      await page.goto(`${old.base}/dashboard/status`)
      await expect.poll(state).toBe('on time')
      now = new Date(now.getTime() + 37 * 3_600_000)
      await page.goto(`${old.base}/dashboard/status`)
      await expect.poll(state).toBe('late')
      await page.goto(`${old.base}/dashboard`)
      await page.getByRole('link', { name: 'some data is late' }).waitFor()
      await page.close()
    } finally {
      await leave(old)
    }
  })

  test('an operator previews a run with the admin token, which only this page keeps', async () => {
    const changed = await startGateway()
    try {
      await importFiles(changed, {
        pools: [pool],
        multipliers: [{ ...multiplier, deposit_tokenA: 1 }],
        positions: [position(ANN, 45_514)],
      })
      const page = await visit('/status', { base: changed.base })
      await page.getByRole('link', { name: 'Preview a run' }).click()
      await expect.poll(() => rows(page, 'Runs').count()).toBe(1)
      const token = page.getByRole('region', { name: 'Preview of a run' }).getByLabel('Admin token')
      const preview = page.getByRole('button', { name: 'Preview' })
      for (const wrong of ['wrong', 'wröng', '€']) {
        await token.fill(wrong)
        await preview.click()
        await expect
          .poll(() => page.getByRole('alert').innerText())
          .toBe('The gateway does not accept this token.')
      }
      const halve = `mutation { updateMultipliers(input: { multipliers: [{ poolAddress: "${POOL}", depositA: 0.5 }] }) { problems { code } } }`
      expect((await changed.graphql(halve, {}, asAdmin)).errors).toBeUndefined()
      await token.fill(ADMIN_TOKEN)
      await preview.click()
      await expect
        .poll(() => numbers(rows(page, 'Largest losers')))
        .toEqual([[45_514, 22_757, -22_757, 1, 0]])
      expect(await value(page, 'Losers')).toBe(1)
      expect((await numbers(rows(page, 'What would change')))[0]).toEqual([45_514, 22_757, -22_757])
      expect(await page.getByRole('alert').count()).toBe(0)
      const date = page.getByLabel('Date', { exact: true })
      await date.fill('2999-01-01')
      await date.press('Tab')
      await page.waitForURL(/date=2999-01-01/)
      await preview.click()
      await page.getByRole('alert').waitFor()
      const { kept, address } = await page.evaluate(() => ({
        kept: JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
        address: location.href,
      }))
      expect(kept + address).not.toContain(ADMIN_TOKEN)
      await page.reload()
      expect(await token.inputValue()).toBe('')
      await page.close()
    } finally {
      await leave(changed)
    }
  })

  test('wallets are compared, in the numbers and in each chart, and removed', async () => {
    const page = await visit('/compare')
    const third = addressOf('third')
    for (const wallet of [sampleUser, first, third, first]) {
      await page.getByLabel('Add a wallet').fill(wallet)
      await page.keyboard.press('Enter')
      await page.locator('.chosen').getByTitle(wallet, { exact: true }).waitFor()
    }
    expect(parameters(page)).toEqual({ wallets: [sampleUser, first, third, first].join(',') })
    const { users } = await graphql(
      `query ($a: [Address!]!) { users: lookupUsers(addresses: $a) { points: totalPoints rank worth { netUsd } series { points } } }`,
      { a: [sampleUser, first, third] },
    )
    await expect
      .poll(async () => (await numbers(rows(page, 'The wallets')))[0])
      .toEqual(users.map((one: any) => one.points))
    await page.getByRole('link', { name: `Remove ${third}` }).click()
    expect(parameters(page)).toEqual({ wallets: [sampleUser, first].join(',') })
    const [a, b] = users
    await expect
      .poll(async () => (await numbers(rows(page, 'The wallets')))[0])
      .toEqual([a.points, b.points, a.points - b.points])
    const figures = await numbers(rows(page, 'The wallets'))
    expect(figures[1]).toEqual([a.rank, b.rank, a.rank - b.rank])
    expect(figures[3]).toEqual([a.worth.netUsd, b.worth.netUsd, a.worth.netUsd - b.worth.netUsd])
    const chart = page
      .locator('figure')
      .filter({ has: page.getByRole('heading', { name: 'Points per day', exact: true }) })
    await chart.getByText('Data table').click()
    const series = a.series.map(({ points }: any, i: number) => [points, b.series[i].points])
    await expect.poll(() => numbers(chart.locator('tbody tr'))).toEqual([...series].reverse())
    const download = page.waitForEvent('download')
    await chart.getByRole('button', { name: 'Download as CSV' }).click()
    const text = readFileSync(await (await download).path(), 'utf8')
    expect(text.charCodeAt(0)).toBe(0xfeff)
    const [head, ...records] = text.trim().split('\r\n')
    expect(head).toMatch(/^From,0x1d4a….{4},0x/)
    expect(records.map((line) => line.split(',').slice(1).map(Number))).toEqual(series)
    await page.emulateMedia({ forcedColors: 'active' })
    const five = [sampleUser, first, ...[1, 2, 3].map((n) => addressOf(`${n}`))]
    await page.goto(`${gateway.base}/dashboard/compare?wallets=${five.join(',')}`)
    const lines = chart.locator('.legend path')
    await expect.poll(() => lines.count()).toBe(5)
    const looks = await lines.evaluateAll((paths) =>
      paths.map(
        (path) => `${getComputedStyle(path).stroke} ${getComputedStyle(path).strokeDasharray}`,
      ),
    )
    expect(new Set(looks).size).toBe(5)
    expect(new Set(looks.map((look) => look.split(')')[0])).size).toBe(1)
    await page.emulateMedia({ forcedColors: 'none' })
    await page.goto(
      `${gateway.base}/dashboard/compare?wallets=${[1, 2, 3, 4, 5, 6].map((n) => addressOf(`${n}`)).join(',')},x`,
    )
    await expect.poll(() => page.locator('.chosen li').count()).toBe(5)
    await page.getByText('“x” is not an address').waitFor()
    expect(await page.getByLabel('Add a wallet').count()).toBe(0)
  })

  test('a wallet has the name that its reader gives it, in this browser', async () => {
    const page = await visit(`/wallets/${sampleUser}`)
    await page.getByRole('button', { name: 'Name it' }).click()
    await page.getByLabel('Name of this wallet').fill(' <b>Treasury</b> ')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: `<b>Treasury</b> ${sampleUser}` }).waitFor()
    await page.goto(`${gateway.base}/dashboard/leaderboard?account=${sampleUser}`)
    await page.getByRole('link', { name: '<b>Treasury</b>' }).first().click()
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Name of this wallet').fill('')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: sampleUser, exact: true }).waitFor()
    await page.evaluate(() => localStorage.setItem('dashboard:wallet-names', '{"no": [1'))
    await page.reload()
    await page.getByRole('heading', { name: sampleUser, exact: true }).waitFor()
    await page.evaluate(() => localStorage.clear())
  })

  test.each([
    ['/', false],
    ['/risk', false],
    [`/wallets/${sampleUser}`, true],
    ['/distributions', true],
  ])(
    'the scripts and styles of %s are small, and charts bring their library',
    async (path, hasPlot) => {
      const context = await browser.another()
      const page = await context.newPage()
      await page.goto(`${gateway.base}/dashboard${path}`)
      const drawn = hasPlot ? page.locator('.plot canvas') : page.locator('.facts')
      await drawn.first().waitFor()
      const sizes = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => /\.(js|css)$/.test(name))
          .map((file) => (file as PerformanceResourceTiming).encodedBodySize),
      )
      await context.close()
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      expect(bytes).toBeGreaterThan(hasPlot ? 130_000 : 100_000)
      expect(bytes).toBeLessThan(hasPlot ? MAX_BYTES.gzip : MAX_BYTES.gzip - 20_000)
    },
  )

  test('a view opens in GraphiQL with its operation', async () => {
    const page = await visit('/pools')
    const href = await page.getByRole('link', { name: 'Open in GraphiQL' }).getAttribute('href')
    const operation = new URLSearchParams(href?.split('#')[1])
    const data = await graphql(
      operation.get('query') ?? '',
      JSON.parse(operation.get('variables') ?? ''),
    )
    expect(data.pools.nodes.length).toBeGreaterThan(0)
  })

  test('an empty store says how to load data', async () => {
    for (const path of ['', '/pools', '/vaults', '/distributions']) {
      const page = await visit(path, { base: empty.base })
      await page.getByText('The store is empty.').waitFor()
      await page.close()
    }
  })

  test('a list without rows in a store that has other records says what is missing', async () => {
    const partial = await startGateway()
    try {
      await importFiles(partial, { pools: [pool] })
      const page = await visit('/vaults', { base: partial.base })
      for (const [path, missing] of [
        ['/vaults', 'vaults'],
        ['', 'positions'],
        ['/distributions', 'positions'],
        ['/distributions/2026-01-01', 'positions'],
        ['?asOf=2026-01-01', 'positions'],
      ]) {
        await page.goto(`${partial.base}/dashboard${path}`)
        await page
          .getByText(`No ${missing} are stored. An import with ${missing}.jsonl adds them`)
          .waitFor()
        expect(await page.getByText('The store is empty.').count()).toBe(0)
      }
      await page.goto(`${partial.base}/dashboard/pools`)
      await expect.poll(() => rows(page, 'Pools').count()).toBe(3)
      await page.close()
    } finally {
      await leave(partial)
    }
  })

  test('a pool without a multiplier, or with one of zeros, says that it has no points', async () => {
    const changed = await startOnSample({ users: 4, days: 2 })
    try {
      const says = 'no points'
      const of = (pool: string) => changed.deps.store.pool.query(pool, [samplePool.address])
      const page = await visit(`/pools/${samplePool.address}`, { base: changed.base })
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.getByText(says, { exact: true }).count()).toBe(0)
      await of(`UPDATE multiplier SET deposit_token_a = 0, deposit_token_b = 0, borrow_token_a = 0, borrow_token_b = 0
        WHERE pool_address = $1`)
      await page.reload()
      await page.getByText(says, { exact: true }).waitFor()
      await of('DELETE FROM multiplier WHERE pool_address = $1')
      await page.goto(`${changed.base}/dashboard/pools`)
      const pool = table(page, 'Pools').locator(`tr:has(a[href$="${samplePool.address}"])`)
      await pool.waitFor()
      expect(await pool.locator('+ tr').getByText(says).count()).toBe(2)
      await page.close()
    } finally {
      await leave(changed)
    }
  })

  test('a wallet shows which run changed its points, from what to what, and why', async () => {
    const changed = await startGateway()
    try {
      await importFiles(changed, {
        pools: [pool],
        multipliers: [{ ...multiplier, deposit_tokenA: 1 }],
        positions: [position(ANN, 45_514)],
      })
      const page = await visit(`/wallets/${ANN}`, { base: changed.base })
      await page.getByText('No run has changed them.').waitFor()
      for (const mutation of [
        `updateMultipliers(input: { multipliers: [{ poolAddress: "${POOL}", depositA: 0.5 }] }) { problems { code } }`,
        `resyncDistribution(input: { date: "${DAY}" }) { problems { code } }`,
      ])
        expect(
          (await changed.graphql(`mutation { ${mutation} }`, {}, asAdmin)).errors,
        ).toBeUndefined()
      await page.reload()
      const row = rows(page, 'Changes of points')
      await expect.poll(() => row.count()).toBe(1)
      const shown = (
        await row.locator('data').evaluateAll((all) => all.map((one) => one.getAttribute('value')))
      ).map(Number)
      expect(shown).toEqual([45_514, 22_757, -22_757])
      expect(await row.innerText()).toContain('multiplier supply S 1x → 0.5x')
      await row.locator('a[href*="/runs/"]').click()
      await page.getByRole('heading', { name: /^Run \d+$/ }).waitFor()
      await page.getByText('It changed the points of 1 wallet').waitFor()
      const rule = rows(page, 'Changed rules')
      expect(await rule.locator('.chip').allInnerTexts()).toEqual([
        'supply S 1x → 0.5x',
        'backdated',
      ])
      await expect
        .poll(() => numbers(rows(page, 'Largest changes')))
        .toEqual([[45_514, 22_757, -22_757]])
      await page.getByRole('link', { name: /^run \d+$/ }).click()
      await page.getByText('It is the first run of its date.').waitFor()
      expect(await rule.count()).toBe(0)
      const announce = `mutation { updateMultipliers(input: { multipliers: [{ poolAddress: "${POOL}", depositA: 2, from: "9000-01-01" }] }) { problems { code } }
        setBasePoints(input: { deposit: 3, borrow: 1, from: "9000-01-01" }) { revision { recordId } } }`
      expect((await changed.graphql(announce, {}, asAdmin)).errors).toBeUndefined()
      for (const path of ['/pools', `/pools/${POOL}`]) {
        await page.goto(`${changed.base}/dashboard${path}`)
        await expect
          .poll(() => page.locator('.chip.announced').allInnerTexts())
          .toEqual([expect.stringMatching(/^2x supply \S+ from 1 Jan 9000$/)])
      }
      await page.goto(`${changed.base}/dashboard/distributions`)
      await page.getByRole('link', { name: 'the rules of the date' }).click()
      await page.getByText('History of the rules').click()
      const rules = rows(page, 'Multipliers over time')
      await expect.poll(() => rules.count()).toBe(3)
      expect(await rules.nth(0).innerText()).toMatch(/9000.*\(announced\)\s+none/s)
      expect(await rules.nth(1).innerText()).toMatch(/every date[\s\S]*1\s*date[\s\S]*2026/)
      expect(await rules.nth(2).innerText()).toMatch(/every date[\s\S]*none/)
      expect(await rows(page, 'Base points over time').innerText()).toMatch(/9000.*\(announced\)/s)
      await page.close()
    } finally {
      await leave(changed)
    }
  })

  test('what a distribution changes is shown at once, and announced', async () => {
    const changed = await startOnSample()
    try {
      const page = await visit('/leaderboard', { base: changed.base })
      await rows(page, 'Leaderboard').first().waitFor()
      const points = await value(page, 'Points')
      const pool = {
        poolAddress: samplePool.address,
        depositA: 9,
        depositB: 9,
        borrowA: 9,
        borrowB: 9,
      }
      const multipliers = await changed.graphql(
        'mutation ($m: [MultiplierInput!]!) { updateMultipliers(input: { multipliers: $m }) { multipliers { id } } }',
        { m: [pool] },
        asAdmin,
      )
      expect(multipliers.errors).toBeUndefined()
      await changed.ask('mutation { resyncDistribution { run { recordId } } }', {}, asAdmin)
      const { data } = await changed.graphql('{ program { totalPoints } }')
      expect(data.program.totalPoints).not.toBe(points)
      await expect.poll(() => value(page, 'Points')).toBe(data.program.totalPoints)
      await expect
        .poll(() => page.locator('.live').innerText())
        .toMatch(/^The distribution of .* has been computed/)
      expect(await rows(page, 'Leaderboard').and(page.locator('.changed')).count()).toBeGreaterThan(
        0,
      )
      await page.getByRole('link', { name: 'Next page' }).click()
      await expect.poll(() => page.locator('.changed').count()).toBe(0)
      await page.goto(`${changed.base}/dashboard/distributions`)
      await page.getByText(/: run \d+ computed it again$/).waitFor()
      await page.close()
    } finally {
      await leave(changed)
    }
  })

  test('a gateway that is gone is said so, and the page goes on when it is back', async () => {
    const link = await openLink(new URL(gateway.base))
    try {
      const page = await visit('/leaderboard', { base: link.base, expectFaults: true })
      await rows(page, 'Leaderboard').first().waitFor()
      await link.cut()
      await page.getByText('The connection to the gateway is lost.').waitFor({ timeout: 20_000 })
      expect(await rows(page, 'Leaderboard').count()).toBe(25)
      await page.getByRole('link', { name: 'Pools', exact: true }).click()
      await page.getByText('The gateway cannot be reached.').waitFor({ timeout: 20_000 })
      await link.restore()
      await rows(page, 'Pools').first().waitFor({ timeout: 30_000 })
      await expect
        .poll(() => page.getByText('The connection to the gateway is lost.').count())
        .toBe(0)
      await expect.poll(() => page.getByText('The gateway cannot be reached.').count()).toBe(0)
      await page.close()
    } finally {
      await link.close()
    }
  })

  test('a view that cannot show an answer says so, and the others work', async () => {
    const page = await visit('/pools', { expectFaults: true })
    await rows(page, 'Pools').first().waitFor()
    const broken = { data: { program: null, leaderboard: null } }
    const answer = (route: Route) => route.fulfill({ json: broken })
    await page.route(/\/graphql$/, answer)
    await page.getByRole('link', { name: 'Leaderboard', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText('This page cannot show what the gateway answered.')
      .waitFor()
    await page.unroute(/\/graphql$/, answer)
    await page.getByRole('link', { name: 'Vaults', exact: true }).click()
    await rows(page, 'Vaults').first().waitFor()
    await page.close()
  })

  test('a client beyond its rate limit reads when to come back', async () => {
    const limited = await startOnSample({ env: { RATE_LIMIT: '10' } })
    try {
      const page = await visit(`/wallets/${sampleUser}`, { base: limited.base, expectFaults: true })
      await page
        .getByText('This gateway has a limit of requests, which is used up')
        .first()
        .waitFor()
      await page.close()
    } finally {
      await limited.close()
    }
  })

  test('with trusted documents only, the dashboard works', async () => {
    const strict = await startOnSample({ env: { TRUSTED_DOCUMENTS_ONLY: 'true' } })
    try {
      const page = await visit(`/wallets/${sampleUser}`, { base: strict.base })
      await rows(page, 'Activity').first().waitFor()
      await expect.poll(() => page.locator('.loading').count()).toBe(0)
      expect(await page.locator('.fault').allInnerTexts()).toEqual([])
    } finally {
      await leave(strict)
    }
  })

  const views: [name: string, path: string | (() => string), ready: string][] = [
    ['overview', '', 'Biggest pools'],
    ['leaderboard', `/leaderboard?account=${sampleUser}`, 'Top wallets'],
    ['wallet', `/wallets/${sampleUser}`, 'Activity'],
    ['pools', '/pools', 'Pools'],
    ['pool', `/pools/${samplePool.address}`, 'Top wallets'],
    ['vaults', '/vaults', 'Vaults'],
    ['risk', '/risk?change=-60', 'Debt at risk by pool'],
    ['vault', `/vaults/${sampleVault.chainId}/${sampleVault.address}`, 'Deposit APR'],
    ['distributions', '/distributions', 'Points of the program'],
    ['distribution', () => `/distributions/${date}`, 'Positions'],
    ['run', '/runs/1', 'Multipliers'],
    ['rules', '/rules', 'Multipliers today'],
    ['boosts', '/boosts', 'Boosts now'],
    ['planner', '/planner?amount=10000&point=0.001', 'Planner'],
    ['status', '/status', 'Snapshots'],
    ['operate', '/operate', 'Sources of the last run'],
    ['search', '/search?q=usdc', 'Search: usdc'],
    ['compare', () => `/compare?wallets=${sampleUser},${first}`, 'History'],
    ['a malformed address', '/wallets/nobody', 'Wallet'],
  ]
  const settled = async (page: Page, ready: string) => {
    await page.getByRole('heading', { name: ready, exact: true }).first().waitFor()
    await expect.poll(() => page.locator('.loading').count()).toBe(0)
  }

  const violations = (page: Page, rules?: string[]): Promise<string[]> =>
    page.evaluate(
      async (rules) =>
        (
          await (window as any).axe.run(document, {
            resultTypes: ['violations'],
            ...(rules && { runOnly: rules }),
          })
        ).violations.map(
          ({ id, nodes }: any) => `${id}: ${nodes[0].html} ${nodes[0].failureSummary}`,
        ),
      rules,
    )

  /**
   * The blocks of a page in their order, with their places in twelfths of its width: the same with
   * any font.
   */
  const blocks = (page: Page) =>
    page.evaluate(() => {
      const main = document.querySelector('main') as HTMLElement
      const box = main.getBoundingClientRect()
      const twelfths = (pixels: number) => Math.round((12 * pixels) / box.width)
      const place = (element: Element) => {
        const { left, width } = element.getBoundingClientRect()
        return `${twelfths(left - box.left)}+${twelfths(width)}`
      }
      const texts = (element: Element, inside: string) =>
        [...element.querySelectorAll(inside)]
          .map((one) => one.textContent?.replace(/ [↓↑]$/, ''))
          .join(', ')
      const nameOf: Record<string, (element: Element) => string> = {
        H2: (title) => title.textContent ?? '',
        DL: (facts) => `${place(facts)} figures: ${texts(facts, 'dt')}`,
        FIGURE: (chart) => `${place(chart)} chart: ${texts(chart, 'h3')}`,
        TABLE: (table) =>
          `${place(table.closest('section') ?? table)} table: ${texts(table, 'thead th')}`,
      }
      return [...main.querySelectorAll(Object.keys(nameOf).join(','))]
        .filter((element) => element.checkVisibility())
        .map((element) => nameOf[element.tagName]?.(element).replace(/\d+ \w+ 20\d\d/g, 'DATE'))
    })

  test.each(views)(
    '%s has the blocks of its last layout, fits a phone, and axe finds nothing in it, neither in the light nor in the dark',
    async (name, path, ready) => {
      const page = await visit(typeof path === 'string' ? path : path())
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      await settled(page, ready)
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
      await page.evaluate(AXE)
      expect(await violations(page)).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      // All that differs in the dark, and in the colours that a system forces, is colors.
      expect(await violations(page, ['color-contrast'])).toEqual([])
      await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
      expect(await violations(page, ['color-contrast'])).toEqual([])
      await page.emulateMedia({ forcedColors: 'none' })
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await violations(page, ['target-size'])).toEqual([])
      let layout = ''
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 })
        layout += `${width} px\n${(await blocks(page)).join('\n')}\n`
      }
      for (const width of [360, 768, 2560]) {
        await page.setViewportSize({ width, height: 740 })
        await expect
          .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
          .toBeLessThanOrEqual(width)
      }
      // A page that changed is named, with the blocks that differ; `vitest -u` writes the new ones.
      await expect(layout).toMatchFileSnapshot(`layout/${name.replaceAll(' ', '-')}.txt`)
    },
  )

  test('no view had an error in the console or a request to another host', () => {
    expect(faults).toEqual([])
  })
})

/** A way to the gateway that can be cut: as if it were restarted. */
async function openLink({ hostname, port }: URL) {
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let assigned = 0
  const restore = async () => {
    server = createServer((socket) => {
      const target = connect(Number(port), hostname)
      for (const one of [socket, target]) {
        sockets.add(one)
        one.on('error', () => {})
        one.on('close', () => {
          sockets.delete(one)
          socket.destroy()
          target.destroy()
        })
      }
      socket.pipe(target).pipe(socket)
    })
    await vi.waitUntil(
      () =>
        new Promise((resolve) => {
          server?.once('error', () => resolve(false))
          server?.listen(assigned, '127.0.0.1', () => resolve(true))
        }),
      { timeout: 20_000 },
    )
    const address = server.address()
    if (address && typeof address === 'object') assigned = address.port
  }
  const cut = async () => {
    const closed = new Promise((resolve) => server?.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await restore()
  return { base: `http://127.0.0.1:${assigned}`, cut, restore, close: cut }
}
