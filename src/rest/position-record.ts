import { graphql } from '../generated/operations/gql.ts'

/** A position in the shape of section 2.1 of the points document. */
export const positionRecord = graphql(`
  fragment PositionRecord on Position {
    legacy { id: recordId } marketAddress: poolAddress userAddress distributionDate: date
    pointsA pointsB points
    sideA {
      asset { aTokenAddress: address aTokenSymbol: symbol } aTokenPrice: priceUsd
      supplied { aSuppliedAmount: value aSuppliedAmountUsd: usd }
      protected { aProtectedSuppliedAmount: value aProtectedSuppliedAmountUsd: usd }
      borrowed { aBorrowedAmount: value aBorrowedAmountUsd: usd }
    }
    sideB {
      asset { bTokenAddress: address bTokenSymbol: symbol } bTokenPrice: priceUsd
      supplied { bSuppliedAmount: value bSuppliedAmountUsd: usd }
      protected { bProtectedSuppliedAmount: value bProtectedSuppliedAmountUsd: usd }
      borrowed { bBorrowedAmount: value bBorrowedAmountUsd: usd }
    }
  }
`)
