import { graphql } from '../generated/operations/gql.ts'
import type { PositionFieldsFragment, SideFieldsFragment } from '../generated/operations/graphql.ts'

export const sideFields = graphql(`
  fragment SideFields on PositionSide {
    tokenAddress tokenSymbol tokenPrice suppliedAmount suppliedAmountUsd
    protectedSuppliedAmount protectedSuppliedAmountUsd borrowedAmount borrowedAmountUsd
  }
`)

export const positionFields = graphql(`
  fragment PositionFields on Position {
    recordId userAddress poolAddress distributionDate pointsA pointsB points
    a { ...SideFields }
    b { ...SideFields }
  }
`)

/** A position as section 2.1 of the points document has it. */
export function positionRecord({ recordId, poolAddress, a, b, ...position }: PositionFieldsFragment) {
  return { id: recordId, marketAddress: poolAddress, ...position, ...sideRecord('a', a), ...sideRecord('b', b) }
}

function sideRecord<S extends 'a' | 'b'>(side: S, of: SideFieldsFragment) {
  return Object.fromEntries(
    Object.entries(of).map(([name, value]) => [side + name.charAt(0).toUpperCase() + name.slice(1), value]),
  ) as { [K in keyof Omit<SideFieldsFragment, '__typename'> as `${S}${Capitalize<K & string>}`]: SideFieldsFragment[K] }
}
