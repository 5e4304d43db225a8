import { graphql } from '../generated/operations/gql.ts'

/** A position in the shape of section 2.1 of the points document. */
export const positionRecord = graphql(`
  fragment PositionRecord on Position {
    id: recordId marketAddress: poolAddress userAddress distributionDate: date @midnight pointsA pointsB points
    sideA @flat {
      aTokenAddress: assetAddress aTokenSymbol: assetSymbol aTokenPrice: assetPriceUsd
      aSuppliedAmount: suppliedAmount aSuppliedAmountUsd: suppliedAmountUsd
      aProtectedSuppliedAmount: protectedSuppliedAmount
      aProtectedSuppliedAmountUsd: protectedSuppliedAmountUsd aBorrowedAmount: borrowedAmount
      aBorrowedAmountUsd: borrowedAmountUsd
    }
    sideB @flat {
      bTokenAddress: assetAddress bTokenSymbol: assetSymbol bTokenPrice: assetPriceUsd
      bSuppliedAmount: suppliedAmount bSuppliedAmountUsd: suppliedAmountUsd
      bProtectedSuppliedAmount: protectedSuppliedAmount
      bProtectedSuppliedAmountUsd: protectedSuppliedAmountUsd bBorrowedAmount: borrowedAmount
      bBorrowedAmountUsd: borrowedAmountUsd
    }
  }
`)
