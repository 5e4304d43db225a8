import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { ROOT } from '../docs/markdown.ts'
import { start } from '../support/command-line.ts'
import { openStore } from '../support/store.ts'

test('npm run dev serves, and starts the server again after a change', async () => {
  const store = await openStore()
  const dev = start(
    ['src/build/dev.ts'],
    { DATABASE_URL: store.url, PORT: '0', SAMPLE_DATA: 'off' },
    '--import=tsx',
  )
  const served = () =>
    [...dev.printed().matchAll(/gateway on (http:\S+)/g)].map(([, base]) => base as string)
  try {
    await vi.waitFor(() => expect(served(), dev.printed()).toHaveLength(1), { timeout: 60_000 })
    const now = new Date()
    await utimes(join(ROOT, 'src/time.ts'), now, now)
    await vi.waitFor(() => expect(served(), dev.printed()).toHaveLength(2), { timeout: 60_000 })
    const [before, after] = served()
    expect((await fetch(`${after}/health`)).status).toBe(200)
    if (before !== after) await expect(fetch(`${before}/health`)).rejects.toThrow()
  } finally {
    expect(await dev.stop('SIGTERM')).toBe(0)
    await store.close()
  }
}, 180_000)
