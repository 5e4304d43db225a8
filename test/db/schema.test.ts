import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plainReader } from '../../src/db/connect/reader.ts'
import { openStore as openGatewayStore, type Store } from '../../src/db/connect/store.ts'
import { getDatamodel } from '../../src/generated/pothos.ts'
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

/** The SQL types of the values of each scalar type. */
const SQL_TYPES: Record<string, string[]> = {
  String: ['text', 'uuid'],
  Int: ['integer', 'smallint'],
  BigInt: ['bigint'],
  Float: ['double precision'],
  Decimal: ['numeric'],
  DateTime: ['date', 'timestamp with time zone'],
  Boolean: ['boolean'],
  Json: ['jsonb'],
  Bytes: ['bytea'],
}

/** The columns of each model, as `name`, or `name?` if it may be null, with their types. */
function modelledTables() {
  const { models } = getDatamodel().datamodel
  const { models: stored } = (plainReader(store).models as any)._runtimeDataModel
  return Object.entries(models).map(([model, { fields }]) => {
    const columns = fields.flatMap(({ name, kind, type, isRequired }) => {
      if (kind === 'object') return []
      const column: string =
        stored[model].fields.find((field: any) => field.name === name).dbName ?? name
      return [
        {
          column,
          required: isRequired,
          types: kind === 'enum' ? ['USER-DEFINED'] : (SQL_TYPES[type] ?? []),
        },
      ]
    })
    return { model, table: stored[model].dbName as string, columns }
  })
}

/**
 * The columns of every table and view, but for arrays, which models ignore, and those that Prisma
 * has no type for.
 */
async function storedTables() {
  const { rows } = await database.pool.query<
    Record<'table' | 'column' | 'type' | 'kind' | 'nullable', string>
  >(`
    SELECT t.table_name AS table, t.table_type AS kind, c.column_name AS column, c.data_type AS type, c.is_nullable AS nullable
    FROM information_schema.tables t JOIN information_schema.columns c USING (table_schema, table_name)
    WHERE t.table_schema = 'public' AND t.table_name <> '_prisma_migrations' AND c.data_type NOT IN ('ARRAY', 'xid8')`)
  return rows
}

/** Sum up records for the triggers of `net_cash` and `net_liquidation`, and are those in a sharded store. */
const OTHER_VIEWS = ['cash_flow_total', 'liquidation_total']

test('schema.prisma describes every table, and every model is a table', async () => {
  const tables = new Set((await storedTables()).map(({ table }) => table))
  const modelled = modelledTables().map(({ table }) => table)
  expect(modelled.length).toBeGreaterThan(15)
  expect(modelled.toSorted()).toEqual(
    [...tables].filter((name) => !OTHER_VIEWS.includes(name)).toSorted(),
  )
})

test('models have the columns of their tables, with their types, and null where they may be', async () => {
  const rows = await storedTables()
  for (const { model, table, columns } of modelledTables()) {
    const stored = rows.filter((row) => row.table === table)
    expect(columns.map(({ column }) => column).toSorted(), model).toEqual(
      stored.map((one) => one.column).toSorted(),
    )
    for (const { column, type, nullable, kind } of stored) {
      const described = columns.find((one) => one.column === column)
      expect(described?.types, `${model}.${column}`).toContain(type)
      // Postgres does not say which columns of a view may be null.
      if (kind === 'BASE TABLE')
        expect(described?.required, `${model}.${column}`).toBe(nullable === 'NO')
    }
  }
})

/** The word of schema.prisma for each kind of index. */
const INDEXES: Record<string, string> = { id: 'key', unique: 'unique', index: 'index' }

/** The tables and views of schema.prisma, with the keys and indexes of tables. */
async function describedIndexes() {
  const text = await readFile(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8')
  return [...text.matchAll(/^(model|view) \w+ \{\n(.*?)^\}/gms)].map(([, word, body = '']) => {
    const lines = body.split('\n')
    const columnOf = (field: string) => {
      const line = lines.find((one) => one.startsWith(`  ${field} `)) ?? ''
      return / @map\("(\w+)"\)/.exec(line)?.[1] ?? field
    }
    const indexes = lines.flatMap((line) => {
      const [, kind = '', list = ''] =
        /^ {2}@@(id|unique|index)\(\[(.*)\](?:, type: \w+)?\)/.exec(line) ?? []
      const [, field = '', own = ''] = /^ {2}(\w+) .* @(id|unique)\b/.exec(line) ?? []
      const fields = (list || field).split(', ').map((one) => one.split('(')[0] ?? '')
      const columns = fields.map(
        (name) => `${columnOf(name)}${list.includes(`${name}(sort: Desc)`) ? ' DESC' : ''}`,
      )
      return kind || own ? [`${INDEXES[kind || own]} (${columns.join(', ')})`] : []
    })
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? ''
    return { table, isView: word === 'view', indexes: word === 'view' ? [] : indexes.toSorted() }
  })
}

test('schema.prisma describes views as views, and the keys and indexes of tables in their order', async () => {
  const { rows } = await database.pool.query<{
    table: string
    isView: boolean
    indexes: string[]
  }>(`
    SELECT c.relname AS table, c.relkind = 'v' AS "isView",
      coalesce(array_agg(i.text COLLATE "C" ORDER BY i.text COLLATE "C") FILTER (WHERE i.text IS NOT NULL), '{}') AS indexes
    FROM pg_class c LEFT JOIN LATERAL (
      SELECT CASE WHEN i.indisprimary THEN 'key' WHEN i.indisunique OR i.indisexclusion THEN 'unique' ELSE 'index' END
        || ' (' || string_agg(a.attname || CASE WHEN i.indoption[k.n - 1] & 1 = 1 THEN ' DESC' ELSE '' END, ', ' ORDER BY k.n)
        || ')' AS text
      FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY k(attnum, n)
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
      -- Prisma has no words for indexes of expressions and of some rows.
      WHERE i.indrelid = c.oid AND i.indexprs IS NULL AND i.indpred IS NULL
      GROUP BY i.indexrelid, i.indisprimary, i.indisunique, i.indisexclusion) i ON true
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') AND c.relname <> '_prisma_migrations'
    GROUP BY c.oid, c.relname, c.relkind`)
  const stored = rows.filter(({ table }) => !OTHER_VIEWS.includes(table))
  const byTable = (a: { table: string }, b: { table: string }) => (a.table < b.table ? -1 : 1)
  expect((await describedIndexes()).toSorted(byTable)).toEqual(stored.toSorted(byTable))
})

test('every model is read', async () => {
  for (const model of Object.values(Prisma.ModelName)) {
    const name = (model.charAt(0).toLowerCase() + model.slice(1)) as 'user'
    await expect(plainReader(store).models[name].findFirst(), model).resolves.not.toThrow()
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
    (
      await database.pool.query<{ version: string }>(
        'SELECT sum(version)::bigint AS version FROM data_version',
      )
    ).rows[0]?.version
  const { rows } = await database.pool.query<{ table_name: string }>(`
    SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
      AND table_name NOT IN ('_prisma_migrations', 'data_version', 'api_key', 'hook', 'hook_delivery', 'hook_noted', 'hook_watch')`)
  expect(rows.length).toBeGreaterThan(14)
  for (const { table_name } of rows) {
    const before = Number(await version())
    await database.pool.query(
      `BEGIN; DELETE FROM "${table_name}" WHERE false; DELETE FROM "${table_name}" WHERE false; COMMIT`,
    )
    expect(Number(await version()), table_name).toBe(before + 1)
  }
})
