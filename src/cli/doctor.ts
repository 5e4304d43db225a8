import type { Command } from 'commander'
import { print, printJson, withoutEmpty } from './command.ts'

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'check settings, database, cache, sources, clock and disk, and tell how to mend what is ' +
        'wrong; changes nothing',
    )
    .option('--json', 'print one JSON object per line')
    .option(
      '--deep',
      'compare all stored sums with the records, not only a sample: this takes as long as ' +
        'reading all of them',
    )
    .action(async ({ json, deep }: { json?: boolean; deep?: boolean }) => {
      const { examine } = await import('./checks.ts')
      const count = { ok: 0, warning: 0, problem: 0 }
      for await (const finding of examine(withoutEmpty(process.env), deep)) {
        count[finding.status]++
        const { check, status, message, remedy } = finding
        if (json) printJson({ check, status, message, remedy: remedy || null })
        else
          print(
            `${status.padEnd(8)} ${check.padEnd(10)} ${remedy ? `${message} ${remedy}` : message}`,
          )
      }
      if (!json) print(`Problems: ${count.problem}, warnings: ${count.warning}.`)
      if (count.problem > 0) process.exitCode = 1
    })
}
