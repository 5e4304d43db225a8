import { readFile } from 'node:fs/promises'
import Table from 'cli-table3'
import { type Command, Option } from 'commander'
import { ConfigError } from '../config.ts'
import { type MultiplierUpdate, updateMultipliers } from '../domain/multiplier/update.ts'
import { graphql } from '../generated/operations/gql.ts'
import { CLI, parseCount, print, printJson, readGraph, withDeps } from './command.ts'
import { readMultipliers } from './multiplier-file.ts'

const history = graphql(`
  query CliMultiplierHistory($first: Int!, $pool: Address) {
    multiplierRevisions(first: $first, where: { pool: $pool }) {
      nodes { recordId poolAddress depositA depositB borrowA borrowB changedAt recordedAt changedBy }
    }
  }
`)

interface Factors {
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
    .action(async (pool: string | undefined, given: Factors) => set(await updatesOf(pool, given), given))
  command
    .command('history')
    .description('show who changed which multiplier and when, newest first')
    .argument('[pool]', 'only revisions of this pool')
    .addOption(new Option('--limit <n>', 'number of revisions').argParser(parseCount(1000)).default(50))
    .option('--json', 'print one JSON object per line')
    .action(showHistory)
}

async function updatesOf(pool: string | undefined, given: Factors): Promise<MultiplierUpdate[]> {
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

function set(updates: MultiplierUpdate[], { json }: Factors): Promise<void> {
  return withDeps(async ({ store }, signal) => {
    const pools = await updateMultipliers({ pool: store.pool, signal }, updates, CLI)
    const rows = await store.models.prisma.multiplier.findMany({ where: { poolAddress: { in: pools } } })
    const stored = pools.flatMap((pool) => rows.find((row) => row.poolAddress === pool) ?? [])
    if (json) return stored.forEach(printJson)
    const table = new Table({ head: [...FACTORS], style: PLAIN })
    for (const one of stored) table.push(factorsOf(one))
    print(table.toString())
    print('Stored points change when their date is resynced.')
  })
}

function showHistory(pool: string | undefined, { limit, json }: { limit: number; json?: boolean }): Promise<void> {
  if (pool !== undefined && !/^0x[0-9a-fA-F]{40}$/.test(pool))
    throw new ConfigError("A pool's address is 0x and 40 hexadecimal digits.")
  return withDeps(async (deps) => {
    const variables = { first: limit, ...(pool !== undefined && { pool: pool.toLowerCase() }) }
    const { nodes } = (await readGraph(deps, (execute) => execute(history, variables))).multiplierRevisions
    if (json) return nodes.forEach(printJson)
    const table = new Table({ head: [...FACTORS, 'since', 'by'], style: PLAIN })
    for (const one of nodes) table.push([...factorsOf(one), String(one.changedAt), one.changedBy])
    print(nodes.length === 0 ? 'No multipliers were ever set.' : table.toString())
  })
}

const PLAIN = { head: [], border: [] }
const FACTORS = ['pool', 'deposit A', 'deposit B', 'borrow A', 'borrow B']

type Factor = number | null
interface Factored {
  poolAddress: string
  depositA: Factor
  depositB: Factor
  borrowA: Factor
  borrowB: Factor
}

const factorsOf = ({ poolAddress, ...f }: Factored) => [
  poolAddress,
  ...[f.depositA, f.depositB, f.borrowA, f.borrowB].map((one) => one ?? '-'),
]

function parseFactor(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new ConfigError(`A factor is a finite number from 0 up, not ${text}.`)
  return value
}
