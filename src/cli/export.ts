import { type Command, Option } from 'commander'
import { ConfigError } from '../config.ts'
import type { ExportFormat, ExportProgress } from '../domain/dataset/export.ts'
import { exportedFiles } from '../domain/dataset/records.ts'
import type { DatasetFile } from '../sources/index.ts'
import { isoDay } from '../time.ts'
import { parseDate, print, printJson, recordCount, withDeps } from './command.ts'
import { showWalk } from './progress.ts'

interface ExportFlags {
  format?: Exclude<ExportFormat, 'spreadsheet'>
  for?: 'spreadsheet'
  table?: DatasetFile[]
  from?: Date
  to?: Date
  json?: boolean
}

export function addExport(program: Command): void {
  program
    .command('export')
    .description(
      'write the store to a directory in the import format, or as CSV or Parquet, from one ' +
        'snapshot',
    )
    .argument('<dir>', 'a new or an empty directory')
    .addOption(
      new Option(
        '--format <format>',
        'the format of the files: jsonl by default, the only one that can be imported',
      ).choices(['jsonl', 'csv', 'parquet']),
    )
    .addOption(
      new Option(
        '--for <reader>',
        'CSV for people: with a byte-order mark, times in ISO 8601, amounts in whole tokens, ' +
          'and all digits',
      ).choices(['spreadsheet']),
    )
    .option(
      '--table <names>',
      `only these, separated by commas: ${exportedFiles.join(', ')}`,
      addTables,
    )
    .option('--from <YYYY-MM-DD>', 'only records from this UTC day on', parseDate)
    .option('--to <YYYY-MM-DD>', 'only records up to this UTC day', parseDate)
    .option('--json', 'print one JSON object')
    .action(
      (
        dir: string,
        { for: reader, format = reader ? 'csv' : 'jsonl', table, from, to, json }: ExportFlags,
      ) => {
        if (reader && format !== 'csv')
          throw new ConfigError(`--for spreadsheet writes CSV: leave out --format ${format}.`)
        if (from && to && from > to) throw new ConfigError('--from must not be after --to.')
        return withDeps(async ({ pool, signal }) => {
          const { exportStore } = await import('../domain/dataset/export.ts')
          const progress = showWalk(process.stderr)
          const options = {
            format: reader ?? format,
            files: table,
            from: from && isoDay(from),
            to: to && isoDay(to),
            onProgress: ({ file, rows, expected }: ExportProgress) =>
              progress.update({
                what: file,
                done: rows,
                total: expected && Math.max(expected, rows),
              }),
            signal,
          }
          const { files, seconds } = await exportStore(pool, dir, options).finally(progress.done)
          if (json) return printJson({ dir, format, files, seconds })
          for (const [file, { rows }] of Object.entries(files))
            print(`${file}: ${recordCount(rows)}`)
          print(`Exported ${dir} in ${seconds.toFixed(1)} s.`)
        })
      },
    )
}

function addTables(text: string, tables: DatasetFile[] = []): DatasetFile[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !exportedFiles.includes(name as DatasetFile))
  if (unknown !== undefined)
    throw new ConfigError(
      `There is no table ${unknown.slice(0, 60)}; the tables are ${exportedFiles.join(', ')}.`,
    )
  return [...tables, ...(names as DatasetFile[])]
}
