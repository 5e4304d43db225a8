import { afterEach, expect, vi } from 'vitest'
import { startHooks } from '../../src/hooks/sender.ts'
import { command, parsed } from './command-line.ts'
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts'
import { type FakeServer, type SourceRequest, startServer } from './positions-server.ts'

/** What ends with the test. */
export const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

export const until = (condition: () => unknown) =>
  vi.waitFor(condition, { timeout: 60_000, interval: 20 })

export async function opened(gateway: Promise<Gateway>): Promise<Gateway> {
  const one = await gateway
  closing.push(() => one.close())
  return one
}

export const PRIVATE = { HOOKS_PRIVATE: 'true' }
export const open = (options: GatewayOptions = {}) =>
  opened(startGateway({ ...options, env: { ...PRIVATE, ...options.env } }))

/** A sender that looks all the time. */
export function sendFor({ deps }: Gateway, timeoutMs = 500) {
  const sender = startHooks(deps, { lookMs: 20, timeoutMs })
  closing.push(() => sender.close())
  return sender
}

type Answer = Parameters<typeof startServer>[0]
export const takes: Answer = (_, response) => response.writeHead(204).end()

export async function receiver(answer: Answer = takes): Promise<FakeServer> {
  const server = await startServer(answer)
  closing.push(() => server.close())
  return server
}

/** Runs `gateway hooks ...` on the store of a gateway. */
export const hooks = ({ deps }: Gateway, args: string[], env: Record<string, string> = PRIVATE) =>
  command(['hooks', ...args], { DATABASE_URL: deps.config.DATABASE_URL ?? '', ...env })

export async function must(gateway: Gateway, args: string[]): Promise<string> {
  const { code, out, err } = await hooks(gateway, args)
  expect(code, err).toBe(0)
  return out
}

export async function add(
  gateway: Gateway,
  url: string,
  args: string[] = [],
): Promise<{ id: string; secret: string }> {
  return parsed(await must(gateway, ['add', url, '--json', ...args]))[0]
}

export const idOf = ({ headers }: SourceRequest) => headers['webhook-id']
export const bodyOf = ({ body }: SourceRequest) => JSON.parse(body)
export const headersOf = ({ headers }: SourceRequest) => headers as Record<string, string>
