import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { load } from 'cheerio'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examples } from '../../src/graphql/examples.ts'
import { type Browser, hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** The compressed script, style sheet and page of the largest page. */
const MAX_BYTES = 40_000
const PHONE = { width: 360, height: 740 }
/** The hosts that pages link to. */
const HOSTS = [
  ...['keepachangelog.com', 'semver.org', 'the-guild.dev', 'tokenlists.org'],
  ...['modelcontextprotocol.io', 'www.standardwebhooks.com'],
]

let gateway: Gateway
/** The pages by their addresses. */
const pages = new Map<
  string,
  { response: Response; html: string; ids: Set<string>; links: string[] }
>()

beforeAll(async () => {
  gateway = await startOnSample()
  const waiting = ['/docs']
  for (const path of waiting) {
    const response = await gateway.get(path)
    const html = await response.text()
    const $ = load(html)
    const ids = new Set(
      $('[id]')
        .toArray()
        .map((element) => $(element).attr('id') ?? ''),
    )
    const links = $('a[href]')
      .toArray()
      .map((element) => $(element).attr('href') ?? '')
    pages.set(path, { response, html, ids, links })
    for (const link of links) {
      const [to = ''] = link.split('#')
      if (/^\/docs(\/|$)/.test(to) && to !== '/docs/rest' && !waiting.includes(to)) waiting.push(to)
    }
  }
})
afterAll(() => gateway?.close())

describe('over HTTP', () => {
  test('every page that is linked is there, with a policy that allows no script but its own', () => {
    expect(pages.size).toBeGreaterThan(25)
    for (const [path, { response }] of pages) {
      expect(response.status, path).toBe(200)
      expect(response.headers.get('content-type'), path).toMatch(/^text\/html/)
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy, path).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
      expect(policy, path).not.toContain('unsafe')
    }
  })

  test('code is highlighted in each language that programs are written in', () => {
    const plain = new Set<string>()
    for (const { html } of pages.values()) {
      const $ = load(html)
      for (const element of $('pre > code[class^=language-]').toArray()) {
        const language = $(element).attr('class')?.replace('language-', '') ?? ''
        if (
          language !== 'text' &&
          $(element).find('span').length === 0 &&
          /\b(import|SELECT)\b/.test($(element).text())
        )
          plain.add(language)
      }
    }
    expect([...plain]).toEqual([])
  })

  test('every link and anchor resolves', async () => {
    const others = new Set<string>()
    const broken: string[] = []
    for (const [path, { links }] of pages)
      for (const link of links) {
        if (/^https?:/.test(link)) {
          if (!HOSTS.includes(new URL(link).host))
            broken.push(`${path}: ${link} is on a host that is not known`)
          continue
        }
        const [to = '', hash = ''] = link.split('#')
        const target = pages.get(to || path)
        if (!target) others.add(to)
        else if (hash && !target.ids.has(decodeURIComponent(hash))) broken.push(`${path}: ${link}`)
      }
    expect(broken).toEqual([])
    for (const other of others) {
      const { status } = await gateway.get(other, { accept: 'text/html' })
      expect(status, other).toBe(200)
    }
  })

  test('pages name no file of the repository, but for those about it', () => {
    const $ = load(pages.get('/docs')?.html ?? '')
    const about = $('.navigation section:last-of-type a')
      .toArray()
      .map((link) => $(link).attr('href'))
    expect(about).toContain('/docs/architecture')
    const named: string[] = []
    for (const [path, { html }] of pages) {
      if (about.includes(path) || path === '/docs/contributor') continue
      // An installed package has its folders too.
      const text = load(html)('main')
        .text()
        .replaceAll(/node_modules\S+/g, '')
      for (const [file] of text.matchAll(/(\bsrc|\btest|\.\.\/shared)\/[a-z][^\s]*/g))
        named.push(`${path}: ${file}`)
    }
    expect(named).toEqual([])
  })

  test('the site leads to the dashboard, GraphiQL and the REST docs, and they lead back', async () => {
    for (const [path, { links }] of pages)
      expect(links, path).toEqual(expect.arrayContaining(['/dashboard', '/graphql', '/docs/rest']))
    const docs = await (await gateway.get('/docs/rest')).text()
    for (const path of ['/docs', '/graphql', '/dashboard']) expect(docs).toContain(`href="${path}"`)
  })

  test('pages are revalidated, their files are cached for good, and both are compressed', async () => {
    const sizes = new Map<string, number>()
    for (const [path, { html }] of pages) {
      const files = [...html.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(
        ([, url]) => url as string,
      )
      expect(files.length, path).toBeGreaterThanOrEqual(2)
      let bytes = 0
      for (const url of [path, ...files]) {
        const file = await gateway.get(url, { 'accept-encoding': 'br' })
        expect(file.headers.get('content-encoding'), url).toBe(
          /\.(png|woff2)$/.test(url) ? null : 'br',
        )
        const isHashed = url !== path
        expect(file.headers.get('cache-control'), url).toBe(
          isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
        )
        if (!/\.(png|svg|woff2)$/.test(url)) bytes += Number(file.headers.get('content-length'))
      }
      const cachedHeaders = { 'accept-encoding': 'br', 'if-none-match': '' }
      cachedHeaders['if-none-match'] =
        (await gateway.get(path, cachedHeaders)).headers.get('etag') ?? ''
      expect(
        (await gateway.get(path, { ...cachedHeaders, 'cache-control': 'max-age=0' })).status,
        path,
      ).toBe(304)
      sizes.set(path, bytes)
    }
    expect(Math.max(...sizes.values())).toBeLessThan(MAX_BYTES)
  })

  test.each(['no-such-page', '..%2fmain.js', 'graph', 'assets/no-such.js', 'cli.html.br', '%00'])(
    'there is no file beside the pages: %s',
    async (path) => {
      const { status } = await gateway.get(`/docs/${path}`)
      expect(status).toBe(path === 'graph' ? 200 : 404)
    },
  )

  test('llms.txt lists every page, and llms-full.txt has the texts', async () => {
    const list = await (await gateway.get('/docs/llms.txt')).text()
    const listed = [...list.matchAll(/\]\((.*?)\)/g)].map(([, path = '']) => path)
    expect(listed).toEqual(expect.arrayContaining([...pages.keys()]))
    for (const path of listed)
      expect((await gateway.get(path, { accept: 'text/html' })).status, path).toBe(200)
    const full = await (await gateway.get('/docs/llms-full.txt')).text()
    expect(full).toContain(
      readFileSync(new URL('../../src/rest/README.md', import.meta.url), 'utf8'),
    )
  })

  test('every image says what it shows', () => {
    for (const [path, { html }] of pages)
      for (const [image] of html.matchAll(/<img[^>]*>/g))
        expect(image, path).toMatch(/ alt="[^"]+"/)
  })

  test('every type and field of the graph has a place', async () => {
    const { data } = await gateway.graphql(
      '{ __schema { types { name fields { name description } } } }',
    )
    interface Described {
      name: string
      description: string
    }
    const isForRest = ({ name, description }: Described) =>
      /^Legacy/.test(name) || description.startsWith('For the REST API')
    const ids = new Set([...pages.values()].flatMap(({ ids }) => [...ids]))
    const names: string[] = data.__schema.types
      .filter(({ name }: { name: string }) => !/^(__|String|Int|Float|Boolean|ID)/.test(name))
      .filter(({ name }: { name: string }) => !/^Legacy/.test(name))
      .flatMap(({ name, fields }: { name: string; fields: Described[] | null }) => [
        name,
        ...(fields ?? []).filter((one) => !isForRest(one)).map((one) => `${name}.${one.name}`),
      ])
    expect(names.length).toBeGreaterThan(500)
    expect(names.filter((name) => !ids.has(name))).toEqual([])
  })
})

describe.skipIf(!hasBrowser)(`in a browser${hasBrowser ? '' : SKIPPED}`, () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  /** A page of each kind. */
  const kinds = [
    '/docs',
    '/docs/start',
    '/docs/cli',
    '/docs/graph',
    '/docs/graph/pools',
    '/docs/changelog',
  ]
  let opened: Browser
  let context: BrowserContext
  const wrong: string[] = []

  beforeAll(async () => {
    opened = await openBrowser(gateway.base)
    context = opened.context
    context.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') wrong.push(message.text())
    })
    context.on('weberror', (error) => wrong.push(String(error.error())))
    context.on('request', (request) => {
      if (!request.url().startsWith(gateway.base) && !request.url().startsWith('data:'))
        wrong.push(request.url())
    })
  })
  afterAll(() => opened?.close())

  /** Opens a page, works on it, and closes it. */
  async function on<T>(path: string, work: (page: Page) => Promise<T>): Promise<T> {
    const page = await context.newPage()
    try {
      await page.goto(`${gateway.base}${path}`)
      return await work(page)
    } finally {
      await page.close()
    }
  }

  /**
   * What axe finds. The session evaluates it, which the policy of the pages would not allow a
   * script.
   */
  async function violations(page: Page, rules?: string[]): Promise<string[]> {
    const session = await context.newCDPSession(page)
    await session.send('Runtime.evaluate', { expression: axe })
    const run = (rules?: string[]) =>
      (globalThis as any).axe.run({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
    const results = await page.evaluate(run, rules)
    return results.violations.map(
      ({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`,
    )
  }

  test.each(kinds)(
    'axe finds nothing on %s, neither in the light nor in the dark on a phone',
    { timeout: 120_000 },
    async (path) => {
      await on(path, async (page) => {
        await page.emulateMedia({ colorScheme: 'light' })
        expect(await violations(page)).toEqual([])
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.setViewportSize(PHONE)
        // All that differs is colors, and what is in sight.
        expect(
          await violations(page, ['color-contrast', 'scrollable-region-focusable', 'target-size']),
        ).toEqual([])
      })
    },
  )

  test('the dark scheme is dark', () =>
    on('/docs', async (page) => {
      const brightness = async (colorScheme: 'light' | 'dark') => {
        await page.emulateMedia({ colorScheme })
        const color = await page.evaluate(
          () => getComputedStyle(document.documentElement).backgroundColor,
        )
        return Number(/\d+/.exec(color)?.[0])
      }
      expect(await brightness('light')).toBeGreaterThan(200)
      expect(await brightness('dark')).toBeLessThan(60)
    }))

  test('every page fits a phone', { timeout: 120_000 }, async () => {
    const page = await context.newPage()
    await page.setViewportSize(PHONE)
    const wide: string[] = []
    for (const path of pages.keys()) {
      await page.goto(`${gateway.base}${path}`)
      if ((await page.evaluate(() => document.documentElement.scrollWidth)) > 360) wide.push(path)
    }
    await page.close()
    expect(wide).toEqual([])
  })

  test('the menu of a phone opens, and leads to a page', () =>
    on('/docs', async (page) => {
      await page.setViewportSize(PHONE)
      const link = page
        .getByRole('navigation', { name: 'Documentation' })
        .getByRole('link', { name: 'Command line' })
      expect(await link.isVisible()).toBe(false)
      await page.getByRole('button', { name: 'Menu' }).click()
      expect(await violations(page)).toEqual([])
      await link.click()
      await page.waitForURL('**/docs/cli')
      expect(await link.isVisible()).toBe(false)
    }))

  test.each([
    ['MAX_QUERY_COST', '/docs/cli#MAX_QUERY_COST'],
    ['breakdown-by-assets', '/docs/rest#/Points%20program/getPositionsBreakdownByAssets'],
    ['resync', '/docs/cli#npm-run-gateway----resync'],
    ['netApr', '/docs/graph/users#User.netApr'],
    ['gateway_cache_requests_total', '/docs/metrics#gateway_cache_requests_total'],
    ['zzyzx', undefined],
  ])('the search finds %s by keyboard', async (text, address) => {
    await on('/docs', async (page) => {
      await page.keyboard.press('/')
      await page.keyboard.type(text)
      const results = page.locator('dialog li a')
      if (address === undefined)
        return expect.poll(() => page.getByRole('status').innerText()).toMatch(/^No results/)
      await results.first().waitFor()
      const hrefs = await results.evaluateAll((links) =>
        links.map((link) => link.getAttribute('href')),
      )
      expect(hrefs).toContain(address)
      for (let n = 0; n <= hrefs.indexOf(address); n++) await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${address}`)
      if (!address.includes('#/')) await expect.poll(() => page.locator(':target').count()).toBe(1)
    })
  })

  test('axe finds nothing in the search, and Escape closes it', () =>
    on('/docs', async (page) => {
      await page.getByRole('button', { name: 'Search' }).click()
      await page.keyboard.type('points')
      await page.locator('dialog li a').first().waitFor()
      expect(await violations(page)).toEqual([])
      await page.keyboard.press('Escape')
      expect(await page.locator('dialog').isVisible()).toBe(false)
    }))

  test('an example opens in GraphiQL with its variables, and answers', {
    timeout: 120_000,
  }, async () => {
    const example = examples.find(({ name }) => name === 'DailyPoints')
    const { name, title } = example ?? expect.fail()
    await on(`/docs/graph#${name}`, async (page) => {
      await page.locator(`h3#${name} ~ p a.graphiql`).first().click()
      await page.waitForURL(`**/graphql#example=${name}`)
      const visible = () => page.evaluate(() => document.body.innerText.replace(/\u00a0/g, ' '))
      await expect.poll(visible, { message: title }).toContain('"dailyPoints"')
    })
  })

  test('no page logged an error, broke its policy, or sent a request to another host', () => {
    expect(wrong).toEqual([])
  })
})
