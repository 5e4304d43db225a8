import type { CodegenConfig } from '@graphql-codegen/cli'

/** The typed operations that the REST router executes, from the committed schema: `npm run generate`. */
const config: CodegenConfig = {
  schema: 'src/generated/schema.graphql',
  documents: ['src/rest/**/*.ts'],
  generates: {
    'src/generated/operations/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false, gqlTagName: 'graphql' },
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        scalars: {
          Address: 'string',
          DateTime: 'string',
          BigInt: { input: 'string | bigint', output: 'string' },
          SafeInt: 'number',
        },
        importExtension: '.ts',
        emitLegacyCommonJSImports: false,
      },
    },
  },
}

export default config
