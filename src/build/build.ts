import { buildClient } from '../client/build.ts'
import { buildGraphiQL } from '../graphiql/build.ts'
import { buildRestDocs } from '../rest-docs/build.ts'
import { buildSite } from '../site/build.ts'
import { buildDashboard } from '../web/build.ts'
import { writePackage } from './package.ts'
import { buildPrismaClient, bundleProgram } from './program.ts'

const PAGES = {
  graphiql: buildGraphiQL,
  'rest-docs': buildRestDocs,
  site: buildSite,
  web: buildDashboard,
}

/** All builds, by name. Each builds only what has changed since its last build. */
export const BUILDS = {
  ...PAGES,
  client: buildClient,
  prisma: buildPrismaClient,
  program: buildProgram,
  async package() {
    await buildProgram()
    await writePackage()
  },
}

async function buildProgram(): Promise<void> {
  await Promise.all([...Object.values(PAGES).map((build) => build()), bundleProgram()])
}
