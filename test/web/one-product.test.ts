import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PARTS = {
  '/dashboard': 'Dashboard',
  '/graphql': 'GraphiQL',
  '/docs/rest': 'REST',
  '/docs': 'Docs',
}
const NAME = `A & "B" <i>'s`
const COLOUR = '#0b6b4f'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({
    users: 20,
    days: 8,
    env: { DASHBOARD_NAME: NAME, DASHBOARD_COLOR: COLOUR },
  })
})
afterAll(() => gateway?.close())

describe('over HTTP', () => {
  test.each(Object.entries(PARTS))(
    '%s has the bar, the name and the icon of the operator, as text',
    async (path, name) => {
      const html = await (await gateway.get(path, { accept: 'text/html' })).text()
      for (const [to, part] of Object.entries(PARTS)) {
        const mark = part === name ? ' aria-current="true"' : ''
        expect(html).toContain(`<a href="${to}"${mark}>${part}</a>`)
      }
      expect(html).not.toContain('<i>')
      expect(html).not.toMatch(/%(NAME|IDENTITY)%/)
      const escaped = 'A &#38; &#34;B&#34; &#60;i&#62;&#39;s'
      expect(html.match(/<title>(.*)<\/title>/)?.[1]).toContain(escaped)
      expect(html).toContain(`<span>${escaped}</span>`)
      expect(html.match(/rel="icon" href="([^"]*)/)?.[1]).toContain(`%23${COLOUR.slice(1)}`)
    },
  )

  test('the former reference of REST leads to the page of REST', async () => {
    const response = await fetch(`${gateway.base}/docs/rest-reference`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([302, '/docs/rest'])
  })

  test('anybody may ask for the work of an answer', async () => {
    const other = '{ leaderboard(first: 4) { nodes { rank } } }'
    const worked = '{ leaderboard(first: 5) { nodes { rank } } }'
    const ask = async (headers: Record<string, string>, query = other) => {
      const response = await fetch(`${gateway.base}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query }),
      })
      await response.arrayBuffer()
      return response.headers.get('server-timing')
    }
    expect(await ask({})).toBeNull()
    expect(await ask({ 'x-explain': 'x' })).toBeNull()
    expect(await ask({ 'x-explain': 'work' }, worked)).toMatch(
      /^total;dur=[\d.]+, cache;desc=(miss|none), cost;desc="\d+", sql;dur=[\d.]+;desc="[1-9]\d*"$/,
    )
    await expect.poll(() => ask({ 'x-explain': 'work' }, worked)).toContain('cache;desc=hit')
  })
})

describe.skipIf(!hasBrowser)(`in a browser${hasBrowser ? '' : SKIPPED}`, () => {
  let browser: Browser
  const wrong: string[] = []
  beforeAll(async () => {
    browser = await openBrowser(gateway.base, {
      permissions: ['clipboard-read', 'clipboard-write'],
      viewport: { width: 1440, height: 900 },
    })
    browser.context.on('console', (message) => {
      if (message.type() === 'error') wrong.push(`${message.text()} ${message.location().url}`)
    })
    browser.context.on('weberror', (error) => wrong.push(String(error.error())))
  })
  afterAll(() => browser?.close())

  async function on<T>(path: string, work: (page: Page) => Promise<T>): Promise<T> {
    const page = await browser.context.newPage()
    try {
      await page.goto(`${gateway.base}${path}`)
      return await work(page)
    } finally {
      await page.close()
    }
  }

  const READY: Record<string, string> = {
    '/dashboard': 'h2',
    '/graphql': '.answer-bar .work',
    '/docs/rest': '.opblock',
    '/docs': 'h1',
  }
  const background = (page: Page) =>
    page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)

  test('a theme that is chosen on one part is that of all', async () => {
    await on('/docs', async (page) => {
      await page.getByRole('button', { name: /^Theme: system/ }).click()
      await page.getByRole('button', { name: /^Theme: dark/ }).waitFor()
      for (const path of Object.keys(PARTS)) {
        await page.goto(`${gateway.base}${path}`)
        await page
          .locator(READY[path] ?? '')
          .first()
          .waitFor()
        expect([path, await background(page)]).toEqual([path, 'dark'])
      }
      await page.goto(`${gateway.base}/graphql`)
      await page.locator('body.graphiql-dark').waitFor()
      await page.getByRole('button', { name: /^Theme: dark/ }).click()
      await page.locator('body.graphiql-light').waitFor()
      await page.goto(`${gateway.base}/docs/rest`)
      await page.locator('html:not(.dark-mode) .opblock').first().waitFor()
      await page.getByRole('button', { name: /^Theme: light/ }).click()
    })
  })

  test.each(Object.keys(PARTS))(
    '%s has the colour, Inter, and one left edge of bar and contents',
    async (path) => {
      await on(path, async (page) => {
        await page
          .locator(READY[path] ?? '')
          .first()
          .waitFor()
        const seen = await page.evaluate(() => {
          const bar = document.querySelector('.bar nav [aria-current]') as Element
          return {
            colour: getComputedStyle(bar).color,
            font: getComputedStyle(document.querySelector('.bar') as Element).fontFamily,
            width: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          }
        })
        expect(seen.colour).toBe('rgb(11, 107, 79)')
        expect(seen.font).toMatch(/^Inter/)
        expect(seen.width).toBeLessThanOrEqual(0)
        const left = (selector: string) =>
          page
            .locator(selector)
            .first()
            .evaluate((one) => one.getBoundingClientRect().left)
        const first = { '/dashboard': '.facts', '/docs/rest': '.opblock' }[path]
        if (first) expect(await left(first)).toBe(await left('.bar .brand'))
      })
    },
  )

  test.each(['/graphql', '/docs/rest', '/docs', '/docs/start', '/docs/graphql'])(
    'axe finds nothing on %s, light, dark and in forced colours',
    async (path) => {
      await on(path, async (page) => {
        await page
          .locator(READY[path] ?? 'h1')
          .first()
          .waitFor()
        const session = await page.context().newCDPSession(page)
        await session.send('Runtime.evaluate', { expression: AXE })
        for (const colorScheme of ['light', 'dark', 'forced'] as const) {
          await page.emulateMedia(
            colorScheme === 'forced' ? { forcedColors: 'active' } : { colorScheme },
          )
          if (colorScheme !== 'forced' && path === '/graphql')
            await page.locator(`body.graphiql-${colorScheme}`).waitFor()
          // Colours on their way from one scheme to the other are of neither.
          await page.evaluate(() =>
            Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
          )
          const found = await page.evaluate(async () => {
            const bar = ['.bar', '.answer-bar', '.examples', '.opblock-summary', '.in-graphiql']
            const parts = bar.filter((one) => document.querySelector(one))
            const include = document.querySelector('#graphiql, .swagger-ui') ? parts : ['body']
            // Swagger UI has a link in the button of a row.
            const rules = { 'nested-interactive': { enabled: false } }
            const results = await (globalThis as any).axe.run({ include }, { rules })
            return results.violations.map((one: any) => `${one.id}: ${one.nodes[0]?.html}`)
          })
          expect([colorScheme, found]).toEqual([colorScheme, []])
        }
        if (path === '/graphql') return
        await page.setViewportSize({ width: 390, height: 844 })
        const small = await page.evaluate(async () => {
          const results = await (globalThis as any).axe.run(document, { runOnly: ['target-size'] })
          return results.violations.map((one: any) => `${one.id}: ${one.nodes[0]?.html}`)
        })
        expect(small).toEqual([])
      })
    },
  )

  const opened = (query: string) => `/graphql#${new URLSearchParams({ query, variables: '{}' })}`

  test('GraphiQL runs the query that it is opened with, and says what it took', async () => {
    await on(opened('{ leaderboard(first: 3) { nodes { rank userAddress } } }'), async (page) => {
      await expect
        .poll(() => page.locator('.answer-bar .work').innerText())
        .toMatch(/^cost [\d,]+ · 1 SQL statement · \d+ ms · cache (miss|none)|cache hit$/)
      await page.getByRole('button', { name: 'Table' }).click()
      expect(await page.locator('.answer-view tbody tr').count()).toBe(3)
      await page.getByRole('button', { name: 'Copy as curl' }).click()
      await page.getByText('curl copied').waitFor()
      const command = await page.evaluate(() => navigator.clipboard.readText())
      const { stdout } = await promisify(execFile)('sh', ['-c', command])
      expect(JSON.parse(stdout).data.leaderboard.nodes).toHaveLength(3)
    })
  })

  test('GraphiQL shows a series as a chart', async () => {
    await on(opened('{ program { series { start points } } }'), async (page) => {
      await page.getByRole('button', { name: 'Chart' }).click()
      await page.getByRole('img', { name: 'points through time' }).waitFor()
      expect(await page.locator('.answer-view path').getAttribute('d')).toMatch(/^M[\d.]+ .*L/)
    })
  })

  test.each([
    'mutation { resync(date: "2026-01-01") { __typename } }',
    'subscription { dataChanged { __typename } }',
    'query A { program { totalPoints } } query B { program { totalPoints } }',
    '{ not a query',
  ])('GraphiQL does not run this by itself: %s', async (query) => {
    const page = await browser.context.newPage()
    const sent: string[] = []
    page.on('request', (request) => {
      const body = request.postData() ?? ''
      if (body && !body.includes('IntrospectionQuery')) sent.push(body)
    })
    await page.goto(gateway.base + opened(query))
    await page.locator('.graphiql-query-editor .CodeMirror').waitFor()
    await page.getByRole('button', { name: /execute/i }).waitFor()
    await page.waitForTimeout(1000)
    expect(sent).toEqual([])
    await page.close()
  })

  test('the examples are searched, and the one that is open is marked', async () => {
    await on('/graphql', async (page) => {
      const list = page.getByRole('region', { name: 'Examples' })
      if (!(await list.isVisible()))
        await page
          .getByRole('button', { name: /Examples/ })
          .first()
          .click()
      await list.getByRole('searchbox').fill('liquidation first')
      expect(await list.locator('[data-example]').count()).toBeLessThan(10)
      await list.getByRole('searchbox').fill('zzyzx')
      await list.getByText('No example has these words.').waitFor()
      await list.getByRole('searchbox').fill('ranks')
      await list.locator('[data-example]').first().click()
      await expect.poll(() => list.locator('[aria-current]').count()).toBe(1)
    })
  })

  test('a section of the dashboard copies as curl, which runs, and as TypeScript', async () => {
    await on('/dashboard', async (page) => {
      const section = page.getByRole('region', { name: /^Leaderboard/ })
      await section.getByText('Copy', { exact: true }).click()
      await section.getByRole('button', { name: 'curl' }).click()
      await section.getByText('Copied').waitFor()
      const command = await page.evaluate(() => navigator.clipboard.readText())
      const { stdout } = await promisify(execFile)('sh', ['-c', command])
      expect(JSON.parse(stdout).errors).toBeUndefined()
      await section.getByText('Copied').click()
      await section.getByRole('button', { name: 'TypeScript' }).click()
      await expect
        .poll(() => page.evaluate(() => navigator.clipboard.readText()))
        .toMatch(/import \{ (\w+)Document \} from 'lending-graph-client'[\s\S]*\1Document/)
    })
  })

  test('a table is saved as CSV, in which a name is never a formula', async () => {
    await on('/dashboard/leaderboard', async (page) => {
      const { data } = await gateway.graphql(
        '{ leaderboard(first: 1) { nodes { userAddress points } } }',
      )
      const [{ userAddress, points }] = data.leaderboard.nodes
      const name = page
        .locator('tbody tr th, tbody tr td')
        .filter({ has: page.locator('a') })
        .first()
      await name.waitFor()
      await name
        .locator('a')
        .first()
        .evaluate((link) => {
          link.textContent = '=HYPERLINK("http://x")'
        })
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('button.csv').first().click(),
      ])
      const text = readFileSync(await download.path(), 'utf8')
      expect(download.suggestedFilename()).toMatch(/^[a-z0-9-]+\.csv$/i)
      expect(text).toContain(`"'=HYPERLINK(""http://x"")"`)
      expect(text).toContain(String(points))
      expect(text).not.toContain('…')
      expect(text).not.toContain(userAddress)
    })
  })

  test('the search of the documents lists guides first, and code by its name', async () => {
    await on('/docs', async (page) => {
      await page.keyboard.press('/')
      await page.keyboard.type('liquidation')
      const groups = page.locator('dialog h2')
      await expect.poll(() => groups.first().innerText()).toBe('Guides')
      expect(await groups.allInnerTexts()).toContain('REST')
      await page.getByRole('searchbox').fill('netApr')
      await expect.poll(() => groups.first().innerText()).toBe('Graph')
    })
  })

  test('the documents begin with the roles, copy code, and lead to the next page', async () => {
    await on('/docs', async (page) => {
      for (const role of ['Points hunter', 'Saver', 'Risk desk', 'Operator', 'Developer'])
        await page.getByRole('heading', { name: role }).waitFor()
      await page.locator('.code').first().hover()
      await page.getByRole('button', { name: 'Copy' }).first().click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      const command = await page.evaluate(() => navigator.clipboard.readText())
      expect(command).toContain(gateway.base)
      const { stdout } = await promisify(execFile)('sh', ['-c', command])
      expect(JSON.parse(stdout).data.leaderboard.nodes).toHaveLength(3)
      await page.getByRole('link', { name: /^Next/ }).click()
      await page.waitForURL('**/docs/start')
    })
  })

  test('no page logged an error or broke its policy', () => {
    expect(wrong).toEqual([])
  })
})
