import { versionSeenBy } from '../../../db/connect/reader.ts'
import { once } from '../../context.ts'
import type { Builder } from '../builder.ts'

const versionOnce = once(versionSeenBy)

export function addDataVersion(builder: Builder): void {
  builder.queryField('dataVersion', (t) =>
    t.field({
      type: 'BigInt',
      description:
        'The version of the stored data. Every write raises it, so responses with the same version come from the same data.',
      extensions: { unplanned: 'It takes a separate statement, and is rarely selected.' },
      resolve: (_, __, { batches }) => batches.load(versionOnce, ''),
    }),
  )
}
