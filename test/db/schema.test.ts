import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore as openGatewayStore, type Store } from '../../src/db/connect/store.ts'
import { Prisma } from '../../src/generated/prisma/client.ts'
import { openStore } from '../support/store.ts'

let database: Awaited<ReturnType<typeof openStore>>
let store: Store

beforeAll(async () => {
  database = await openStore()
  store = openGatewayStore({ url: database.url, poolSize: 4, onError() {} })
})
afterAll(async () => {
  await store.close()
  await database.close()
})

test('the migrations make the tables that schema.prisma describes', async () => {
  const models = Object.values(Prisma.ModelName)
  expect(models.length).toBeGreaterThan(15)
  for (const model of models) {
    const name = (model.charAt(0).toLowerCase() + model.slice(1)) as 'user'
    await expect(store.models.prisma[name].findFirst(), model).resolves.not.toThrow()
  }
})

test('text is ordered by bytes, on a server with any locale', async () => {
  const { rows } = await database.pool.query<{ name: string }>(`
    SELECT c.table_name || '.' || c.column_name AS name FROM information_schema.columns c
    JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = 'public' AND t.table_name <> '_prisma_migrations' AND c.data_type = 'text'
      AND c.collation_name IS DISTINCT FROM 'C'`)
  expect(rows).toEqual([])
})

test('every table that holds data raises the data version, once a transaction', async () => {
  const version = async () =>
    (await database.pool.query<{ version: string }>('SELECT sum(version)::bigint AS version FROM data_version')).rows[0]
      ?.version
  const { rows } = await database.pool.query<{ table_name: string }>(`
    SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
      AND table_name NOT IN ('_prisma_migrations', 'data_version')`)
  expect(rows.length).toBeGreaterThan(14)
  for (const { table_name } of rows) {
    const before = Number(await version())
    await database.pool.query(
      `BEGIN; DELETE FROM "${table_name}" WHERE false; DELETE FROM "${table_name}" WHERE false; COMMIT`,
    )
    expect(Number(await version()), table_name).toBe(before + 1)
  }
})
