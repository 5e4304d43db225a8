import type { Command } from 'commander'
import { setBasePoints } from '../domain/multiplier/base-points.ts'
import { revokeBasePoints } from '../domain/multiplier/revoke.ts'
import { graphql } from '../generated/operations/gql.ts'
import { isoDay } from '../time.ts'
import { CLI, parseNumber, print, printJson, printText, withDeps } from './command.ts'
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
  query CliBasePoints {
    basePoints { deposit borrow protectedMinLtv }
    basePointsRevisions {
      recordId deposit borrow protectedMinLtv from changedAt changedBy revokedAt revokedBy
    }
  }
`)

const protectedWords = (minLtv: number | null | undefined) =>
  minLtv == null ? '' : ` Protected supply counts from an LTV of ${minLtv} on.`

interface BasePointsOptions extends FirstDate {
  deposit: number
  borrow: number
  protectedMinLtv?: number
}

export function addBasePoints(program: Command): void {
  const command = program
    .command('base-points')
    .description(
      'set or announce the points of a dollar before multipliers, revoke that, or show the history',
    )
  const points = parseNumber('A number of points')
  const set = command
    .command('set')
    .description(
      'set base points in place of the settings; stored points change when their date is resynced',
    )
    .requiredOption('--deposit <points>', 'points per day for each dollar supplied', points)
    .requiredOption('--borrow <points>', 'points per day for each dollar borrowed', points)
    .option(
      '--protected-min-ltv <fraction>',
      'the least LTV at which protected supply earns points; without it any debt is enough',
      parseNumber('An LTV'),
    )
  addFirstDate(set).action(({ deposit, borrow, protectedMinLtv, ...dated }: BasePointsOptions) =>
    withDeps(async (deps) => {
      const from = await firstDateOf(deps, dated)
      const id = await setBasePoints(deps, { deposit, borrow, protectedMinLtv, from }, CLI)
      const dates = from ? `dates from ${isoDay(from)} on` : 'every date'
      print(
        `Revision ${id}: ${deposit} points for a dollar supplied, ${borrow} for one borrowed, ` +
          `for ${dates}.${protectedWords(protectedMinLtv)}`,
      )
      printEffect(dated, from)
    }),
  )
  addRevoke(command, revokeBasePoints)
  command
    .command('history')
    .description('show who changed the base points and when, newest first')
    .option('--json', 'print one JSON object per line')
    .action(({ json }: { json?: boolean }) =>
      withDeps(async (deps) => {
        const { readGraph } = await import('./read-graph.ts')
        const { basePoints, basePointsRevisions } = await readGraph(deps, history, {})
        if (json) return basePointsRevisions.forEach(printJson)
        if (basePointsRevisions.length > 0)
          printText(
            table(
              ['revision', 'supplied', 'borrowed', 'least LTV', 'from', 'since', 'by'],
              basePointsRevisions.map((one) => [
                one.recordId,
                one.deposit,
                one.borrow,
                one.protectedMinLtv ?? '',
                one.from ?? 'every date',
                String(one.changedAt),
                actorsOf(one),
              ]),
            ),
          )
        print(
          `Today ${basePoints.deposit} for a dollar supplied and ${basePoints.borrow} for one ` +
            `borrowed count.${protectedWords(basePoints.protectedMinLtv)}`,
        )
      }),
    )
}
