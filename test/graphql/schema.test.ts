import { readFile } from 'node:fs/promises'
import {
  buildClientSchema,
  buildSchema,
  findBreakingChanges,
  introspectionFromSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { expect, test } from 'vitest'
import { withoutRest } from '../../src/graphiql/without-rest.ts'
import { createSchema, printedSchema } from '../../src/graphql/schema/schema.ts'

const schema = createSchema()

test('the committed schema.graphql is that of the code (npm run generate writes it)', async () => {
  const committed = (name: string) =>
    readFile(new URL(`../../src/generated/${name}`, import.meta.url), 'utf8')
  expect(await committed('schema.graphql')).toBe(`${printedSchema()}\n`)
  expect(await committed('rest-schema.graphql')).toBe(`${printedSchema({ withRest: true })}\n`)
})

test('people get the schema without what only REST reads, printed or in GraphiQL', () => {
  const text = printedSchema()
  expect(text).not.toMatch(/legacy:|Legacy|userAddress/)
  const lost = findBreakingChanges(schema, buildSchema(text)).map(({ description }) => description)
  expect(lost.filter((change) => !/legacy|Legacy|userAddress/.test(change))).toEqual([])
  const { data } = withoutRest({ data: introspectionFromSchema(schema) })
  expect(printSchema(lexicographicSortSchema(buildClientSchema(data)))).toBe(text)
})

test('everything in the schema has a description', () => {
  const silent: string[] = []
  const see = (name: string, { description }: { description?: string | null }) => {
    if (!description?.trim()) silent.push(name)
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue
    see(type.name, type)
    if (isObjectType(type) || isInterfaceType(type))
      for (const field of Object.values(type.getFields())) {
        see(`${type.name}.${field.name}`, field)
        for (const argument of field.args)
          see(`${type.name}.${field.name}(${argument.name})`, argument)
      }
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) see(`${type.name}.${field.name}`, field)
    if (isEnumType(type))
      for (const value of type.getValues()) see(`${type.name}.${value.name}`, value)
  }
  expect(silent).toEqual([])
})

test('every field that may be null says when it is', () => {
  const silent = Object.values(schema.getTypeMap()).flatMap((type) =>
    (isObjectType(type) || isInterfaceType(type)) && !isIntrospectionType(type)
      ? Object.values(type.getFields())
          .filter(
            (field) => !isNonNullType(field.type) && !/\bnull\b/i.test(field.description ?? ''),
          )
          .map((field) => `${type.name}.${field.name}`)
      : [],
  )
  expect(silent).toEqual([])
})

test('the enum ErrorCode has the codes of the README, and no others', async () => {
  const readme = await readFile(new URL('../../src/graphql/README.md', import.meta.url), 'utf8')
  const [, section = ''] = readme.split('\n## Errors\n')
  const [table = ''] = section.split('\n## ')
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  const codes = rows.flatMap((row) => row.split(' | ')[0]?.match(/[A-Z_]{4,}/g) ?? [])
  const type = schema.getType('ErrorCode')
  const names = isEnumType(type) ? type.getValues().map(({ name }) => name) : []
  expect(codes.toSorted()).toEqual(names.toSorted())
})
