import { worthColumns, worthFrom } from '../../../domain/holding/worth.ts'
import type { Builder } from '../builder.ts'
import { columnsType } from '../column-fields.ts'
import { heldBy } from './held-by.ts'

export const worthReading = heldBy(worthColumns, worthFrom, 'time')

export const addWorth = (builder: Builder) =>
  columnsType(builder, 'Worth', worthColumns, {
    description:
      'The worth of one or several users by their newest snapshots in each market and vault. ' +
      'Sums are exact, and a missing price counts as 0.',
  })
