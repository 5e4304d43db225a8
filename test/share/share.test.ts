import { once } from 'node:events'
import { request } from 'node:http'
import * as consumers from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { loadSample, startOnSample } from '../support/sample.ts'

/** Cards, badges and charts, and what a link to the dashboard shows elsewhere. */

const NOBODY = `0x${'0'.repeat(39)}1`

let gateway: Gateway
let first: string
let second: string
let pool: string
let newest: string

beforeAll(async () => {
  gateway = await startOnSample({ users: 20, days: 4 })
  const { leaderboard, pools, distributions } = await gateway.ask(
    `{ leaderboard(first: 2) { nodes { user { address } } } pools(first: 1) { nodes { address } }
       distributions(first: 1) { nodes { date } } }`,
  )
  ;[first, second] = leaderboard.nodes.map((one: any) => one.user.address)
  pool = pools.nodes[0].address
  newest = distributions.nodes[0].date
})
afterAll(() => gateway?.close())

const cardOf = (address: string) => `/dashboard/wallets/${address}/card.png`
const fetchFrom = ({ base }: Gateway, path: string, headers: Record<string, string> = {}) =>
  fetch(base + path, { headers })

async function pictureAt(path: string, of = gateway) {
  const response = await fetchFrom(of, path)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('image/png')
  const png = Buffer.from(await response.arrayBuffer())
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630])
  return { png, etag: response.headers.get('etag') ?? '' }
}

describe('cards', () => {
  test('a card is a PNG of 1200 x 630 that differs by wallet', async () => {
    const pictures = await Promise.all(
      [cardOf(first), cardOf(second), cardOf(NOBODY), '/dashboard/card.png'].map((path) =>
        pictureAt(path),
      ),
    )
    expect(new Set(pictures.map(({ png }) => png.toString('base64'))).size).toBe(4)
  })

  test('a card is not sent again to who has it, and HEAD has no body', async () => {
    const { etag, png } = await pictureAt(cardOf(first))
    const again = await fetchFrom(gateway, cardOf(first), { 'if-none-match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const head = await fetch(gateway.base + cardOf(first.toUpperCase()), { method: 'HEAD' })
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag])
    expect(Number(head.headers.get('content-length'))).toBe(png.length)
    expect(await head.text()).toBe('')
  })

  test.each(['nobody', '0x12', '%3Cscript%3E'])('the address %s is refused', async (text) => {
    for (const path of [cardOf(text), `/badge/${text}.svg`, `/embed/wallets/${text}`]) {
      const response = await fetchFrom(gateway, path)
      expect(response.status, path).toBe(400)
      expect(await response.json()).toMatchObject({
        detail: expect.stringMatching(/^address must/),
      })
    }
  })

  test('a card is drawn of an empty store too, and anew after a distribution', async () => {
    const filling = await startGateway()
    try {
      const [wallet, program] = [await pictureAt(cardOf(second), filling), '/dashboard/card.png']
      const empty = await pictureAt(program, filling)
      await loadSample(filling, { users: 20, days: 4 })
      await expect
        .poll(async () => (await pictureAt(cardOf(second), filling)).etag)
        .not.toBe(wallet.etag)
      await expect.poll(async () => (await pictureAt(program, filling)).etag).not.toBe(empty.etag)
    } finally {
      await filling.close()
    }
  })

  test('1,000 addresses at once: most are refused, memory is bounded, other reads go on', {
    timeout: 60_000,
  }, async () => {
    const open = await startGateway({ on: gateway, env: { MAX_CONCURRENT_REQUESTS: '2000' } })
    try {
      await pictureAt(cardOf(first), open)
      const before = process.memoryUsage.rss()
      const addresses = Array.from({ length: 1000 }, (_, i) => `0x${String(i).padStart(40, 'a')}`)
      const cards = addresses.map(async (address) => {
        const response = await fetchFrom(open, cardOf(address))
        await response.arrayBuffer()
        return response
      })
      const read = open.ask('{ program { userCount } }')
      expect((await read).program.userCount).toBeGreaterThan(0)
      const answers = await Promise.all(cards)
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused.length).toBeGreaterThan(0)
      for (const { headers } of refused)
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
      const grown = (process.memoryUsage.rss() - before) / 2 ** 20
      expect(grown, 'MiB').toBeLessThan(300)
      await pictureAt(cardOf(addresses.at(-1) ?? ''), open)
    } finally {
      await open.close()
    }
  })
})

describe('badges', () => {
  test.each(['rank', 'points', 'share'])('a badge shows the %s', async (show) => {
    const response = await fetchFrom(gateway, `/badge/${first}.svg?show=${show}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/svg+xml')
    const text = await response.text()
    expect(text).toContain(`Lending ${show}`)
    expect(text).toMatch({ rank: /#1</, points: /\d</, share: /\d%</ }[show] as RegExp)
    const again = await fetchFrom(gateway, `/badge/${first}.svg?show=${show}`, {
      'if-none-match': response.headers.get('etag') ?? '',
    })
    expect(again.status).toBe(304)
  })

  test('a wallet without points has a badge, and an unknown choice and file are refused', async () => {
    expect(await (await fetchFrom(gateway, `/badge/${NOBODY}.svg`)).text()).toContain('none yet')
    const wrong = await fetchFrom(gateway, `/badge/${first}.svg?show=worth`)
    expect(await wrong.json()).toMatchObject({
      status: 400,
      detail: 'show must be rank or points or share.',
    })
    expect((await fetchFrom(gateway, `/badge/${first}.gif`)).status).toBe(404)
  })
})

test('hostile names neither leave their text nor break a picture', async () => {
  const hostile = '\u202e</title><script>x</script>&"\u0007 😀 שלום'
  const named = await startGateway({ on: gateway, env: { DASHBOARD_NAME: hostile } })
  try {
    await pictureAt(cardOf(first), named)
    for (const path of [
      `/badge/${first}.svg`,
      `/embed/wallets/${first}`,
      `/dashboard/wallets/${first}`,
    ]) {
      const text = await (await fetchFrom(named, path)).text()
      expect(text, path).not.toContain('<script>x')
      const [own] = /<meta property="og:title"[\s\S]+twitter:card|<svg[\s\S]+/.exec(text) ?? ['']
      expect(own.replaceAll('\n', ''), path).not.toMatch(/[\p{Cc}\p{Cf}]|<script>/u)
    }
  } finally {
    await named.close()
  }
})

describe('charts', () => {
  test.each([
    ['/embed/wallets/', () => first, 'Points per day of 0x'],
    ['/embed/pools/', () => pool, 'TVL of '],
  ])('%s is a page for any frame, without a script', async (path, address, title) => {
    const response = await fetchFrom(gateway, path + address())
    const text = await response.text()
    expect(response.status).toBe(200)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors \*$/)
    expect(response.headers.get('x-frame-options')).toBeNull()
    expect(text).not.toContain('<script')
    expect(text).toContain(`<h1>${title}`)
    expect(text).toMatch(/class="line" d="M[\d.,L]+"/)
    expect(text).toContain(newest)
    const dark = await (await fetchFrom(gateway, `${path}${address()}?theme=dark`)).text()
    expect(dark).toContain('<html lang="en" class="dark">')
  })

  test('an unknown pool, theme and choice have their sentence', async () => {
    const at = async (path: string) => (await fetchFrom(gateway, path)).json()
    expect(await at(`/embed/pools/${NOBODY}`)).toMatchObject({
      status: 404,
      detail: `No pool has the address ${NOBODY}.`,
    })
    expect(await at(`/embed/wallets/${first}?theme=pink`)).toMatchObject({ status: 400 })
    expect(await at(`/embed/pools/${pool}?show=rank`)).toMatchObject({
      detail: 'show must be tvl or points.',
    })
  })
})

describe('a link to the dashboard', () => {
  const tagsAt = async (of: Gateway, path: string, host: string) => {
    const { hostname, port } = new URL(of.base)
    const [response] = await once(
      request({ hostname, port, path, headers: { host } }).end(),
      'response',
    )
    const html = await consumers.text(response)
    const found = html.matchAll(
      /<meta (?:property|name)="((?:og|twitter):[\w:]+)" content="([^"]*)">/g,
    )
    return Object.fromEntries(Array.from(found, ([, name, value]) => [name, value]))
  }

  test('has the numbers and the card of its wallet, at the origin that was asked', async () => {
    const tags = await tagsAt(gateway, `/dashboard/wallets/${first}`, 'points.example.org')
    expect(tags).toMatchObject({
      'og:image': `http://points.example.org${cardOf(first)}`,
      'twitter:card': 'summary_large_image',
    })
    expect(tags['og:description']).toMatch(
      /^Rank #1 of \d+ wallets, [\d.]+% of all points, [\d,.]+ points per day\.$/,
    )
    expect(await tagsAt(gateway, '/dashboard/pools', 'b.example')).toMatchObject({
      'og:title': 'Lending dashboard',
      'og:image': 'http://b.example/dashboard/card.png',
    })
  })

  test('has the prefix of all paths', async () => {
    const based = await startGateway({ on: gateway, env: { BASE_PATH: '/lending' } })
    try {
      const tags = await tagsAt(based, `/lending/dashboard/wallets/${first}`, 'a.example')
      expect(tags['og:image']).toBe(`http://a.example/lending${cardOf(first)}`)
      await pictureAt(`/lending${cardOf(first)}`, based)
      const frame = await (await fetchFrom(based, `/lending/embed/wallets/${first}`)).text()
      expect(frame).toContain(`href="/lending/dashboard/wallets/${first}"`)
    } finally {
      await based.close()
    }
  })

  test('does not wait for a store that does not answer', async () => {
    const slow = await startGateway({ on: gateway })
    const held = await slow.deps.store.pool.connect()
    try {
      await held.query('BEGIN; LOCK TABLE account, position IN ACCESS EXCLUSIVE MODE')
      const start = performance.now()
      const tags = await tagsAt(slow, `/dashboard/wallets/${second}`, 'a.example')
      expect(performance.now() - start).toBeLessThan(2000)
      expect(tags['og:title']).toContain(second.slice(0, 6))
      expect(tags['og:description']).toMatch(/^Points, positions/)
    } finally {
      await held.query('ROLLBACK')
      held.release()
      await slow.close()
    }
  })
})
