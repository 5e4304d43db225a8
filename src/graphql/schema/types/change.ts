import type { ArgBuilder } from '@pothos/core'
import {
  type PoolChange as PoolChangeRow,
  poolChangeColumns,
  poolChangeSql,
} from '../../../domain/change/pool-change.ts'
import { MAX_DAYS } from '../../../domain/change/since.ts'
import {
  type UserChange as UserChangeRow,
  userChangeColumns,
  userChangeSql,
} from '../../../domain/change/user-change.ts'
import {
  type WorthChange as WorthChangeRow,
  worthChangeColumns,
  worthChangeSql,
} from '../../../domain/change/worth-change.ts'
import { badArgument } from '../../../errors.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { keyedRow, one } from '../../fields/sql-field.ts'
import type { Builder, Types } from '../builder.ts'
import type { PoolRef } from './pool.ts'
import type { UserRef } from './user-ref.ts'

const userChangeAt = keyedRow<UserChangeRow>({
  columns: userChangeColumns,
  types: ['text', 'bigint'],
  at: ([user, days]) => userChangeSql(user ?? Prisma.empty, days ?? Prisma.empty),
})

const worthChangeAt = keyedRow<WorthChangeRow>({
  columns: worthChangeColumns,
  types: ['text', 'date'],
  at: ([user, date]) => worthChangeSql(user ?? Prisma.empty, date ?? Prisma.empty),
})

const poolChangeAt = keyedRow<PoolChangeRow>({
  columns: poolChangeColumns,
  types: ['text', 'bigint'],
  at: ([pool, days]) => poolChangeSql(pool ?? Prisma.empty, days ?? Prisma.empty),
})

/** @throws BAD_INPUT */
function assertDays({ days }: { days: number }): void {
  if (days < 1 || days > MAX_DAYS) throw badArgument('days', `must be from 1 to ${MAX_DAYS}`)
}

/** Adds what has changed for users and pools over a number of days. */
export function addChange(builder: Builder, { User, Pool }: { User: UserRef; Pool: PoolRef }): void {
  const WorthChange = builder.objectRef<WorthChangeRow>('WorthChange').implement({
    description: "By how much a user's worth has changed, by snapshots.",
    fields: (t) => columnFields(t, worthChangeColumns),
  })
  const UserChange = builder.objectRef<UserChangeRow>('UserChange').implement({
    description: 'Changes of a user from an earlier distribution date to the newest one.',
    fields: (t) => ({
      ...columnFields(t, userChangeColumns),
      worth: t.field({
        type: WorthChange,
        nullable: true,
        description:
          "The change of the user's worth from the end of `since`, where `series` has it, to now. Null if no snapshot is stored now, or none up to then.",
        ...one(worthChangeAt, ['address', 'since'], { cost: { weight: 20 } }),
      }),
    }),
  })
  const PoolChange = builder.objectRef<PoolChangeRow>('PoolChange').implement({
    description: 'Changes of a pool from an earlier distribution date to the newest one.',
    fields: (t) => columnFields(t, poolChangeColumns),
  })
  const ABSENT = 'Null if no distribution date is so long before the newest one.'
  const daysArgument = (arg: ArgBuilder<Types>) =>
    arg.int({
      required: true,
      defaultValue: 7,
      description: `The number of days before the newest distribution date, 1 to ${MAX_DAYS}.`,
    })
  builder.objectFields(User, (t) => ({
    change: t.field({
      type: UserChange,
      nullable: true,
      description: `Changes of the user over a number of days. ${ABSENT}`,
      args: { days: daysArgument(t.arg) },
      ...one(userChangeAt, ['address', 'days'], { cost: { weight: 2 } }, assertDays),
    }),
  }))
  builder.prismaObjectFields(Pool, (t) => ({
    change: t.field({
      type: PoolChange,
      nullable: true,
      description: `Changes of the pool over a number of days. ${ABSENT}`,
      args: { days: daysArgument(t.arg) },
      ...one(poolChangeAt, ['id', 'days'], { cost: { weight: 2 } }, assertDays),
    }),
  }))
}
