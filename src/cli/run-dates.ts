import { readFile } from 'node:fs/promises'
import Table from 'cli-table3'
import { type Command, Option } from 'commander'
import { ConfigError } from '../config.ts'
import type { Deps } from '../deps.ts'
import { runnableDates, storedDates } from '../domain/distribution/dates.ts'
import { manualUpdate, manualUpdatePlan } from '../domain/distribution/manual-update.ts'
import { type DistributionPreview, MAX_MOVERS, preview } from '../domain/distribution/preview.ts'
import { resync, resyncPlan } from '../domain/distribution/resync.ts'
import { CLI, isoDay, parseCount, parseDate, print, printJson, runDeps, withDeps } from './command.ts'
import { readMultipliers } from './multiplier-file.ts'
import { showDates } from './progress.ts'

interface Options {
  date?: Date
  from?: Date
  to?: Date
  all?: boolean
  dryRun?: boolean
  multipliers?: string
  movers: number
  json?: boolean
}

/** The two verbs that compute distributions, for one date or for a range, in order. */
export function addRunDates(program: Command): void {
  options(
    program
      .command('manualupdate')
      .description("fetch a date's positions from POSITIONS_SOURCE and compute its points (default: today, UTC)"),
  ).action((given: Options) => runDates('manualupdate', given))
  options(
    program
      .command('resync')
      .description("compute a date's points anew from stored positions (default: the newest stored date)"),
  )
    .option('--all', 'every stored date')
    .action((given: Options) => runDates('resync', given))
}

function options(command: Command): Command {
  return command
    .addOption(
      new Option('--date <YYYY-MM-DD>', 'one distribution date').argParser(parseDate).conflicts(['from', 'to', 'all']),
    )
    .addOption(new Option('--from <YYYY-MM-DD>', 'the first date of a range').argParser(parseDate).conflicts('all'))
    .addOption(
      new Option('--to <YYYY-MM-DD>', 'its last date (default: the newest)').argParser(parseDate).conflicts('all'),
    )
    .option('--dry-run', 'show what would change, and change nothing')
    .option(
      '--multipliers <file>',
      'with --dry-run: compute with these multipliers (JSON, as POST /multipliers/update takes it)',
    )
    .addOption(
      new Option('--movers <n>', 'with --dry-run: how many of the accounts that change most')
        .argParser(parseCount(MAX_MOVERS))
        .default(20),
    )
    .option('--json', 'print one JSON object a line')
}

async function runDates(kind: 'manualupdate' | 'resync', given: Options): Promise<void> {
  if (given.multipliers !== undefined && !given.dryRun)
    throw new ConfigError('--multipliers is for --dry-run. To store multipliers: gateway multipliers set.')
  if (given.to && !given.from) throw new ConfigError('--to needs --from.')
  const multipliers =
    given.multipliers === undefined
      ? []
      : readMultipliers(await readFile(given.multipliers, 'utf8').catch(unreadable(given.multipliers)))
  await withDeps(async (deps, signal) => {
    const dates = await datesOf(kind, given, deps)
    const progress = showDates(process.stderr, dates.length)
    try {
      for (const date of dates) {
        signal.throwIfAborted()
        if (date) progress.next(isoDay(date))
        if (given.dryRun) {
          const plan = kind === 'resync' ? resyncPlan(date) : manualUpdatePlan({ ...runDeps(deps), signal }, date)
          const found = await preview({ ...runDeps(deps), signal }, plan, { multipliers, first: given.movers })
          if (given.json) printJson(found)
          else describePreview(found)
        } else {
          const run = kind === 'resync' ? resync : manualUpdate
          const done = await run({ ...runDeps(deps), signal }, date, CLI)
          if (given.json) printJson(done)
          else
            print(
              `${isoDay(done.distributionDate)}: ${done.positionCount} positions, ${done.totalPoints} points, ` +
                `${((done.finishedAt.getTime() - done.startedAt.getTime()) / 1000).toFixed(2)} s (run ${done.id})`,
            )
        }
      }
    } finally {
      progress.done()
    }
  })
}

/** The dates in order; null stands for the verb's own default. */
async function datesOf(kind: string, { date, from, to, all }: Options, deps: Deps): Promise<(Date | null)[]> {
  if (all) return storedDates(deps.store.pool)
  if (!from) return [date ?? null]
  if (to && to < from) throw new ConfigError('--to must not be before --from.')
  return kind === 'resync' ? storedDates(deps.store.pool, { from, to }) : runnableDates(from, to ?? deps.now())
}

function describePreview({ distributionDate, kind, before, after, movers, ...rest }: DistributionPreview): void {
  const totals = new Table({ head: [`${kind} ${isoDay(distributionDate)}`, 'now', 'after'], style: PLAIN })
  totals.push(
    ['points of the date', before.totalPoints, after.totalPoints],
    ['positions', before.positionCount, after.positionCount],
    ['accounts', before.accountCount, after.accountCount],
    ['points of the program', rest.programPointsBefore, rest.programPointsAfter],
  )
  print(totals.toString())
  print(`${rest.changedAccountCount} accounts would have other points, ${rest.changedRankCount} another rank.`)
  if (movers.length === 0) return
  const table = new Table({ head: ['account', 'points', 'after', 'change', 'rank', 'after'], style: PLAIN })
  for (const m of movers)
    table.push([
      m.account,
      m.pointsBefore,
      m.pointsAfter,
      m.pointsAfter - m.pointsBefore,
      m.rankBefore ?? '-',
      m.rankAfter ?? '-',
    ])
  print(table.toString())
}

const PLAIN = { head: [], border: [] }

const unreadable = (path: string) => () => {
  throw new ConfigError(`${path} cannot be read.`)
}
