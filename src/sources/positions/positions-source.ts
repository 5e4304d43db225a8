import type { UnreadableLine } from '../dataset/lines.ts'

/** A source of a date's positions and prices, for manualupdate. */
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
  signal?: AbortSignal | undefined
}

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

export interface FetchedPositions {
  /** The name of the data in messages, such as a file name. */
  label: string
  /** The name of the source of prices in messages. */
  pricesName: string
  /** The records in order. They may include other dates. */
  batches: AsyncIterable<PositionBatch>
  /** Receipts of what was fetched. Complete once all batches are read. */
  receipts(): SourceReceipt[]
}

export interface PositionBatch {
  /** The number of the first record, starting at 1, for messages. */
  first: number
  /** Position records in the import format: lines of JSON or objects. */
  records: (string | Record<string, unknown> | UnreadableLine)[]
}

/** A receipt of what was fetched from a source, for the run's record. */
export interface SourceReceipt {
  kind: 'POSITIONS' | 'PRICES'
  /** The source's name, without secrets. */
  name: string
  /** SHA-256 of the payload as received (decompressed), page after page, in hexadecimal. */
  digest: string
  /** The number of positions or prices. */
  count: number
  /** The block of the data as a decimal integer, if the source reports one. */
  block: string | null
  /** The requested point in time in ISO 8601. Null if the source has none, such as a file. */
  time: string | null
  /** When the last of the data arrived, in ISO 8601. */
  fetchedAt: string
}
