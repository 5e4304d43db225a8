import { graphql } from '../generated/operations/gql.ts'

/** A position in the shape of section 2.1 of the points document. */
export const positionRecord = graphql(`
  fragment PositionRecord on Position {
    id: recordId marketAddress: poolAddress userAddress distributionDate pointsA pointsB points
    a @flat {
      aTokenAddress: tokenAddress aTokenSymbol: tokenSymbol aTokenPrice: tokenPrice
      aSuppliedAmount: suppliedAmount aSuppliedAmountUsd: suppliedAmountUsd
      aProtectedSuppliedAmount: protectedSuppliedAmount
      aProtectedSuppliedAmountUsd: protectedSuppliedAmountUsd aBorrowedAmount: borrowedAmount
      aBorrowedAmountUsd: borrowedAmountUsd
    }
    b @flat {
      bTokenAddress: tokenAddress bTokenSymbol: tokenSymbol bTokenPrice: tokenPrice
      bSuppliedAmount: suppliedAmount bSuppliedAmountUsd: suppliedAmountUsd
      bProtectedSuppliedAmount: protectedSuppliedAmount
      bProtectedSuppliedAmountUsd: protectedSuppliedAmountUsd bBorrowedAmount: borrowedAmount
      bBorrowedAmountUsd: borrowedAmountUsd
    }
  }
`)
