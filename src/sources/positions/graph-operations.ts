import { graphql } from '../../generated/source-operations/index.ts'

/** The positions of a date, paged by `first` and `after`. */
export const positionsByCursor = graphql(`
  query PositionsByCursor($pools: [String!]!, $time: Int!, $first: Int!, $after: String) {
    positions(pools: $pools, time: $time, first: $first, after: $after) {
      block
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        user
        pool
        aSupplied
        aProtected
        aBorrowed
        bSupplied
        bProtected
        bBorrowed
      }
    }
  }
`)

/** The positions of a date, paged by `limit` and `offset`. */
export const positionsByOffset = graphql(`
  query PositionsByOffset($pools: [String!]!, $time: Int!, $limit: Int!, $offset: Int!) {
    positions(pools: $pools, time: $time, limit: $limit, offset: $offset) {
      block
      totalCount
      nodes {
        user
        pool
        aSupplied
        aProtected
        aBorrowed
        bSupplied
        bProtected
        bBorrowed
      }
    }
  }
`)
