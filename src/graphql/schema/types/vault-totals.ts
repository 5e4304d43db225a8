import { defineLookup, sqlFields } from 'pothos-sql'
import {
  vaultBucketColumns,
  vaultDates,
  vaultSeriesFrom,
} from '../../../domain/series/vault-series.ts'
import { vaultTotalsColumns, vaultTotalsSql } from '../../../domain/vault/totals.ts'
import type { Builder } from '../builder.ts'
import { columnsType } from '../column-fields.ts'
import { seriesField } from './series-span.ts'

const totalsAt = defineLookup({
  columns: vaultTotalsColumns,
  types: ['bigint', 'text', 'date'],
  nullable: true,
  at: vaultTotalsSql,
})

export function addVaultTotals(builder: Builder): void {
  const VaultTotals = columnsType(builder, 'VaultTotals', vaultTotalsColumns, {
    description:
      "A vault's totals at the end of a date, week or month: the sums of its users' newest " +
      'snapshots until then.',
  })
  builder.objectFields('Vault', (t) => ({
    totals: t.field({
      type: VaultTotals,
      nullable: true,
      description: "The vault's totals as of a day. Null before its first snapshot.",
      args: {
        asOf: t.arg({
          type: 'Date',
          description: 'The last day (UTC) that counts. Defaults to that of the newest snapshot.',
        }),
      },
      ...sqlFields.lookup(totalsAt, ['chainId', 'id', 'asOf']),
    }),
    series: seriesField(t, {
      type: VaultTotals,
      description:
        "The vault's totals by date, week or month: every bucket of the range, oldest first. " +
        '`to` defaults to the newest date of the program or of a vault.',
      extent: vaultDates,
      columns: vaultBucketColumns,
      by: ['chainId', 'id'],
      types: ['bigint', 'text'],
      of: ({ span }, chainId, address) => vaultSeriesFrom(chainId, address, span),
    }),
  }))
}
