import type { Fetched } from '../fetched.ts'

export interface PositionsSource {
  /** The name in messages and records, without secrets. */
  name: string
  /**
   * Starts to fetch the positions of a distribution date.
   * @param date YYYY-MM-DD. Amounts and prices are those at midnight UTC
   * @throws SOURCE_FAILED if the source cannot be read. Reading the batches may throw it too
   */
  positions(date: string, request: PositionsRequest): Promise<FetchedPositions>
}

/** The subject of a sentence about a source of positions. */
export const positionsName = (name: string) => `The source of positions, ${name},`

export interface PositionsRequest {
  /** The stored pools by id: the pools of positions, and the decimals of their tokens. */
  pools: ReadonlyMap<string, SourcePool>
  /** Called for each token without a price. Without it, such a token ends the fetch. */
  onUnpriced?: OnUnpriced | undefined
  signal?: AbortSignal | undefined
}

/** @param reason a sentence that names the token */
export type OnUnpriced = (reason: string) => void

export interface SourcePool {
  chainId: number
  a: SourceToken
  b: SourceToken
}

export interface SourceToken {
  /** In lower case. */
  address: string
  symbol: string
  /** Undefined if the side's market is not stored. */
  decimals: number | undefined
}

export interface FetchedPositions extends Fetched {
  /** The name of the source of prices in messages. */
  pricesName: string
}
