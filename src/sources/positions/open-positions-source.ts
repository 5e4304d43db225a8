import { GatewayError } from '../../errors.ts'
import { shownUrl } from '../../secrets.ts'
import { type Answer, type Client, isRemote, urlBelow } from '../client.ts'
import { openDirectory } from '../dataset/directory.ts'
import { httpDataset } from '../dataset/http-dataset.ts'
import { Fetch, fetchWithin } from '../fetch.ts'
import { coinPrices, type PricesSettings } from '../prices.ts'
import { datasetPositions } from './dataset-positions.ts'
import type { Names } from './graph-names.ts'
import { graphPositions } from './graph-positions.ts'
import {
  type FetchedPositions,
  type PositionsRequest,
  type PositionsSource,
  positionsName,
} from './positions-source.ts'
import { restPositions } from './rest-positions.ts'

export interface PositionsSettings {
  /** A directory, or an http(s) URL. */
  source: string
  /** The operator's name for the source. */
  name?: string | undefined
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
  const { source } = settings
  const name = isRemote(source) ? shownUrl(source, settings.name) : source
  return {
    name,
    positions(date, request) {
      const fetch = new Fetch(positionsName(name), client, request.signal)
      const bound = { ...request, signal: fetch.signal }
      return fetchWithin(fetch, () =>
        positionsOf({ ...settings, name }, client.within(fetch), fetch, date, bound),
      )
    },
  }
}

async function positionsOf(
  settings: PositionsSettings & { name: string },
  client: Client,
  fetch: Fetch,
  date: string,
  request: PositionsRequest,
): Promise<FetchedPositions> {
  const { source, name, key: bearer, format = 'auto' } = settings
  if (!isRemote(source))
    return datasetPositions(source, () => openDirectory(source)).positions(date, request)
  const called = positionsName(name)
  const sources: Record<Format, () => PositionsSource> = {
    files: () =>
      datasetPositions(name, async () =>
        httpDataset(client, source, { name: called, bearer, fetch }),
      ),
    graphql: () => graphSource(settings, client),
    rest: () => restPositions(client, source, name),
  }
  const probe = { client, base: source, name: called, bearer, signal: fetch.signal }
  const found = format === 'auto' ? await formatOf(probe) : format
  try {
    return await sources[found]().positions(date, request)
  } catch (error) {
    const isGuess = format === 'auto' && found === 'graphql'
    if (
      !isGuess ||
      fetch.signal.aborted ||
      !(error instanceof GatewayError) ||
      error.code !== 'SOURCE_FAILED'
    )
      throw error
    const guess =
      'It has neither positions.jsonl nor /pools/all, and was taken for GraphQL: see ' +
      'POSITIONS_SOURCE_FORMAT.'
    throw new GatewayError(error.code, `${error.message} ${guess}`)
  }
}

function graphSource(settings: PositionsSettings & { name: string }, client: Client) {
  const { source, name, key, paging, pageSize, names, prices } = settings
  if (!prices)
    throw new GatewayError(
      'UNAVAILABLE',
      `${name} is a GraphQL source, which gives no prices. Set PRICES_SOURCE, then try again.`,
    )
  return graphPositions(client, coinPrices(client, prices), {
    url: source,
    name,
    bearer: key,
    ...(paging && { paging }),
    ...(pageSize !== undefined && { pageSize }),
    ...(names && { names }),
  })
}

async function formatOf(probe: Probe): Promise<Format> {
  if (await answers(probe, 'positions.jsonl', isFile)) return 'files'
  if (await answers(probe, 'positions.jsonl.gz', isFile)) return 'files'
  return (await speaksRest(probe)) ? 'rest' : 'graphql'
}

export interface Probe {
  client: Client
  base: string
  /** The subject of messages. */
  name?: string
  bearer?: string | undefined
  signal?: AbortSignal | undefined
}

/** True if a server has the documented REST APIs: a gateway or a legacy server. */
export const speaksRest = (probe: Probe): Promise<boolean> =>
  answers(probe, 'pools/all', beginsList)

async function answers(
  { client, base, name = positionsName(shownUrl(base)), bearer, signal }: Probe,
  path: string,
  fits: (answer: Answer) => boolean | Promise<boolean>,
): Promise<boolean> {
  const answer = await client.open(name, urlBelow(base, path), { bearer, signal })
  try {
    return await fits(answer)
  } finally {
    answer.body.destroy()
  }
}

const isJson = ({ type }: Answer) =>
  type === 'application/json' || type === 'application/graphql-response+json'

// Servers that answer every path the same way do so with HTML or JSON.
const isFile = (answer: Answer) =>
  answer.status === 200 && answer.type !== 'text/html' && !isJson(answer)

// No server begins an answer with more blanks.
const MAX_BLANK = 65_536

async function beginsList(answer: Answer): Promise<boolean> {
  if (answer.status !== 200 && answer.status !== 201) return false
  let length = 0
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      const start = chunk.toString().trimStart()
      length += chunk.length
      if (start !== '' || length > MAX_BLANK) return start.startsWith('[')
    }
  } catch {}
  return false
}
