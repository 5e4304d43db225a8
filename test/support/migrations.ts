import { join } from 'node:path'

/** All migrations. */
export const MIGRATIONS = join(import.meta.dirname, '../../prisma/migrations')
