import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildClientSchema, getIntrospectionQuery, isIntrospectionType, printSchema } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'

/**
 * What introspection says must be readable for clients that were built for the specification of
 * October 2021.
 */

const KINDS = ['SCALAR', 'OBJECT', 'INTERFACE', 'UNION', 'ENUM', 'INPUT_OBJECT', 'LIST', 'NON_NULL']

/**
 * The locations of the directives of that specification. `@oneOf` came later, at a location that
 * was there.
 */
const DIRECTIVES: Record<string, string[]> = {
  deprecated: ['ARGUMENT_DEFINITION', 'ENUM_VALUE', 'FIELD_DEFINITION', 'INPUT_FIELD_DEFINITION'],
  include: ['FIELD', 'FRAGMENT_SPREAD', 'INLINE_FRAGMENT'],
  oneOf: ['INPUT_OBJECT'],
  skip: ['FIELD', 'FRAGMENT_SPREAD', 'INLINE_FRAGMENT'],
  specifiedBy: ['SCALAR'],
}

const INTROSPECTION = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
})

const run = promisify(execFile)
/**
 * The version of graphql-core, the library of Python's clients. Undefined if it is not installed.
 */
const python = await run('python3', ['-c', 'import graphql; print(graphql.__version__)']).then(
  ({ stdout }) => stdout.trim(),
  () => undefined,
)

describe('introspection of the graph', () => {
  let gateway: Gateway
  let dir: string
  let data: any
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'introspection-'))
    gateway = await startGateway({ env: { MAX_QUERY_COST: '100000' } })
    data = await gateway.ask(INTROSPECTION)
  })
  afterAll(async () => {
    await gateway?.close()
    await rm(dir, { recursive: true })
  })

  test('has the directives of the specification, at its locations', () => {
    const directives = data.__schema.directives.map(({ name, locations }: any) => [
      name,
      locations.toSorted(),
    ])
    expect(Object.fromEntries(directives)).toEqual(DIRECTIVES)
  })

  test('has no kind of type that older clients do not know', () => {
    const kinds = new Set<string>()
    const see = (value: any) => {
      if (typeof value !== 'object' || value === null) return
      if (typeof value.kind === 'string') kinds.add(value.kind)
      Object.values(value).forEach(see)
    }
    see(data)
    expect([...kinds].filter((kind) => !KINDS.includes(kind))).toEqual([])
  })

  test('makes a schema again', () => {
    const schema = buildClientSchema(data)
    const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type))
    expect(types.length).toBeGreaterThan(100)
    expect(printSchema(schema)).toContain('type Query')
  })

  test.skipIf(python === undefined)(
    `is read by Python's graphql-core (${python ?? 'skipped: python3 has no package graphql'})`,
    async () => {
      const path = join(dir, 'introspection.json')
      await writeFile(path, JSON.stringify(data))
      const program = `import graphql, json; schema = graphql.build_client_schema(json.load(open('${path}'))); print(graphql.print_schema(schema))`
      const { stdout } = await run('python3', ['-c', program], { maxBuffer: 1 << 26 })
      expect(stdout).toContain('type Query')
    },
  )
})
