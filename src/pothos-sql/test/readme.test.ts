import { readFile, rm, writeFile } from 'node:fs/promises'
import { type GraphQLSchema, parse } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PgReader } from '../example/pg-reader.ts'
import { Plan } from '../index.ts'
import { type Library, openLibrary } from './library.ts'

const file = new URL('readme-schema.ts', import.meta.url)
let library: Library
beforeAll(async () => {
  library = await openLibrary('readme')
})
afterAll(async () => {
  await library.close()
  await rm(file, { force: true })
})

test('the schema of the README answers its query by one statement', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const [, code = ''] = /```ts\n(import [\s\S]*?)\n```/.exec(readme) ?? []
  expect(code.split('\n').length).toBeLessThanOrEqual(50)
  const source = code.replace("'pothos-sql'", "'../index.ts'").replace('<Types>', '<any>')
  await writeFile(file, `${source}\nexport const schema = builder.toSchema()\n`)
  const { schema }: { schema: GraphQLSchema } = await import(file.href)
  const reader = new PgReader(library.pool)
  const query = parse('{ books(first: 2) { nodes { title author { name } } } }')
  const answer = await new Plan(schema, query).run(reader)
  expect(reader.statements).toBe(1)
  expect(JSON.parse(answer?.json ?? '')).toMatchObject({
    books: { nodes: [{ title: 'Book 1', author: { name: 'Author 2' } }, { title: 'Book 2' }] },
  })
})
