import type { Command } from 'commander'
import { changesSince } from '../graphql/policy/compatibility.ts'
import { print, printText, readText } from './command.ts'

export function addSchema(program: Command): void {
  program
    .command('schema')
    .description('print the GraphQL schema')
    .option(
      '--against <file>',
      'list the changes that break clients of another schema instead, and fail if there are any',
    )
    .action(async ({ against }: { against?: string }) => {
      if (against !== undefined) return compare(against)
      printText((await import('../graphql/schema/schema.ts')).printedSchema())
    })
}

async function compare(path: string): Promise<void> {
  const { createSchema } = await import('../graphql/schema/schema.ts')
  const { breaking, dangerous } = changesSince(await readText(path), createSchema())
  for (const change of breaking) print(`Breaks clients: ${change}`)
  for (const change of dangerous) print(`May surprise clients: ${change}`)
  if (breaking.length === 0) return print(`Nothing breaks the clients of ${path}.`)
  print('Deprecate first, release, and remove in a later release.')
  process.exitCode = 1
}
