/**
 * The schema, and the typed operations: those that the REST router, cards and the command line execute,
 * GraphiQL's examples, those of the client that the package exports, and those that are sent to a
 * source of positions. `npm run generate` writes them; `npx graphql-codegen` writes the operations.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { preset } from '@graphql-codegen/client-preset'
import { codegen } from '@graphql-codegen/core'
import { makeExecutableSchema } from '@graphql-tools/schema'
import {
  buildSchema,
  type GraphQLEnumType,
  type GraphQLNamedType,
  getNamedType,
  isAbstractType,
  isListType,
  isNonNullType,
  isObjectType,
  lexicographicSortSchema,
  parse,
  print,
} from 'graphql'
import { filesIn } from './src/build/fresh.ts'
import { createSchema, printedSchema } from './src/graphql/schema/schema.ts'

const scalars = {
  Address: 'string',
  Date: 'string',
  DateTime: 'string',
  BigInt: { input: 'string | bigint', output: 'string' },
  SafeInt: 'number',
}

/** Those of a client, whose variables go through JSON. */
const overHttp = { ...scalars, BigInt: { input: 'string | number', output: 'string' } }

const EXAMPLES = 'src/graphiql/examples'

const GRAPH = 'src/generated/schema.graphql'

/** The schema with what only the operations of REST endpoints read. */
const WITH_REST = 'src/generated/rest-schema.graphql'

const config = {
  useTypeImports: true,
  enumsAsTypes: true,
  strictScalars: true,
  importExtension: '.ts' as const,
  emitLegacyCommonJSImports: false,
}

interface Output {
  schema: string
  /** Files, and directories with documents. */
  documents: string[]
  scalars: typeof scalars | typeof overHttp
}

/** Typed operations, by the directory that they are written to. */
const outputs: Record<string, Output> = {
  'src/generated/operations/': {
    schema: WITH_REST,
    documents: ['src/rest', 'src/cli', 'src/share', 'src/graphql/example-values.ts'],
    scalars,
  },
  'src/generated/client/': { schema: GRAPH, documents: ['src/client'], scalars: overHttp },
  'src/generated/examples/': { schema: GRAPH, documents: [EXAMPLES], scalars: overHttp },
  'src/generated/source-operations/': {
    schema: 'src/sources/positions/graph-positions.graphql',
    documents: ['src/sources/positions/graph-operations.ts'],
    scalars,
  },
}

const presetConfig = { fragmentMasking: false, gqlTagName: 'graphql' }

/** The typed operations as `graphql-codegen` and editors know them. */
export default {
  importExtension: config.importExtension,
  emitLegacyCommonJSImports: config.emitLegacyCommonJSImports,
  generates: Object.fromEntries(
    Object.entries(outputs).map(([directory, { schema, documents, scalars }]) => [
      directory,
      {
        preset: 'client',
        presetConfig,
        schema,
        documents: [
          ...documents.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.{graphql,ts}`)),
          '!**/dist/**',
        ],
        config: { ...config, scalars },
      },
    ]),
  ),
}

export interface GeneratedFile {
  /** Its path from the root. */
  path: string
  content: string
}

/** Generates the typed operations, without writing them. */
export async function generateOperations(): Promise<GeneratedFile[]> {
  return [
    ...(await Promise.all(Object.entries(outputs).map(generate))).flat(),
    await exampleTexts(),
    possibleTypes(),
    cacheTypes(),
    errorCodes(),
  ]
}

/** The texts of the examples as they are written, comments included, and what their heads say. */
async function exampleTexts(): Promise<GeneratedFile> {
  const files = (await readdir(join(import.meta.dirname, EXAMPLES))).sort()
  const entries = files.map(async (file) => {
    const text = (await readFile(join(import.meta.dirname, EXAMPLES, file), 'utf8')).trimEnd()
    const [, persona, title, query = ''] =
      /^# persona: (.+?)\n# title: (.+?)\n(.+)$/s.exec(text) ?? []
    const name = /^(?:query|subscription) (\w+)/m.exec(query)?.[1]
    if (!persona || !title || !name)
      throw new Error(`${EXAMPLES}/${file} needs a persona, a title and an operation.`)
    return `  ${name}: ${JSON.stringify({ persona, title, query })},\n`
  })
  return {
    path: 'src/generated/examples/texts.ts',
    content: `export const texts = {\n${(await Promise.all(entries)).join('')}} as const;\n`,
  }
}

/** The types of each interface and union, which Apollo's cache has to know. */
function possibleTypes(): GeneratedFile {
  const schema = lexicographicSortSchema(createSchema())
  const abstract = Object.values(schema.getTypeMap()).filter(isAbstractType)
  const entries = abstract.map((type) => [
    type.name,
    schema.getPossibleTypes(type).map(({ name }) => name),
  ])
  return {
    path: 'src/generated/client/possible-types.ts',
    content: `export const possibleTypes = ${JSON.stringify(Object.fromEntries(entries))};\n`,
  }
}

/** The types without an `id`, which caches store within the object that has them, and their lists. */
function cacheTypes(): GeneratedFile {
  const schema = buildSchema(printedSchema())
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const objects = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => !name.startsWith('__'))
  const isEmbedded = (type: GraphQLNamedType): boolean => {
    if (isAbstractType(type)) return schema.getPossibleTypes(type).some(isEmbedded)
    return isObjectType(type) && !roots.includes(type) && !('id' in type.getFields())
  }
  const listsOf = (type: (typeof objects)[number]) =>
    Object.values(type.getFields())
      .filter(({ type }) => isListType(isNonNullType(type) ? type.ofType : type))
      .filter(({ type }) => isEmbedded(getNamedType(type)))
      .map(({ name }) => name)
  const lists = objects.map((type) => [type.name, listsOf(type)] as const)
  const types = objects.filter(isEmbedded).map(({ name }) => name)
  const owners = Object.fromEntries(lists.filter(([, fields]) => fields.length > 0))
  return {
    path: 'src/generated/client/cache-types.ts',
    content:
      `export const embeddedTypes: readonly string[] = ${JSON.stringify(types)};\n\n` +
      'export const embeddedLists: Readonly<Record<string, readonly string[]>> = ' +
      `${JSON.stringify(owners)};\n`,
  }
}

/** The codes of errors. No document selects them, so the operations lack their type. */
function errorCodes(): GeneratedFile {
  const codes = (createSchema().getType('ErrorCode') as GraphQLEnumType)
    .getValues()
    .map(({ name }) => name)
    .sort()
  return {
    path: 'src/generated/client/error-codes.ts',
    content: `export const errorCodes = ${JSON.stringify(codes)} as const;\n`,
  }
}

async function generate([directory, output]: [string, Output]): Promise<GeneratedFile[]> {
  const schema = parse(await readFile(join(import.meta.dirname, output.schema), 'utf8'))
  const schemaAst = makeExecutableSchema({ typeDefs: schema })
  const typed = { ...config, scalars: output.scalars }
  const files = await preset.buildGeneratesSection({
    baseOutputDir: directory,
    presetConfig,
    schema,
    schemaAst,
    documents: await documentsIn(output.documents),
    config: typed,
    plugins: [],
    pluginMap: {},
  })
  return Promise.all(
    files.map(async (file) => ({
      path: file.filename,
      // Without `schemaAst`, each file would build the schema again.
      content: await codegen({ ...typed, ...file, schemaAst }),
    })),
  )
}

/** The documents of `.graphql` files and of calls of `graphql` in code, by the path of the file. */
async function documentsIn(places: string[]) {
  const files = (await Promise.all(places.map(filesIn))).flat().sort()
  const documents = files.map(async (file) => {
    const text = await readFile(join(import.meta.dirname, file), 'utf8')
    const sources = file.endsWith('.graphql') ? [print(parse(text))] : documentsInCode(text)
    return sources.map((rawSDL) => ({ location: file, rawSDL, document: parse(rawSDL) }))
  })
  return (await Promise.all(documents)).flat()
}

const documentsInCode = (text: string) =>
  [...text.matchAll(/\bgraphql\(`([^`]*)`\)/g)].map(([, document = '']) => document)

async function write({ path, content }: GeneratedFile): Promise<void> {
  await mkdir(dirname(join(import.meta.dirname, path)), { recursive: true })
  await writeFile(join(import.meta.dirname, path), content)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  // The rest of the program needs the types of operations, which need the schema.
  await write({ path: GRAPH, content: `${printedSchema()}\n` })
  await write({ path: WITH_REST, content: `${printedSchema({ withRest: true })}\n` })
  for (const file of await generateOperations()) await write(file)
}
