import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** All migrations. */
export const MIGRATIONS = join(import.meta.dirname, '../../prisma/migrations')

/** A directory with the migrations up to one: those of a former version. */
export async function migrationsUpTo(last: string): Promise<{ dir: string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-migrations-'))
  for (const name of await readdir(MIGRATIONS))
    if (name <= last || name.endsWith('.toml')) await cp(join(MIGRATIONS, name), join(dir, name), { recursive: true })
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) }
}
