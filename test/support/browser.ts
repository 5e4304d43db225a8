import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'

const CHROMIUM = '/usr/bin/chromium'
export const hasBrowser = existsSync(CHROMIUM)
/** Follows the name of a test that needs a browser. */
export const SKIPPED = ` (skipped: no ${CHROMIUM})`

type Options = Parameters<typeof chromium.launchPersistentContext>[1]

export interface Browser {
  context: BrowserContext
  close(): Promise<void>
}

/** Starts Chromium with a profile of its own. */
export async function openBrowser(options: Options = {}): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'gateway-browser-'))
  const context = await chromium.launchPersistentContext(profile, {
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
    ...options,
  })
  return {
    context,
    async close() {
      await context.close()
      await rm(profile, { recursive: true, force: true })
    },
  }
}
