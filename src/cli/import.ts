import { type Command, Option } from 'commander'
import { isAddress } from '../address.ts'
import { ConfigError } from '../config.ts'
import { checkDataset, type ImportSummary, importDataset } from '../domain/dataset/import.ts'
import { shownUrl } from '../secrets.ts'
import {
  type Dataset,
  Fetch,
  isRemote,
  type MirrorSummary,
  openDirectory,
  openHttpDataset,
  speaksRest,
  withMirror,
} from '../sources/index.ts'
import {
  CLI,
  type CommandDeps,
  figure,
  print,
  printJson,
  readText,
  recordCount,
  warn,
  withDeps,
} from './command.ts'
import { type Phases, showPhases, showProgress, showWalk } from './progress.ts'

interface ImportFlags {
  check?: boolean
  daily?: boolean
  reopen?: boolean
  indexer?: string
  users?: string
  everyMarket?: boolean
  chain: number[]
  json?: boolean
}

export function addImport(program: Command): void {
  program
    .command('import')
    .description(
      'load a dataset in the import format, or copy another gateway; either everything is ' +
        'stored or nothing is',
    )
    .argument(
      '<from>',
      'a directory of .jsonl or .jsonl.gz files, their http(s) URL, or the URL of another gateway',
    )
    .option(
      '--indexer <url>',
      'the URL of the /v1 paths, for legacy servers that serve the two APIs separately',
    )
    .option('--users <file>', 'more users to copy, one address per line')
    .option(
      '--every-market',
      'request rewards in every market and vault from a server without GraphQL (slow)',
    )
    .addOption(
      new Option(
        '--chain <id>',
        'one more chain on which such a server has markets, besides 1, 42161, 8453, 146; ' +
          'repeatable',
      )
        .argParser(addChain)
        .default([], 'none'),
    )
    .option(
      '--daily',
      'leave only the newest snapshot of each position and day (UTC); without it, all of them ' +
        'are kept',
    )
    .option('--check', 'check everything, show what would change, and store nothing')
    .option('--reopen', 'also store positions of a season whose board is final')
    .option('--json', 'print one JSON object')
    .action((from: string, options: ImportFlags) =>
      isRemote(from) ? loadUrl(from, options) : loadDirectory(from, options),
    )
}

interface Loaded {
  dataset: Dataset
  summary: ImportSummary
  mirror?: MirrorSummary | undefined
}

async function loading(
  options: ImportFlags,
  work: (deps: CommandDeps, phases: Phases) => Promise<Loaded>,
): Promise<void> {
  const started = performance.now()
  const phases = showPhases(process.stderr)
  let loaded: Loaded | undefined
  try {
    phases.begin('opening the store')
    await withDeps(async (deps) => {
      phases.end()
      loaded = await work(deps, phases)
      phases.begin('closing the store')
    })
  } finally {
    phases.end()
  }
  if (!loaded) return
  const { dataset, mirror } = loaded
  const summary = { ...loaded.summary, seconds: (performance.now() - started) / 1000 }
  const check = options.check === true
  if (options.json)
    printJson({ dataset: dataset.name, check, ...(mirror && { notes: mirror.notes }), ...summary })
  else describe(dataset, summary, check)
}

async function loadDirectory(dir: string, options: ImportFlags): Promise<void> {
  const dataset = await openDirectory(dir, warn)
  await loading(options, (deps, phases) => load(deps, dataset, options, phases))
}

async function loadUrl(from: string, options: ImportFlags): Promise<void> {
  for (const url of [from, options.indexer ?? from])
    if (!URL.canParse(url))
      throw new ConfigError('An address must be a URL like https://gateway.example.org.')
  const users = options.users === undefined ? [] : await readUsers(options.users)
  await loading(options, async (deps, phases) => {
    const name = shownUrl(from)
    const fetch = new Fetch(name, deps.client, deps.signal)
    const { signal } = fetch
    const client = deps.client.within(fetch)
    if (!(await speaksRest({ client, base: from, name, signal })))
      return load(deps, await openHttpDataset(client, from, { name, fetch }), options, phases)
    const walk = showWalk(process.stderr)
    const mirror = {
      client,
      base: from,
      indexerBase: options.indexer,
      users,
      chains: options.chain,
      everyMarket: options.everyMarket === true,
      onProgress: walk.update,
      signal,
    }
    try {
      return await withMirror(mirror, async (dataset, summary) => {
        walk.done()
        fetch.close()
        if (!options.json) describeMirror(summary)
        const name = summary.rules?.programName ?? deps.config.PROGRAM_NAME
        if (summary.rules && name !== deps.config.PROGRAM_NAME)
          warn(
            `The program of ${summary.name} is called ${JSON.stringify(name)}: set ` +
              'PROGRAM_NAME to show that name here too.',
          )
        return { ...(await load(deps, dataset, options, phases)), mirror: summary }
      })
    } finally {
      walk.done()
    }
  })
}

async function load(
  deps: CommandDeps,
  dataset: Dataset,
  { check = false, daily = false, reopen = false }: ImportFlags,
  phases: Phases,
): Promise<Loaded> {
  const progress = showProgress(process.stderr)
  try {
    const transfer = check ? checkDataset : importDataset
    const summary = await transfer(deps, dataset, {
      onProgress: progress.update,
      onPhase(phase) {
        progress.done()
        phases.begin(phase)
      },
      signal: deps.signal,
      requestedBy: CLI,
      daily,
      reopen,
    })
    progress.done()
    summary.warnings.forEach(warn)
    return { dataset, summary }
  } finally {
    progress.done()
  }
}

function describeMirror({ name, graph, users, notes, seconds }: MirrorSummary): void {
  const how = graph ? 'over REST and GraphQL' : 'over REST only'
  print(`Read ${name} with ${figure(users)} users in ${seconds.toFixed(1)} s, ${how}.`)
  for (const note of notes) print(`Note: ${note}`)
}

function describe(
  { name }: Dataset,
  { files, dates, leftOut, seconds }: ImportSummary,
  check: boolean,
): void {
  for (const [file, { lines, written }] of Object.entries(files))
    print(`${file}: ${recordCount(lines)}, ${figure(written)} new or changed`)
  if (leftOut.length > 0)
    print(`Left out, as this store already has a history: ${leftOut.join(', ')}.`)
  const updated = `${dates.length} distribution ${dates.length === 1 ? 'date' : 'dates'}`
  if (check)
    print(
      `Checked ${name} in ${seconds.toFixed(1)} s: it would update ${updated}. Nothing was stored.`,
    )
  else print(`Imported ${name} in ${seconds.toFixed(1)} s; ${updated} updated.`)
}

async function readUsers(path: string): Promise<string[]> {
  const users = (await readText(path)).split(/\s+/).filter((line) => line !== '')
  const wrong = users.find((user) => !isAddress(user))
  if (wrong !== undefined)
    throw new ConfigError(`${path} must have one address per line, not ${wrong.slice(0, 60)}.`)
  return users
}

function addChain(text: string, chains: number[]): number[] {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new ConfigError(`A chain id is an integer from 1 up, not ${text}.`)
  return [...chains, Number(text)]
}
