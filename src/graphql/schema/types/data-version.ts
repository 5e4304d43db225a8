import { versionSeenBy } from '../../../db/connect/reader.ts'
import { once } from '../../context.ts'
import type { Builder } from '../builder.ts'

const versionOnce = once(versionSeenBy)

export function addDataVersion(builder: Builder): void {
  builder.queryField('dataVersion', (t) =>
    t.field({
      type: 'BigInt',
      description: "The data's version, which every write raises: the same, same data.",
      extensions: { unplanned: 'It takes a separate statement, and is rarely selected.' },
      resolve: (_, __, { batches }) => batches.load(versionOnce, ''),
    }),
  )
}
