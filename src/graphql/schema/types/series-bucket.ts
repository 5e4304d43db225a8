import type { GenericFieldRef, ObjectFieldBuilder } from '@pothos/core'
import { type Columns, sqlFields } from 'pothos-sql'
import { SCALARS } from 'pothos-sql/host'
import { worthColumns } from '../../../domain/holding/worth.ts'
import { type PoolBucket, poolBucketColumns } from '../../../domain/series/pool-series.ts'
import {
  type UserBucket,
  userBucketColumns,
  worthColumn,
} from '../../../domain/series/user-series.ts'
import type { Builder, Types } from '../builder.ts'
import { EARNED } from './charges.ts'

const AMOUNTS = {
  supplied: 'Borrowable supply',
  protected: 'Non-borrowable supply',
  borrowed: 'Amount borrowed',
  liquidity: 'Supply not lent out',
}

// The values that are counted from the newest snapshots up to the end of a bucket.
const FROM_SNAPSHOTS = [
  'netDepositApr',
  'netBorrowApr',
  'netCashInvestedUsd',
  'earningsUsd',
  'profitUsd',
  'interestUsd',
  'priceUsd',
  'liquidationUsd',
  'pendingCashUsd',
  'hasIncompletePrices',
]

// Exposes the columns of a bucket. Each value but the first date costs something, since it is
// computed.
function valueFields<Row>(t: ObjectFieldBuilder<Types, Row>, columns: Columns) {
  const fields: Record<string, GenericFieldRef> = {}
  for (const [name, { type, nullable = false, description }] of Object.entries(columns)) {
    if (description === undefined || !type) continue
    const weight = FROM_SNAPSHOTS.includes(name) ? EARNED : 1
    const options = {
      type: SCALARS[type],
      nullable,
      description,
      extensions: { cost: { weight: name === 'start' ? 0 : weight } },
    }
    fields[name] = t.expose(name as never, options as never) as GenericFieldRef
  }
  return fields
}

export function addSeriesBuckets(builder: Builder) {
  const worth = Object.fromEntries(
    Object.keys(worthColumns).map((name) => [name, worthColumn(name as 'time')]),
  )
  const UserSeriesBucket = builder.objectRef<UserBucket>('UserSeriesBucket').implement({
    description:
      'One date, week or month of the series of a user, or of the users of a portfolio ' +
      'combined. Points and rewards are summed over the bucket; worth and earnings are those ' +
      'at its end, also in a gap.',
    fields: (t) => ({
      ...valueFields(t, userBucketColumns),
      worth: t.field({
        type: 'Worth',
        nullable: true,
        description:
          'The worth at the end of the bucket, by the newest snapshots up to it, like ' +
          '`worth(at)`. Null before the first snapshot, and where one of them lacks a price: ' +
          '`hasIncompletePrices`.',
        ...sqlFields.embedded(worth, { cost: { weight: EARNED } }, 'hasWorth'),
      }),
    }),
  })

  const PoolSeriesBucket = builder.objectRef<PoolBucket>('PoolSeriesBucket').implement({
    description:
      'One date, week or month of the series of a market, of a pool or of several pools ' +
      'combined. Points are summed over the bucket; amounts are those of its last distribution ' +
      'date.',
    fields: (t) => {
      const amount = (name: keyof typeof AMOUNTS) => {
        return t.field({
          type: 'TokenAmount',
          nullable: true,
          description:
            `${AMOUNTS[name]} on \`lastDate\`. \`value\` is null in series of several tokens. ` +
            'Null in a gap.',
          ...sqlFields.embedded(
            { raw: null, decimals: null, value: `${name}Tokens`, usd: `${name}Usd` },
            { cost: { weight: 0 } },
            'lastDate',
          ),
        })
      }
      return {
        ...valueFields(t, poolBucketColumns),
        supplied: amount('supplied'),
        protected: amount('protected'),
        borrowed: amount('borrowed'),
        liquidity: amount('liquidity'),
      }
    },
  })
  return { UserSeriesBucket, PoolSeriesBucket }
}
