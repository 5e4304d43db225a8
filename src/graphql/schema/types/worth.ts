import { type Worth as WorthRow, worthColumns, worthFrom } from '../../../domain/holding/worth.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { heldBy } from './held-by.ts'

export const worthReading = heldBy(worthColumns, worthFrom, 'time')

export const addWorth = (builder: Builder) =>
  builder.objectRef<WorthRow>('Worth').implement({
    description:
      'The worth of one or several users by their newest snapshots in each market and vault. ' +
      'Sums are exact, and a missing price counts as 0.',
    fields: (t) => columnFields(t, worthColumns),
  })
