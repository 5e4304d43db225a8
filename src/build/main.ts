/** `node --import tsx src/build/main.ts NAME...` builds these, or the program. */
import { BUILDS } from './build.ts'

const names = process.argv.length > 2 ? process.argv.slice(2) : ['program']
for (const name of names) {
  const build = BUILDS[name as keyof typeof BUILDS]
  if (!build)
    throw new Error(`Unknown build ${name}. Use one of these: ${Object.keys(BUILDS).join(', ')}.`)
  await build()
}
