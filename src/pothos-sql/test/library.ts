import { readFile } from 'node:fs/promises'
import { type ExecutionResult, execute, parse } from 'graphql'
import pg from 'pg'
import { inject } from 'vitest'
import { PgReader } from '../example/pg-reader.ts'
import { createSchema } from '../example/schema.ts'
import { Batches } from '../host.ts'
import { Plan } from '../index.ts'

type Variables = Record<string, unknown>

/** A library in a separate database, which is read by plans and by resolvers. */
export async function openLibrary(name: string) {
  const url = new URL(inject('postgres'))
  const admin = new pg.Client({ connectionString: url.href })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`).finally(() => admin.end())
  url.pathname = name
  const pool = new pg.Pool({ connectionString: url.href, max: 4 })
  await pool.query(await readFile(new URL('../example/tables.sql', import.meta.url), 'utf8'))
  const schema = createSchema()

  const planOf = (text: string) => new Plan(schema, parse(text))

  /** The answer of a plan. */
  async function planned(text: string, variables?: Variables) {
    const reader = new PgReader(pool)
    const answer = await planOf(text).run(reader, variables)
    return {
      statements: reader.statements,
      // biome-ignore lint/suspicious/noExplicitAny: answers differ
      data: answer && (JSON.parse(answer.json) as any),
    }
  }

  /** The answer of resolvers. */
  async function resolved(text: string, variables?: Variables): Promise<ExecutionResult> {
    const reader = new PgReader(pool)
    const result = await execute({
      schema,
      document: parse(text),
      contextValue: { reader, batches: new Batches(reader) },
      ...(variables && { variableValues: variables }),
    })
    return JSON.parse(JSON.stringify(result))
  }

  return { pool, schema, planOf, planned, resolved, close: () => pool.end() }
}

export type Library = Awaited<ReturnType<typeof openLibrary>>
