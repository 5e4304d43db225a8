import * as z from 'zod'
import { isAddress, isHash, storedHash } from '../../address.ts'
import { GatewayError } from '../../errors.ts'
import { shownUrl, withoutSecrets } from '../../secrets.ts'
import { type Client, cut, parseJson, refusal, sourceFailed } from '../client.ts'

/** A client for the documented REST APIs of another server. Answers are validated. */
export interface RestServer {
  /** The name in messages, without secrets. */
  name: string
  /** Reads the body of a path. @throws SOURCE_FAILED for any status but 200 and 201 */
  bytes(path: string): Promise<Buffer>
  /** Reads the answer of a path. @throws SOURCE_FAILED if it does not match `schema` */
  get<T>(path: string, schema: z.ZodType<T>): Promise<T>
  /** True if a path answers 200 rather than 404. @throws SOURCE_FAILED for any other status */
  has(path: string): Promise<boolean>
}

/**
 * Answers of a server contradict each other: they are wrong, or the data changed between two
 * requests.
 */
export class Contradiction extends GatewayError {
  constructor(source: string, reason: string) {
    super('SOURCE_FAILED', `${source} failed: ${withoutSecrets(reason)}.`)
  }
}

/**
 * @param base the base URL. Its query is sent with each request
 * @throws BAD_INPUT if the base is not an http(s) URL
 */
export function restServer(
  client: Client,
  base: string,
  { signal, name = serverName(base) }: { signal?: AbortSignal | undefined; name?: string } = {},
): RestServer {
  const { origin, username, password, pathname, search } = new URL(base)
  const user = username === '' ? '' : `${username}:${password}@`
  const start = `${origin.replace('//', `//${user}`)}${pathname.replace(/\/+$/, '')}`
  const urlOf = (path: string) =>
    start + path + (path.includes('?') ? search.replace('?', '&') : search)
  return {
    name,
    bytes: (path) => client.bytes(name, urlOf(path), { signal }),
    get: async (path, schema) =>
      checked(name, path, schema, await client.json(name, urlOf(path), { signal })),
    async has(path) {
      const answer = await client.open(name, urlOf(path), { signal })
      answer.body.destroy()
      if (answer.status === 200 || answer.status === 201) return true
      if (answer.status === 404) return false
      throw sourceFailed(name, `${refusal(answer)} to ${path.split('?')[0]}`)
    },
  }
}

/** A server's URL for messages. @throws BAD_INPUT if it is not an http(s) URL */
export function serverName(base: string): string {
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol))
    throw new GatewayError(
      'BAD_INPUT',
      'A server is named by a URL that begins with http:// or https://.',
    )
  return shownUrl(base)
}

/** Validates an answer by a schema. @throws SOURCE_FAILED with its first problem */
export function checked<T>(source: string, path: string, schema: z.ZodType<T>, answer: unknown): T {
  const result = schema.safeParse(answer)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const at = issue?.path.length ? `${issue.path.join('.')} ` : ''
  throw sourceFailed(
    source,
    `the answer of ${path.split('?')[0]} is not as documented: ${at}${issue?.message}`,
  )
}

const text = z.string('must be a text')
const number = z.number('must be a number')
const integer = z
  .number('must be an integer')
  .refine(
    (value) => Number.isSafeInteger(value) && value >= 0,
    'must be an integer from 0 to 2^53-1',
  )
const factor = number.min(0, 'must be from 0 up')
const usd = z.number('must be a number or null').nullable()
const digits = text.regex(/^[0-9]{1,78}$/, 'must be digits')
const hash = text.refine(isHash, 'must be a transaction hash').transform(storedHash)
const flag = z.boolean('must be true or false')
const list = <T extends z.ZodType>(type: T) => z.array(type, 'must be a list')

export const address = text
  .refine(isAddress, 'must be an address (0x and 40 hex digits)')
  .transform((value) => value.toLowerCase())

const midnight = text
  .regex(
    /^\d{4}-\d\d-\d\dT00:00:00(\.0+)?Z$/,
    'must be midnight UTC, such as 2025-03-01T00:00:00.000Z',
  )
  .transform((value) => `${value.slice(0, 10)}T00:00:00.000Z`)

const instant = text.refine(
  (value) => !Number.isNaN(Date.parse(value)),
  'must be an ISO 8601 timestamp',
)

const multiplier = z.object({
  id: text,
  poolAddress: address,
  deposit_tokenA: factor,
  deposit_tokenB: factor,
  borrow_tokenA: factor,
  borrow_tokenB: factor,
  createdAt: instant,
  updatedAt: instant,
})
export type RestMultiplier = z.output<typeof multiplier>

const pool = z.object({
  id: address,
  marketId: integer,
  name: text,
  asset_1_address: address,
  asset_1_name: text,
  asset_1_symbol: text,
  asset_2_address: address,
  asset_2_name: text,
  asset_2_symbol: text,
  createdTimestamp: integer,
  interestLastUpdated: integer,
  unit_1_id: address,
  unit_2_id: address,
})
export type RestPool = z.output<typeof pool>

const position = z
  .object({
    id: text.min(1, 'must not be empty'),
    userAddress: address,
    marketAddress: address,
    distributionDate: midnight,
    pointsA: number,
    pointsB: number,
    points: number,
    aTokenAddress: address,
    aTokenSymbol: text,
    aTokenPrice: number,
    aSuppliedAmount: number,
    aSuppliedAmountUsd: number,
    aProtectedSuppliedAmount: number,
    aProtectedSuppliedAmountUsd: number,
    aBorrowedAmount: number,
    aBorrowedAmountUsd: number,
    bTokenAddress: address,
    bTokenSymbol: text,
    bTokenPrice: number,
    bSuppliedAmount: number,
    bSuppliedAmountUsd: number,
    bProtectedSuppliedAmount: number,
    bProtectedSuppliedAmountUsd: number,
    bBorrowedAmount: number,
    bBorrowedAmountUsd: number,
  })
  .refine(({ pointsA, pointsB, points }) => {
    return (
      Math.abs(points - (pointsA + pointsB)) <=
      1e-9 * Math.max(1, Math.abs(pointsA), Math.abs(pointsB))
    )
  }, 'has points that are not pointsA + pointsB')
/** A position record in the shape of section 2.1 of the points document. */
export type RestPosition = z.output<typeof position>

/** Schemas of answers of the points API. Undocumented fields are dropped. */
export const points = {
  pools: list(z.preprocess(plainUnits, pool)),
  multipliers: list(multiplier),
  reports: z.object({
    items: list(
      z.object({ distributionDate: midnight, totalPoints: number, positionCount: integer }),
    ),
  }),
  total: z.object({ totalPoints: number }),
  leaderboard: z.object({ topAccounts: list(z.object({ account: address })), total: digits }),
  positions: z.object({ items: list(position), nextCursor: text.nullish() }),
  datesOfAccount: z.object({
    items: list(z.object({ distributionDate: midnight, positions: list(position) })),
  }),
}

// In the ids of a pool's sides, the document says `unit` where servers use another name.
function plainUnits(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || 'unit_1_id' in value) return value
  const words = Object.keys(value).flatMap((name) => /^(\w+)_1_id$/.exec(name)?.[1] ?? [])
  const word = words.find((name) => `${name}_2_id` in value)
  if (!word) return value
  const fields = value as Record<string, unknown>
  return { ...fields, unit_1_id: fields[`${word}_1_id`], unit_2_id: fields[`${word}_2_id`] }
}

const snapshot = {
  chainId: integer,
  accountId: address,
  positionId: text.nullish().transform((value) => value ?? 'main'),
  timestamp: digits,
}
export const marketSnapshot = z.object({
  ...snapshot,
  marketId: address,
  collateralAssets: digits,
  collateralUsd: usd,
  protectedAssets: digits,
  protectedUsd: usd,
  debtAssets: digits,
  debtUsd: usd,
})
export const vaultSnapshot = z.object({
  ...snapshot,
  vaultId: address,
  shares: digits,
  assets: digits,
  assetsUsd: usd,
})

const reward = {
  txHash: hash,
  logIndex: integer,
  timestamp: digits,
  accountId: address,
  supplySent: digits,
  supplySentUsd: usd,
  collateralReceived: digits,
  collateralReceivedUsd: usd,
  liquidReward: digits,
  liquidRewardUsd: usd,
  userRoi: text.nullable(),
  claimedTimestamp: digits.nullable(),
}
export const marketReward = z.object({
  ...reward,
  debtMarketId: address,
  collateralMarketId: address,
})
export const vaultReward = z.object({ ...reward, vaultId: address })

const entity = {
  chain_id: integer,
  entity_id: address,
  entity_type: z.enum(['market', 'vault'], 'must be market or vault'),
}
export const earningsItem = z.object({
  ...entity,
  current_value_usd: number,
  net_cash_invested_usd: number,
  has_incomplete_prices: flag,
})
export const netAprItem = z.object({ ...entity, deposit_rate: number, borrow_rate: number })

const PAGE_SIZE = 1000

interface PageOf<T> {
  rows: T[]
  total: number
}

function envelope<T>(row: z.ZodType<T>, inBreakdown: boolean) {
  const rows: z.ZodType<T[]> = list(row)
  const breakdown = z
    .object({ breakdown: rows }, 'must be an object')
    .transform((data) => data.breakdown)
  const pagination = z.object(
    { page: integer, total: integer, has_more: flag },
    'must be an object',
  )
  return z.object({ data: inBreakdown ? breakdown : rows, pagination }, 'must be an object')
}

/**
 * Reads all pages of an endpoint of the indexer API.
 * @param path the path with its query, to which the page is added
 * @throws Contradiction if pages, `total` and `has_more` contradict each other
 */
export async function* indexerPages<T>(
  server: RestServer,
  path: string,
  row: z.ZodType<T>,
  { inBreakdown = false } = {},
): AsyncGenerator<PageOf<T>> {
  const schema = envelope(row, inBreakdown)
  const wrong = (reason: string) =>
    new Contradiction(server.name, `${path.split('?')[0]} ${reason}`)
  let read = 0
  let total: number | undefined
  for (let page = 1; ; page++) {
    const url = `${path}${path.includes('?') ? '&' : '?'}page=${page}&page_size=${PAGE_SIZE}`
    const { data: rows, pagination } = await server.get(url, schema)
    if (pagination.page !== page)
      throw wrong(`gave page ${pagination.page} when asked for page ${page}`)
    total ??= pagination.total
    if (pagination.total !== total) throw wrong(`reported ${total} rows, then ${pagination.total}`)
    read += rows.length
    yield { rows, total }
    if (read > total) throw wrong(`gave ${read} rows of ${total}`)
    if (!pagination.has_more && read < total) throw wrong(`ended after ${read} of ${total} rows`)
    if (!pagination.has_more) return
    if (rows.length === 0 || read === total)
      throw wrong(`announces more rows after ${read} of ${total}`)
  }
}

// The documented maximum.
const POSITIONS_PAGE = 100

/**
 * Reads the pages of /positions/breakdown-by-assets, newest date first.
 * @param after the id of the record to start after. Starts at the newest if omitted
 * @throws Contradiction for a repeated cursor, or one that leads nowhere
 */
export async function* positionPages(
  server: RestServer,
  after?: string,
): AsyncGenerator<{ items: RestPosition[]; body: Buffer }> {
  const seen = new Set<string>()
  for (let cursor = after; ; ) {
    const path = `/positions/breakdown-by-assets?limit=${POSITIONS_PAGE}`
    const body = await server.bytes(
      cursor === undefined ? path : `${path}&cursor=${encodeURIComponent(cursor)}`,
    )
    const { items, nextCursor } = checked(
      server.name,
      path,
      points.positions,
      parseJson(server.name, body),
    )
    const last = items.at(-1)?.id
    // Without a cursor, continue from the last record, which is the documented cursor.
    const next = nextCursor === undefined && items.length >= POSITIONS_PAGE ? last : nextCursor
    if (next && last === undefined)
      throw new Contradiction(server.name, 'a page of positions is empty, yet has a nextCursor')
    if (next && seen.has(next))
      throw new Contradiction(
        server.name,
        `the nextCursor ${cut(next, 80)} of its positions came twice`,
      )
    yield { items, body }
    if (!next) return
    seen.add(next)
    cursor = next
  }
}
