import type { Command } from 'commander'
import pg from 'pg'
import { ConfigError } from '../config.ts'
import {
  type SentStatement,
  statementsOf,
  type WriteName,
  writeNames,
} from '../domain/distribution/statements.ts'
import { print, printText, withDeps } from './command.ts'

export function addSql(program: Command): void {
  program
    .command('sql')
    .description(
      'print the statements of a run, or of the import of a file, to put EXPLAIN before them',
    )
    .argument('[name]', 'what writes; without it, the names are listed')
    .addHelpText(
      'after',
      '\nIt runs what it prints and rolls it back, so other writers wait meanwhile. ' +
        'In psql, the statements run in one transaction, in their order.',
    )
    .action((name: string | undefined) => {
      if (name === undefined) return writeNames.forEach(print)
      if (!isWriteName(name))
        throw new ConfigError(`There are no statements of ${name}: gateway sql lists the names.`)
      return withDeps(async (deps) => {
        const statements = await statementsOf(deps, name)
        printText(`${['BEGIN', ...statements.map(asText), 'ROLLBACK'].join(';\n\n')};`)
      })
    })
}

const isWriteName = (name: string): name is WriteName =>
  (writeNames as readonly string[]).includes(name)

const asText = ({ text, values }: SentStatement): string =>
  text.replace(/\$(\d+)/g, (_, number) => literal(values[Number(number) - 1])).trim()

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(element).join(',')}}`)
  return pg.escapeLiteral(String(value))
}

const element = (value: unknown): string => (value === null ? 'NULL' : JSON.stringify(value))
