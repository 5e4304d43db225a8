import { copyFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { node, ROOT, unlessFresh } from '../build/fresh.ts'

const CLIENT = 'src/client/dist'
const SCHEMA = 'src/generated/schema.graphql'

/** Builds src/client/dist: the typed client, with the schema. */
export const buildClient = () =>
  unlessFresh(
    'client',
    ['src/client', 'src/generated/client', SCHEMA, 'tsconfig.json'],
    async () => {
      await rm(join(ROOT, CLIENT), { recursive: true, force: true })
      await node('node_modules/typescript-7/bin/tsc', '-p', 'src/client/tsconfig.json')
      for (const file of [SCHEMA, 'LICENSE'])
        await copyFile(join(ROOT, file), join(ROOT, CLIENT, basename(file)))
      return [CLIENT]
    },
  )
