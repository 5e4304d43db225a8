import { GatewayError } from '../../errors.ts'
import { type Answer, type Client, isRemote, shownUrl, urlBelow } from '../client.ts'
import { openDirectory } from '../dataset/directory.ts'
import { httpDataset } from '../dataset/http-dataset.ts'
import { coinPrices, type PricesSettings } from '../prices.ts'
import { datasetPositions } from './dataset-positions.ts'
import type { Names } from './graph-names.ts'
import { graphPositions } from './graph-positions.ts'
import { type PositionsSource, positionsName } from './positions-source.ts'
import { restPositions } from './rest-positions.ts'

export interface PositionsSettings {
  /** A directory, or an http(s) URL. */
  source: string
  /** The protocol of a URL. `auto` detects it for each run. */
  format?: 'auto' | Format
  /** A secret for `Authorization: Bearer`, for files and GraphQL. */
  key?: string | undefined
  paging?: 'cursor' | 'offset'
  pageSize?: number
  names?: Names
  /** The source of prices for a GraphQL source. */
  prices?: PricesSettings | undefined
}

type Format = 'files' | 'graphql' | 'rest'

/** Opens the configured source. Nothing is read yet. */
export function openPositionsSource(settings: PositionsSettings, client: Client): PositionsSource {
  const { source, format = 'auto', key } = settings
  if (!isRemote(source)) return datasetPositions(source, () => openDirectory(source))
  const name = shownUrl(source)
  const sources: Record<Format, () => PositionsSource> = {
    files: () =>
      datasetPositions(name, async (signal) =>
        httpDataset(client, source, { name: positionsName(name), bearer: key, signal }),
      ),
    graphql: () => graphSource(settings, client),
    rest: () => restPositions(client, source),
  }
  if (format !== 'auto') return sources[format]()
  return {
    name,
    async positions(date, request) {
      const format = await formatOf(client, source, key, request.signal)
      try {
        return await sources[format]().positions(date, request)
      } catch (error) {
        if (format !== 'graphql' || !(error instanceof GatewayError) || error.code !== 'SOURCE_FAILED') throw error
        const guess =
          'It has neither positions.jsonl nor /pools/all, and was taken for GraphQL: see POSITIONS_SOURCE_FORMAT.'
        throw new GatewayError(error.code, `${error.message} ${guess}`)
      }
    },
  }
}

function graphSource({ source, key, paging, pageSize, names, prices }: PositionsSettings, client: Client) {
  if (!prices)
    throw new GatewayError(
      'UNAVAILABLE',
      `${shownUrl(source)} is a GraphQL source, which gives no prices. Set PRICES_SOURCE, then try again.`,
    )
  return graphPositions(client, coinPrices(client, prices), {
    url: source,
    bearer: key,
    ...(paging && { paging }),
    ...(pageSize !== undefined && { pageSize }),
    ...(names && { names }),
  })
}

/** Detects the protocol of a server by requests that only one kind of source understands. */
async function formatOf(client: Client, base: string, bearer: string | undefined, signal: AbortSignal | undefined) {
  const probe = { client, base, bearer, signal }
  if (await answers(probe, 'positions.jsonl', isFile)) return 'files'
  if (await answers(probe, 'positions.jsonl.gz', isFile)) return 'files'
  return (await speaksRest(probe)) ? 'rest' : 'graphql'
}

export interface Probe {
  client: Client
  base: string
  bearer?: string | undefined
  signal?: AbortSignal | undefined
}

/** True if a server has the documented REST APIs: a gateway or a legacy server. */
export const speaksRest = (probe: Probe): Promise<boolean> => answers(probe, 'pools/all', beginsList)

async function answers(
  { client, base, bearer, signal }: Probe,
  path: string,
  fits: (answer: Answer) => boolean | Promise<boolean>,
): Promise<boolean> {
  const answer = await client.open(positionsName(shownUrl(base)), urlBelow(base, path), { bearer, signal })
  try {
    return await fits(answer)
  } finally {
    answer.body.destroy()
  }
}

const isJson = ({ type }: Answer) => type === 'application/json' || type === 'application/graphql-response+json'

/** Servers that answer every path the same way do so with HTML or JSON. */
const isFile = (answer: Answer) => answer.status === 200 && answer.type !== 'text/html' && !isJson(answer)

async function beginsList(answer: Answer): Promise<boolean> {
  if (answer.status !== 200 && answer.status !== 201) return false
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      const start = chunk.toString().trimStart()
      if (start !== '') return start.startsWith('[')
    }
  } catch {}
  return false
}
