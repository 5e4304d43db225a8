import type { Command } from 'commander'
import type { Pool } from 'pg'
import { newestDate as storedNewest } from '../domain/distribution/dates.ts'
import { lastLostRun } from '../domain/ledger/diff.ts'
import { type ExplainedSide, explainDay } from '../domain/points/explain.ts'
import { GatewayError } from '../errors.ts'
import { graphql } from '../generated/operations/gql.ts'
import { isoDay } from '../time.ts'
import {
  parseAddress,
  parseDate,
  print,
  printJson,
  printText,
  reasonWords,
  withDeps,
} from './command.ts'
import { table } from './table.ts'

const changes = graphql(`
  query CliLedger($address: Address!, $date: Date!) {
    user(address: $address) {
      dailyPoints(first: 1, where: { date: { eq: $date } }) { nodes { points } }
      ledger(first: 1000, where: { date: { eq: $date } }) {
        nodes {
          runRecordId pointsBefore pointsAfter pointsChange reasons
          pool { displayName } run { finishedAt requestedBy kind }
          multiplierBefore { depositA depositB borrowA borrowB }
          multiplierAfter { depositA depositB borrowA borrowB }
        }
      }
    }
  }
`)

export function addExplain(program: Command): void {
  program
    .command('explain')
    .description("show the arithmetic of a user's points on a date, and how runs have changed them")
    .argument('<address>', "the user's address")
    .option('--date <YYYY-MM-DD>', 'the distribution date (default: the newest)', parseDate)
    .option('--json', 'print one JSON object per line')
    .action((address: string, { date, json }: { date?: Date; json?: boolean }) => {
      const user = parseAddress(address, 'user')
      return withDeps(async (deps) => {
        const day = isoDay(date ?? (await newestDate(deps.pool)))
        const sides = await explainDay(deps.pool, deps.basePoints, user, day)
        const { readGraph } = await import('./read-graph.ts')
        const { dailyPoints, ledger } = (
          await readGraph(deps, changes, { address: user, date: day })
        ).user
        if (sides.length === 0 && ledger.nodes.length === 0)
          throw new GatewayError(
            'NOT_FOUND',
            `${user} has no positions on ${day}, and no run has changed that.`,
          )
        if (json) return [...sides, ...ledger.nodes].forEach(printJson)
        if (sides.length > 0) printText(table(HEAD, sides.flatMap(linesOf)))
        for (const { pool, side, points, computed } of sides)
          if (computed !== points)
            print(
              `Side ${side} of ${pool}: the rules now in force yield ${computed}; a resync of ` +
                `${day} stores that.`,
            )
        print(`${user} has ${dailyPoints.nodes[0]?.points ?? 0} points on ${day}.`)
        const lost = await lastLostRun(deps.pool, day)
        if (lost)
          print(`Changes up to ${shortTime(lost.finishedAt)} (run ${lost.id}) were not kept.`)
        if (ledger.nodes.length === 0)
          return print(
            lost ? 'No run has changed them since.' : 'No run has changed them since the first.',
          )
        const rows = ledger.nodes.map((one) => [
          `run ${one.runRecordId}`,
          one.run?.finishedAt ? shortTime(new Date(String(one.run.finishedAt))) : '-',
          one.run ? `${one.run.kind.toLowerCase()} by ${one.run.requestedBy}` : '-',
          one.pool?.displayName ?? '-',
          one.pointsBefore,
          one.pointsAfter,
          one.pointsChange,
          reasonWords(one),
        ])
        printText(
          table(
            ['changed by', 'at (UTC)', 'what', 'pool', 'before', 'after', 'change', 'reasons'],
            rows,
          ),
        )
      })
    })
}

/** @throws NOT_FOUND if no positions are stored */
export async function newestDate(pool: Pool): Promise<Date> {
  const newest = await storedNewest(pool)
  if (newest) return newest
  throw new GatewayError('NOT_FOUND', 'No positions are stored, so there is no newest date.')
}

const shortTime = (time: Date) => time.toISOString().slice(0, 16).replace('T', ' ')

const HEAD = ['pool', 'what', 'amount', 'price', 'USD', 'base', 'multiplier', 'points']

// Rows of the parts of a side, then of its points. The points of parts are for reading; the sum
// is what is stored.
function linesOf(one: ExplainedSide): (string | number)[][] {
  const part = (what: string, amount: number, usd: number, base: number, factor: number | null) =>
    amount === 0 && usd === 0
      ? []
      : [
          [
            one.pool,
            `${what} ${one.symbol}`,
            amount,
            one.price,
            usd,
            base,
            factor ?? 'none',
            (base * (factor ?? 0) * usd).toFixed(6),
          ],
        ]
  const parts = [
    ...part('supplied', one.supplied, one.suppliedUsd, one.baseDeposit, one.deposit),
    ...part(
      one.protectedCounts ? 'protected' : 'protected, not counted:',
      one.protected,
      one.protectedUsd,
      one.protectedCounts ? one.baseDeposit : 0,
      one.deposit,
    ),
    ...part('borrowed', one.borrowed, one.borrowedUsd, one.baseBorrow, one.borrow),
  ]
  if (parts.length === 0) return []
  const source = one.imported ? 'imported' : `run ${one.run ?? '-'}`
  return [...parts, ['', `side ${one.side}, ${source}`, '', '', '', '', '', one.points]]
}
