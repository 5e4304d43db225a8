import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { commandOf } from '../../src/web/factors.ts'
import { type Browser, hasBrowser, openBrowser, SKIPPED } from '../support/browser.ts'
import { ADMIN_TOKEN, asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { memorySource } from '../support/memory-source.ts'
import {
  ANN,
  BEN,
  DAY,
  importFiles,
  midnight,
  multiplier,
  POOL,
  pool,
  position,
} from '../support/one-pool.ts'

const MAIN = join(import.meta.dirname, '../../dist/main.js')
const OTHER = `0x${'6'.repeat(40)}`
const otherPool = {
  ...pool,
  id: OTHER,
  chainId: 10,
  marketId: 8,
  unit_1_id: `0x${'7'.repeat(40)}`,
  unit_2_id: `0x${'8'.repeat(40)}`,
}
const vault = (chainId: number, digit: string) => ({
  chainId,
  id: `0x${digit.repeat(40)}`,
  name: `Vault ${digit}`,
  assetAddress: pool.asset_1_address,
  assetSymbol: 'S',
  assetDecimals: 18,
  depositRate: 0,
})
const snapshot = (chainId: number, digit: string, time: number) => ({
  chainId,
  vaultId: `0x${digit.repeat(40)}`,
  accountId: ANN,
  positionId: 'one',
  timestamp: String(time / 1000),
  shares: '1',
  assets: '1',
  assetsUsd: 1,
})

describe.skipIf(!hasBrowser)(`for operators${hasBrowser ? '' : SKIPPED}`, () => {
  let gateway: Gateway
  let browser: Browser
  beforeAll(async () => {
    gateway = await startGateway()
    browser = await openBrowser(gateway.base, {
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
  })
  afterEach(() => browser.closePages())
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  async function visit(path: string, base = gateway.base) {
    const page = await browser.context.newPage()
    await page.goto(`${base}/dashboard${path}`)
    return page
  }
  const rows = (page: Page, name: string) =>
    page.getByRole('table', { name, exact: true }).locator('tbody tr')
  const numbers = (rows: Locator): Promise<number[][]> =>
    rows.evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll('data')].map((cell) => Number((cell as HTMLDataElement).value)),
      ),
    )
  const fact = (page: Page, name: string) =>
    page
      .locator('.facts > div')
      .filter({ has: page.getByText(name, { exact: true }) })
      .first()
  const alert = (page: Page) => page.getByRole('alert')

  test('an empty store says how it is filled', async () => {
    const page = await visit('/operate')
    await page.getByText('The store is empty.').first().waitFor()
    await page.getByText('No pools are stored, so nothing is missing yet.').waitFor()
    const status = await visit('/status')
    await status.getByText('No markets and no vaults are stored.').waitFor()
    await (await visit('/operate?date=soon')).getByText('“soon” is not a date').waitFor()
  })

  describe('keys and hooks', () => {
    const clients = (page: Page) =>
      page.getByRole('region', { name: 'Keys and hooks', exact: true })
    const tokenOf = (page: Page) => clients(page).getByLabel('Admin token')
    const show = (page: Page) => clients(page).getByRole('button', { name: 'Show' }).click()

    test('need a right token, and say how the first ones are added', async () => {
      const page = await visit('/operate')
      for (const token of ['wröng', 'wrong-admin-token']) {
        await tokenOf(page).fill(token)
        await show(page)
        await expect
          .poll(() => alert(page).innerText())
          .toBe('The gateway does not accept this token.')
      }
      await tokenOf(page).fill(ADMIN_TOKEN)
      await show(page)
      await page.getByText('There are no keys').waitFor()
      await page.getByText('There are no hooks').waitFor()
      expect(await alert(page).count()).toBe(0)
      await clients(page).getByRole('button', { name: 'Copy' }).first().click()
      await clients(page).getByRole('button', { name: 'Copied' }).waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
        'gateway keys add NAME --minute 600 --day 100000',
      )
    })

    test('are listed without secrets', async () => {
      const { pool: store } = gateway.deps.store
      const path = 'secret-path'
      await store.query(
        `INSERT INTO api_key
           (id, name, digest, per_minute, per_day, expires_at, revoked_at, scopes)
         SELECT lpad(n::text, 12, '0'), 'bot ' || n, sha256(n::text::bytea), 600, 100000,
           CASE n WHEN 1 THEN '2099-01-31' WHEN 2 THEN '2001-01-31' END::timestamptz,
           CASE n WHEN 3 THEN now() END, CASE n WHEN 1 THEN '["runs", "metrics"]' ELSE '[]' END::jsonb
         FROM generate_series(1, 12) n`,
      )
      await store.query(
        `INSERT INTO hook (url, events, secret)
         VALUES ('https://hooks.example.org/${path}', '["distribution.failed"]', 'whsec_x')`,
      )
      await store.query(
        `INSERT INTO hook_delivery (hook_id, event, subject, facts, occurred_at, error, dead_at)
         SELECT id, 'distribution.failed', n::text, '{}', now(), 'it answers 50' || n,
           CASE WHEN n > 1 THEN now() END
         FROM hook, generate_series(1, 3) n`,
      )
      try {
        const page = await visit('/operate')
        await tokenOf(page).fill(ADMIN_TOKEN)
        await show(page)
        await expect.poll(() => rows(page, 'API keys').count()).toBe(10)
        expect(await rows(page, 'API keys').locator('.state').allInnerTexts()).toEqual([
          'valid',
          'expired',
          'revoked',
          ...Array(7).fill('valid'),
        ])
        expect((await numbers(rows(page, 'API keys')))[0]).toEqual([600, 100_000])
        expect(await rows(page, 'API keys').nth(0).innerText()).toContain('runs, metrics')
        expect(await rows(page, 'API keys').nth(1).innerText()).toContain('only reads')
        expect(await numbers(rows(page, 'Hooks'))).toEqual([[1, 2]])
        expect(await rows(page, 'Hooks').innerText()).toMatch(
          /^\d+\s+hooks\.example\.org\s+failing\s+1\s+2\s+it answers 503\s+distribution\.failed$/,
        )
        expect(await page.content()).not.toMatch(/secret-path|whsec_x/)
        await clients(page).getByRole('link', { name: 'Next page' }).click()
        await expect.poll(() => rows(page, 'API keys').count()).toBe(2)
        await store.query('DELETE FROM api_key')
        await clients(page).getByRole('button', { name: 'Read again' }).click()
        await page.getByText('There are no keys').waitFor()
        expect(
          await page.evaluate(() => location.href + JSON.stringify(localStorage)),
        ).not.toContain(ADMIN_TOKEN)
      } finally {
        await store.query('DELETE FROM api_key; DELETE FROM hook_delivery; DELETE FROM hook')
      }
    })
  })

  describe('with two pools, of which one has no multiplier and no token a price', () => {
    let changed: Gateway
    beforeAll(async () => {
      changed = await startGateway()
      await importFiles(changed, {
        pools: [pool, otherPool],
        multipliers: [multiplier],
        positions: [
          position(ANN, 100),
          position(BEN, 0, { bSuppliedAmount: 50, bSuppliedAmountUsd: 50 }),
          position(ANN, 10, { marketAddress: OTHER }),
        ],
      })
    })
    afterAll(() => changed?.close())

    const field = (page: Page, name: string) =>
      page.getByLabel(new RegExp(`^${name}, .*, of S·USDC·7$`))
    const preview = (page: Page) => page.getByRole('button', { name: 'Preview', exact: true })

    const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
    const tokenOf = (page: Page) => part(page, 'Preview of a run').getByLabel('Admin token')
    const apply = (page: Page) => part(page, 'Apply it')

    test('wrong factors and a wrong token get a sentence, and the last answer stays', async () => {
      const page = await visit('/operate', changed.base)
      const deposit = field(page, 'Deposit A')
      await deposit.fill('3')
      await tokenOf(page).fill('wröng')
      await preview(page).click()
      await expect
        .poll(() => alert(page).innerText())
        .toBe('The gateway does not accept this token.')
      await tokenOf(page).fill(ADMIN_TOKEN)
      await preview(page).click()
      await expect.poll(() => numbers(rows(page, 'By pool'))).toEqual([[250, 350, 100]])
      for (const [text, sentence] of [
        ['-1', 'A factor is not negative.'],
        ['two', 'A factor is a number such as 1.5.'],
        ['', 'A factor is a number such as 1.5.'],
        ['1e99', 'A factor is a number such as 1.5.'],
        ['1.1234567', 'A factor has at most 6 decimals.'],
        ['9000000', 'A factor is at most 1,000,000.'],
      ]) {
        await deposit.fill(text as string)
        await expect.poll(() => alert(page).first().innerText()).toBe(sentence)
        await preview(page).click()
        await page.getByText('A multiplier is not valid: the field says why.').waitFor()
        expect(await numbers(rows(page, 'By pool'))).toEqual([[250, 350, 100]])
      }
      expect(await page.getByRole('button', { name: 'Run', exact: true }).count()).toBe(0)
      await page.getByRole('button', { name: 'Undo changes' }).click()
      expect(await deposit.inputValue()).toBe('2')
    })

    test('changed multipliers show winners, losers and cost, and are run after a question', async () => {
      const page = await visit('/operate', changed.base)
      await field(page, 'Deposit A').fill('3')
      await field(page, 'Deposit B').fill('0.5')
      await tokenOf(page).fill(ADMIN_TOKEN)
      await preview(page).click()
      await expect
        .poll(() => numbers(rows(page, 'Largest winners')))
        .toEqual([[200, 300, 100, 1, 0]])
      expect(await numbers(rows(page, 'Largest losers'))).toEqual([[50, 25, -25, 2, 0]])
      expect(
        await fact(page, 'Points more per day').locator('data').first().getAttribute('value'),
      ).toBe('75')
      expect(await fact(page, 'Winners').locator('dd').innerText()).toBe('1')
      expect(await fact(page, 'Losers').locator('dd').innerText()).toBe('1')
      const { multipliers } = await changed.ask('{ multipliers { nodes { depositA } } }')
      expect(multipliers.nodes).toEqual([{ depositA: 2 }])

      await page.getByRole('button', { name: 'Copy the command' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      const command = await page.evaluate(() => navigator.clipboard.readText())
      expect(command).toBe(await apply(page).locator('.command').innerText())
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(`stores the multipliers of 1 pool from ${DAY} on`).waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      expect((await changed.ask('{ program { totalPoints } }')).program.totalPoints).toBe(250)
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await dialog.getByRole('button', { name: 'Store and run' }).click()
      await page.getByText('It is stored: run').waitFor()
      expect((await changed.ask('{ program { totalPoints } }')).program.totalPoints).toBe(325)
      expect(await page.evaluate(() => location.href + JSON.stringify(localStorage))).not.toContain(
        ADMIN_TOKEN,
      )
    })

    test('the copied command runs', async () => {
      const input = { poolAddress: POOL, depositA: 1, depositB: 1, borrowA: 0, borrowB: 0 }
      const script = `set -e; gateway() { '${process.execPath}' '${MAIN}' "$@"; }\n${commandOf([input], 'RESYNC', DAY)}`
      const { PATH, HOME } = process.env
      await promisify(execFile)('bash', ['-c', script], {
        env: { PATH, HOME, LOG_LEVEL: 'silent', DATABASE_URL: changed.deps.config.DATABASE_URL },
      })
      expect((await changed.ask('{ program { totalPoints } }')).program.totalPoints).toBe(150)
    })

    test('what is missing is counted by chain, listed, and summed up on the status', async () => {
      const page = await visit('/operate', changed.base)
      await expect.poll(() => rows(page, 'Missing data by chain').count()).toBe(2)
      expect(await rows(page, 'Missing data by chain').nth(1).locator('th').innerText()).toBe(
        'Optimism',
      )
      expect(await numbers(rows(page, 'Pools without a multiplier'))).toEqual([[1, 10]])
      await page.getByText(`gateway multipliers set ${OTHER} --deposit-a 1`).waitFor()
      const status = await visit('/status', changed.base)
      await status.getByText('1 pool without a multiplier').waitFor()
      await status.getByRole('link', { name: 'the list' }).click()
      await status.getByRole('heading', { name: 'Missing data' }).waitFor()
    })
  })

  test('a chain that ends before the others is late, and dates say how they were computed', async () => {
    const now = Math.floor(Date.now() / 86_400_000) * 86_400_000
    const day = (ago: number) => new Date(now - ago * 86_400_000).toISOString().slice(0, 10)
    const late = await startGateway({ positionsSource: memorySource() })
    try {
      const dated = (ago: number) => ({ distributionDate: midnight(day(ago)) })
      await importFiles(
        late,
        {
          pools: [pool],
          multipliers: [multiplier],
          positions: [position(ANN, 1, dated(1)), position(ANN, 1, dated(2))],
          vaults: [vault(1, '7'), vault(10, '8')],
          'vault-snapshots': [
            snapshot(1, '7', now - 86_400_000),
            snapshot(10, '8', now - 4 * 86_400_000),
          ],
        },
        'sample',
      )
      await late.graphql(
        `mutation { resyncDistribution(input: { date: "${day(1)}" }) { run { id } } }`,
        {},
        asAdmin,
      )
      const failing = `mutation { updateDistribution(input: { date: "${day(4)}" }) { run { id } } }`
      expect((await late.graphql(failing, {}, asAdmin)).errors).toHaveLength(1)
      const page = await visit('/status', late.base)
      await expect
        .poll(() => rows(page, 'Snapshots').locator('.state').allInnerTexts())
        .toEqual(['sample', 'late'])
      const { status } = await late.ask('{ status { chains { late } } }')
      expect(status.chains).toEqual([{ late: false }, { late: true }])
      await page
        .getByText(/^\d+ (h|d) ago$/)
        .first()
        .waitFor()
      const cells = page.locator('.strip a')
      await expect.poll(() => cells.count()).toBe(30)
      const titles = await cells.evaluateAll((cells) => cells.map(({ title }: any) => title))
      expect(titles.map((title) => title.split(': ')[1]).slice(-4)).toEqual([
        'a run failed',
        'missing',
        'computed',
        'computed again',
      ])
      await cells.last().click()
      expect(page.url()).toBe(`${late.base}/dashboard/distributions/${day(1)}`)
    } finally {
      await late.close()
    }
  })
})
