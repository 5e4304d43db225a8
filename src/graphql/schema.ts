import type { GraphQLSchema } from 'graphql'
import { createBuilder } from './builder.ts'
import { addScalars } from './scalars.ts'
import { addDistribution } from './types/distribution.ts'
import { addEarnings } from './types/earnings.ts'
import { addLeaderboard } from './types/leaderboard.ts'
import { addLinks } from './types/links.ts'
import { addLiquidationReward } from './types/liquidation-reward.ts'
import { addMarket } from './types/market.ts'
import { addMultiplier } from './types/multiplier.ts'
import { addPool } from './types/pool.ts'
import { addPosition, positionRef, positionsRef } from './types/position.ts'
import { addSnapshot } from './types/snapshot.ts'
import { addUser, userRef } from './types/user.ts'
import { addVault } from './types/vault.ts'

/** The graph, put together. A type is in types/, with the queries that return it and the mutations that change it. */
export function createSchema(): GraphQLSchema {
  const builder = createBuilder()
  addScalars(builder)
  builder.queryType({
    description: "Reads. Everything in one operation's answer belongs to one snapshot of the store.",
  })
  builder.mutationType({ description: 'Changes, for operators: they need the admin token.' })
  builder.globalConnectionField('totalCount', (t) =>
    t.int({
      description: 'How many rows the whole list has; counted only when it is selected.',
      resolve: (connection) => connection.totalCount(),
    }),
  )

  const User = userRef(builder)
  const Position = positionRef(builder)
  const Positions = positionsRef(builder, Position)
  const Pool = addPool(builder, { Positions, User })
  const snapshots = addSnapshot(builder)
  const rewards = addLiquidationReward(builder)
  const earnings = addEarnings(builder)
  const Market = addMarket(builder, { Pool, ...snapshots })
  const Vault = addVault(builder, snapshots)
  const LeaderboardEntry = addLeaderboard(builder, { User })
  const Multiplier = addMultiplier(builder, { Pool })
  addPosition(builder, { Position, Positions, Pool, User })
  addDistribution(builder, { Positions })
  addUser(builder, { User, Position, Positions, LeaderboardEntry, ...earnings, ...snapshots, ...rewards })
  addLinks(builder, { User, Pool, Multiplier, Market, Vault, ...earnings, ...snapshots, ...rewards })
  return builder.toSchema()
}
