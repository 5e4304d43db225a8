import { defineConfig } from 'prisma/config'

// Generating needs no engine, but looks for one, which would be downloaded: any executable satisfies it.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath
process.env.PRISMA_HIDE_UPDATE_MESSAGE ??= '1'
process.env.CHECKPOINT_DISABLE ??= '1'

export default defineConfig({
  schema: 'schema.prisma',
  migrations: { path: 'migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgres://127.0.0.1:5432/gateway' },
})
