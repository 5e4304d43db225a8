import { type Command, Option } from 'commander'
import { parseCount, print, printJson, withDeps } from '../cli/command.ts'
import { ConfigError } from '../config.ts'
import type { Scope } from '../graphql/context.ts'
import { parseUtc } from '../time.ts'
import {
  addKey,
  listKeys,
  removeKey,
  revokeKey,
  rotateKey,
  type StoredKey,
  shownKey,
  stateOf,
} from './key.ts'

const MAX_POINTS = 1e9 - 1

const SCOPES: Record<Scope, string> = {
  runs: 'compute points: manual updates and resyncs',
  rules: 'set and revoke multipliers and base points',
  hooks: 'list, add, change and remove hooks',
  export: 'read the whole store in the import format',
  import: 'load records in the import format',
  metrics: 'read /metrics of a gateway with METRICS_KEY=required',
}

interface AddOptions {
  minute?: number
  day?: number
  expires?: Date
  scope?: Scope[]
  json?: boolean
}

/** Adds the command `keys`, which says who may call with which limits. */
export function addKeys(program: Command): void {
  const command = program
    .command('keys')
    .description('give clients API keys, each with limits and an end')
  const scopes = Object.entries(SCOPES).map(([name, meaning]) => `  ${name}: ${meaning}`)
  const named = (name: string, description: string) =>
    command.command(name).description(description).argument('<name>', 'its name', parseName)
  named('add', 'add a key; prints its secret, once')
    .option('--minute <points>', 'its points in a minute (default: RATE_LIMIT)', parsePoints)
    .option('--day <points>', 'its points in a day (default: any number)', parsePoints)
    .option('--expires <time>', 'its end: 2027-01-31 (0:00 UTC) or 2027-01-31T12:00:00Z', parseEnd)
    .addOption(
      new Option(
        '--scope <names...>',
        'the work of operators that it may do: none without it',
      ).choices(Object.keys(SCOPES)),
    )
    .option('--json', 'print one JSON object')
    .addHelpText('after', `\nScopes:\n${scopes.join('\n')}`)
    .action(add)
  command
    .command('list')
    .description('show all keys, without their secrets')
    .option('--json', 'print one JSON object per line')
    .action(list)
  named('rotate', 'give a key a new secret; the previous one is valid for 24 hours more')
    .option('--json', 'print one JSON object')
    .action(rotate)
  named('revoke', 'revoke a key for good: its requests and streams end at once').action(
    (name: string) =>
      withDeps(async ({ pool, now }) => {
        await revokeKey(pool, name, now())
        print(`The key ${name} is revoked.`)
      }),
  )
  named('remove', 'remove a key, so that its name is free').action((name: string) =>
    withDeps(async ({ pool }) => {
      await removeKey(pool, name)
      print(`The key ${name} is removed.`)
    }),
  )
}

function parseName(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}$/.test(text))
    throw new ConfigError(
      'A name has at most 60 letters, digits, spaces, dots and dashes, not ' +
        `${text.slice(0, 60) || 'none'}.`,
    )
  return text
}

function parsePoints(text: string): number {
  const points = parseCount(MAX_POINTS)(text)
  if (points === 0) throw new ConfigError('A key needs 1 point or more.')
  return points
}

function parseEnd(text: string): Date {
  const end = parseUtc(text)
  if (!end) throw new ConfigError(`A time must look like 2027-01-31, not ${text.slice(0, 60)}.`)
  return end
}

function add(name: string, { minute, day, expires, scope, json }: AddOptions): Promise<void> {
  return withDeps(async ({ pool, now }) => {
    if (expires && expires <= now())
      throw new ConfigError(`--expires ${expires.toISOString()} is past.`)
    const key = await addKey(pool, {
      name,
      perMinute: minute,
      perDay: day,
      expiresAt: expires,
      scopes: [...new Set(scope)],
    })
    if (json) return printJson({ name, ...key })
    print(`The key ${name} is added. Its secret is not shown again:`)
    print(key.secret)
  })
}

function rotate(name: string, { json }: { json?: boolean }): Promise<void> {
  return withDeps(async ({ pool, now }) => {
    const secret = await rotateKey(pool, name, now())
    if (json) printJson({ name, secret })
    else print(secret)
  })
}

function list({ json }: { json?: boolean }): Promise<void> {
  return withDeps(async ({ pool, now }) => {
    const keys = await listKeys(pool)
    if (json) return keys.map(shownKey).forEach(printJson)
    if (keys.length === 0) print('There are no keys.')
    for (const key of keys) print(lineOf(key, now()))
  })
}

function lineOf(key: StoredKey, now: Date): string {
  const points = (count: number | null, window: string) =>
    count === null ? [] : [`${count.toLocaleString('en-US')} points a ${window}`]
  const used = key.lastUsedAt ? `last used ${key.lastUsedAt.toISOString()}` : 'not used yet'
  const parts = [...points(key.perMinute, 'minute'), ...points(key.perDay, 'day')]
  if (key.scopes.length > 0) parts.push(`scopes: ${key.scopes.join(' ')}`)
  parts.push(used)
  return `${key.name}  ${stateText(key, now)}  ${parts.join(', ')}`
}

function stateText(key: StoredKey, now: Date): string {
  const state = stateOf(key, now)
  if (state === 'revoked' || !key.expiresAt) return state
  return `${state === 'valid' ? 'valid until' : state} ${key.expiresAt.toISOString()}`
}
