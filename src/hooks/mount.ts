import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Deps } from '../deps.ts'
import { GatewayError } from '../errors.ts'
import { adminCheck } from '../keys/index.ts'
import { addHook, isId, listHooks, removeHook, rotateSecret } from './hook.ts'
import { replay } from './outbox.ts'
import { sendTest } from './send-test.ts'

const texts = z.array(z.string()).default([])
const number = z.number().optional()

const NewHook = z.strictObject({
  url: z.string(),
  events: texts,
  wallets: texts,
  health: number,
  rank: number,
  points: number,
})

type ById = { Params: { id: string } }

/**
 * Serves the commands of hooks to admins over HTTP. Only the host of a URL is shown, since the rest
 * may be a secret.
 */
export function mountHooks(
  app: FastifyInstance,
  { config, log, now, store }: Pick<Deps, 'config' | 'log' | 'now' | 'store'>,
): void {
  const { pool } = store
  const adminOf = adminCheck(config)
  const onRequest = async ({ headers }: FastifyRequest, reply: FastifyReply) => {
    reply.header('cache-control', 'no-store')
    adminOf(headers)
  }
  const note = ({ headers }: FastifyRequest, hook: string | undefined, change: string) =>
    log.info({ admin: adminOf(headers), hook }, change)

  app.get('/hooks', { onRequest }, async () => {
    const hooks = await listHooks(pool)
    return { hooks: hooks.map(({ url, ...shown }) => ({ ...shown, host: new URL(url).host })) }
  })

  app.post('/hooks', { onRequest }, async (request, reply) => {
    const { url, events, wallets, ...thresholds } = readNewHook(request.body)
    const allowsPrivate = config.HOOKS_PRIVATE
    const hook = await addHook(pool, { url, events, wallets, thresholds, allowsPrivate })
    note(request, hook.id, 'a hook was added')
    return reply.code(201).send(hook)
  })

  app.delete<ById>('/hooks/:id', { onRequest }, async (request, reply) => {
    const id = readId(request)
    await removeHook(pool, id)
    note(request, id, 'a hook was removed')
    return reply.code(204).send()
  })

  app.post<ById>('/hooks/:id/test', { onRequest }, async (request) => {
    const id = readId(request)
    return { message: await sendTest({ config, pool, now }, id) }
  })

  app.post<ById>('/hooks/:id/rotate', { onRequest }, async (request) => {
    const id = readId(request)
    const secret = await rotateSecret(pool, id, now())
    note(request, id, 'the secret of a hook was rotated')
    return { secret }
  })

  app.post('/hooks/replay', { onRequest }, async (request) => {
    const replayed = await replay(pool, undefined)
    note(request, undefined, 'messages were replayed')
    return { replayed }
  })
}

function readId({ params: { id } }: FastifyRequest<ById>): string {
  if (!isId(id)) throw new GatewayError('NOT_FOUND', `There is no hook ${id.slice(0, 60)}.`)
  return id
}

function readNewHook(body: unknown): z.infer<typeof NewHook> {
  const { data, error } = NewHook.safeParse(readJson(body))
  if (data) return data
  const problems = error.issues.map(({ path, message }) => ({
    in: 'body' as const,
    name: path.join('.'),
    message,
  }))
  const detail = problems.map(({ name, message }) => `${name || 'body'}: ${message}`).join('; ')
  throw new GatewayError('BAD_INPUT', `The hook cannot be read: ${detail}.`, problems)
}

function readJson(body: unknown): unknown {
  try {
    return JSON.parse(Buffer.from((body ?? '') as Uint8Array).toString())
  } catch {
    throw new GatewayError('BAD_INPUT', 'The body must be JSON.')
  }
}
