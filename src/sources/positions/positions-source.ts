import type { UnreadableLine } from '../dataset/lines.ts'

/** Where manualupdate gets a date's positions and their prices: one small interface, whatever is behind it. */
export interface PositionsSource {
  /** What messages and records call it; it holds no secret. */
  name: string
  /**
   * Begins to fetch the positions of a distribution date.
   * @param date YYYY-MM-DD; amounts and prices are those of its midnight, UTC
   * @throws SOURCE_FAILED when the source cannot be read; reading the batches may throw it as well
   */
  positions(date: string, request: PositionsRequest): Promise<FetchedPositions>
}

/** What messages call a source of positions, for a sentence to go on with what it did. */
export const positionsName = (name: string) => `The source of positions, ${name},`

export interface PositionsRequest {
  /** The store's pools by id: what a position may name, and how its tokens are counted. */
  pools: ReadonlyMap<string, SourcePool>
  signal?: AbortSignal | undefined
}

export interface SourcePool {
  chainId: number
  a: SourceToken
  b: SourceToken
}

export interface SourceToken {
  /** Lower-case. */
  address: string
  symbol: string
  /** Undefined where the store has no market for the side. */
  decimals: number | undefined
}

export interface FetchedPositions {
  /** What messages call what is read, such as a file's name. */
  label: string
  /** What messages call the source of the prices in it. */
  pricesName: string
  /** The records as they arrive, in order. They may be of other dates too. */
  batches: AsyncIterable<PositionBatch>
  /** What was fetched; whole once the batches were read to their end. */
  receipts(): SourceReceipt[]
}

export interface PositionBatch {
  /** The number of the first record, from 1, for messages. */
  first: number
  /** Position records of the import format: lines of JSON, or objects. */
  records: (string | Record<string, unknown> | UnreadableLine)[]
}

/** What was fetched from one source, for the record of the run. */
export interface SourceReceipt {
  kind: 'POSITIONS' | 'PRICES'
  /** The source's name, without secrets. */
  name: string
  /** SHA-256 of the payload as it came (decompressed), page after page, in hexadecimal. */
  digest: string
  /** Positions, or prices. */
  count: number
  /** The block that the source answered for, where it tells one: a decimal integer. */
  block: string | null
  /** The moment that the source was asked for, in ISO 8601; null where it has none, such as a file. */
  time: string | null
  /** When the last of it had arrived, in ISO 8601. */
  fetchedAt: string
}
