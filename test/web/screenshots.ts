/**
 * Takes the pictures of the dashboard in src/docs/images, of a gateway that runs on sample data:
 * `npm start`, then `node --import tsx test/web/screenshots.ts`, or with an address at its end,
 * such as `http://127.0.0.1:4000`.
 */
import { join } from 'node:path'
import { samplePool, sampleUser } from '../../src/sample/index.ts'
import { openBrowser } from '../support/browser.ts'

const DIRECTORY = join(import.meta.dirname, '../../src/docs/images')
const [, , base = 'http://127.0.0.1:4000'] = process.argv
/** A wallet with debt and a vault, all of whose prices are known. */
const RICH = '0x49e6a5c50000d597cebf6157454b04920932984c'
const SECOND = '0x59cbe77ea854dbfd5e38272b4281028bf44d39bc'
const DESKTOP = { width: 1100, height: 760 }
const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 360, height: 720 }

const pictures = [
  { name: 'overview', path: '', viewport: { width: 1280, height: 1080 }, colorScheme: 'light' },
  {
    name: 'leaderboard',
    path: `/leaderboard?account=${sampleUser}`,
    viewport: DESKTOP,
    colorScheme: 'light',
  },
  {
    name: 'wallet',
    path: `/wallets/${RICH}?range=90`,
    viewport: { ...DESKTOP, height: 1000 },
    colorScheme: 'light',
  },
  { name: 'wallet-dark', path: `/wallets/${RICH}`, viewport: DESKTOP, colorScheme: 'dark' },
  { name: 'pools', path: '/pools', viewport: WIDE, colorScheme: 'light' },
  {
    name: 'pool',
    path: `/pools/${samplePool.address}?range=90`,
    viewport: { ...DESKTOP, height: 1000 },
    colorScheme: 'light',
  },
  { name: 'risk', path: '/risk?change=-30', viewport: WIDE, colorScheme: 'dark' },
  { name: 'rules', path: '/rules', viewport: WIDE, colorScheme: 'light' },
  { name: 'run', path: '/runs/1', viewport: DESKTOP, colorScheme: 'light' },
  {
    name: 'compare',
    path: `/compare?wallets=${sampleUser},${SECOND}`,
    viewport: DESKTOP,
    colorScheme: 'light',
  },
  { name: 'wallet-phone', path: `/wallets/${RICH}`, viewport: PHONE, colorScheme: 'dark' },
] as const

const browser = await openBrowser(base, { reducedMotion: 'reduce' })
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
