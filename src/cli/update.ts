import { type Command, Option } from 'commander'
import { ConfigError } from '../config.ts'
import { type LegName, legNames } from '../domain/update/legs.ts'
import { type LegUpdate, previewLeg, type UpdateDeps, type UpdateOptions, updateLeg } from '../domain/update/update.ts'
import { GatewayError } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { CLI, type CommandDeps, figure, parseDate, print, printJson, recordCount, warn, withDeps } from './command.ts'
import { showLines } from './progress.ts'

interface Options {
  since?: Date
  dryRun?: boolean
  accept?: boolean
  json?: boolean
}

export function addUpdate(program: Command): void {
  program
    .command('update')
    .argument('[leg...]', `what to update: ${legNames.join(', ')} (default: all that have a source)`)
    .description('fetch new and changed snapshots, rewards, cash flows, rates and prices from ANALYTICS_SOURCE')
    .addOption(
      new Option('--since <YYYY-MM-DD>', 'request records from this date on again, for a corrected past').argParser(
        parseDate,
      ),
    )
    .option('--dry-run', 'show what would change, without changing anything')
    .option('--accept', 'store what the source has, although it has lost records, users or value')
    .option('--json', 'print one JSON object per line')
    .action((names: string[], options: Options) => {
      const wanted = names.map(legNamed)
      return withDeps((deps) => update(deps, wanted, options))
    })
}

async function update(deps: CommandDeps, wanted: LegName[], options: Options): Promise<void> {
  const legs = wanted.length > 0 ? [...new Set(wanted)] : [...deps.analytics.sources.keys()]
  if (legs.length === 0)
    throw new GatewayError('UNAVAILABLE', 'No source of analytics is configured. Set ANALYTICS_SOURCE, then try again.')
  const failed: { leg: LegName; error: GatewayError }[] = []
  for (const leg of legs) {
    deps.signal.throwIfAborted()
    try {
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
  throw new GatewayError(first.error.code, `${failed.length} of ${legs.length} legs failed: ${names}.`)
}

function updateOne(deps: UpdateDeps, leg: LegName, { since, accept, dryRun }: Options): Promise<LegUpdate> {
  const progress = showLines(process.stderr)
  const onProgress = (lines: number) => progress.update({ file: leg, bytes: 0, lines })
  const options: UpdateOptions = { since, accept, onProgress }
  return dryRun ? previewLeg(deps, leg, options) : updateLeg(deps, leg, CLI, options)
}

function describe({ leg, source, id, since, newest, fetched, written, kept }: LegUpdate, { dryRun }: Options): string {
  const from = since ? ` from ${since.toISOString()} on` : ''
  const until = newest ? `up to ${newest.toISOString()}` : `${source} has none`
  const changes = `${figure(written)} ${dryRun ? 'would be new or changed' : 'new or changed'}`
  const stay = kept ? `, ${figure(kept)} stored but not in the source` : ''
  return `${leg}: ${recordCount(fetched)}${from}, ${changes}${stay}, ${until}${id ? ` (run ${id})` : ''}`
}

function legNamed(text: string): LegName {
  const leg = legNames.find((name) => name === text)
  if (leg) return leg
  const meant = nearest(text, legNames)
  throw new ConfigError(`${text} is not one of ${legNames.join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`)
}
