import ipaddr from 'ipaddr.js'
import * as z from 'zod'
import { isEncoded, NOT_ENCODED, readDatabaseUrl } from './db/connect/url.ts'
import { records } from './domain/dataset/records.ts'
import { readCron } from './domain/distribution/cron.ts'
import { readSeasons } from './domain/season/season-dates.ts'
import { type LegName, legNames } from './domain/update/legs.ts'
import { readTrustedDocuments } from './graphql/policy/trusted-documents.ts'
import { LEAST_MEMORY_MB, memoryForAnswers } from './memory.ts'
import {
  defaultNames,
  FETCH_LIMITS,
  isPostgres,
  isRemote,
  parseNames,
  readMappings,
} from './sources/index.ts'

// A kind of value. Its `values` complete "must be ..." in errors, and appear in the help and the
// documents.
const kind = <T extends z.ZodType>(values: string, schema: (message: string) => T) =>
  schema(`must be ${values}`).meta({ values })
const number = (values: string, fits: (value: number) => boolean) =>
  kind(values, (message) => z.coerce.number(message).refine(fits, message))
const whole = (min: number, max: number) =>
  number(
    `a whole number from ${min} to ${max}`,
    (value) => Number.isInteger(value) && value >= min && value <= max,
  )
const points = number('a number from 0 to 1000000000', (value) => value >= 0 && value <= 1e9)
const oneOf = <const T extends string>(...options: T[]) =>
  kind(new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(options), (message) =>
    z.enum(options, message),
  )
const truth = oneOf('true', 'false')
const text = (values: string) => kind(values, (message) => z.string().min(1, message))
const url = (protocols: RegExp, example: string) =>
  kind(`a URL like ${example}`, (message) =>
    z
      .string()
      .refine((value) => URL.canParse(value) && protocols.test(new URL(value).protocol), message),
  )

// A text that a function reads: undefined means that it is not valid, and an error says why.
const parsed = <T>(values: string, parse: (text: string) => T | undefined) =>
  kind(values, (message) =>
    z.string().transform((text, context) => {
      try {
        const value = parse(text)
        if (value !== undefined) return value
        context.addIssue(message)
      } catch (error) {
        context.addIssue((error as Error).message)
      }
      return z.NEVER
    }),
  )

const DATABASE = 'postgres://user:password@host:5432/database'

function postgresUrl(text: string): string | undefined {
  const read = readDatabaseUrl(text.trim())
  if ('fault' in read) throw new Error(read.fault)
  return /^postgres(ql)?:$/.test(new URL(read.url).protocol) ? read.url : undefined
}

const databaseUrl = parsed(`a URL like ${DATABASE}`, postgresUrl)

// The first segments of the gateway's paths, below which no prefix can begin.
const SERVED = [
  'badge',
  'dashboard',
  'docs',
  'embed',
  'export',
  'graphql',
  'health',
  'import',
  'multipliers',
  'points',
  'pools',
  'positions',
  'tables',
  'v1',
]
const basePath = kind('a path like /lending, and not one of the gateway', (message) =>
  z
    .string()
    .transform((value) => value.replace(/\/+$/, ''))
    .refine(
      (value) => /^(\/[\w~-][\w.~-]*)*$/.test(value) && !SERVED.includes(value.split('/')[1] ?? ''),
      message,
    ),
)

const isSecret = (value: string) => /^[\x21-\x7e]+$/.test(value)
const isToken = (value: string) => value.length >= 8 && isSecret(value)
const tokenValues = '8 or more printable ASCII characters without spaces'
const token = kind(tokenValues, (message) => z.string().refine(isToken, message))
const key = kind('printable ASCII without spaces', (message) =>
  z.string().refine(isSecret, message),
)

const namedTokens = kind('name:token pairs, separated by commas', (message) =>
  z.string().transform((text, context) => {
    const pairs = text.split(',').map((pair): [string, string] => {
      const [, name = '', secret = ''] = /^([a-z0-9._-]{1,64}):(.*)$/i.exec(pair.trim()) ?? []
      if (name === '') context.addIssue(message)
      else if (!isToken(secret))
        context.addIssue(`must have ${tokenValues} in the token of ${name}`)
      return [name, secret]
    })
    if (new Set(pairs.map(([name]) => name)).size < pairs.length)
      context.addIssue('must not give two tokens the same name')
    return pairs
  }),
)

const location = (values: string, isUrl = isRemote) =>
  kind(values, (message) =>
    z
      .string()
      .min(1, message)
      .refine((value) => !isPostgres(value) || (URL.canParse(value) && isEncoded(new URL(value))), {
        message: NOT_ENCODED,
        abort: true,
      })
      .refine(
        (value) => (isUrl(value) ? URL.canParse(value) : !/^[a-z][a-z0-9+.-]*:\/\//i.test(value)),
        message,
      ),
  )
const positionsPlace = location('a directory, or a URL like https://example.org/positions')
const analyticsPlace = location(
  'a directory, or a URL like https://example.org/analytics or postgres://host/database',
  (value) => isRemote(value) || isPostgres(value),
)

const replicaUrls = parsed(`URLs like ${DATABASE}, separated by commas`, (text) => {
  const urls = splitUrls(text).flatMap((one) => postgresUrl(one) ?? [])
  if (urls.length < splitUrls(text).length) return undefined
  if (new Set(urls.map((one) => new URL(one).host)).size < urls.length)
    throw new Error('must not have the same server twice')
  return urls
})

/** Splits a list of URLs. Passwords may contain commas. */
export const splitUrls = (text: string): string[] =>
  text.split(/,(?=\s*\w+:\/\/)/).map((one) => one.trim())

const chains = parsed('id=name pairs, separated by commas, such as 146=sonic', (text) => {
  const pairs = text
    .split(',')
    .map((pair) => /^\s*([1-9][0-9]{0,15})=([\w-]+)\s*$/.exec(pair)?.slice(1))
  return pairs.includes(undefined) ? undefined : Object.fromEntries(pairs as [string, string][])
})

// A colour that can be read on white: a contrast of at least 4.5 (WCAG 2.2, 1.4.3).
const accentColor = kind(
  'a colour like #0b6b4f, with a contrast of at least 4.5 to white',
  (message) =>
    z
      .string()
      .refine((text) => /^#[0-9a-f]{6}$/i.test(text) && contrastToWhite(text) >= 4.5, message),
)

function contrastToWhite(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
}

const MAX_LINKS = 8

const namedLinks = parsed(
  `at most ${MAX_LINKS} name=URL pairs, such as App=https://app.example.org`,
  (text) => {
    const links = text.split(/,(?=[^,=]+=https?:)/).map((pair) => {
      const [, name = '', href = ''] = /^([^=]{1,40})=(https?:.+)$/.exec(pair.trim()) ?? []
      return { name: name.trim(), href }
    })
    const areLinks = links.every(({ name, href }) => name !== '' && URL.canParse(href))
    return areLinks && links.length <= MAX_LINKS ? links : undefined
  },
)

const proxies = parsed(
  'a number of proxies, or their addresses, separated by commas, such as 10.0.0.0/8,::1',
  (text) => {
    if (/^\d{1,2}$/.test(text)) return Number(text)
    const addresses = text.split(',').map((one) => one.trim())
    return addresses.every((one) => ipaddr.isValid(one) || ipaddr.isValidCIDR(one))
      ? addresses
      : undefined
  },
)

const hosts = parsed('hosts, separated by commas, such as assets.example.org', (text) => {
  const names = text.split(',').map((one) => one.trim().toLowerCase())
  return names.every((one) => /^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/.test(one))
    ? names
    : undefined
})

const sourceNames = parsed('setting=name pairs, such as POSITIONS_SOURCE=subgraph', (text) => {
  const pairs = text
    .split(',')
    .map((pair) => /^\s*([A-Z_]+)=([\w .-]{1,40})\s*$/.exec(pair)?.slice(1))
  const areSources = pairs.every((pair) => pair && SOURCES.test(pair[0] ?? ''))
  return areSources
    ? (Object.fromEntries(pairs as [string, string][]) as Record<string, string>)
    : undefined
})

const SOURCES = /^(POSITIONS|PRICES|ANALYTICS)_SOURCE(_(?!KEY|FORMAT|PAG|FIELDS)[A-Z_]+)?$/

const loggedRequests = parsed(
  'all, slow, off, or a share of requests between 0 and 1, such as 0.01',
  (text) => {
    if (text === 'all' || text === 'slow' || text === 'off') return text
    const share = Number(text)
    return share > 0 && share < 1 ? share : undefined
  },
)

const pattern = kind('a cron pattern of five fields in UTC, such as "10 0 * * *"', (message) =>
  z.string().superRefine((text, context) => {
    try {
      readCron(text)
    } catch (error) {
      const reason = (error as Error).message.replace(/^CronPattern: /, '').replace(/\.$/, '')
      context.addIssue(`${message}: ${reason}`)
    }
  }),
)

// Marks a setting that changes cached answers: gateways that differ in it share none in Redis.
const OF_ANSWERS = { ofAnswers: true }

// Marks a URL that is only shown by its host: keys may be in its path.
const BY_HOST = { byHost: true }

type Underscored<Text extends string> = Text extends `${infer Word}-${infer Rest}`
  ? `${Word}_${Underscored<Rest>}`
  : Text
type LegSetting = `ANALYTICS_SOURCE_${Uppercase<Underscored<LegName>>}`

const legFields = Object.fromEntries(legNames.map((leg) => [leg, records[leg].fields]))

export const legSetting = (leg: LegName) =>
  `ANALYTICS_SOURCE_${leg.toUpperCase().replaceAll('-', '_')}` as LegSetting

const legSource = (leg: LegName) =>
  analyticsPlace
    .optional()
    .meta({ ...BY_HOST, description: `another source of ${leg}`, defaultText: 'ANALYTICS_SOURCE' })

const legSources = Object.fromEntries(
  legNames.map((leg) => [legSetting(leg), legSource(leg)]),
) as Record<LegSetting, ReturnType<typeof legSource>>

/**
 * The environment variables that the gateway reads. The help, `gateway config` and the README come
 * from this description. `defaultText` is a default in words. The value of a `secret` is never
 * printed.
 */
export const variables = z.object({
  HOST: text('a host name or an address').default('127.0.0.1').describe('the address to listen on'),
  PORT: whole(0, 65_535).default(4000).describe('the port to listen on; 0: any free port'),
  DATABASE_URL: databaseUrl.optional().meta({
    description: 'a Postgres, 15 or later',
    defaultText: 'none: an embedded Postgres 18',
  }),
  DATABASE_DIRECT_URL: databaseUrl.optional().meta({
    description:
      'the same database without a pooler, if DATABASE_URL leads to one in transaction mode: ' +
      'for migrations, the locks of jobs, and notifications of changes',
    defaultText: 'none: DATABASE_URL',
  }),
  DATABASE_REPLICA_URLS: replicaUrls.optional().meta({
    ...OF_ANSWERS,
    description:
      'streaming replicas of that Postgres, separated by commas. A read goes to a replica that ' +
      'has every change which this gateway has answered or been notified of (see ' +
      '[Replicas](../deploy/README.md#replicas)). Each URL must lead to one server, not to a ' +
      'balancer',
    defaultText: 'none: DATABASE_URL',
  }),
  MIGRATE: oneOf('on', 'off')
    .default('on')
    .describe(
      '`off`: the start does not change tables. If migrations are missing, it fails and says ' +
        'so. The command migrate still applies them',
    ),
  DATABASE_POOL_SIZE: whole(2, 1000)
    .default(10)
    .describe(
      'connections to the database: quick reads share up to 3, and slow reads use at most 3 of ' +
        'the rest, so that they delay no other work. Two more connections receive notifications ' +
        'of changes and check that they arrive',
    ),
  LOCK_TIMEOUT_MS: whole(0, 86_400_000)
    .default(30_000)
    .describe(
      'how long an import, a run or a change waits for another writer before it is refused ' +
        'with a 503; 0: no limit',
    ),
  READ_TIMEOUT_MS: whole(0, 3_600_000)
    .default(30_000)
    .describe(
      "how long all statements of one read operation may take together, by the gateway's " +
        'clock; 0: no limit. Writes have no limit: if Postgres hangs, a run waits until its ' +
        'connection is lost or it is stopped',
    ),
  DATA_DIR: text('a directory').default('.data').describe('the directory of the embedded Postgres'),
  REDIS_URL: url(/^rediss?:$/, 'redis://host:6379')
    .optional()
    .meta({
      description:
        'a Redis that several gateways share as their cache (see [Running it](#running-it) for ' +
        'its memory)',
      defaultText: "none: this process's memory",
    }),
  MEMORY_MB: whole(LEAST_MEMORY_MB, 2 ** 20)
    .default(320)
    .describe(
      'the memory of a process, in MiB. Cached answers, documents, plans, statements and live ' +
        'answers share the part that the program does not need (see ' +
        '[Sizing](../deploy/README.md#sizing))',
    ),
  CACHE_MAX_BYTES: whole(0, 2 ** 40)
    .optional()
    .meta({
      description: 'the part of MEMORY_MB for cached answers; 0: none',
      defaultText: 'three fifths of the part that the program does not need: 24 MiB of 320',
    }),
  ADMIN_TOKEN: token.optional().meta({
    description: 'the token for the three POSTs and the mutations; records name it `admin`',
    defaultText: 'none: no changes over HTTP',
    secret: true,
  }),
  ADMIN_TOKENS: namedTokens.optional().meta({
    description: 'more tokens, each with a name: `alice:token1,bob:token2`',
    secret: true,
  }),
  POSITIONS_SOURCE: positionsPlace
    .optional()
    .describe(
      'where manualupdate gets positions: a directory, or an http(s) address (see ' +
        '[Sources](#sources))',
    )
    .meta(BY_HOST),
  POSITIONS_SOURCE_FORMAT: oneOf('auto', 'files', 'graphql', 'rest')
    .default('auto')
    .describe(
      'the format of the source; `rest` is another gateway, and `auto` detects it at each run',
    ),
  POSITIONS_SOURCE_KEY: key
    .optional()
    .meta({ description: 'a bearer key for the source', secret: true }),
  POSITIONS_SOURCE_PAGING: oneOf('cursor', 'offset')
    .default('cursor')
    .describe("a GraphQL source's arguments for pages: first and after, or limit and offset"),
  POSITIONS_SOURCE_PAGE_SIZE: whole(1, 100_000)
    .default(1000)
    .describe('positions a page of a GraphQL source'),
  POSITIONS_SOURCE_FIELDS: parsed('a JSON object of names', parseNames).default(defaultNames).meta({
    description:
      'a GraphQL source\'s names for ours: `{"user": "account.id", "positions": "userPositions"}`',
    defaultText: 'our names',
  }),
  ANALYTICS_SOURCE: analyticsPlace
    .optional()
    .describe(
      'where updates get markets, rates, prices, snapshots, rewards and cash flows: a directory ' +
        'or an http(s) address with files in the import format, another gateway or, with ' +
        'ANALYTICS_MAPPING, a GraphQL server or a Postgres (see [Updates](#updates))',
    )
    .meta(BY_HOST),
  ...legSources,
  ANALYTICS_MAPPING: parsed('a JSON file of mappings', (path) => readMappings(path, legFields))
    .default({})
    .describe('a file that says how records are read from a GraphQL server or a Postgres, by leg'),
  ANALYTICS_SOURCE_KEY: key.optional().meta({
    description: 'a bearer key for the sources of analytics',
    secret: true,
  }),
  ANALYTICS_OVERLAP_HOURS: whole(0, 100_000)
    .default(48)
    .describe(
      'how far before the newest record an update requests records again, for late and ' +
        'corrected ones',
    ),
  ANALYTICS_MAX_DROP: number('a number from 0 to 1', (value) => value >= 0 && value <= 1)
    .default(0.1)
    .describe(
      'an update fails if its source has lost more than this share of users or of value in ' +
        'that time',
    ),
  PRICES_SOURCE: url(/^https?:$/, 'https://coins.llama.fi')
    .optional()
    .describe("the base of a price API in the shape of DefiLlama's coins API, for a GraphQL source")
    .meta(BY_HOST),
  PRICES_MAX_AGE_SECONDS: whole(0, 10 * 365 * 86_400)
    .default(21_600)
    .describe('the largest distance of a price from midnight'),
  PRICES_CHAINS: chains
    .default({})
    .describe('more names of chains in the price API: `999=hyperliquid`'),
  MAX_PRICE_JUMP: number('a number above 1', (value) => value > 1)
    .default(5)
    .describe(
      'a run fails if a price rises or falls by more than this factor since the previous date',
    ),
  SOURCE_TIMEOUT_MS: whole(1, 3_600_000)
    .default(30_000)
    .describe('how long one request to another server may take'),
  SOURCE_RETRIES: whole(0, 20)
    .default(4)
    .describe('how often a request to another server is repeated, with back-off and jitter'),
  SOURCE_MAX_BYTES: whole(1024, 1024 ** 3)
    .default(64 * 1024 * 1024)
    .describe('the largest answer of another server'),
  SOURCE_MAX_FETCH_BYTES: whole(1024, 2 ** 50)
    .default(FETCH_LIMITS.bytes)
    .describe(
      'how many bytes one fetch (a run, a leg of an update, an import) may take from a source, ' +
        'also decompressed',
    ),
  SOURCE_MAX_FETCH_RECORDS: whole(1, 1e12)
    .default(FETCH_LIMITS.records)
    .describe('how many records or lines one fetch may read, those that are not stored included'),
  SOURCE_MAX_FETCH_SECONDS: whole(1, 604_800)
    .default(FETCH_LIMITS.seconds)
    .describe('how long one fetch may take'),
  SOURCE_NAMES: sourceNames.optional().meta({
    description:
      'what to call sources in messages and records, after their host: ' +
      '`POSITIONS_SOURCE=points subgraph,PRICES_SOURCE=llama`',
    defaultText: 'a digest of the URL, if it has a path',
  }),
  DISTRIBUTION_CRON: pattern.optional().meta({
    description: "when to compute the day's distribution: `15 0 * * *`",
    defaultText: 'none: no daily job',
  }),
  ANALYTICS_CRON: pattern.optional().meta({
    description: 'when to update analytics: `5 * * * *`',
    defaultText: 'none: no scheduled updates',
  }),
  PROGRAM_NAME: z
    .string()
    .max(100)
    .optional()
    .meta({
      ...OF_ANSWERS,
      description: 'the name of the points program, as the graph and the dashboard show it',
      defaultText: 'none',
    }),
  SEASONS: parsed('seasons like Season 1=2026-01-01..2026-06-30', readSeasons)
    .optional()
    .meta({
      description:
        'the seasons of the points program, by name and dates: `Season ' +
        '1=2026-01-01..2026-06-30,Season 2=2026-07-01..`',
      defaultText: 'none; `gateway seasons` sets them',
    }),
  DISTRIBUTION_CATCH_UP: whole(1, 10_000)
    .default(7)
    .describe('how many missed dates the daily job computes, in order'),
  LEDGER_DAYS: whole(0, 100_000).optional().meta({
    description: 'how many days the ledgers of users keep the changes of a run; 0: runs write none',
    defaultText: 'none: they stay forever',
  }),
  MAX_QUERY_DEPTH: whole(0, 1_000_000)
    .default(15)
    .describe('how deep one operation of the graph may be nested; 0: no limit')
    .meta(OF_ANSWERS),
  MAX_QUERY_ALIASES: whole(0, 1_000_000)
    .default(100)
    .describe('how many aliases one operation of the graph may have; 0: no limit')
    .meta(OF_ANSWERS),
  MAX_QUERY_TOKENS: whole(0, 1_000_000_000)
    .default(2000)
    .describe('how many tokens the document of an operation may have; 0: no limit')
    .meta(OF_ANSWERS),
  MAX_QUERY_COST: whole(0, 1_000_000_000)
    .default(100_000)
    .describe(
      'the maximum cost of one operation of the graph (see ' +
        '[Limits](../graphql/README.md#limits)); 0: no limit',
    )
    .meta(OF_ANSWERS),
  MAX_ANSWER_BYTES: whole(1024, 512 * 1024 * 1024)
    .default(32 * 1024 * 1024)
    .describe('how many bytes one answer may have')
    .meta(OF_ANSWERS),
  KNOWN_DOCUMENTS: parsed('a JSON file of documents', readTrustedDocuments)
    .default([])
    .describe('documents that clients may send by id: `{"sha256:<hash>": "query Name { ... }"}`')
    .meta(OF_ANSWERS),
  TRUSTED_DOCUMENTS_ONLY: truth
    .default('false')
    .transform((text) => text === 'true')
    .describe('`true`: only trusted documents are accepted')
    .meta(OF_ANSWERS),
  MAX_SUBSCRIPTIONS: whole(0, 1_000_000)
    .default(1000)
    .describe('open subscriptions of one gateway, and open WebSockets'),
  MAX_SUBSCRIPTIONS_PER_CLIENT: whole(0, 1_000_000).optional().meta({
    description: 'open subscriptions of one client of one gateway, and open WebSockets',
    defaultText:
      'a tenth of them; nine tenths for an address of a private network, which may be a proxy',
  }),
  MAX_CONNECTIONS: whole(1, 1_000_000)
    .default(10_000)
    .describe('open connections; requests on further ones get a 503'),
  MAX_CONCURRENT_REQUESTS: whole(1, 100_000)
    .default(64)
    .describe(
      'requests in progress at a time; a burst waits, and in an overload further requests get ' +
        'a 503 at once',
    ),
  REQUEST_TIMEOUT_MS: whole(1, 3_600_000)
    .default(30_000)
    .describe('how long a request may take to arrive'),
  SEND_TIMEOUT_MS: whole(1, 3_600_000)
    .default(60_000)
    .describe(
      'how long a client may take to read an answer (event streams and WebSockets excepted)',
    ),
  KEEP_ALIVE_TIMEOUT_MS: whole(1, 3_600_000)
    .default(72_000)
    .describe('how long an idle connection stays open'),
  RATE_LIMIT: whole(1, 1_000_000_000)
    .optional()
    .describe(
      'the points of one client in a minute: a request costs 1, an uncached REST answer 100 ' +
        'more, a GraphQL operation its cost. Redis counts them if REDIS_URL is set',
    ),
  TRUST_PROXY: proxies
    .optional()
    .describe(
      'the number of trusted proxies, or their addresses: their `X-Forwarded-For` names the client',
    ),
  SHUTDOWN_TIMEOUT_MS: whole(0, 3_600_000)
    .default(5000)
    .describe(
      'how long requests in progress may take after SIGTERM; 2 s later the process ends in any ' +
        'case',
    ),
  POINTS_BASE_DEPOSIT: points
    .default(1)
    .describe('points for a supplied dollar a day, before multipliers')
    .meta(OF_ANSWERS),
  POINTS_BASE_BORROW: points
    .default(0.5)
    .describe('points for a borrowed dollar a day, before multipliers')
    .meta(OF_ANSWERS),
  BASE_PATH: basePath.default('').meta({
    ...OF_ANSWERS,
    description:
      'the prefix of all paths behind a proxy that serves other sites too. The proxy may strip ' +
      'it or not',
    defaultText: 'none',
  }),
  WEBSITE_URL: url(/^https?:$/, 'https://example.org')
    .optional()
    .meta({
      ...OF_ANSWERS,
      description: 'the link at `/`',
      defaultText: 'the documentation of this gateway',
    }),
  DASHBOARD_NAME: z.string().trim().min(1, 'must be a name').max(40).default('Lending').meta({
    values: 'a name',
    description: 'the name in the header and titles of all pages',
  }),
  DASHBOARD_COLOR: accentColor.optional().meta({
    description: 'the colour of links, charts and the icon on all pages: `#0b6b4f`',
    defaultText: 'indigo',
  }),
  DASHBOARD_LINKS: namedLinks.optional().meta({
    description:
      "links in the dashboard's footer: " +
      '`App=https://app.example.org,Terms=https://example.org/terms`',
    defaultText: 'none',
  }),
  LOGO_HOSTS: hosts.default([]).meta({
    ...OF_ANSWERS,
    description:
      'the hosts from which readers may load logos of tokens: `assets.example.org,cdn.example.org`',
    defaultText: 'none: only logos that `tokens.jsonl` has as data are shown',
  }),
  MCP_HOSTS: hosts.default([]).meta({
    description: 'the hosts whose pages may call `/mcp` from a browser: `chat.example.org`',
    defaultText: 'none: programs, and pages of the same machine',
  }),
  IMPORT_MAX_BYTES: whole(1024, 2 ** 50)
    .default(1024 ** 3)
    .describe('the most bytes of an import over HTTP, also decompressed'),
  SAMPLE_DATA: oneOf('on', 'off').default('off').meta({
    description: 'loads the sample into an empty store',
    defaultText: '`on` with `npm start`, else `off`',
  }),
  HOOKS_PRIVATE: truth
    .default('false')
    .transform((text) => text === 'true')
    .describe('`true`: hooks may use plain HTTP, and lead to addresses of private networks'),
  LOG_REQUESTS: loggedRequests
    .default('slow')
    .describe('the requests to log; a share comes in addition to the slow ones'),
  SLOW_REQUEST_MS: whole(1, 3_600_000)
    .default(1000)
    .describe('a request that takes longer is slow'),
  SLOW_STATEMENT_MS: whole(1, 3_600_000)
    .default(500)
    .describe('a statement that takes longer is slow'),
  METRICS_PORT: whole(0, 65_535).optional().meta({
    description: 'a separate port for `/metrics`',
    defaultText: 'none: `/metrics` is on PORT',
  }),
  METRICS_KEY: oneOf('open', 'required')
    .default('open')
    .describe('`required`: `/metrics` answers admins, and API keys with the scope `metrics`'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?:$/, 'http://collector:4318')
    .optional()
    .meta({
      ...BY_HOST,
      description: 'an OpenTelemetry collector that accepts OTLP over HTTP',
      defaultText: 'none: no traces',
    }),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .default('info')
    .meta({
      description: 'the lowest level of messages to log',
      defaultText: '`info` (`warn` for other commands than serve)',
    }),
})

const settings = variables.superRefine(
  ({ POSITIONS_SOURCE: source, POSITIONS_SOURCE_FORMAT: format, ...rest }, context) => {
    const issue = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message })
    if (rest.DISTRIBUTION_CRON !== undefined && source === undefined)
      issue(
        'POSITIONS_SOURCE',
        'is needed, since DISTRIBUTION_CRON is set: the daily job fetches positions from it',
      )
    if (
      rest.ANALYTICS_CRON !== undefined &&
      ![rest.ANALYTICS_SOURCE, ...legNames.map((leg) => rest[legSetting(leg)])].some(Boolean)
    )
      issue(
        'ANALYTICS_SOURCE',
        'is needed, since ANALYTICS_CRON is set: updates fetch analytics from it',
      )
    if (rest.DATABASE_DIRECT_URL !== undefined && rest.DATABASE_URL === undefined)
      issue(
        'DATABASE_URL',
        'is needed, since DATABASE_DIRECT_URL is set: it leads to the same database by a pooler',
      )
    if (rest.DATABASE_REPLICA_URLS !== undefined && rest.DATABASE_URL === undefined)
      issue(
        'DATABASE_URL',
        'is needed, since DATABASE_REPLICA_URLS is set: it leads to the primary of the replicas',
      )
    const { CACHE_MAX_BYTES: cacheBytes } = rest
    const memory = memoryForAnswers(cacheBytes ?? 0)
    if (cacheBytes !== undefined && rest.MEMORY_MB < memory)
      issue(
        'CACHE_MAX_BYTES',
        `of ${cacheBytes} does not fit in MEMORY_MB of ${rest.MEMORY_MB}: set MEMORY_MB to ` +
          `${memory} or more, or a smaller CACHE_MAX_BYTES`,
      )
    if (format === 'auto' || source === undefined) return
    if (!isRemote(source) && format !== 'files')
      issue(
        'POSITIONS_SOURCE',
        `must be a URL like https://example.org/${format}, since POSITIONS_SOURCE_FORMAT is ` +
          `${format}`,
      )
    if (format === 'graphql' && rest.PRICES_SOURCE === undefined)
      issue(
        'PRICES_SOURCE',
        'is needed, such as https://coins.llama.fi: a GraphQL source of positions gives no prices',
      )
  },
)

export type Config = Readonly<z.infer<typeof variables>>

/** An invalid setting. The message continues a sentence that begins with its name. */
export interface SettingProblem {
  name: string
  message: string
}

/** Missing or invalid settings or options. The message is for the user, one line per setting. */
export class ConfigError extends Error {
  readonly problems: SettingProblem[]

  constructor(message: string, problems: SettingProblem[] = []) {
    super(message)
    this.problems = problems
  }
}

/**
 * Reads the settings from the environment.
 * @throws ConfigError that names every invalid variable and says what a valid one looks like
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = settings.safeParse(env)
  if (parsed.success) return Object.freeze(parsed.data)
  const problems = parsed.error.issues.map(({ path, message }) => ({
    name: path.join('.'),
    message,
  }))
  throw new ConfigError(
    problems.map(({ name, message }) => `${name} ${message}`).join('\n'),
    problems,
  )
}
