import { existsSync } from 'node:fs'
import { type BrowserContext, type Browser as Chromium, chromium } from 'playwright-core'

/** The first that is here: without the windows of a desktop a page takes a third of the time. */
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path))
export const hasBrowser = CHROMIUM !== undefined
/** Follows the name of a test that needs a browser. */
export const SKIPPED = ' (skipped: no Chromium)'

type Options = Parameters<Chromium['newContext']>[0]

export interface Browser {
  context: BrowserContext
  /** A context with nothing of the others: another visitor. */
  another(options?: Options): Promise<BrowserContext>
  close(): Promise<void>
}

/** What a visitor's click allows. */
const ALLOWED = ['clipboard-write']

/** Starts Chromium without a profile. */
export async function openBrowser(options: Options = {}): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  const another = (options: Options = {}) => browser.newContext({ permissions: ALLOWED, ...options })
  return {
    context: await another(options),
    another,
    close: () => browser.close(),
  }
}
