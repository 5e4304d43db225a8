/** The template tag of Prisma: fragments of `Prisma.sql` fit into those of ours. */
export { Decimal, empty, join, raw, Sql, sqltag as sql } from '@prisma/client/runtime/client'
