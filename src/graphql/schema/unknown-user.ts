import { getDatamodel } from '../../generated/pothos.ts'
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts'

/** The relations of a user without any, in the shape of Prisma's results. */
const nothing = () => {
  const relations = getDatamodel().datamodel.models.User?.fields.filter(({ kind }) => kind === 'object') ?? []
  const counts = relations.filter(({ isList }) => isList).map(({ name }) => [name, 0])
  return {
    ...Object.fromEntries(relations.map(({ name, isList }) => [name, isList ? [] : null])),
    _count: Object.fromEntries(counts),
  }
}

/** Wraps models so that every address is a user. One that is not stored has empty relations. */
export function withUnknownUsers(models: Prisma.TransactionClient): PrismaClient {
  const user = new Proxy(models.user, {
    get(target, method) {
      if (method !== 'findUniqueOrThrow') return Reflect.get(target, method)
      return async (args: Prisma.UserFindUniqueArgs) =>
        (await target.findUnique(args)) ?? { address: args.where.address, ...nothing() }
    },
  })
  // The cast is safe: a transaction client has everything that Pothos uses.
  return new Proxy(models, {
    get: (target, name) => (name === 'user' ? user : Reflect.get(target, name)),
  }) as PrismaClient
}
