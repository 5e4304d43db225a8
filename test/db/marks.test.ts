import { expect, test } from 'vitest'
import { oneServer } from '../../src/db/dialect.ts'
import { rowsOfUsers, usually } from '../../src/db/marks.ts'
import { Sharded } from '../../src/db/topology/sharded.ts'
import { Prisma } from '../../src/generated/prisma/client.ts'

const inner = usually(Prisma.sql`a = ${1}`, { ifSpread: Prisma.sql`b = ${2} AND c = ${3}` })
const marked = (users: string[]) =>
  Prisma.sql`${rowsOfUsers(users, ['account_day'])}
    SELECT ${0} WHERE ${usually(Prisma.sql`(${inner})`, { ifSpread: Prisma.sql`NOT (${inner})` })}`

const written = (sql: Prisma.Sql) => ({
  text: sql.text.replace(/\s+/g, ' ').trim(),
  values: sql.values,
})

test('one server reads the usual form, also of marks within marks', () => {
  expect(written(oneServer.write(marked(['x', 'y'])))).toEqual({
    text: 'SELECT $1 WHERE (a = $2)',
    values: [0, 1],
  })
})

test('several servers read the rows of several users first', () => {
  expect(written(new Sharded().write(marked(['x', 'y'])))).toEqual({
    text: 'WITH account_day AS MATERIALIZED (SELECT * FROM account_day WHERE user_address = ANY($1::text[])) SELECT $2 WHERE NOT (b = $3 AND c = $4)',
    values: [['x', 'y'], 0, 2, 3],
  })
})

test('the rows of one user are on one server', () => {
  expect(written(new Sharded().write(marked(['x']))).text).toBe(
    'SELECT $1 WHERE NOT (b = $2 AND c = $3)',
  )
})

test('a statement without marks is sent as it is', () => {
  const plain = Prisma.sql`SELECT ${1}`
  expect(oneServer.write(plain)).toBe(plain)
})
