import type { Command } from 'commander'
import { ConfigError } from '../config.ts'
import { removeSeason, setSeason } from '../domain/season/change-seasons.ts'
import { graphql } from '../generated/operations/gql.ts'
import { isoDay } from '../time.ts'
import { CLI, parseDate, print, printJson, printText, withDeps } from './command.ts'
import { table } from './table.ts'

const seasonList = graphql(`
  query CliSeasons {
    program { seasons { name startsAt endsAt status digest closedAt } }
  }
`)

interface SeasonOptions {
  from: Date
  to?: Date
  reopen?: boolean
}

export function addSeasons(program: Command): void {
  const command = program
    .command('seasons')
    .description('show or change the seasons of the points program')
  const reopen = '--reopen'
  const reopens = 'also if its board is final'
  command
    .command('list')
    .description('show all seasons with their dates, and the digests of final boards')
    .option('--json', 'print one JSON object per line')
    .action(showSeasons)
  command
    .command('set')
    .description(
      'add a season, or change the dates of one; runs of dates outside every season are then ' +
        'refused',
    )
    .argument('<name>', "the season's name")
    .requiredOption('--from <YYYY-MM-DD>', 'its first distribution date', parseDate)
    .option(
      '--to <YYYY-MM-DD>',
      'its last distribution date; without it, it has no end yet',
      parseDate,
    )
    .option(reopen, reopens)
    .action((name: string, { from, to, reopen }: SeasonOptions) =>
      change(async (deps) => {
        const season = { name, startsAt: isoDay(from), endsAt: to ? isoDay(to) : null }
        await setSeason(deps, season, { requestedBy: CLI, reopen: reopen === true })
      }),
    )
  command
    .command('remove')
    .description('remove a season; points stay as they are')
    .argument('<name>', "the season's name")
    .option(reopen, reopens)
    .action((name: string, { reopen }: Partial<SeasonOptions>) =>
      change((deps) => removeSeason(deps, name, { requestedBy: CLI, reopen: reopen === true })),
    )
}

type ChangeDeps = Parameters<typeof setSeason>[0]

async function change(work: (deps: ChangeDeps) => Promise<void>): Promise<void> {
  await withDeps(async (deps) => {
    if (deps.config.SEASONS)
      throw new ConfigError('The seasons are those of SEASONS: change that setting instead.')
    await work(deps)
  })
  await showSeasons({})
}

function showSeasons({ json }: { json?: boolean }): Promise<void> {
  return withDeps(async (deps) => {
    const { readGraph } = await import('./read-graph.ts')
    const { seasons } = (await readGraph(deps, seasonList, {})).program
    if (json) return seasons.forEach(printJson)
    if (seasons.length === 0) return print('There are no seasons, so every date counts.')
    const rows = seasons.map((s) => [
      s.name,
      s.startsAt,
      s.endsAt ?? '-',
      s.status.toLowerCase(),
      s.digest ?? '-',
    ])
    printText(table(['season', 'from', 'to', 'status', 'digest of the final board'], rows))
  })
}
