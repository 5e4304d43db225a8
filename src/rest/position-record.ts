import { graphql } from '../generated/operations/gql.ts'

/** A position in the shape of section 2.1 of the points document. */
export const positionRecord = graphql(`
  fragment PositionRecord on Position {
    legacy @flat { id: recordId } marketAddress: poolAddress userAddress distributionDate: date @midnight pointsA pointsB points
    sideA @flat {
      asset @flat { aTokenAddress: address aTokenSymbol: symbol } aTokenPrice: priceUsd
      supplied @flat { aSuppliedAmount: value @number aSuppliedAmountUsd: usd }
      protected @flat { aProtectedSuppliedAmount: value @number aProtectedSuppliedAmountUsd: usd }
      borrowed @flat { aBorrowedAmount: value @number aBorrowedAmountUsd: usd }
    }
    sideB @flat {
      asset @flat { bTokenAddress: address bTokenSymbol: symbol } bTokenPrice: priceUsd
      supplied @flat { bSuppliedAmount: value @number bSuppliedAmountUsd: usd }
      protected @flat { bProtectedSuppliedAmount: value @number bProtectedSuppliedAmountUsd: usd }
      borrowed @flat { bBorrowedAmount: value @number bBorrowedAmountUsd: usd }
    }
  }
`)
