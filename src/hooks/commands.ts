import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { print, printJson, withDeps } from '../cli/command.ts'
import { ConfigError } from '../config.ts'
import { EVENTS } from './events.ts'
import { addHook, isId, listHooks, removeHook, rotateSecret } from './hook.ts'
import { deadLetters, replay } from './outbox.ts'
import { sendTest } from './send-test.ts'

interface Options {
  json?: boolean
  event?: string[]
  chain?: string[]
  wallet?: string[]
  wallets?: string
  health?: number
  rank?: number
  points?: number
}

/** Adds the command `hooks`, which says who receives which events. */
export function addHooks(program: Command): void {
  const events = Object.entries(EVENTS).map(([name, { meaning }]) => `  ${name}: ${meaning}`)
  const command = program
    .command('hooks')
    .description('notify other programs of events, by signed HTTP requests')
  command
    .command('add')
    .description('add a hook; prints the secret that signs its messages, once')
    .argument('<url>', 'where messages are sent')
    .option('--event <names...>', 'the events to send (default: all of wallets, or all others)')
    .option('--chain <ids...>', 'the chains of events that are of one (default: all)')
    .option('--wallet <addresses...>', 'wallets to watch')
    .option('--wallets <file>', 'a file with more of them, one per line')
    .option('--health <factor>', 'the health factor of wallet.health, such as 1.1', Number)
    .option('--rank <rank>', 'the rank of wallet.rank, such as 100', Number)
    .option('--points <points>', 'the points of wallet.points', Number)
    .option('--json', 'print one JSON object')
    .addHelpText('after', `\nEvents:\n${events.join('\n')}`)
    .action(add)
  command
    .command('list')
    .description('show all hooks, with the messages that wait and those that were given up')
    .option('--json', 'print one JSON object per line')
    .action(list)
  command
    .command('test')
    .description('send a message of the type test, once')
    .argument('<hook>', 'its number', parseId)
    .action(test)
  command
    .command('rotate')
    .description('give a hook a new secret; the previous one signs too, for 24 hours')
    .argument('<hook>', 'its number', parseId)
    .option('--json', 'print one JSON object')
    .action(rotate)
  command
    .command('remove')
    .description('remove a hook and its messages')
    .argument('<hook>', 'its number', parseId)
    .action((id: string) =>
      withDeps(async ({ pool }) => {
        await removeHook(pool, id)
        print(`Hook ${id} is removed.`)
      }),
    )
  command
    .command('dead')
    .description('show the messages that were given up after a day')
    .option('--json', 'print one JSON object per line')
    .action(dead)
  command
    .command('replay')
    .description('send messages again that were given up')
    .argument('[message]', 'its number (default: all)', parseId)
    .action((id: string | undefined) =>
      withDeps(async ({ pool }) => print(`${await replay(pool, { id })} will be sent again.`)),
    )
}

function parseId(text: string): string {
  if (!isId(text)) throw new ConfigError(`A number is needed, not ${text.slice(0, 60)}.`)
  return text
}

function add(url: string, options: Options): Promise<void> {
  const {
    json,
    event: events = [],
    chain = [],
    wallet = [],
    wallets: file,
    ...thresholds
  } = options
  const chainIds = chain.map(Number)
  return withDeps(async ({ pool, config }) => {
    const { HOOKS_PRIVATE: allowsPrivate } = config
    const wallets = [...wallet, ...(file === undefined ? [] : await readWallets(file))]
    const hook = await addHook(pool, { url, events, chainIds, wallets, thresholds, allowsPrivate })
    if (json) return printJson(hook)
    print(`Hook ${hook.id} is added. Its secret is not shown again:`)
    print(hook.secret)
  })
}

async function readWallets(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new ConfigError(`--wallets cannot be read: ${error.message}`)
  })
  return text.split(/\s+/).filter((word) => word !== '')
}

function list({ json }: Options): Promise<void> {
  return withDeps(async ({ pool }) => {
    const hooks = await listHooks(pool)
    if (json) return hooks.forEach(printJson)
    if (hooks.length === 0) print('There are no hooks.')
    for (const { id, url, events, wallets, waiting, dead } of hooks) {
      const watched = wallets > 0 ? `${wallets} wallets, ` : ''
      print(`${id}  ${url}  ${events.join(', ')}  ${watched}${waiting} waiting, ${dead} given up`)
    }
  })
}

function test(id: string): Promise<void> {
  return withDeps(async (deps) => {
    const message = await sendTest(deps, id)
    print(`The receiver of hook ${id} has taken the message ${message}.`)
  })
}

function rotate(id: string, { json }: Options): Promise<void> {
  return withDeps(async ({ pool, now }) => {
    const secret = await rotateSecret(pool, id, now())
    if (json) printJson({ id, secret })
    else print(secret)
  })
}

function dead({ json }: Options): Promise<void> {
  return withDeps(async ({ pool }) => {
    const letters = await deadLetters(pool)
    if (json) return letters.forEach(printJson)
    if (letters.length === 0) print('No message was given up.')
    for (const { id, hook, event, subject, attempts, error } of letters)
      print(`${id}  hook ${hook}  ${event} ${subject}  ${attempts} attempts: ${error}`)
  })
}
