import type { Command } from 'commander'
import { MAX_DIFFERENCES, type Verification, verify } from '../domain/distribution/verify.ts'
import {
  datasetPositions,
  isRemote,
  openPath,
  openPositionsSource,
  type PositionsSource,
  speaksRest,
} from '../sources/index.ts'
import { checkPublished } from '../tables/commands.ts'
import { isoDay } from '../time.ts'
import {
  type CommandDeps,
  figure,
  parseCount,
  parseDate,
  print,
  printJson,
  printText,
  withDeps,
} from './command.ts'
import { newestDate } from './explain.ts'
import { table } from './table.ts'

interface VerifyOptions {
  against?: string
  published?: string
  limit: number
  json?: boolean
}

export function addVerify(program: Command): void {
  program
    .command('verify')
    .description(
      'compute the digest of a date again, from stored positions and the rules of the date, or ' +
        'compare it with another machine',
    )
    .argument('[date]', 'the distribution date, as YYYY-MM-DD (default: the newest)', parseDate)
    .option(
      '--against <from>',
      "another gateway's URL, or its export: a directory, or a positions.jsonl or " +
        'positions.jsonl.gz',
    )
    .option('--published <from>', 'check the files of `gateway publish`: a directory or a URL')
    .option(
      '--limit <n>',
      'number of users to name, largest differences first',
      parseCount(MAX_DIFFERENCES),
      20,
    )
    .option('--json', 'print one JSON object')
    .action((date: Date | undefined, { against, published, limit, json }: VerifyOptions) =>
      withDeps(async (deps) => {
        if (published !== undefined) return checkPublished(deps, published, json)
        const source = against === undefined ? undefined : await openOther(deps, against)
        const result = await verify(deps, isoDay(date ?? (await newestDate(deps.pool))), {
          against: source,
          first: limit,
        })
        const isRight =
          result.differingUserCount === 0 && [null, result.storedDigest].includes(result.digest)
        if (json) printJson({ against: source?.name ?? null, ...result })
        else describe(result, source?.name)
        if (!isRight) process.exitCode = 1
      }),
    )
}

async function openOther({ client, signal }: CommandDeps, from: string): Promise<PositionsSource> {
  if (!isRemote(from)) return datasetPositions(from, () => openPath(from))
  const format = (await speaksRest({ client, base: from, signal })) ? 'rest' : 'files'
  return openPositionsSource({ source: from, format }, client)
}

function describe(result: Verification, other: string | undefined): void {
  const { date, digest, storedDigest, expectedDigest, differences, differingUserCount } = result
  const by = other ?? 'by the rules'
  printText(
    table(
      [date, 'digest'],
      [
        ['on record', digest ?? 'none yet'],
        ['stored points', storedDigest],
        [by, expectedDigest],
      ],
    ),
  )
  if (result.importedPositionCount > 0 && other === undefined)
    print(
      `Points of ${figure(result.importedPositionCount)} positions were imported, and are ` +
        'taken as they are.',
    )
  if (digest !== null && digest !== storedDigest)
    print('The stored points are not those that the last run stored.')
  print(
    differingUserCount === 0
      ? `The points of ${figure(result.userCount)} users are equal.`
      : `The points of ${figure(differingUserCount)} users differ.`,
  )
  const rows = differences.map((one) => [one.userAddress, one.stored ?? '-', one.expected ?? '-'])
  if (rows.length > 0) printText(table(['user', 'stored points', by], rows))
}
