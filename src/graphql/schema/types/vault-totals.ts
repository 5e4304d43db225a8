import { isoDate } from '../../../domain/position/position.ts'
import { vaultDates, vaultSeries } from '../../../domain/series/vault-series.ts'
import { type VaultTotals as VaultTotalsRow, vaultTotalsColumns, vaultTotalsSql } from '../../../domain/vault/totals.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { once } from '../../context.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { keyedRow, sqlField } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import { buckets } from './charges.ts'
import { readSpan, SERIES_UNPLANNED, type SpanArguments } from './series-span.ts'
import type { VaultRef } from './vault.ts'

const totalsAt = keyedRow<VaultTotalsRow>({
  columns: vaultTotalsColumns,
  types: ['bigint', 'text', 'date'],
  at: ([chainId = Prisma.empty, address = Prisma.empty, asOf = Prisma.empty]) => vaultTotalsSql(chainId, address, asOf),
})

const vaultDatesOnce = once(vaultDates)

export function addVaultTotals(
  builder: Builder,
  { Vault, spanArguments }: { Vault: VaultRef; spanArguments: SpanArguments },
): void {
  const VaultTotals = builder.objectRef<VaultTotalsRow>('VaultTotals').implement({
    description:
      "A vault's totals at the end of a date, week or month: the sums of its users' newest snapshots until then.",
    fields: (t) => columnFields(t, vaultTotalsColumns),
  })
  builder.prismaObjectFields(Vault, (t) => ({
    totals: t.field({
      type: VaultTotals,
      nullable: true,
      description: "The vault's totals as of a day. Null before its first snapshot.",
      args: {
        asOf: t.arg({
          type: 'DateTime',
          description: 'The point in time, whose whole day (UTC) counts. Defaults to the newest snapshot.',
        }),
      },
      ...sqlField({ kind: 'one', one: totalsAt, by: ['chainId', 'id', 'asOf'] }),
      resolve: ({ chainId, id }, { asOf }, context) =>
        context.batches.load(totalsAt.load, [chainId, id, asOf ? isoDate(asOf) : 'infinity']),
    }),
    series: t.field({
      type: [VaultTotals],
      extensions: { cost: { weight: 10, rows: buckets }, unplanned: SERIES_UNPLANNED },
      description:
        "The vault's totals by date, week or month: every bucket of the range, oldest first. `to` defaults to the newest date of the program or of a vault.",
      args: spanArguments(t.arg),
      resolve: async ({ chainId, id }, args, context) => {
        const span = await readSpan(context, args, vaultDatesOnce)
        return span ? context.batches.load(vaultSeries, { chainId, id }, span) : []
      },
    }),
  }))
}
