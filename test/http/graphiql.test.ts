import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examples } from '../../src/graphql/examples.ts'
import { type Browser, hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { graphiqlPage } from '../support/graphiql.ts'
import { startOnSample } from '../support/sample.ts'

const MAX_BYTES = 600_000

let gateway: Gateway
let empty: Gateway
beforeAll(async () => {
  gateway = await startOnSample()
  empty = await startGateway()
})
afterAll(async () => {
  await gateway?.close()
  await empty?.close()
})

describe('over HTTP', () => {
  const files = (html: string) =>
    [...html.matchAll(/(?:src|href)="(\/graphql\/assets\/[^"]+\.(?:js|css))"/g)].map(
      ([, url]) => url ?? '',
    )

  test('the page is revalidated; its files are compressed, and cached for good', async () => {
    const { response, html } = await graphiqlPage(gateway.base)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const conditions = { accept: 'text/html', 'if-none-match': response.headers.get('etag') ?? '' }
    expect((await gateway.get('/graphql', conditions)).status).toBe(304)
    const urls = new Set(files(html))
    expect(urls.size).toBe(2)
    for (const encoding of ['br', 'gzip', 'identity']) {
      let bytes = 0
      for (const url of urls) {
        const file = await gateway.get(url, { 'accept-encoding': encoding })
        expect(file.status).toBe(200)
        expect(file.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
        expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
        expect(file.headers.get('content-type')).toMatch(
          url.endsWith('.js') ? /\/javascript/ : /^text\/css/,
        )
        expect(file.headers.get('vary')).toMatch(/accept-encoding/i)
        bytes += Number(file.headers.get('content-length'))
        const etag = file.headers.get('etag') ?? ''
        const cachedHeaders = {
          'accept-encoding': encoding,
          'if-none-match': etag,
          'cache-control': 'max-age=0',
        }
        expect((await gateway.get(url, cachedHeaders)).status).toBe(304)
      }
      if (encoding === 'br') expect(bytes).toBeLessThan(MAX_BYTES)
    }
  })

  test.each([
    'page.html',
    'no-such.js',
    '..%2fmain.js',
    '..%2f..%2fpackage.json',
    'page.js.br',
    '%00.js',
  ])('there is no file %s', async (file) => {
    expect((await gateway.get(`/graphql/assets/${file}`)).status).toBe(404)
  })

  test('the policy of the page allows no script and no server but its own', async () => {
    const { response } = await graphiqlPage(gateway.base)
    const policy = response.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toContain("connect-src 'self'")
  })

  test('data cannot end the script that it is in', async () => {
    const { html } = await graphiqlPage(gateway.base)
    expect(html.split('id="data">')[1]?.indexOf('<')).toBe(
      html.split('id="data">')[1]?.indexOf('</script>'),
    )
  })
})

describe.skipIf(!hasBrowser)(`in a browser${hasBrowser ? '' : SKIPPED}`, () => {
  interface Visit {
    page: Page
    /** Requests to other hosts, and errors of the console. */
    faults: string[]
    close(): Promise<void>
  }

  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser(gateway.base)
  })
  afterAll(() => browser?.close())

  async function visit(
    options: Parameters<typeof openBrowser>[1] = {},
    { to = gateway, path = '/graphql' } = {},
  ): Promise<Visit> {
    const context = await browser.another(options)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(to.base) && !/^(data|blob):/.test(request.url()))
        faults.push(request.url())
    })
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto(to.base + path)
    return { page, faults, close: () => context.close() }
  }

  const screenshot = async (page: Page, name: string) => {
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) })
  }
  const text = (page: Page, selector: string) =>
    page
      .locator(selector)
      .innerText()
      .then((visible) => visible.replace(/\u00a0/g, ' '))
  /**
   * The answer that the page shows. CodeMirror renders only what is in sight, so its value is read.
   */
  const answer = (page: Page): Promise<string> =>
    page.evaluate(
      () =>
        (document.querySelector('.graphiql-response .CodeMirror') as any)?.CodeMirror.getValue() ??
        '',
    )
  const query = (page: Page): Promise<string> =>
    page.evaluate(() =>
      (document.querySelector('.graphiql-query-editor .CodeMirror') as any)?.CodeMirror.getValue(),
    )

  /** Clicks in the middle of an example with the mouse. @returns the answer */
  async function click(page: Page, name: string, device: 'mouse' | 'finger' = 'mouse') {
    const button = page.locator(`[data-example=${name}]`)
    await button.waitFor({ timeout: 60_000 })
    await button.scrollIntoViewIfNeeded()
    const box = await button.boundingBox()
    if (!box) throw new Error(`${name} is not in sight`)
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    await (device === 'mouse' ? page.mouse.click(x, y) : page.touchscreen.tap(x, y))
    const example = examples.find((one) => one.name === name)
    await expect.poll(() => query(page), { timeout: 60_000 }).toBe(example?.query)
    await expect.poll(() => answer(page), { timeout: 60_000 }).toMatch(/"data"|"errors"/)
    return JSON.parse(await answer(page))
  }

  test('one click with the mouse opens and runs each example', { timeout: 120_000 }, async () => {
    const { page, faults, close } = await visit({ viewport: { width: 1280, height: 800 } })
    try {
      for (const { name } of examples) {
        const { data, errors } = await click(page, name)
        expect([name, errors]).toEqual([name, undefined])
        expect(Object.values(data ?? {}), name).not.toContain(null)
      }
      await screenshot(page, 'graphiql')
      expect(await page.getByRole('tab').count(), 'examples follow one another in one tab').toBe(1)
      expect(faults).toEqual([])
    } finally {
      await close()
    }
  })

  test('a panel begins at its top, wherever the one before was scrolled to', {
    timeout: 60_000,
  }, async () => {
    const { page, close } = await visit({ viewport: { width: 1280, height: 800 } })
    try {
      const panel = page.locator('.graphiql-plugin')
      const top = () => panel.evaluate((element) => element.scrollTop)
      await page.locator('[data-example]').last().scrollIntoViewIfNeeded({ timeout: 20_000 })
      expect(await top()).toBeGreaterThan(100)
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
      await panel.getByText('Root Types').waitFor({ timeout: 60_000 })
      await expect.poll(top).toBe(0)
    } finally {
      await close()
    }
  })

  test("an example leaves the user's own text, and the page opens with it again", {
    timeout: 60_000,
  }, async () => {
    const { page, close } = await visit({ viewport: { width: 1280, height: 800 } })
    try {
      await page.locator('[data-example]').first().waitFor({ timeout: 60_000 })
      await page.locator('.graphiql-query-editor .CodeMirror').click()
      await page.keyboard.press('Control+a')
      await page.keyboard.insertText('query Mine { dataVersion }')
      // GraphiQL names a tab a tenth of a second after its text changes.
      await page.getByRole('tab', { name: 'Mine' }).waitFor({ timeout: 60_000 })
      await click(page, 'Leaderboard')
      await page.getByRole('tab', { name: 'Mine' }).click({ timeout: 10_000 })
      await expect.poll(() => query(page)).toBe('query Mine { dataVersion }')
      const isStored = () =>
        page.evaluate(() => {
          const { tabs, activeTabIndex } = JSON.parse(
            localStorage.getItem('graphiql:tabState') ?? '{}',
          )
          const { query, variables } = tabs[activeTabIndex]
          const [storedQuery, storedVariables] = ['query', 'variables'].map((name) =>
            localStorage.getItem(`graphiql:${name}`),
          )
          return query.includes('Mine') && query === storedQuery && variables === storedVariables
        })
      await expect.poll(isStored, { timeout: 60_000 }).toBe(true)
      await page.reload()
      await page.getByRole('tab').first().waitFor({ timeout: 60_000 })
      await expect.poll(() => query(page)).toBe('query Mine { dataVersion }')
      await expect.poll(() => page.getByRole('tab').count()).toBe(2)
    } finally {
      await close()
    }
  })

  test('a second visit finds the tab of the first, with its variables', {
    timeout: 60_000,
  }, async () => {
    const { page, close } = await visit({ viewport: { width: 1280, height: 800 } })
    try {
      const variables = () => page.locator('.graphiql-editor-tool .CodeMirror').first().innerText()
      await expect.poll(variables, { timeout: 60_000 }).toContain('"user"')
      await expect
        .poll(() => page.evaluate("localStorage.getItem('graphiql:tabState')"))
        .toContain('hash')
      await page.reload()
      await expect.poll(variables, { timeout: 60_000 }).toContain('"user"')
      expect(await page.getByRole('tab').count()).toBe(1)
    } finally {
      await close()
    }
  })

  test('a link opens its operation beside the tabs of earlier visits; 1 MB is no problem', {
    timeout: 90_000,
  }, async () => {
    const { page, faults, close } = await visit({ viewport: { width: 1280, height: 800 } })
    const link = (text: string, variables = '{}') =>
      `${gateway.base}/graphql#${new URLSearchParams({ query: text, variables })}`
    try {
      await page.locator('[data-example]').first().waitFor({ timeout: 60_000 })
      // GraphiQL stores its tabs half a second after they change.
      await expect
        .poll(() => page.evaluate("localStorage.getItem('graphiql:tabState')"))
        .toContain('hash')
      await page.goto(
        link('query Linked($n: Int) { leaderboard(first: $n) { nodes { rank } } }', '{"n": 2}'),
      )
      await page.getByRole('tab', { name: 'Linked' }).waitFor({ timeout: 60_000 })
      await page.getByRole('button', { name: /execute/i }).click()
      await expect.poll(() => answer(page), { timeout: 60_000 }).toContain('"rank": 2')
      await expect.poll(() => page.getByRole('tab').count()).toBe(2)
      await page.getByRole('button', { name: 'Copy a link to this operation' }).click()
      await expect.poll(() => page.url()).toContain('#query=query+Linked')
      await page.goto(link(`query Large { dataVersion } # ${'x'.repeat(1 << 20)}`))
      await page.getByRole('tab', { name: 'Large' }).waitFor({ timeout: 60_000 })
      expect(faults).toEqual([])
    } finally {
      await close()
    }
  })

  test('the explorer adds a field to the query by clicking', { timeout: 60_000 }, async () => {
    const { page, faults, close } = await visit({ viewport: { width: 1280, height: 800 } })
    try {
      await click(page, 'Distributions')
      await page.getByRole('button', { name: 'Show GraphiQL Explorer' }).click()
      const explorer = page.locator('.graphiql-explorer-root, .docExplorerWrap').first()
      await explorer.getByText('dataVersion', { exact: true }).click({ timeout: 20_000 })
      await expect.poll(() => query(page)).toContain('dataVersion')
      await page.getByRole('button', { name: /execute/i }).click()
      await expect.poll(() => answer(page), { timeout: 60_000 }).toContain('"dataVersion"')
      await screenshot(page, 'graphiql-explorer')
      expect(faults).toEqual([])
    } finally {
      await close()
    }
  })

  test('on a phone: a tap on an example shows query and answer one below the other', {
    timeout: 60_000,
  }, async () => {
    const { page, faults, close } = await visit({
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    })
    try {
      const isCovered = (selector: string) =>
        page.locator(selector).evaluate((element) => {
          const { x, y, width, height } = element.getBoundingClientRect()
          return !element.contains(document.elementFromPoint(x + width / 2, y + height / 2))
        })
      for (const name of ['Leaderboard', 'LiveUser', 'Pools']) {
        await page.getByRole('button', { name: 'Show Examples' }).tap()
        expect((await click(page, name, 'finger')).errors).toBeUndefined()
        for (const part of ['.graphiql-query-editor', '.graphiql-response'])
          expect([name, part, await isCovered(part)]).toEqual([name, part, false])
        expect(await page.locator('.examples').count()).toBe(0)
      }
      const editors = await page.locator('.graphiql-editors').boundingBox()
      const response = await page.locator('.graphiql-response').boundingBox()
      if (!editors || !response) throw new Error('not in sight')
      expect(editors.width).toBeGreaterThan(350)
      expect(response.width).toBeGreaterThan(350)
      expect(response.y).toBeGreaterThanOrEqual(editors.y + editors.height - 1)
      expect(response.height).toBeGreaterThan(250)
      expect(response.y + response.height).toBeLessThanOrEqual(844)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
      await screenshot(page, 'graphiql-phone')
      expect(faults).toEqual([])
    } finally {
      await close()
    }
  })

  test.each(['light', 'dark'] as const)(
    "in %s, as the user's system is",
    { timeout: 60_000 },
    async (colorScheme) => {
      const { page, close } = await visit({ colorScheme })
      try {
        const container = page.locator('.graphiql-container')
        await container.waitFor({ timeout: 60_000 })
        const brightness = async () => {
          const color = await container.evaluate(
            (element) => getComputedStyle(element).backgroundColor,
          )
          return (color.match(/\d+/g) ?? [])
            .slice(0, 3)
            .reduce((total, one) => total + Number(one), 0)
        }
        if (colorScheme === 'dark') await expect.poll(brightness).toBeLessThan(200)
        else await expect.poll(brightness).toBeGreaterThan(700)
      } finally {
        await close()
      }
    },
  )

  test('on an empty store every example answers, and the page says how to load data', {
    timeout: 120_000,
  }, async () => {
    const { page, close } = await visit({ viewport: { width: 1280, height: 800 } }, { to: empty })
    try {
      await page.locator('.examples-notice').waitFor({ timeout: 60_000 })
      expect(await text(page, '.examples-notice')).toContain('npm run gateway -- import DIR')
      for (const { name } of examples)
        expect([name, (await click(page, name)).errors]).toEqual([name, undefined])
    } finally {
      await close()
    }
  })

  test('with trusted documents only, the examples run', { timeout: 60_000 }, async () => {
    const trusted = await startGateway({ on: gateway, env: { TRUSTED_DOCUMENTS_ONLY: 'true' } })
    const { page, close } = await visit({ viewport: { width: 1280, height: 800 } }, { to: trusted })
    try {
      for (const name of ['UserPage', 'LiveLeaderboard', 'Pools'])
        expect([name, (await click(page, name)).errors]).toEqual([name, undefined])
    } finally {
      await close()
      await trusted.close()
    }
  })

  test('without JavaScript the page says so, and where to go', { timeout: 60_000 }, async () => {
    const { page, close } = await visit({ javaScriptEnabled: false })
    try {
      expect(await page.locator('noscript').innerText()).toContain('It needs JavaScript')
    } finally {
      await close()
    }
  })
})
