import type { Command } from 'commander'
import { PAST_RANKS, rebuildSums } from '../domain/sums/rebuild-sums.ts'
import { print, printJson, withDeps } from './command.ts'

export function addRebuild(program: Command): void {
  program
    .command('rebuild')
    .description(
      'restore every stored sum from the records: totals, ranks, holdings, net cash, and sums ' +
        'by account, pool and day',
    )
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      '\nUse it after rows were removed or changed by SQL. It can be interrupted and run ' +
        'again. Requests are answered meanwhile.',
    )
    .action(({ json }: { json?: boolean }) =>
      withDeps(async ({ pool, signal }) => {
        let total = 0
        for await (const { part, rows } of rebuildSums({ pool, signal })) {
          // The ranks of past dates are computed again in any case.
          if (part !== PAST_RANKS) total += rows
          if (json) printJson({ part, rows })
          else if (rows > 0) print(`${part}: ${rows.toLocaleString('en-US')}`)
        }
        if (!json)
          print(total === 0 ? 'Every stored sum was right.' : 'Every stored sum is right now.')
      }),
    )
}
