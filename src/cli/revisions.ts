import { type Command, Option } from 'commander'
import { dayAfterNewest } from '../domain/distribution/dates.ts'
import type { revokeMultiplier } from '../domain/multiplier/revoke.ts'
import { isoDay } from '../time.ts'
import { CLI, type CommandDeps, parseDate, parseRevision, print, withDeps } from './command.ts'

/** The dates that new multipliers or base points count for. */
export interface FirstDate {
  from?: Date
  everyDate?: boolean
}

/** Adds the options with these dates. */
export const addFirstDate = (command: Command): Command =>
  command
    .option(
      '--from <YYYY-MM-DD>',
      'first distribution date that they count for (default: the day after the newest ' +
        'distribution)',
      parseDate,
    )
    .addOption(
      new Option(
        '--every-date',
        'they count for every date, also for those that are stored',
      ).conflicts('from'),
    )

/**
 * The first date that they count for. Undefined if they count for every date, as they do before the
 * first distribution.
 */
export const firstDateOf = async (
  { pool }: CommandDeps,
  { from, everyDate }: FirstDate,
): Promise<Date | undefined> => (everyDate ? undefined : (from ?? (await dayAfterNewest(pool))))

/** Says when stored points follow a change. */
export function printEffect({ from, everyDate }: FirstDate, first: Date | undefined): void {
  const isDefault = !from && !everyDate && first
  print(
    isDefault
      ? `They count from ${isoDay(first)} on. Stored dates keep their rules: --every-date, or ` +
          '--from, changes those too.'
      : 'Stored points change when their date is resynced.',
  )
}

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
export const actorsOf = (one: { changedBy: string; revokedBy: string | null }): string =>
  one.revokedBy ? `${one.changedBy}, revoked by ${one.revokedBy}` : one.changedBy
