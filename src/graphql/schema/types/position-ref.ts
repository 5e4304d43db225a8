import { positionListing } from '../../../domain/position/position.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import type { Builder } from '../builder.ts'

export const positionRef = (builder: Builder) =>
  builder.prismaObject('Position', {
    findUnique: ({ id }) => ({ id }),
    description: "A user's amounts in a pool on a distribution date, and their points.",
  })
export type PositionRef = ReturnType<typeof positionRef>

export const positionsRef = (builder: Builder, Position: PositionRef) => connectionType(builder, 'Position', Position)
export type PositionsRef = ReturnType<typeof positionsRef>

/** The filter and order inputs that all lists of positions share. */
export const positionInputs = (listInputs: ListInputTypes) => listInputs('Position', positionListing)
