import type { CodegenConfig } from '@graphql-codegen/cli'

const scalars = {
  Address: 'string',
  DateTime: 'string',
  BigInt: { input: 'string | bigint', output: 'string' },
  SafeInt: 'number',
}

/** Those of a client, whose variables go through JSON. */
const overHttp = { ...scalars, BigInt: { input: 'string | number', output: 'string' } }

const operations = (schema: string | string[], documents: string | string[], scalarTypes = scalars) => ({
  schema,
  documents,
  preset: 'client' as const,
  presetConfig: { fragmentMasking: false, gqlTagName: 'graphql' },
  config: {
    useTypeImports: true,
    enumsAsTypes: true,
    strictScalars: true,
    scalars: scalarTypes,
    importExtension: '.ts',
    emitLegacyCommonJSImports: false,
  },
})

/**
 * The typed operations, from committed schemas: those that the REST router, the command line and GraphiQL execute, those of the
 * client that the package exports, and those that a source of positions is asked. `npm run generate` renews them.
 */
const config: CodegenConfig = {
  generates: {
    'src/generated/operations/': operations(
      ['src/generated/schema.graphql', 'src/rest/directives.graphql'],
      ['src/rest/**/*.ts', 'src/cli/**/*.ts', 'src/graphql/example-values.ts'],
    ),
    'src/generated/client/': operations('src/generated/schema.graphql', 'src/client/*.graphql', overHttp),
    'src/generated/source-operations/': operations(
      'src/sources/positions/graph-positions.graphql',
      'src/sources/**/*.ts',
    ),
  },
}

export default config
