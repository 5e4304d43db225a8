import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import { type Gateway, hasPlans } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** The links of tables to all rows of their lists. */

let gateway: Gateway
let browser: Browser
let user: string
let date: string

beforeAll(async () => {
  gateway = await startOnSample()
  const { leaderboard, distributions } = await gateway.ask(
    '{ leaderboard(first: 1) { nodes { user { address } } } distributions(first: 3) { nodes { date } } }',
  )
  user = leaderboard.nodes[0].user.address
  date = distributions.nodes[2].date
  if (hasBrowser) browser = await openBrowser(gateway.base)
})
afterAll(async () => {
  await browser?.close()
  await gateway?.close()
})

/** The addresses of all rows of a table of a view. */
async function linksOn(path: string, table: string): Promise<string[]> {
  const page = await browser.context.newPage()
  await page.goto(gateway.base + path)
  const links = page.locator('.saves a', { hasText: new RegExp(` of all rows of ${table}$`) })
  await links.nth(1).waitFor({ state: 'attached', timeout: 20_000 })
  const found = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  await page.close()
  return found
}

async function rowsOf(links: string[]): Promise<string[]> {
  const [csv = '', parquet = ''] = links
  expect([csv, parquet]).toEqual([
    expect.stringMatching(/\.csv\?.*for=spreadsheet/),
    expect.stringContaining('.parquet'),
  ])
  expect((await fetch(gateway.base + parquet, { method: 'HEAD' })).status, parquet).toBe(200)
  const response = await gateway.get(csv)
  const text = await response.text()
  expect([response.status, text.slice(0, 300)]).toEqual([200, text.slice(0, 300)])
  return text.trimEnd().split('\n').slice(1)
}

describe.runIf(hasBrowser && hasPlans)(`all rows${hasBrowser ? '' : SKIPPED}`, () => {
  test('have the filter and the order of their table', async () => {
    const pools = await rowsOf(await linksOn('/dashboard/pools?sort=NAME_ASC&boosted=1', 'Pools'))
    const { all, boosted } = await gateway.ask(`{ all: pools { totalCount }
      boosted: pools(orderBy: NAME, orderDirection: ASC, where: { OR: [
        { multiplierDepositA: { gt: 1 } }, { multiplierDepositB: { gt: 1 } },
        { multiplierBorrowA: { gt: 1 } }, { multiplierBorrowB: { gt: 1 } }] }) { nodes { address } } }`)
    expect(boosted.nodes.length).toBeLessThan(all.totalCount)
    expect(pools).toHaveLength(boosted.nodes.length)
    for (const [at, { address }] of boosted.nodes.entries()) expect(pools[at]).toContain(address)
    const { board } = await gateway.ask(`{ board: leaderboard(scope: { asOf: "${date}" }) {
      totalCount nodes { user { address } } } }`)
    const ranked = await rowsOf(await linksOn(`/dashboard/leaderboard?asOf=${date}`, 'Leaderboard'))
    expect(ranked).toHaveLength(board.totalCount)
    expect(ranked[0]).toContain(board.nodes[0].user.address)
  })

  test('of a wallet are its own, and every list has some', async () => {
    const wallet = `/dashboard/wallets/${user}`
    const page = await browser.context.newPage()
    await page.goto(gateway.base + wallet)
    const records = page.getByRole('link', { name: 'Save all records' })
    expect(await records.getAttribute('href')).toBe(`/tables/accounts/${user}.jsonl`)
    await page.close()
    const positions = await rowsOf(await linksOn(wallet, 'Positions'))
    const { own } = await gateway.ask(
      'query ($user: Address!) { own: user(address: $user) { activity { totalCount } } }',
      { user },
    )
    const activity = await rowsOf(await linksOn(wallet, 'Activity'))
    expect(activity).toHaveLength(own.activity.totalCount)
    for (const row of [...activity, ...positions]) expect(row).toContain(user)
    const views: [path: string, name: string][] = [
      ['/dashboard/vaults', 'Vaults'],
      ['/dashboard/distributions', 'Distributions'],
      [`/dashboard/distributions/${date}`, 'Positions of the date'],
      ['/dashboard/rules', 'Multipliers over time'],
      ['/dashboard/risk?percent=40', 'Closest to liquidation'],
    ]
    for (const [path, name] of views)
      expect((await rowsOf(await linksOn(path, name))).length, path).toBeGreaterThan(0)
  })
})
