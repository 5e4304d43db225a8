import { getDatamodel } from '../../generated/pothos.ts'
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts'

/** The relations of users, as Prisma reads them for one that has none. */
const nothing = () => {
  const relations = getDatamodel().datamodel.models.User?.fields.filter(({ kind }) => kind === 'object') ?? []
  const counts = relations.filter(({ isList }) => isList).map(({ name }) => [name, 0])
  return {
    ...Object.fromEntries(relations.map(({ name, isList }) => [name, isList ? [] : null])),
    _count: Object.fromEntries(counts),
  }
}

/** Models in which every address is a user: relations of one that is not stored are empty. */
export function withUnknownUsers(models: Prisma.TransactionClient): PrismaClient {
  const user = new Proxy(models.user, {
    get(target, method) {
      if (method !== 'findUniqueOrThrow') return Reflect.get(target, method)
      return async (args: Prisma.UserFindUniqueArgs) =>
        (await target.findUnique(args)) ?? { address: args.where.address, ...nothing() }
    },
  })
  // It has all that Pothos uses.
  return new Proxy(models, {
    get: (target, name) => (name === 'user' ? user : Reflect.get(target, name)),
  }) as PrismaClient
}
