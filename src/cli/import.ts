import type { Command } from 'commander'
import type { Deps } from '../deps.ts'
import { type ImportSummary, importDataset } from '../domain/dataset/import.ts'
import type { Dataset } from '../sources/dataset.ts'
import { openDirectory } from '../sources/directory.ts'
import { CLI, print, printJson, withDeps } from './command.ts'
import { showProgress } from './progress.ts'

interface Options {
  json?: boolean
}

export function addImport(program: Command): void {
  program
    .command('import')
    .description('load a dataset in the import format, or another gateway: all of it or none')
    .argument('<from>', 'a directory of .jsonl or .jsonl.gz files')
    .option('--json', 'print one JSON object')
    .action(async (from: string, options: Options) => {
      const dataset = await openDirectory(from)
      await withDeps((deps, signal) => load(deps, dataset, signal, options))
    })
}

async function load(deps: Deps, dataset: Dataset, signal: AbortSignal, { json }: Options): Promise<void> {
  const progress = showProgress(process.stderr)
  const { store, basePoints, log } = deps
  try {
    const summary = await importDataset({ pool: store.pool, basePoints, log }, dataset, {
      onProgress: progress.update,
      signal,
      requestedBy: CLI,
    })
    progress.done()
    if (json) printJson({ dataset: dataset.name, ...summary })
    else describe(dataset, summary)
  } finally {
    progress.done()
  }
}

function describe({ name }: Dataset, { files, dates, seconds }: ImportSummary): void {
  for (const [file, { lines, written }] of Object.entries(files))
    print(`${file}: ${lines} records, ${written} new or changed`)
  print(`Imported ${name} in ${seconds.toFixed(1)} s; ${dates.length} distribution dates settled.`)
}
