/**
 * Takes the pictures of the dashboard in src/docs/images, of a gateway that runs on sample data: `npm start`, then
 * `node --import tsx test/web/screenshots.ts`, or with an address at its end, such as `http://127.0.0.1:4000`.
 */
import { join } from 'node:path'
import { samplePool, sampleUser } from '../../src/sample/sample.ts'
import { openBrowser } from '../support/browser.ts'

const DIRECTORY = join(import.meta.dirname, '../../src/docs/images')
const [, , base = 'http://127.0.0.1:4000'] = process.argv
const SECOND = '0x59cbe77ea854dbfd5e38272b4281028bf44d39bc'
const DESKTOP = { width: 1100, height: 760 }
const PHONE = { width: 360, height: 720 }

const pictures = [
  { name: 'overview', path: '', viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { name: 'leaderboard', path: `/leaderboard?account=${sampleUser}`, viewport: DESKTOP, colorScheme: 'light' },
  { name: 'wallet', path: `/wallets/${sampleUser}`, viewport: { ...DESKTOP, height: 1000 }, colorScheme: 'light' },
  { name: 'wallet-dark', path: `/wallets/${sampleUser}`, viewport: DESKTOP, colorScheme: 'dark' },
  { name: 'pools', path: '/pools', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'pool', path: `/pools/${samplePool.address}`, viewport: { ...DESKTOP, height: 1000 }, colorScheme: 'light' },
  { name: 'run', path: '/runs/1', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'compare', path: `/compare?wallets=${sampleUser},${SECOND}`, viewport: DESKTOP, colorScheme: 'light' },
  { name: 'wallet-phone', path: `/wallets/${sampleUser}`, viewport: PHONE, colorScheme: 'dark' },
] as const

const browser = await openBrowser({ reducedMotion: 'reduce' })
for (const { name, path, viewport, colorScheme } of pictures) {
  const page = await browser.context.newPage()
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
  await page.goto(`${base}/dashboard${path}`)
  await page.locator('main table').first().waitFor()
  await page.waitForFunction(() => !document.querySelector('.loading, .spark:empty'))
  await page.screenshot({ path: join(DIRECTORY, `dashboard-${name}.png`) })
  await page.close()
}
await browser.close()
