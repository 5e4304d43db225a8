/** The template tag of Prisma: any fragment that `Prisma.sql` makes fits into a statement of ours. */
export { Decimal, empty, join, raw, Sql, sqltag as sql } from '@prisma/client/runtime/client'
