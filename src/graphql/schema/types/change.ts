import type { ArgBuilder } from '@pothos/core'
import { defineLookup, sqlFields } from 'pothos-sql'
import { poolChangeColumns, poolChangeSql } from '../../../domain/change/pool-change.ts'
import { MAX_DAYS } from '../../../domain/change/since.ts'
import {
  type UserChange as UserChangeRow,
  userChangeColumns,
  userChangeSql,
} from '../../../domain/change/user-change.ts'
import { worthChangeColumns, worthChangeSql } from '../../../domain/change/worth-change.ts'
import { badArgument } from '../../../errors.ts'
import type { Builder, Types } from '../builder.ts'
import { columnFields, columnsType } from '../column-fields.ts'

const userChangeAt = defineLookup({
  columns: userChangeColumns,
  types: ['text', 'bigint'],
  at: userChangeSql,
})
const worthChangeAt = defineLookup({
  columns: worthChangeColumns,
  types: ['text', 'date'],
  at: worthChangeSql,
})
const poolChangeAt = defineLookup({
  columns: poolChangeColumns,
  types: ['text', 'bigint'],
  at: poolChangeSql,
})

function assertDays({ days }: { days: number }): void {
  if (days < 1 || days > MAX_DAYS) throw badArgument('days', `must be from 1 to ${MAX_DAYS}`)
}

/** Adds what has changed for users and pools over a number of days. */
export function addChange(builder: Builder): void {
  const UserChange = builder.objectRef<UserChangeRow>('UserChange').implement({
    description: 'Changes of a user from an earlier distribution date to the newest one.',
    fields: (t) => ({
      ...columnFields(t, userChangeColumns),
      netWorthUsd: t.float({
        nullable: true,
        description:
          "The change of the user's net worth from the end of `since` to now, in USD. Null " +
          'without a snapshot now or up to then, and if the price of an amount other than 0 ' +
          'was missing at either.',
        ...sqlFields.lookupColumn(worthChangeAt, 'netWorthUsd', ['address', 'since'], {
          cost: { weight: 20 },
        }),
      }),
    }),
  })
  const PoolChange = columnsType(builder, 'PoolChange', poolChangeColumns, {
    description: 'Changes of a pool from an earlier distribution date to the newest one.',
  })
  const ABSENT = 'Null if no date is so old.'
  const daysArgument = (arg: ArgBuilder<Types>) =>
    arg.int({
      required: true,
      defaultValue: 7,
      description: `The number of days before the newest distribution date, 1 to ${MAX_DAYS}.`,
    })
  builder.objectFields('User', (t) => ({
    change: t.field({
      type: UserChange,
      nullable: true,
      description: `Changes of the user over some days. ${ABSENT}`,
      args: { days: daysArgument(t.arg) },
      ...sqlFields.lookup(
        userChangeAt,
        ['address', 'days'],
        { cost: { weight: 2 } },
        { assert: assertDays },
      ),
    }),
  }))
  builder.objectFields('Pool', (t) => ({
    change: t.field({
      type: PoolChange,
      nullable: true,
      description: `Changes of the pool over some days. ${ABSENT}`,
      args: { days: daysArgument(t.arg) },
      ...sqlFields.lookup(
        poolChangeAt,
        ['id', 'days'],
        { cost: { weight: 2 } },
        { assert: assertDays },
      ),
    }),
  }))
}
