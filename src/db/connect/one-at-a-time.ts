import type { Prisma } from '../../generated/prisma/client.ts'

type Work = (...args: unknown[]) => Promise<unknown>

/**
 * The client of a transaction, which has one connection, made to send one statement after the other. Resolvers ask in
 * parallel; sent so, a statement that fails takes the answers of those beside it along. Calls of one model's findUnique
 * that come together stay together: Prisma makes one statement of them.
 */
export function oneAtATime(client: Prisma.TransactionClient): Prisma.TransactionClient {
  let last: Promise<unknown> = Promise.resolve()
  const queue = <T>(work: () => Promise<T>): Promise<T> => {
    const own = last.then(work)
    last = own.catch(() => {})
    return own
  }
  const alone =
    (work: Work): Work =>
    (...args) =>
      queue(() => work(...args))
  const together = (work: Work): Work => {
    let waiting: (() => Promise<unknown>)[] | undefined
    const start = async () => {
      await new Promise<void>((resolve) => process.nextTick(resolve))
      const calls = waiting ?? []
      waiting = undefined
      await Promise.allSettled(calls.map((call) => call()))
    }
    return (...args) =>
      new Promise((resolve, reject) => {
        if (!waiting) {
          waiting = []
          queue(start)
        }
        waiting.push(() => work(...args).then(resolve, reject))
      })
  }

  const made = new Map<string, unknown>()
  const once = <T>(name: string, make: () => T): T => {
    if (!made.has(name)) made.set(name, make())
    return made.get(name) as T
  }
  const model = (delegate: object, name: string) =>
    new Proxy(delegate, {
      get(target, method) {
        const value = Reflect.get(target, method)
        if (typeof value !== 'function' || typeof method !== 'string') return value
        const queued = method.startsWith('findUnique') ? together : alone
        return once(`${name}.${method}`, () => queued((...args) => value.apply(target, args)))
      },
    })
  return new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name === '$queryRaw')
        return once(name, () => alone((...args) => Reflect.apply(target.$queryRaw, target, args)))
      if (typeof value !== 'object' || value === null || typeof name !== 'string' || /^[$_]/.test(name)) return value
      return once(name, () => model(value, name))
    },
  })
}
