import { expect, test, vi } from 'vitest'
import { openPostgres, startServer } from './server.ts'

test('a database that is frozen: health and readiness say so at once, the process is alive, and all is well afterwards', async () => {
  const postgres = await openPostgres()
  const server = await startServer({ databaseUrl: postgres.url })
  const status = async (path: string) => {
    const started = performance.now()
    const { status } = await fetch(server.base + path)
    return { status, ms: performance.now() - started }
  }
  try {
    for (const path of ['/health', '/readyz', '/livez'])
      expect((await status(path)).status).toBe(200)
    postgres.freeze()
    for (const path of ['/health', '/readyz']) {
      const { status: code, ms } = await status(path)
      expect(code).toBe(503)
      expect(ms).toBeLessThan(1800)
    }
    expect((await status('/livez')).status).toBe(200)
    postgres.thaw()
    for (const path of ['/health', '/readyz'])
      await vi.waitFor(async () => expect((await status(path)).status).toBe(200), {
        timeout: 10_000,
      })
    expect(server.printed().match(/a component is down/g)).toHaveLength(1)
  } finally {
    await server.close()
    await postgres.close()
  }
})
