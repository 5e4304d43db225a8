import type { DatasetFile } from '../dataset/dataset.ts'
import type { Fetched } from '../fetched.ts'
import type { EntityRef } from '../mirror/gateway-graph.ts'
import type { Shapes } from './mapping.ts'

export interface AnalyticsSource {
  /** The name in messages and records, without secrets. */
  name: string
  /**
   * Starts to fetch the records of a file of the import format. They may include older ones than
   * requested. Undefined if the source does not have such records.
   * @throws SOURCE_FAILED if the source cannot be read. Reading the batches may throw it too
   */
  records(file: DatasetFile, request: RecordsRequest): Promise<Fetched | undefined>
}

export interface RecordsRequest {
  /** The date of the oldest records that are needed. Null: all of them. */
  since: Date | null
  fields: Shapes
  /** The users and entities of the store, for a source that lists neither. */
  known(): Promise<Known>
  signal?: AbortSignal | undefined
}

export interface Known {
  users: string[]
  entities: EntityRef[]
}

/** The subject of a sentence about a source of analytics. */
export const analyticsName = (file: DatasetFile, name: string) => `The source of ${file}, ${name},`
