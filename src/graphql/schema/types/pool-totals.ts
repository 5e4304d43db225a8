import { defineLookup, sqlFields } from 'pothos-sql'
import {
  columnOfSide,
  type PoolTotals as PoolTotalsRow,
  poolSideColumns,
  poolTotalsColumns,
  poolTotalsRow,
  poolTotalsSql,
} from '../../../domain/pool/totals.ts'
import type { Builder } from '../builder.ts'
import { columnFields, columnsType } from '../column-fields.ts'
import { revisionOfDate } from './multiplier-revision.ts'

const totalsAt = defineLookup({
  columns: poolTotalsRow,
  types: ['text', 'date'],
  nullable: true,
  at: poolTotalsSql,
})

export function addPoolTotals(builder: Builder): void {
  const PoolSideTotals = columnsType(builder, 'PoolSideTotals', poolSideColumns, {
    description: "One side of a pool's totals: the amounts in one asset.",
  })
  const side = (name: 'a' | 'b') =>
    sqlFields.embedded(
      Object.fromEntries(
        Object.keys(poolSideColumns).map((column) => [column, columnOfSide(name, column)]),
      ),
    )

  const PoolTotals = builder.objectRef<PoolTotalsRow>('PoolTotals').implement({
    description:
      "A pool's totals as of a distribution date: its points up to the date and its positions " +
      'on the date. `positions(asOf:)` lists the users.',
    fields: (t) => ({
      ...columnFields(t, poolTotalsColumns),
      sideA: t.field({ type: PoolSideTotals, description: 'The amounts of side A.', ...side('a') }),
      sideB: t.field({ type: PoolSideTotals, description: 'The amounts of side B.', ...side('b') }),
      multiplier: t.field({
        type: 'MultiplierRevision',
        nullable: true,
        description:
          "The pool's multiplier at midnight UTC of the date. Null if it had none. A " +
          "position's `multiplierUsed` is the one that produced its points.",
        ...sqlFields.lookup(revisionOfDate, ['poolAddress', 'date']),
      }),
    }),
  })

  builder.objectFields('Pool', (t) => ({
    totals: t.field({
      type: PoolTotals,
      nullable: true,
      description:
        "The pool's points and USD amounts as of a date. Amounts are 0 if the pool has no " +
        'position on the date. Null before the first distribution date.',
      args: {
        asOf: t.arg({
          type: 'Date',
          description: 'The last distribution date up to this one counts. Default: the newest.',
        }),
      },
      // Sums all days of the pool up to the date.
      ...sqlFields.lookup(totalsAt, ['id', 'asOf'], { cost: { weight: 10 } }),
    }),
  }))
}
