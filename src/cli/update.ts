import type { Command } from 'commander'
import { ConfigError } from '../config.ts'
import { type LegName, legNames } from '../domain/update/legs.ts'
import { type RulesUpdate, updateRules } from '../domain/update/rules.ts'
import {
  type LegUpdate,
  previewLeg,
  type UpdateDeps,
  type UpdateOptions,
  updateLeg,
} from '../domain/update/update.ts'
import { GatewayError } from '../errors.ts'
import { nearest } from '../nearest.ts'
import {
  CLI,
  type CommandDeps,
  figure,
  parseDate,
  print,
  printJson,
  recordCount,
  warn,
  withDeps,
} from './command.ts'
import { showLines } from './progress.ts'

interface UpdateFlags {
  since?: Date
  dryRun?: boolean
  accept?: boolean
  json?: boolean
}

export function addUpdate(program: Command): void {
  program
    .command('update')
    .argument('[leg...]', `what to update: ${NAMES.join(', ')} (default: all that have a source)`)
    .description(
      'fetch new and changed pools, markets, vaults, tokens, rates, prices, snapshots, rewards ' +
        'and cash flows from ANALYTICS_SOURCE; a copy of a gateway also its rules',
    )
    .option(
      '--since <YYYY-MM-DD>',
      'request records from this date on again, for a corrected past',
      parseDate,
    )
    .option('--dry-run', 'show what would change, without changing anything')
    .option('--accept', 'store what the source has, although it has lost records, users or value')
    .option('--json', 'print one JSON object per line')
    .action((names: string[], options: UpdateFlags) => {
      const wanted = names.map(named)
      return withDeps((deps) => update(deps, wanted, options))
    })
}

const NAMES = ['rules', ...legNames] as const
type PartName = (typeof NAMES)[number]

async function update(deps: CommandDeps, wanted: PartName[], options: UpdateFlags): Promise<void> {
  const all: PartName[] = [
    ...(deps.analytics.rules ? (['rules'] as const) : []),
    ...deps.analytics.sources.keys(),
  ]
  const legs = wanted.length > 0 ? NAMES.filter((name) => wanted.includes(name)) : all
  if (legs.length === 0)
    throw new GatewayError(
      'UNAVAILABLE',
      'No source of analytics is configured. Set ANALYTICS_SOURCE, then try again.',
    )
  const failed: { leg: PartName; error: GatewayError }[] = []
  for (const leg of legs) {
    deps.signal.throwIfAborted()
    try {
      if (leg === 'rules') {
        await followRules(deps, options, wanted.includes(leg))
        continue
      }
      const done = await updateOne(deps, leg, options)
      if (options.json) printJson(done)
      else print(describe(done, options))
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      failed.push({ leg, error })
      if (legs.length > 1) warn(`${leg}: ${error.message}`)
    }
  }
  const [first] = failed
  if (!first) return
  if (legs.length === 1) throw first.error
  const names = failed.map(({ leg }) => leg).join(', ')
  throw new GatewayError(
    first.error.code,
    `${failed.length} of ${legs.length} legs failed: ${names}.`,
  )
}

async function followRules(
  deps: CommandDeps,
  { dryRun, json }: UpdateFlags,
  named: boolean,
): Promise<void> {
  const done = await updateRules(deps, CLI, { dryRun: dryRun === true })
  if (!done && named)
    throw new GatewayError(
      'UNAVAILABLE',
      'ANALYTICS_SOURCE is not another gateway, so it has no rules to follow.',
    )
  if (!done) return
  done.notes.forEach(warn)
  if (json) printJson({ leg: 'rules', ...done })
  else print(describeRules(done, dryRun))
}

function describeRules({ source, follows, written }: RulesUpdate, dryRun = false): string {
  if (!follows) return `rules: this store is not a copy of ${source}, so its rules stay as they are`
  return `rules: ${recordCount(written)} ${dryRun ? 'would be new or changed' : 'new or changed'}`
}

function updateOne(
  deps: UpdateDeps,
  leg: LegName,
  { since, accept, dryRun }: UpdateFlags,
): Promise<LegUpdate> {
  const progress = showLines(process.stderr)
  const onProgress = (lines: number) => progress.update({ file: leg, bytes: 0, lines })
  const options: UpdateOptions = { since, accept, onProgress }
  return dryRun ? previewLeg(deps, leg, options) : updateLeg(deps, leg, CLI, options)
}

function describe(
  { leg, source, id, since, newest, fetched, written, kept }: LegUpdate,
  { dryRun }: UpdateFlags,
): string {
  const from = since ? ` from ${since.toISOString()} on` : ''
  const until = newest ? `up to ${newest.toISOString()}` : `${source} has none`
  const changes = `${figure(written)} ${dryRun ? 'would be new or changed' : 'new or changed'}`
  const stay = kept ? `, ${figure(kept)} stored but not in the source` : ''
  const run = id ? ` (run ${id})` : ''
  return `${leg}: ${recordCount(fetched)}${from}, ${changes}${stay}, ${until}${run}`
}

function named(text: string): PartName {
  const name = NAMES.find((one) => one === text)
  if (name) return name
  const meant = nearest(text, NAMES)
  throw new ConfigError(
    `${text} is not one of ${NAMES.join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`,
  )
}
