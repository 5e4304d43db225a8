import { type Command, Option } from 'commander'
import { ConfigError } from '../config.ts'
import { closeDeadRuns } from '../domain/distribution/run-record.ts'
import { staleDates } from '../domain/points/explain.ts'
import { GatewayError } from '../errors.ts'
import { graphql } from '../generated/operations/gql.ts'
import type { DistributionKind } from '../generated/operations/graphql.ts'
import { isoDay } from '../time.ts'
import {
  figure,
  parseCount,
  parseDate,
  print,
  printJson,
  printText,
  reasonWords,
  wantsJson,
  withDeps,
} from './command.ts'
import { table } from './table.ts'

const runs = graphql(`
  query CliRuns($first: Int!, $where: RunFilter) {
    runs(first: $first, where: $where) {
      nodes {
        recordId kind date leg status requestedBy startedAt finishedAt durationMs error
        basePointsDeposit basePointsBorrow
        sources { kind name digest count block time fetchedAt }
        totalsBefore { positionCount userCount totalPoints: points }
        totalsAfter { positionCount userCount totalPoints: points }
      }
    }
  }
`)

const difference = graphql(`
  query CliRunChanges($run: BigInt!, $since: BigInt, $first: Int!) {
    run(recordId: $run) {
      date
      digest
      changesNotKept
      totalsAfter { points }
      changes(since: $since, first: $first) {
        totalCount
        nodes {
          user { address } runRecordId pointsBefore pointsAfter pointsChange reasons
          pool { displayName }
          multiplierBefore { depositA depositB borrowA borrowB }
          multiplierAfter { depositA depositB borrowA borrowB }
        }
      }
    }
  }
`)

interface RunListOptions {
  date?: Date
  kind?: DistributionKind[]
  status?: 'RUNNING' | 'SUCCEEDED' | 'FAILED'
  limit: number
  json?: boolean
}

const KINDS = ['import', 'manualupdate', 'resync', 'update'] as const
const DISTRIBUTIONS = 'distribution'

function parseKinds(text: string): DistributionKind[] {
  const kinds = text.split(',').flatMap((name) => {
    const known =
      name === DISTRIBUTIONS
        ? KINDS.filter((kind) => kind !== 'update')
        : KINDS.filter((kind) => kind === name)
    if (known.length > 0) return known
    throw new ConfigError(
      `A kind of run is one of ${[...KINDS, DISTRIBUTIONS].join(', ')}, not ${name.slice(0, 60)}.`,
    )
  })
  return kinds.map((kind) => kind.toUpperCase() as DistributionKind)
}

export function addRuns(program: Command): void {
  const upper = (text: string) => text.toUpperCase()
  const command = program
    .command('runs')
    .description(
      'show runs, newest first: who requested them, their inputs, and the totals before and after',
    )
    .option('--date <YYYY-MM-DD>', 'only runs for this distribution date', parseDate)
    .addOption(
      new Option(
        '--kind <kinds>',
        `only runs of these kinds, separated by commas; ${DISTRIBUTIONS}: all but updates`,
      )
        .choices([...KINDS, DISTRIBUTIONS])
        .argParser(parseKinds),
    )
    .addOption(
      new Option('--status <status>', 'only runs with this status').choices([
        'running',
        'succeeded',
        'failed',
      ]),
    )
    .option('--limit <n>', 'number of runs', parseCount(1000), 20)
    .option('--json', 'print one JSON object per line')
    .action(({ date, kind, status, limit, json }: RunListOptions) =>
      withDeps(async (deps) => {
        await closeDeadRuns(deps.pool)
        const where = {
          ...(date && { date: { eq: isoDay(date) } }),
          ...(kind && { kinds: kind }),
          ...(status && { statuses: upper(status) as never }),
        }
        const { readGraph } = await import('./read-graph.ts')
        const { nodes } = (await readGraph(deps, runs, { first: limit, where })).runs
        if (json) return nodes.forEach(printJson)
        const rows = nodes.map((run) => [
          run.recordId,
          run.date ? isoDay(new Date(run.date)) : '-',
          run.leg ? `${run.kind.toLowerCase()} ${run.leg}` : run.kind.toLowerCase(),
          run.status.toLowerCase(),
          run.requestedBy,
          String(run.startedAt).slice(0, 16).replace('T', ' '),
          run.durationMs ?? '-',
          run.totalsAfter ? figure(run.totalsAfter.positionCount) : '-',
          run.totalsAfter ? figure(run.totalsAfter.totalPoints) : '-',
          run.error ?? '',
        ])
        printText(rows.length === 0 ? 'No runs match.' : table(HEAD, rows))
      }),
    )
  command
    .command('diff')
    .description(
      'show what changed between two runs of a date: users and pools, the largest changes ' +
        'first, and why',
    )
    .argument('<run>', 'the number of the later run')
    .argument(
      '[since]',
      'the number of the earlier run; without it, the changes of the later one alone',
    )
    .option('--limit <n>', 'number of changes', parseCount(1000), 20)
    .option('--json', 'print one JSON object per line')
    .action((id: string, since: string | undefined, _: RunListOptions, command: Command) =>
      withDeps(async (deps) => {
        // `runs` takes options of the same name first.
        const { limit } = command.optsWithGlobals<RunListOptions>()
        const { readGraph } = await import('./read-graph.ts')
        const { run } = await readGraph(deps, difference, {
          run: id,
          first: limit,
          ...(since && { since }),
        })
        if (!run) throw new GatewayError('NOT_FOUND', `There is no run ${id.slice(0, 60)}.`)
        const { nodes, totalCount } = run.changes
        if (run.changesNotKept !== null && !since)
          throw new GatewayError('NOT_FOUND', run.changesNotKept)
        if (wantsJson()) return nodes.forEach(printJson)
        if (nodes.length === 0) return print('The points of no user changed.')
        const rows = nodes.map((one) => [
          one.user.address,
          one.pool?.displayName ?? '-',
          one.pointsBefore,
          one.pointsAfter,
          one.pointsChange,
          reasonWords(one),
          one.runRecordId,
        ])
        printText(table(['user', 'pool', 'before', 'after', 'change', 'reasons', 'run'], rows))
        print(`${figure(totalCount)} changes on ${run.date}, ${nodes.length} shown.`)
      }),
    )
  command
    .command('stale')
    .description(
      'list the dates whose stored points differ from the rules now in force for them; a ' +
        'resync brings them up to date',
    )
    .option('--json', 'print one JSON object per line')
    .action(() =>
      withDeps(async ({ pool, basePoints, signal }) => {
        const stale = await staleDates(pool, basePoints, signal)
        if (wantsJson()) return stale.forEach(printJson)
        if (stale.length === 0)
          return print('The stored points of all dates are those of their rules.')
        const rows = stale.map(({ date, positions, points, computed }) => [
          date,
          positions,
          points,
          computed,
        ])
        printText(table(['date', 'positions that differ', 'stored points', 'by the rules'], rows))
      }),
    )
}

// The usual searches. --json has the rest: the sources, the totals before, and the base points.
const HEAD = [
  'run',
  'date',
  'kind',
  'status',
  'by',
  'started (UTC)',
  'ms',
  'positions',
  'points',
  'error',
]
