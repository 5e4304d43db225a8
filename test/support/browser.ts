import { existsSync } from 'node:fs'
import { type BrowserContext, type Browser as Chromium, chromium } from 'playwright-core'

/** The first that is here: without the windows of a desktop a page takes a third of the time. */
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) =>
  existsSync(path),
)
export const hasBrowser = CHROMIUM !== undefined
/** Follows the name of a test that needs a browser. */
export const SKIPPED = ' (skipped: no Chromium)'

type Options = Parameters<Chromium['newContext']>[0]

export interface Browser {
  context: BrowserContext
  /** A context with nothing of the others: another visitor. */
  another(options?: Options): Promise<BrowserContext>
  /** Closes the pages of the context. */
  closePages(): Promise<void>
  close(): Promise<void>
}

/** What a visitor's click allows. */
const ALLOWED = ['clipboard-write']

/**
 * Starts Chromium without a profile, for the pages of a gateway. They share a process, of which
 * starting takes as long as a page.
 */
export async function openBrowser(base: string, options: Options = {}): Promise<Browser> {
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
      '--process-per-site',
      '--renderer-process-limit=1',
    ],
  })
  const another = async (options: Options = {}) => {
    const context = await browser.newContext({ permissions: ALLOWED, ...options })
    context.setDefaultTimeout(90_000)
    return context
  }
  const context = await another(options)
  // The process ends with the last page of its site.
  const kept = await context.newPage()
  await kept.goto(`${base}/health`)
  return {
    context,
    another,
    async closePages() {
      await Promise.all(context.pages().map((page) => page !== kept && page.close()))
    },
    close: () => browser.close(),
  }
}
