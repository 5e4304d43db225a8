import type { Queryable } from './connect/protocol.ts'
import { inTransaction, type TransactionOptions } from './connect/transaction.ts'
import { type OnStatement, Writer } from './topology/writer.ts'

export { type Queryable, Writer }

export interface WriteOptions extends TransactionOptions {
  onStatement?: OnStatement | undefined
}

/** Runs `work` in a transaction that writes: see `inTransaction`. */
export const inWrite = <T>(
  options: WriteOptions,
  work: (writer: Writer) => Promise<T>,
): Promise<T> =>
  inTransaction(options, async (client) => work(await Writer.open(client, options.onStatement)))
