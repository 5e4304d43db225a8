import type { Command } from 'commander'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { changesSince } from '../graphql/policy/compatibility.ts'
import { print, printText, readText } from './command.ts'

interface Options {
  federation?: boolean
  against?: string
}

export function addSchema(program: Command): void {
  program
    .command('schema')
    .description('print the GraphQL schema')
    .option('--federation', 'as a subgraph of Apollo Federation 2')
    .option(
      '--against <file>',
      'list the changes that break clients of another schema instead, and fail if there are any',
    )
    .action(async ({ federation, against }: Options) => {
      if (against !== undefined) return compare(against)
      printText(
        await (federation
          ? subgraph()
          : printSchema(lexicographicSortSchema(await schemaOfGraph()))),
      )
    })
}

const schemaOfGraph = async () => (await import('../graphql/schema/schema.ts')).createSchema()
const subgraph = async () => (await import('../graphql/schema/federation.ts')).printSubgraph()

async function compare(path: string): Promise<void> {
  const { breaking, dangerous } = changesSince(await readText(path), await schemaOfGraph())
  for (const change of breaking) print(`Breaks clients: ${change}`)
  for (const change of dangerous) print(`May surprise clients: ${change}`)
  if (breaking.length === 0) return print(`Nothing breaks the clients of ${path}.`)
  print('Deprecate first, release, and remove in a later release.')
  process.exitCode = 1
}
