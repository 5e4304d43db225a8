import type { Command } from 'commander'
import { type CommandDeps, figure, print, printJson, warn, withDeps } from '../cli/command.ts'

/** Adds the command `publish`, which writes past dates as files. */
export function addPublish(program: Command): void {
  program
    .command('publish')
    .description(
      'write the board, the positions and the multipliers of each past date as files for any ' +
        'web server; those of dates that did not change stay',
    )
    .argument('<dir>', 'a new directory, or one that it has written before')
    .option('--json', 'print one JSON object')
    .action((dir: string, { json }: { json?: boolean }) =>
      withDeps(async (deps) => {
        const { publish } = await import('./publish.ts')
        const onDate = (date: string, files: number) => json || print(`${date}: ${files} files`)
        const { written, kept, withoutDigest } = await publish(deps, dir, onDate)
        if (withoutDigest > 0)
          warn(`${withoutDigest} dates have no digest yet, and were left out: publish again later.`)
        if (json) return printJson({ dir, written, kept, withoutDigest })
        print(`Published ${dir}: ${written} files written, ${kept} kept.`)
      }),
    )
}

/** Checks published files, and that this gateway has the same dates. */
export async function checkPublished(
  deps: CommandDeps,
  from: string,
  json?: boolean,
): Promise<void> {
  const { readPublished } = await import('./check-published.ts')
  const result = await readPublished(deps, from)
  if (result.faults.length > 0) process.exitCode = 1
  if (json) return printJson({ published: from, ...result })
  for (const fault of result.faults) print(fault)
  const { files, bytes, dates, known, faults } = result
  print(
    `${figure(files)} files of ${dates} dates, ${figure(bytes)} bytes: ${faults.length} faults.`,
  )
  print(`This gateway has ${known} of the dates.`)
}
