import * as z from 'zod'
import { DAY_MS } from '../../time.ts'
import { type Client, foreign, parseJson, sourceFailed, urlBelow } from '../client.ts'
import { address, checked, serverName } from './rest-api.ts'

/** The GraphQL API of another gateway, for data that its REST APIs do not show. */
export interface GatewayGraph {
  /** The data version, which changes with every write. */
  dataVersion(): Promise<string>
  pools(): AsyncGenerator<{ address: string; chainId: number }[]>
  markets(): AsyncGenerator<GraphMarket[]>
  vaults(): AsyncGenerator<GraphVault[]>
  /** All users, with the entities in which they have liquidation rewards. */
  users(): AsyncGenerator<{ total: number; users: GraphUser[] }>
  /**
   * The pages of a user's cash flows, newest first. Undefined if the gateway does not show them.
   */
  cashFlows: ((user: string) => AsyncGenerator<GraphCashFlow[]>) | undefined
  /** The names and logos of all assets. Undefined if the gateway does not show them. */
  assets: (() => AsyncGenerator<GraphAsset[]>) | undefined
  /**
   * The daily prices of all assets from a date on, as records of the import format. Undefined if
   * the gateway does not show them.
   */
  prices: ((since: Date | null) => AsyncGenerator<Record<string, unknown>[]>) | undefined
  /** The rates at the end of each day on which they changed, in the same way. */
  rates: ((since: Date | null) => AsyncGenerator<Record<string, unknown>[]>) | undefined
  /** The liquidations of all borrowers, newest first, in the same way. */
  liquidations: ((since: Date | null) => AsyncGenerator<Record<string, unknown>[]>) | undefined
  /**
   * The pages of the history of multipliers, newest first. Undefined if the gateway does not show
   * it.
   */
  multiplierRevisions:
    | (() => AsyncGenerator<{ total: number; revisions: GraphRevision[] }>)
    | undefined
  basePoints: (() => Promise<GraphBasePoints>) | undefined
  program: (() => Promise<GraphProgram>) | undefined
}

const chainId = z.int().min(0)
const entity = {
  chainId,
  address,
  asset: z.object({ address, symbol: z.string(), decimals: z.int().min(0) }),
  depositRate: z.number(),
}
const fraction = z.number().nullable().optional()
const market = z.object({
  ...entity,
  borrowRate: z.number(),
  maxLtv: fraction,
  liquidationThreshold: fraction,
  pool: z.object({ address }),
})
const vault = z.object({ ...entity, name: z.string() })
export type GraphMarket = z.output<typeof market>
export type GraphVault = z.output<typeof vault>

const connection = <T extends z.ZodType>(node: T) =>
  z.object({
    nodes: z.array(node),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  })
const place = {
  chainId,
  entityType: z
    .enum(['MARKET', 'VAULT'])
    .transform((type) => type.toLowerCase() as EntityRef['kind']),
  entityAddress: address,
}
const user = z.object({
  address,
  liquidationRewards: z.object({
    nodes: z.array(z.object(place)),
    pageInfo: z.object({ hasNextPage: z.boolean() }),
  }),
})

const digits = z.string().regex(/^[0-9]{1,78}$/)
const named = z.object({ address }).transform((one) => one.address)
const cashFlow = z
  .object({
    kind: z.enum(['DEPOSIT', 'WITHDRAW', 'BORROW', 'REPAY']),
    ...place,
    user: named,
    txHash: z.string(),
    logIndex: z.int().min(0),
    legacy: z.object({ timestamp: digits }),
    amount: z.object({ raw: digits.nullable(), usd: z.number().nullable() }),
    usdIsComputed: z.boolean(),
  })
  .transform(({ amount, usdIsComputed, legacy, kind, entityAddress, user, ...flow }) => ({
    ...flow,
    ...legacy,
    entityId: entityAddress,
    accountId: user,
    kind: kind.toLowerCase(),
    assets: amount.raw,
    amountUsd: usdIsComputed ? null : amount.usd,
  }))
/** A cash flow in the import format. */
export type GraphCashFlow = z.output<typeof cashFlow>

const tokens = z.object({ raw: digits, usd: z.number().nullable() })
const liquidation = z
  .object({
    chainId,
    txHash: z.string(),
    logIndex: z.int().min(0),
    time: z.iso.datetime(),
    borrower: named,
    liquidator: named,
    poolId: named,
    debtMarketId: named,
    collateralMarketId: named,
    debtRepaid: tokens,
    collateralSeized: tokens,
  })
  .transform(({ time, debtRepaid, collateralSeized, ...event }) => ({
    ...event,
    timestamp: String(Math.floor(Date.parse(time) / 1000)),
    debtRepaid: debtRepaid.raw,
    debtRepaidUsd: debtRepaid.usd,
    collateralSeized: collateralSeized.raw,
    collateralSeizedUsd: collateralSeized.usd,
  }))

const asset = z.object({
  chainId,
  address,
  symbol: z.string(),
  name: z.string(),
  logoUri: z.string().nullable(),
  movesWith: z.string().nullable(),
})
export type GraphAsset = z.output<typeof asset>

const announced = {
  recordId: z.string().regex(/^[0-9]{1,16}$/),
  from: z.iso.date().nullable(),
  changedAt: z.iso.datetime(),
  changedBy: z.string(),
  revokedAt: z.iso.datetime().nullable(),
  revokedBy: z.string().nullable(),
}
const revisionRecord = <T extends { recordId: string; from: string | null }>({
  recordId,
  from,
  ...revision
}: T) => ({
  id: Number(recordId),
  fromDate: from,
  ...revision,
})
const factor = z.number().min(0).nullable()
const multiplierRevision = z
  .object({
    ...announced,
    poolAddress: address,
    depositA: factor,
    depositB: factor,
    borrowA: factor,
    borrowB: factor,
    recordedAt: z.iso.datetime(),
  })
  .transform(({ depositA, depositB, borrowA, borrowB, ...revision }) => ({
    ...revisionRecord(revision),
    deposit_tokenA: depositA,
    deposit_tokenB: depositB,
    borrow_tokenA: borrowA,
    borrow_tokenB: borrowB,
  }))
export type GraphRevision = z.output<typeof multiplierRevision>

const basePoints = { deposit: z.number().min(0), borrow: z.number().min(0) }
const basePointsRevision = z
  .object({ ...announced, ...basePoints, protectedMinLtv: z.number().min(0).max(1).nullable() })
  .transform(revisionRecord)
const basePointsAnswer = z.object({
  basePoints: z.object({ ...basePoints, revision: z.object({ recordId: z.string() }).nullable() }),
  basePointsRevisions: z.array(basePointsRevision),
})
export type GraphBasePoints = z.output<typeof basePointsAnswer>

const program = z.object({
  name: z.string().nullable(),
  seasons: z.array(
    z.object({
      name: z.string(),
      startsAt: z.iso.date(),
      endsAt: z.iso.date().nullable(),
      digest: z.string().nullable(),
      closedAt: z.iso.datetime().nullable(),
    }),
  ),
})
export type GraphProgram = z.output<typeof program>

const start = z.string().transform((date) => Date.parse(date))
const priceDay = z.object({
  start,
  usd: z.number().nullable(),
  source: z.string().nullable(),
  time: z.string().nullable(),
})
const rateDay = z.object({
  start,
  depositApr: z.number().nullable(),
  borrowApr: z.number().nullable(),
})
// The series that are read at once, and the days of each.
const SERIES = 20
const SERIES_DAYS = 1000
const isoOf = (ms: number) => new Date(ms).toISOString()
const dayOf = (date: Date | null) => Math.floor((date?.getTime() ?? 0) / DAY_MS) * DAY_MS

export interface EntityRef {
  kind: 'market' | 'vault'
  chainId: number
  address: string
}

/** The text that identifies an entity among those of a server. */
export const entityKey = ({ kind, chainId, address }: EntityRef) => `${kind} ${chainId} ${address}`

export interface GraphUser {
  address: string
  /** The entities with rewards of the user. Undefined if there are more than fit one page. */
  rewards: EntityRef[] | undefined
}

const USERS = 100
const REWARDS = 400

const marketsWith = (more: string) => `query Markets($after: String) {
    markets(first: 1000, after: $after) {
      nodes {
        chainId address asset { address symbol decimals } depositRate: depositApr
        borrowRate: borrowApr ${more} pool { address }
      }
      pageInfo { hasNextPage endCursor }
    }
  }`

const seriesOf = (
  field: string,
  days: string,
) => `query Series($after: String, $from: DateTime, $to: DateTime) {
    list: ${field}(first: ${SERIES}, after: $after) {
      nodes { chainId address days: ${days} }
      pageInfo { hasNextPage endCursor }
    }
  }`
const RATES = 'aprSeries(from: $from, to: $to) { start depositApr borrowApr }'

/** The operations, valid against the schema of src/graphql. */
export const graphOperations = {
  fields: `query GatewayFields {
    query: __type(name: "Query") { fields { name } }
    user: __type(name: "User") { fields { name } }
    market: __type(name: "Market") { fields { name } }
    asset: __type(name: "Asset") { fields { name } }
    revision: __type(name: "MultiplierRevision") { fields { name } }
    program: __type(name: "Program") { fields { name } }
  }`,
  version: 'query DataVersion { dataVersion }',
  pools: `query Pools($after: String) {
    pools(first: 1000, after: $after) {
      nodes { address chainId }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  markets: marketsWith('maxLtv liquidationThreshold'),
  marketsWithoutRisk: marketsWith(''),
  vaults: `query Vaults($after: String) {
    vaults(first: 1000, after: $after) {
      nodes { chainId address name asset { address symbol decimals } depositRate: depositApr }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  users: `query Users($after: String) {
    users(first: ${USERS}, after: $after) {
      totalCount
      nodes {
        address
        liquidationRewards(first: ${REWARDS}) {
          nodes { chainId entityType entityAddress }
          pageInfo { hasNextPage }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  assets: `query Assets($after: String) {
    assets(first: 1000, after: $after) {
      nodes { chainId address symbol name logoUri movesWith }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  prices: seriesOf('assets', 'prices(from: $from, to: $to) { start usd source time }'),
  marketRates: seriesOf('markets', RATES),
  vaultRates: seriesOf('vaults', RATES),
  multiplierRevisions: `query MultiplierRevisions($after: String) {
    multiplierRevisions(first: 1000, after: $after) {
      totalCount
      nodes {
        recordId poolAddress depositA depositB borrowA borrowB from changedAt changedBy recordedAt
        revokedAt revokedBy
      }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  basePoints: `query BasePoints {
    basePoints(asOf: "1970-01-01") { deposit borrow revision { recordId } }
    basePointsRevisions {
      recordId deposit borrow protectedMinLtv from changedAt changedBy revokedAt revokedBy
    }
  }`,
  program: 'query Program { program { name seasons { name startsAt endsAt digest closedAt } } }',
  liquidations: `query Liquidations($after: String, $since: DateTime) {
    liquidations(first: 1000, after: $after, where: { time: { gte: $since } }) {
      nodes {
        chainId txHash logIndex time borrower: user { address } liquidator { address }
        poolId: pool { address } debtMarketId: debtMarket { address }
        collateralMarketId: collateralMarket { address }
        debtRepaid { raw usd } collateralSeized { raw usd }
      }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  cashFlows: `query CashFlows($user: Address!, $after: String) {
    user(address: $user) {
      activity(first: 1000, after: $after, where: { kinds: [DEPOSIT, WITHDRAW, BORROW, REPAY] }) {
        nodes {
          kind chainId entityType entityAddress user { address } txHash logIndex
          legacy { timestamp } amount { raw usd } usdIsComputed
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }`,
}

const NEEDED = ['users', 'dataVersion', 'markets', 'pools', 'vaults']
const fields = z
  .object({ fields: z.array(z.object({ name: z.string() })) })
  .transform((type) => new Set(type.fields.map(({ name }) => name)))
const fieldsAnswer = z.object({
  data: z.object({
    query: fields,
    user: fields,
    market: fields,
    asset: fields.nullish(),
    revision: fields.nullish(),
    program: fields.nullish(),
  }),
})

/**
 * Opens the graph at a base URL's /graphql. Undefined if there is none or it is not a gateway's.
 * @throws SOURCE_FAILED if the server fails, so that its kind is unknown
 */
export async function openGatewayGraph(
  client: Client,
  base: string,
  signal: AbortSignal | undefined,
): Promise<GatewayGraph | undefined> {
  const url = urlBelow(base, 'graphql')
  const name = serverName(base)
  const probe = { json: { query: graphOperations.fields }, signal }
  const there = await client.open(name, url, probe)
  there.body.destroy()
  const schema =
    there.status === 200 ? gatewayFields(await client.bytes(name, url, probe)) : undefined
  if (!schema) return undefined

  async function ask<T>(query: string, schema: z.ZodType<T>, variables: object = {}): Promise<T> {
    const body = await client.json(name, url, { json: { query, variables }, signal })
    const errors = z
      .object({ errors: z.array(z.object({ message: z.string() })).min(1) })
      .safeParse(body)
    if (errors.success)
      throw sourceFailed(
        name,
        `it answered with an error: ${foreign(errors.data.errors[0]?.message ?? '')}`,
      )
    return checked(name, '/graphql', z.object({ data: schema }), body).data
  }

  async function* pages<
    Page extends { pageInfo: { hasNextPage: boolean; endCursor: string | null } },
  >(field: string, pageAfter: (after: string | null) => Promise<Page>): AsyncGenerator<Page> {
    const seen = new Set<string>()
    for (let after: string | null = null; ; ) {
      const page: Page = await pageAfter(after)
      yield page
      after = page.pageInfo.endCursor
      if (!page.pageInfo.hasNextPage) return
      if (after === null || seen.has(after))
        throw sourceFailed(name, `the cursors of its ${field} do not lead on`)
      seen.add(after)
    }
  }
  const list = <Page extends { pageInfo: { hasNextPage: boolean; endCursor: string | null } }>(
    query: string,
    field: string,
    page: z.ZodType<Page>,
  ) =>
    pages(
      field,
      async (after) =>
        (await ask(query, z.record(z.literal(field), page), { after }))[field] as Page,
    )
  async function* nodes<T>(query: string, field: string, node: z.ZodType<T>): AsyncGenerator<T[]> {
    for await (const page of list(query, field, connection(node))) yield page.nodes
  }
  async function* cashFlows(user: string): AsyncGenerator<GraphCashFlow[]> {
    const answer = z.object({ user: z.object({ activity: connection(cashFlow) }) })
    const pageAfter = async (after: string | null) =>
      (await ask(graphOperations.cashFlows, answer, { user, after })).user.activity
    for await (const page of pages('activity', pageAfter)) yield page.nodes
  }

  /**
   * The daily series of all assets, markets or vaults, oldest day first. `newest` is the newest day
   * of such series.
   */
  async function* series<Day extends { start: number }>(
    query: string,
    day: z.ZodType<Day>,
    hasValue: (day: Day) => boolean,
    { newest, since }: { newest: number; since: number },
  ) {
    const answer = z.object({
      list: connection(z.object({ chainId, address, days: z.array(day) })),
    })
    const read = (after: string | null, range: object) => ask(query, answer, { after, ...range })
    const pageAfter = async (after: string | null) => {
      const { list } = await read(after, rangeBefore(newest, since))
      const days = new Map(list.nodes.map((node) => [keyOf(node), [node.days]]))
      // A range without a value is before the first one.
      for (let nodes = list.nodes, to = newest; nodes.some((node) => node.days.some(hasValue)); ) {
        to -= SERIES_DAYS * DAY_MS
        if (to < since) break
        nodes = (await read(after, rangeBefore(to, since))).list.nodes
        for (const node of nodes) days.get(keyOf(node))?.unshift(node.days)
      }
      const nodes = list.nodes.map((node) => ({
        ...node,
        days: days.get(keyOf(node))?.flat() ?? [],
      }))
      return { nodes, pageInfo: list.pageInfo }
    }
    for await (const { nodes } of pages('series', pageAfter)) yield nodes
  }

  /**
   * The newest day of a series of assets, markets or vaults: all of them end on it. Undefined if
   * there are none.
   */
  async function newestDay(query: string): Promise<number | undefined> {
    const days = z.array(z.object({ start }))
    const { list } = await ask(
      query,
      z.object({ list: z.object({ nodes: z.array(z.object({ days })) }) }),
    )
    return list.nodes[0]?.days.at(-1)?.start
  }

  async function* prices(since: Date | null): AsyncGenerator<Record<string, unknown>[]> {
    const first = dayOf(since)
    const newest = await newestDay(graphOperations.prices)
    if (newest === undefined || newest < first) return
    const range = { newest, since: first }
    for await (const assets of series(
      graphOperations.prices,
      priceDay,
      ({ usd }) => usd !== null,
      range,
    ))
      yield assets.flatMap(({ chainId, address, days }) =>
        days.flatMap(({ start, usd: priceUsd, source, time }) =>
          priceUsd === null
            ? []
            : [{ chainId, assetAddress: address, date: isoOf(start), priceUsd, source, time }],
        ),
      )
  }

  /**
   * The day before the first one says whether the rates of the first one are new. A day's rates are
   * its last ones, so they count from its last moment on: not before they were known.
   */
  async function* rates(since: Date | null): AsyncGenerator<Record<string, unknown>[]> {
    const first = dayOf(since)
    for (const kind of ['market', 'vault'] as const) {
      const query = graphOperations[`${kind}Rates`]
      const newest = await newestDay(query)
      if (newest === undefined || newest < first) continue
      const range = { newest, since: first - DAY_MS }
      for await (const entities of series(
        query,
        rateDay,
        ({ depositApr }) => depositApr !== null,
        range,
      ))
        yield entities.flatMap(({ chainId, address, days }) =>
          days.flatMap(({ start, depositApr: depositRate, borrowApr: borrowRate }, at) => {
            const before = days[at - 1]
            if (depositRate === null || start < first) return []
            if (before?.depositApr === depositRate && before.borrowApr === borrowRate) return []
            const changedAt = isoOf(start + DAY_MS - 1)
            return [
              { entityType: kind, chainId, entityId: address, changedAt, depositRate, borrowRate },
            ]
          }),
        )
    }
  }

  async function* liquidations(since: Date | null): AsyncGenerator<Record<string, unknown>[]> {
    const answer = z.object({ liquidations: connection(liquidation) })
    const pageAfter = async (after: string | null) =>
      (await ask(graphOperations.liquidations, answer, { after, since })).liquidations
    for await (const page of pages('liquidations', pageAfter)) yield page.nodes
  }

  async function* multiplierRevisions() {
    const page = connection(multiplierRevision).extend({ totalCount: z.int().min(0) })
    for await (const { totalCount, nodes } of list(
      graphOperations.multiplierRevisions,
      'multiplierRevisions',
      page,
    ))
      yield { total: totalCount, revisions: nodes }
  }

  return {
    dataVersion: async () =>
      (await ask(graphOperations.version, z.object({ dataVersion: z.string() }))).dataVersion,
    pools: () => nodes(graphOperations.pools, 'pools', z.object({ address, chainId })),
    markets: () => {
      const { markets, marketsWithoutRisk } = graphOperations
      return nodes(schema.market.has('maxLtv') ? markets : marketsWithoutRisk, 'markets', market)
    },
    vaults: () => nodes(graphOperations.vaults, 'vaults', vault),
    async *users() {
      const page = connection(user).extend({ totalCount: z.int().min(0) })
      for await (const { totalCount, nodes } of list(graphOperations.users, 'users', page))
        yield {
          total: totalCount,
          users: nodes.map((node) => ({ address: node.address, rewards: refsOf(node) })),
        }
    },
    cashFlows: schema.user.has('activity') ? cashFlows : undefined,
    assets: schema.asset?.has('movesWith')
      ? () => nodes(graphOperations.assets, 'assets', asset)
      : undefined,
    prices: schema.asset?.has('prices') ? prices : undefined,
    rates: schema.market.has('aprSeries') ? rates : undefined,
    liquidations: schema.query.has('liquidations') ? liquidations : undefined,
    multiplierRevisions: schema.revision?.has('revokedAt') ? multiplierRevisions : undefined,
    basePoints: schema.query.has('basePointsRevisions')
      ? () => ask(graphOperations.basePoints, basePointsAnswer)
      : undefined,
    program: schema.program?.has('seasons')
      ? async () => (await ask(graphOperations.program, z.object({ program }))).program
      : undefined,
  }
}

// The last days of a series up to `to`, in ms, but none before `since`.
const rangeBefore = (to: number, since: number) => ({
  from: isoOf(Math.max(to - (SERIES_DAYS - 1) * DAY_MS, since)),
  to: isoOf(to),
})

const keyOf = ({ chainId, address }: { chainId: number; address: string }) =>
  `${chainId} ${address}`

// Returns the fields of the types that differ between versions. Undefined if they are not a
// gateway's.
function gatewayFields(body: Buffer): z.output<typeof fieldsAnswer>['data'] | undefined {
  try {
    const { data } = fieldsAnswer.parse(parseJson('it', body))
    return NEEDED.every((needed) => data.query.has(needed)) ? data : undefined
  } catch {
    return undefined
  }
}

function refsOf({
  liquidationRewards: { nodes, pageInfo },
}: z.output<typeof user>): EntityRef[] | undefined {
  if (pageInfo.hasNextPage) return undefined
  const refs = new Map<string, EntityRef>()
  for (const { entityType, chainId, entityAddress } of nodes) {
    const ref: EntityRef = { kind: entityType, chainId, address: entityAddress }
    refs.set(entityKey(ref), ref)
  }
  return [...refs.values()]
}
