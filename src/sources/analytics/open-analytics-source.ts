import { type Client, isRemote, shownUrl } from '../client.ts'
import { datasetRecords } from '../dataset/dataset-records.ts'
import { openDirectory } from '../dataset/directory.ts'
import { httpDataset } from '../dataset/http-dataset.ts'
import { type AnalyticsSource, analyticsName } from './analytics-source.ts'

export interface AnalyticsSettings {
  /** A directory, or an http(s) URL. */
  source: string
  /** A secret for `Authorization: Bearer`. */
  key?: string | undefined
}

/** Opens a source of analytics. Nothing is read yet. */
export function openAnalyticsSource({ source, key: bearer }: AnalyticsSettings, client: Client): AnalyticsSource {
  const name = isRemote(source) ? shownUrl(source) : source
  return {
    name,
    records(file, { signal }) {
      const called = analyticsName(file, name)
      const open = async () =>
        isRemote(source) ? httpDataset(client, source, { name: called, bearer, signal }) : openDirectory(source)
      return datasetRecords({ called, name, file, kind: 'ANALYTICS', open, signal })
    },
  }
}
