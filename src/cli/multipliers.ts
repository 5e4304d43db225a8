import { type Command, Option } from 'commander'
import { ConfigError } from '../config.ts'
import { plainReader } from '../db/connect/reader.ts'
import { dateRevisions } from '../domain/multiplier/date-revisions.ts'
import { multipliersOf } from '../domain/multiplier/multiplier.ts'
import { jumpsOf, LARGE } from '../domain/multiplier/problems.ts'
import { revokeMultiplier } from '../domain/multiplier/revoke.ts'
import { undoMultipliers } from '../domain/multiplier/undo.ts'
import {
  FACTOR_NAMES,
  type MultiplierChange,
  type MultiplierUpdate,
  updateMultipliers,
} from '../domain/multiplier/update.ts'
import { graphql } from '../generated/operations/gql.ts'
import {
  CLI,
  parseAddress,
  parseCount,
  parseDate,
  parseNumber,
  parseRevision,
  print,
  printJson,
  printText,
  readText,
  withDeps,
} from './command.ts'
import { readMultipliers } from './multiplier-file.ts'
import {
  actorsOf,
  addFirstDate,
  addRevoke,
  type FirstDate,
  firstDateOf,
  printEffect,
} from './revisions.ts'
import { table } from './table.ts'

const history = graphql(`
  query CliMultiplierHistory($first: Int!, $pools: [Address!]) {
    multiplierRevisions(first: $first, where: { pools: $pools }) {
      nodes {
        recordId poolAddress depositA depositB borrowA borrowB from changedAt recordedAt changedBy
        revokedAt revokedBy
      }
    }
  }
`)

interface MultiplierOptions extends FirstDate {
  depositA?: number
  depositB?: number
  borrowA?: number
  borrowB?: number
  file?: string
  yes?: boolean
  json?: boolean
}

export function addMultipliers(program: Command): void {
  const command = program
    .command('multipliers')
    .description(
      'set or announce the multipliers of pools, date, revoke or undo that, or show their history',
    )
  const factor = parseNumber('A factor')
  const setting = command
    .command('set')
    .description(
      'set multipliers, either all or none; stored points change when their date is resynced',
    )
    .argument('[pool]', "the pool's address")
    .option('--deposit-a <factor>', 'factor for each dollar of token A supplied', factor)
    .option('--deposit-b <factor>', 'factor for each dollar of token B supplied', factor)
    .option('--borrow-a <factor>', 'factor for each dollar of token A borrowed', factor)
    .option('--borrow-b <factor>', 'factor for each dollar of token B borrowed', factor)
    .addOption(misnamed('--supply-a', '--deposit-a'))
    .addOption(misnamed('--supply-b', '--deposit-b'))
  addFirstDate(setting)
    .option('--file <file>', 'a JSON file of multipliers, as POST /multipliers/update takes it')
    .option('--yes', `store factors that double or halve, and new ones above ${LARGE}`)
    .option('--json', 'print one JSON object per line')
    .action(async (pool: string | undefined, options: MultiplierOptions) =>
      set(await updatesOf(pool, options), options),
    )
  addRevoke(command, revokeMultiplier)
  command
    .command('date')
    .description(
      'give revisions that count for every date a first date: the day (UTC) on which they were ' +
        'made; shows what would change',
    )
    .argument('[revision]', 'only this revision, with --from', parseRevision)
    .option('--from <YYYY-MM-DD>', 'the first distribution date of the revision', parseDate)
    .option('--yes', 'store it')
    .option('--json', 'print one JSON object')
    .action(date)
  command
    .command('undo')
    .description(
      'put back the multipliers from before the newest change, as a change; again, to redo it',
    )
    .argument('[pool]', 'only of this pool; without it, of all pools that were changed together')
    .option('--json', 'print one JSON object per line')
    .action(undo)
  command
    .command('history')
    .description('show who changed which multiplier and when, newest first')
    .argument('[pool]', 'only revisions of this pool')
    .option('--limit <n>', 'number of revisions', parseCount(1000), 50)
    .option('--json', 'print one JSON object per line')
    .action(showHistory)
}

async function updatesOf(
  pool: string | undefined,
  options: MultiplierOptions,
): Promise<MultiplierUpdate[]> {
  const { depositA, depositB, borrowA, borrowB } = options
  const noFactor = [depositA, depositB, borrowA, borrowB].every((one) => one === undefined)
  if (options.file !== undefined) {
    if (pool !== undefined || !noFactor)
      throw new ConfigError('Give a pool and its factors, or --file, not both.')
    return readMultipliers(await readText(options.file))
  }
  if (pool === undefined) throw new ConfigError('Give the address of a pool, or --file.')
  parseAddress(pool, 'pool')
  if (noFactor)
    throw new ConfigError('Give at least one of --deposit-a, --deposit-b, --borrow-a, --borrow-b.')
  return readMultipliers(
    JSON.stringify({
      poolAddress: pool,
      deposit_tokenA: depositA,
      deposit_tokenB: depositB,
      borrow_tokenA: borrowA,
      borrow_tokenB: borrowB,
    }),
  )
}

function set(given: MultiplierUpdate[], { yes, json, ...dated }: MultiplierOptions): Promise<void> {
  return withDeps(async (deps) => {
    const accept = yes ? undefined : refuseJumps
    const first = await firstDateOf(deps, dated)
    // A record of a file may have a date.
    const updates = given.map(({ from, ...update }) => ({
      ...update,
      from: dated.from ?? from ?? first,
    }))
    const changes = await updateMultipliers(deps, updates, CLI, accept)
    if (!json) {
      printChanges(changes)
      return printEffect(dated, first)
    }
    if (updates.some(({ from }) => from))
      return changes
        .map(({ from, before, after, ...pool }) => ({
          ...pool,
          from: from ?? null,
          ...(after ?? NONE),
          before: before ?? null,
        }))
        .forEach(printJson)
    const pools = changes.map(({ poolAddress }) => poolAddress)
    const stored = await multipliersOf(plainReader(deps.store), pools)
    for (const { poolAddress, before } of changes)
      for (const row of stored)
        if (row?.poolAddress === poolAddress) printJson({ ...row, before: before ?? null })
  })
}

function date(
  revision: bigint | undefined,
  { from, yes = false, json }: MultiplierOptions,
): Promise<void> {
  if ((revision === undefined) !== (from === undefined))
    throw new ConfigError('Give both the number of a revision and --from, or neither.')
  return withDeps(async (deps) => {
    const only = revision !== undefined && from ? { revision, from } : undefined
    const { rules, dates } = await dateRevisions(deps, { only, store: yes }, CLI)
    if (json) return printJson({ stored: yes, rules, dates })
    if (rules.length === 0)
      return print('All revisions that count have their date already: nothing would change.')
    const rows = rules.map((one) => [
      one.revision ?? '-',
      one.poolAddress,
      ...FACTOR_NAMES.map((name) => one[name] ?? 'none'),
      one.from ?? 'every date before',
    ])
    printText(table(['revision', ...HEAD, 'from'], rows))
    const named =
      dates.length > NAMED ? `${dates.slice(0, NAMED).join(', ')}, ...` : dates.join(', ')
    print(
      dates.length === 0
        ? 'The rules of all stored dates stay the same.'
        : `The rules of ${dates.length} stored dates ${yes ? 'are' : 'would be'} others: ${named}.`,
    )
    print(
      yes
        ? 'Stored points change when their date is resynced.'
        : 'Nothing was changed. If that is right, add --yes.',
    )
  })
}

function undo(pool: string | undefined, { json }: { json?: boolean }): Promise<void> {
  const address = pool === undefined ? undefined : parseAddress(pool, 'pool')
  return withDeps(async (deps) => {
    const changes = await undoMultipliers(deps, address, CLI)
    if (!json) {
      printChanges(changes)
      return print('Stored points change when their date is resynced.')
    }
    for (const { poolAddress, before, after } of changes)
      printJson({ poolAddress, ...(after ?? NONE), before: before ?? null })
  })
}

function printChanges(changes: MultiplierChange[]): void {
  const cell = (before: number | undefined, after: number | undefined) =>
    before === undefined || before === after ? (after ?? 'none') : `${before} -> ${after ?? 'none'}`
  const dated = changes.some(({ from }) => from !== undefined)
  const rows = changes.map(({ poolAddress, from, before, after }) => [
    poolAddress,
    ...FACTOR_NAMES.map((name) => cell(before?.[name], after?.[name])),
    ...(dated ? [from ?? 'every date'] : []),
  ])
  printText(table(dated ? [...HEAD, 'from'] : HEAD, rows))
}

const NAMED = 10

function refuseJumps(changes: MultiplierChange[]): void {
  const jumps = jumpsOf(changes).map(
    ({ poolAddress, factor, from, to }) =>
      `${HEAD[FACTOR_NAMES.indexOf(factor) + 1]} of ${poolAddress} would change from ` +
      `${from ?? 'none'} to ${to}.`,
  )
  if (jumps.length === 0) return
  const more = jumps.length > NAMED ? [`So would ${jumps.length - NAMED} more.`] : []
  const lines = [
    ...jumps.slice(0, NAMED),
    ...more,
    'Nothing was changed. If that is right, add --yes.',
  ]
  throw new ConfigError(lines.join('\n'))
}

// An option that a user may expect under this name.
const misnamed = (flag: string, name: string) =>
  new Option(`${flag} <factor>`).hideHelp().argParser(() => {
    throw new ConfigError(`There is no ${flag}: the factor for each dollar supplied is ${name}.`)
  })

function showHistory(
  pool: string | undefined,
  { limit, json }: { limit: number; json?: boolean },
): Promise<void> {
  const address = pool === undefined ? undefined : parseAddress(pool, 'pool')
  return withDeps(async (deps) => {
    const variables = { first: limit, ...(address && { pools: address }) }
    const { readGraph } = await import('./read-graph.ts')
    const { nodes } = (await readGraph(deps, history, variables)).multiplierRevisions
    if (json) return nodes.forEach(printJson)
    const dated = nodes.some(({ from }) => from !== null)
    const rows = nodes.map((one) => [
      ...(dated ? [one.recordId] : []),
      one.poolAddress,
      ...FACTOR_NAMES.map((name) => one[name] ?? '-'),
      ...(dated ? [one.from ?? 'every date'] : []),
      String(one.changedAt),
      actorsOf(one),
    ])
    const head = dated ? ['revision', ...HEAD, 'from', 'since', 'by'] : [...HEAD, 'since', 'by']
    printText(rows.length === 0 ? 'No multipliers were ever set.' : table(head, rows))
  })
}

const NONE = { depositA: null, depositB: null, borrowA: null, borrowB: null }
const HEAD = ['pool', 'deposit A', 'deposit B', 'borrow A', 'borrow B']
