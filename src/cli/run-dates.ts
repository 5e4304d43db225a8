import { type Command, Option } from 'commander'
import { ConfigError } from '../config.ts'
import type { Deps } from '../deps.ts'
import { datesBetween, storedDates } from '../domain/distribution/dates.ts'
import {
  type ManualUpdateDeps,
  manualUpdate,
  manualUpdatePlan,
} from '../domain/distribution/manual-update.ts'
import { type DistributionPreview, MAX_MOVERS, preview } from '../domain/distribution/preview.ts'
import { resync, resyncPlan } from '../domain/distribution/resync.ts'
import type { MultiplierUpdate } from '../domain/multiplier/update.ts'
import { GatewayError } from '../errors.ts'
import { isoDay } from '../time.ts'
import { visibleJson } from '../visible.ts'
import {
  CLI,
  complain,
  figure,
  parseCount,
  parseDate,
  print,
  printText,
  readText,
  warn,
  withDeps,
} from './command.ts'
import { readMultipliers } from './multiplier-file.ts'
import { showDates } from './progress.ts'
import { table } from './table.ts'

interface RunOptions {
  date?: Date
  from?: Date
  to?: Date
  all?: boolean
  dryRun?: boolean
  multipliers?: string
  movers?: number
  reopen?: boolean
  accept?: boolean
  json?: boolean
}

const MOVERS = 20

export function addRunDates(program: Command): void {
  options(
    program
      .command('manualupdate')
      .description(
        "fetch a date's positions from POSITIONS_SOURCE and compute its points (default: " +
          'today, UTC)',
      ),
  )
    .option('--accept', 'store positions of tokens without a price too: their sides get no points')
    .action((options: RunOptions) => runDates('manualupdate', options))
  options(
    program
      .command('resync')
      .description(
        "recompute a date's points from stored positions (default: the newest stored date)",
      ),
  )
    .option('--all', 'every stored date')
    .action((options: RunOptions) => runDates('resync', options))
}

function options(command: Command): Command {
  return command
    .addOption(
      new Option('--date <YYYY-MM-DD>', 'one distribution date')
        .argParser(parseDate)
        .conflicts(['from', 'to', 'all']),
    )
    .addOption(
      new Option('--from <YYYY-MM-DD>', 'the first date of a range')
        .argParser(parseDate)
        .conflicts('all'),
    )
    .addOption(
      new Option('--to <YYYY-MM-DD>', 'the last date of the range (default: the newest)')
        .argParser(parseDate)
        .conflicts('all'),
    )
    .option('--dry-run', 'show what would change, without changing anything')
    .option(
      '--multipliers <file>',
      'with --dry-run: compute with these multipliers (JSON, as POST /multipliers/update takes it)',
    )
    .option(
      '--movers <n>',
      `with --dry-run: number of users to show, largest changes first (default: ${MOVERS})`,
      parseCount(MAX_MOVERS),
    )
    .option('--reopen', 'also a date of a season whose board is final')
    .option('--json', 'print one JSON object per line')
}

type Kind = 'manualupdate' | 'resync'

async function runDates(kind: Kind, options: RunOptions): Promise<void> {
  if (options.multipliers !== undefined && !options.dryRun)
    throw new ConfigError(
      '--multipliers is for --dry-run. To store multipliers: gateway multipliers set.',
    )
  if (options.movers !== undefined && !options.dryRun)
    throw new ConfigError('--movers is for --dry-run.')
  assertRange(kind, options)
  const multipliers =
    options.multipliers === undefined ? [] : readMultipliers(await readText(options.multipliers))
  await withDeps(async (deps) => {
    const dates = await datesOf(kind, options, deps)
    const run = options.dryRun ? previewOne : runOne
    const progress = showDates(process.stderr, dates.length)
    let done = 0
    try {
      for (const date of dates) {
        deps.signal.throwIfAborted()
        if (date) progress.begin(isoDay(date))
        const text = await run(kind, date, { deps, multipliers, options })
        progress.end()
        printText(text)
        done++
      }
    } catch (error) {
      progress.end()
      const at = dates[done]
      if (at && dates.length > 1)
        complain(`Stopped at ${isoDay(at)}: ${howFar(done, dates.length, options)}.`)
      throw error
    }
    if (dates.length > 1 && !options.json) print(`All ${howFar(done, dates.length, options)}.`)
  })
}

function howFar(done: number, all: number, { dryRun }: RunOptions): string {
  const dates = done === all ? `${all} dates` : `${done} of ${all} dates`
  return `${dates} ${dryRun ? 'previewed' : 'done'}`
}

interface One {
  deps: ManualUpdateDeps
  multipliers: MultiplierUpdate[]
  options: RunOptions
}

async function previewOne(
  kind: Kind,
  date: Date | null,
  { deps, multipliers, options }: One,
): Promise<string> {
  const plan =
    kind === 'resync' ? resyncPlan(deps, date) : manualUpdatePlan(accepting(deps, options), date)
  const changes = await preview(deps, plan, { multipliers, first: options.movers ?? MOVERS })
  return options.json ? visibleJson(changes) : describePreview(changes)
}

// With --accept, a token without a price is a warning.
const accepting = (deps: ManualUpdateDeps, { accept }: RunOptions): ManualUpdateDeps => ({
  ...deps,
  onUnpriced: accept ? warn : undefined,
})

async function runOne(kind: Kind, date: Date | null, { deps, options }: One): Promise<string> {
  const done = await (kind === 'resync' ? resync : manualUpdate)(
    { ...accepting(deps, options), reopen: options.reopen === true },
    date,
    CLI,
  )
  if (options.json) return visibleJson(done)
  const { id, distributionDate, positionCount, totalPoints, startedAt, finishedAt } = done
  const seconds = ((finishedAt.getTime() - startedAt.getTime()) / 1000).toFixed(2)
  return (
    `${isoDay(distributionDate)}: ${figure(positionCount)} positions, ${figure(totalPoints)} ` +
    `points, ${seconds} s (run ${id})`
  )
}

function assertRange(kind: Kind, { from, to }: RunOptions): void {
  if (to && !from) throw new ConfigError('--to needs --from.')
  if (from && to && to < from) throw new ConfigError('--to must not be before --from.')
  const now = new Date()
  if (kind === 'manualupdate' && [from, to].some((date) => date && date > now))
    throw new ConfigError(
      'A range must not reach into the future: a distribution needs a day that has begun, in UTC.',
    )
}

// The dates in order. Null stands for the command's default.
async function datesOf(
  kind: Kind,
  { date, from, to, all }: RunOptions,
  deps: Deps,
): Promise<(Date | null)[]> {
  if (!all && !from) return [date ?? null]
  if (kind === 'manualupdate' && from) return datesBetween(from, to ?? deps.now())
  const dates = await storedDates(deps.store.pool, from ? { from, to } : {})
  if (dates.length > 0) return dates
  const range = from ? ` from ${isoDay(from)}${to ? ` to ${isoDay(to)}` : ' on'}` : ''
  throw new GatewayError('NOT_FOUND', `No positions are stored${range}: nothing to recompute.`)
}

function describePreview({
  distributionDate,
  kind,
  totalsBefore,
  totalsAfter,
  movers,
  ...rest
}: DistributionPreview): string {
  const totals = table(
    [`${kind} ${isoDay(distributionDate)}`, 'now', 'after'],
    [
      ['points of the date', figure(totalsBefore.totalPoints), figure(totalsAfter.totalPoints)],
      ['positions', figure(totalsBefore.positionCount), figure(totalsAfter.positionCount)],
      ['users', figure(totalsBefore.userCount), figure(totalsAfter.userCount)],
      ['points of the program', figure(rest.programPointsBefore), figure(rest.programPointsAfter)],
    ],
  )
  const changes =
    `The points of ${figure(rest.changedUserCount)} users would change, ` +
    `the rank of ${figure(rest.changedRankCount)}.`
  if (movers.length === 0) return `${totals}\n${changes}`
  const rows = movers.map((m) => [
    m.userAddress,
    figure(m.pointsBefore),
    figure(m.pointsAfter),
    figure(m.pointsChange),
    m.rankBefore ?? '-',
    m.rankAfter ?? '-',
  ])
  const users = table(['user', 'points', 'after', 'change', 'rank', 'after'], rows)
  return `${totals}\n${changes}\n${users}`
}
