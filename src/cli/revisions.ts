import { type Command, Option } from 'commander'
import type { revokeMultiplier } from '../domain/multiplier/revoke.ts'
import { CLI, parseDate, parseRevision, print, withDeps } from './command.ts'

/** The option with the first date of new multipliers or base points. */
export const fromDate = () =>
  new Option('--from <YYYY-MM-DD>', 'first distribution date that they count for; every date without it').argParser(
    parseDate,
  )

export function addRevoke(command: Command, revoke: typeof revokeMultiplier): void {
  command
    .command('revoke')
    .description('revoke an announcement: a revision whose first date is yet to come')
    .argument('<revision>', 'the number of the revision, as the history shows it', parseRevision)
    .action((revision: bigint) =>
      withDeps(async (deps) => {
        await revoke(deps, revision, CLI)
        print(`The revision ${revision} is revoked. Its date has not come, so no points change.`)
      }),
    )
}

/** Who made a revision, and who revoked it. */
export const actorsOf = ({ changedBy, revokedBy }: { changedBy: string; revokedBy: string | null }): string =>
  revokedBy ? `${changedBy}, revoked by ${revokedBy}` : changedBy
