import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { ConfigError } from '../config.ts'
import { type Factors, type MultiplierUpdate, updateMultipliers } from '../domain/multiplier/update.ts'
import { graphql } from '../generated/operations/gql.ts'
import { CLI, parseCount, print, printJson, readGraph, warn, withDeps } from './command.ts'
import { readMultipliers } from './multiplier-file.ts'
import { table } from './table.ts'

const history = graphql(`
  query CliMultiplierHistory($first: Int!, $pool: Address) {
    multiplierRevisions(first: $first, where: { pool: $pool }) {
      nodes { recordId poolAddress depositA depositB borrowA borrowB changedAt recordedAt changedBy }
    }
  }
`)

interface Given {
  depositA?: number
  depositB?: number
  borrowA?: number
  borrowB?: number
  file?: string
  json?: boolean
}

/** Adds the commands that set multipliers and show their history. */
export function addMultipliers(program: Command): void {
  const command = program.command('multipliers').description('set the multipliers of pools, or show their history')
  const factor = (flag: string, of: string) =>
    new Option(`${flag} <factor>`, `factor for each dollar of ${of}`).argParser(parseFactor)
  command
    .command('set')
    .description('set multipliers, either all or none; stored points change when their date is resynced')
    .argument('[pool]', "the pool's address")
    .addOption(factor('--deposit-a', 'token A supplied'))
    .addOption(factor('--deposit-b', 'token B supplied'))
    .addOption(factor('--borrow-a', 'token A borrowed'))
    .addOption(factor('--borrow-b', 'token B borrowed'))
    .option('--file <file>', 'a JSON file of multipliers, as POST /multipliers/update takes it')
    .option('--json', 'print one JSON object per line')
    .action(async (pool: string | undefined, given: Given) => set(await updatesOf(pool, given), given))
  command
    .command('history')
    .description('show who changed which multiplier and when, newest first')
    .argument('[pool]', 'only revisions of this pool')
    .addOption(new Option('--limit <n>', 'number of revisions').argParser(parseCount(1000)).default(50))
    .option('--json', 'print one JSON object per line')
    .action(showHistory)
}

async function updatesOf(pool: string | undefined, given: Given): Promise<MultiplierUpdate[]> {
  const { depositA, depositB, borrowA, borrowB } = given
  const noFactor = [depositA, depositB, borrowA, borrowB].every((one) => one === undefined)
  if (given.file !== undefined) {
    if (pool !== undefined || !noFactor) throw new ConfigError('Give a pool and its factors, or --file, not both.')
    const path = given.file
    return readMultipliers(
      await readFile(path, 'utf8').catch(() => {
        throw new ConfigError(`${path} cannot be read.`)
      }),
    )
  }
  if (pool === undefined) throw new ConfigError('Give the address of a pool, or --file.')
  if (noFactor) throw new ConfigError('Give at least one of --deposit-a, --deposit-b, --borrow-a, --borrow-b.')
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

function set(updates: MultiplierUpdate[], { json }: Given): Promise<void> {
  return withDeps(async ({ store }, signal) => {
    const changes = await updateMultipliers({ pool: store.pool, signal }, updates, CLI)
    const pools = changes.map(({ poolAddress }) => poolAddress)
    const rows = await store.models.prisma.multiplier.findMany({ where: { poolAddress: { in: pools } } })
    const stored = changes.flatMap(({ poolAddress, before }) => {
      const after = rows.find((row) => row.poolAddress === poolAddress)
      return after ? [{ before, after }] : []
    })
    for (const { before, after } of stored) if (before) warnOfJumps(before, after)
    if (json) return stored.map(({ before, after }) => ({ ...after, before: before ?? null })).forEach(printJson)
    const changed = ({ before, after }: (typeof stored)[number]) => [
      after.poolAddress,
      ...FACTORS.map((name) =>
        before === undefined || before[name] === after[name] ? after[name] : `${before[name]} -> ${after[name]}`,
      ),
    ]
    print(table(HEAD, stored.map(changed)))
    print('Stored points change when their date is resynced.')
  })
}

/** A larger change of a multiplier than this factor is probably a mistake. */
const JUMP = 10

function warnOfJumps(before: Factors, after: Factors & { poolAddress: string }): void {
  for (const [at, name] of FACTORS.entries()) {
    const [low = 0, high = 0] = [before[name], after[name]].sort((a, b) => a - b)
    if (low > 0 && high > JUMP * low)
      warn(`${HEAD[at + 1]} of ${after.poolAddress} changed more than tenfold, from ${before[name]} to ${after[name]}.`)
  }
}

function showHistory(pool: string | undefined, { limit, json }: { limit: number; json?: boolean }): Promise<void> {
  if (pool !== undefined && !/^0x[0-9a-fA-F]{40}$/.test(pool))
    throw new ConfigError("A pool's address is 0x and 40 hexadecimal digits.")
  return withDeps(async (deps) => {
    const variables = { first: limit, ...(pool !== undefined && { pool: pool.toLowerCase() }) }
    const { nodes } = (await readGraph(deps, (execute) => execute(history, variables))).multiplierRevisions
    if (json) return nodes.forEach(printJson)
    const rows = nodes.map((one) => [
      one.poolAddress,
      ...FACTORS.map((name) => one[name] ?? '-'),
      String(one.changedAt),
      one.changedBy,
    ])
    print(rows.length === 0 ? 'No multipliers were ever set.' : table([...HEAD, 'since', 'by'], rows))
  })
}

const FACTORS = ['depositA', 'depositB', 'borrowA', 'borrowB'] as const
const HEAD = ['pool', 'deposit A', 'deposit B', 'borrow A', 'borrow B']

function parseFactor(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new ConfigError(`A factor is a finite number from 0 up, not ${text}.`)
  return value
}
