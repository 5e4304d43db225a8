import { existsSync } from 'node:fs'
import { type BrowserContext, type Browser as Chromium, chromium } from 'playwright-core'

const CHROMIUM = '/usr/bin/chromium'
export const hasBrowser = existsSync(CHROMIUM)
/** Follows the name of a test that needs a browser. */
export const SKIPPED = ` (skipped: no ${CHROMIUM})`

type Options = Parameters<Chromium['newContext']>[0]

export interface Browser {
  context: BrowserContext
  /** A context with nothing of the others: another visitor. */
  another(options?: Options): Promise<BrowserContext>
  close(): Promise<void>
}

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
  return {
    context: await browser.newContext(options),
    another: (others) => browser.newContext(others),
    close: () => browser.close(),
  }
}
