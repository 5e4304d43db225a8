/**
 * The schema, and the typed operations: those that the REST router and the command line execute,
 * GraphiQL's examples, those of the client that the package exports, and those that are sent to a
 * source of positions. `npm run generate` writes them.
 */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { preset } from '@graphql-codegen/client-preset'
import { codegen } from '@graphql-codegen/core'
import { GraphQLFileLoader } from '@graphql-tools/graphql-file-loader'
import { loadDocuments, loadSchema } from '@graphql-tools/load'
import { getDocumentNodeFromSchema, type Source } from '@graphql-tools/utils'
import { isAbstractType, lexicographicSortSchema, parse, printSchema } from 'graphql'
import { createSchema } from './src/graphql/schema/schema.ts'

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

const outputs = [
  {
    directory: 'src/generated/operations/',
    schema: ['src/generated/schema.graphql'],
    code: ['src/rest', 'src/cli', 'src/graphql/example-values.ts'],
    scalars,
  },
  {
    directory: 'src/generated/client/',
    schema: ['src/generated/schema.graphql'],
    documents: ['src/client/*.graphql'],
    scalars: overHttp,
  },
  {
    directory: 'src/generated/examples/',
    schema: ['src/generated/schema.graphql'],
    documents: [`${EXAMPLES}/*.graphql`],
    scalars: overHttp,
  },
  {
    directory: 'src/generated/source-operations/',
    schema: ['src/sources/positions/graph-positions.graphql'],
    code: ['src/sources'],
    scalars,
  },
]

export interface GeneratedFile {
  /** Its path from the root. */
  path: string
  content: string
}

/** Generates the typed operations, without writing them. */
export async function generateOperations(): Promise<GeneratedFile[]> {
  return [
    ...(await Promise.all(outputs.map(generate))).flat(),
    await exampleTexts(),
    possibleTypes(),
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

async function generate({
  directory,
  scalars,
  ...sources
}: (typeof outputs)[number]): Promise<GeneratedFile[]> {
  const from = { cwd: import.meta.dirname, loaders: [new GraphQLFileLoader()] }
  const schemaAst = await loadSchema(sources.schema, from)
  const config = {
    useTypeImports: true,
    enumsAsTypes: true,
    strictScalars: true,
    scalars,
    importExtension: '.ts' as const,
    emitLegacyCommonJSImports: false,
  }
  const files = await preset.buildGeneratesSection({
    baseOutputDir: directory,
    presetConfig: { fragmentMasking: false, gqlTagName: 'graphql' },
    schema: getDocumentNodeFromSchema(schemaAst),
    schemaAst,
    documents: sources.code
      ? await documentsInCode(sources.code)
      : await loadDocuments(sources.documents, { ...from, sort: true }),
    config,
    plugins: [],
    pluginMap: {},
  })
  return Promise.all(
    files.map(async (file) => ({
      path: file.filename,
      content: await codegen({ ...config, ...file }),
    })),
  )
}

/**
 * The documents that files and the files of directories give to `graphql`, by the path of the file.
 */
async function documentsInCode(places: string[]): Promise<Source[]> {
  const paths = await Promise.all(
    places.map(async (place) => {
      const path = join(import.meta.dirname, place)
      if ((await stat(path)).isFile()) return [path]
      const files = await readdir(path, { recursive: true })
      return files.filter((file) => file.endsWith('.ts')).map((file) => join(path, file))
    }),
  )
  const sources = paths.flat().map(async (location) => {
    const texts = (await readFile(location, 'utf8')).matchAll(/\bgraphql\(`([^`]*)`\)/g)
    return [...texts].map(([, rawSDL = '']) => ({ location, rawSDL, document: parse(rawSDL) }))
  })
  const all = (await Promise.all(sources)).flat()
  return all.toSorted((one, other) => (one.location < other.location ? -1 : 1))
}

async function write({ path, content }: GeneratedFile): Promise<void> {
  await mkdir(dirname(join(import.meta.dirname, path)), { recursive: true })
  await writeFile(join(import.meta.dirname, path), content)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  // The rest of the program needs the types of operations, which need the schema.
  const schema = printSchema(lexicographicSortSchema(createSchema()))
  await write({ path: 'src/generated/schema.graphql', content: `${schema}\n` })
  for (const file of await generateOperations()) await write(file)
}
