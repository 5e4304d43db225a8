import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { sampleRecords, templateFiles } from '../domain/dataset/records.ts'
import { createDirectory } from '../sources/index.ts'
import { print, printJson, recordCount } from './command.ts'

export function addTemplate(program: Command): void {
  program
    .command('template')
    .description('write a small valid dataset in the import format, to start your own from')
    .argument('<dir>', 'a new or an empty directory')
    .option('--json', 'print one JSON object')
    .action(async (dir: string, { json }: { json?: boolean }) => {
      const files = await writeTemplate(dir)
      if (json) return printJson({ dir, files })
      for (const [file, { lines }] of Object.entries(files)) print(`${file}: ${recordCount(lines)}`)
      print(
        `Wrote ${dir}. Put your own records into the files, then try \`gateway import ${dir} ` +
          `--check\`.`,
      )
    })
}

async function writeTemplate(dir: string): Promise<Record<string, { lines: number }>> {
  const directory = await createDirectory(dir)
  const files: Record<string, { lines: number }> = {}
  try {
    for (const file of templateFiles) {
      const name = `${file}.jsonl`
      const lines = sampleRecords(file).map((record) => `${JSON.stringify(record)}\n`)
      await writeFile(await directory.create(name), lines.join(''))
      files[name] = { lines: lines.length }
    }
    await directory.complete()
  } catch (error) {
    await directory.discard()
    throw error
  }
  return files
}
