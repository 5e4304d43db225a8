import { graphql } from '../generated/operations/gql.ts'

/** The numbers on a wallet's card and badge. */
export const walletOperation = graphql(`
  query ShareWallet($address: Address!) {
    program { totalPoints userCount }
    user(address: $address) { id rank totalPoints pointsPerDay }
    distributions(first: 1) { nodes { id date } }
  }
`)

/** The numbers on the card of the program. */
export const programOperation = graphql(`
  query ShareProgram {
    program { totalPoints userCount series(interval: DAY) { start tvlUsd } }
    distributions(first: 1) { nodes { id date } }
  }
`)

/** A wallet's points by day. */
export const walletChartOperation = graphql(`
  query ShareWalletChart($address: Address!) {
    user(address: $address) { id series(interval: DAY) { start points } }
  }
`)

/** A pool's TVL and points by day. */
export const poolChartOperation = graphql(`
  query SharePoolChart($address: Address!) {
    pool(address: $address) { id displayName series(interval: DAY) { start points tvlUsd } }
  }
`)
