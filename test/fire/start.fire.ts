import { expect, test } from 'vitest'
import { startServer } from './server.ts'

test('the built program starts on an empty database, answers, and ends on SIGTERM', async () => {
  const server = await startServer()
  try {
    expect((await fetch(`${server.base}/health`)).status).toBe(200)
    expect(await server.stop('SIGTERM')).toBe(0)
  } finally {
    await server.close()
  }
})
