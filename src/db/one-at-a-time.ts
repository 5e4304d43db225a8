import type { Prisma } from '../generated/prisma/client.ts'

/**
 * The client of a transaction, which has one connection, made to send one statement after the other. Resolvers ask in
 * parallel; sent so, a statement that fails takes the answers of those beside it along. findUnique is let through:
 * Prisma makes one statement of those that come together.
 */
export function oneAtATime(client: Prisma.TransactionClient): Prisma.TransactionClient {
  let last: Promise<unknown> = Promise.resolve()
  const queued =
    (work: (...args: unknown[]) => Promise<unknown>) =>
    (...args: unknown[]) => {
      const own = last.then(() => work(...args))
      last = own.catch(() => {})
      return own
    }
  const wrapped = new Map<PropertyKey, unknown>()
  const wrap = <T extends object>(target: T, wrapValue: (value: unknown, name: PropertyKey) => unknown): T =>
    new Proxy(target, { get: (of, name) => wrapValue(Reflect.get(of, name), name) })
  const call = (of: object) => (value: unknown, name: PropertyKey) =>
    typeof value !== 'function' || String(name).startsWith('findUnique')
      ? value
      : queued((...args) => value.apply(of, args))

  return wrap(client, (value, name) => {
    if (name === '$queryRaw') return call(client)(value, name)
    if (typeof value !== 'object' || value === null || typeof name !== 'string' || name.startsWith('$')) return value
    if (!wrapped.has(name)) wrapped.set(name, wrap(value, call(value)))
    return wrapped.get(name)
  })
}
