import { randomUUID } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Store } from '../db/connect/store.ts'
import { GatewayError } from '../errors.ts'
import { bodyOf } from './events.ts'
import { readSigned } from './hook.ts'

interface TestDeps {
  config: Pick<Config, 'HOOKS_PRIVATE'>
  pool: Store['pool']
  now(): Date
}

/**
 * Sends a message of the type test, once.
 * @returns its id @throws NOT_FOUND, or UNAVAILABLE if the receiver has not taken it
 */
export async function sendTest({ config, pool, now }: TestDeps, id: string): Promise<string> {
  const { url, secrets } = await readSigned(pool, id, now())
  const post = (await import('./post.ts')).openPost(config.HOOKS_PRIVATE)
  const body = bodyOf('test', now(), { hook: id })
  const message = { url, secrets, body, id: `msg_${randomUUID()}`, attempt: 1 }
  const error = await post.send(message, now()).finally(() => post.close())
  if (error !== undefined)
    throw new GatewayError('UNAVAILABLE', `The receiver of hook ${id} failed: ${error}.`)
  return message.id
}
