import ipaddr from 'ipaddr.js'
import * as z from 'zod'
import { readTrustedDocuments } from './graphql/policy/trusted-documents.ts'
import { readCron } from './jobs/cron.ts'
import { isRemote } from './sources/client.ts'
import { defaultNames, parseNames } from './sources/positions/graph-names.ts'

const port = z.coerce.number('must be a port number').int().min(0).max(65535)
const points = z.coerce.number('must be a number').min(0, 'must be 0 or more').max(1e9, 'must be at most 1e9')
const text = z.string().min(1, 'must not be empty')
const url = (protocols: RegExp, example: string) =>
  text.refine((value) => URL.canParse(value) && protocols.test(new URL(value).protocol), `must look like ${example}`)

const token = z
  .string()
  .min(8, 'must have at least 8 characters')
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')

/** `name:token` pairs, separated by commas. */
const namedTokens = z.string().transform((given, context) => {
  const pairs = given.split(',').map((pair): [string, string] => {
    const [, name = '', secret = ''] = /^([a-z0-9._-]{1,64}):(.*)$/i.exec(pair.trim()) ?? []
    const { error } = token.safeParse(secret)
    if (name === '' || error)
      context.addIssue(
        name === ''
          ? 'must be name:token pairs, separated by commas'
          : `${error?.issues[0]?.message}: the token of ${name}`,
      )
    return [name, secret]
  })
  if (new Set(pairs.map(([name]) => name)).size < pairs.length)
    context.addIssue('must not give two tokens the same name')
  return pairs
})

/** A directory, or an http(s) URL. */
const location = text.refine(
  (value) => (isRemote(value) ? URL.canParse(value) : !/^[a-z][a-z0-9+.-]*:\/\//i.test(value)),
  'must be a directory or look like https://example.org/positions',
)
const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`
  return z.coerce.number(message).int(message).min(min, message).max(max, message)
}

/** Names of fields and arguments, as a JSON object. */
const names = z.string().transform((given, context) => {
  try {
    return parseNames(given)
  } catch (error) {
    context.addIssue((error as Error).message)
    return z.NEVER
  }
})

/** A file of trusted documents. */
const documents = z.string().transform((path, context) => {
  try {
    return readTrustedDocuments(path)
  } catch (error) {
    context.addIssue((error as Error).message)
    return z.NEVER
  }
})

/** `id=name` pairs, separated by commas. */
const chains = z.string().transform((given, context) => {
  const pairs = given.split(',').map((pair) => /^\s*([1-9][0-9]{0,15})=([\w-]+)\s*$/.exec(pair)?.slice(1))
  if (!pairs.includes(undefined)) return Object.fromEntries(pairs as [string, string][])
  context.addIssue('must be id=name pairs, separated by commas, such as 146=sonic')
  return z.NEVER
})

/** The number of proxies in front, or their addresses. */
const proxies = z.string().transform((given, context) => {
  if (/^\d{1,2}$/.test(given)) return Number(given)
  const addresses = given.split(',').map((one) => one.trim())
  const isAddress = (one: string) => ipaddr.isValid(one) || ipaddr.isValidCIDR(one)
  if (addresses.every(isAddress)) return addresses
  context.addIssue('must be a number of proxies, or their addresses, separated by commas, such as 10.0.0.0/8,::1')
  return z.NEVER
})

/** Which requests are logged: `all`, `slow`, `off`, or a share of them. */
const loggedRequests = z.string().transform((given, context) => {
  if (given === 'all' || given === 'slow' || given === 'off') return given
  const share = Number(given)
  if (share > 0 && share < 1) return share
  context.addIssue('must be all, slow, off, or a share of requests between 0 and 1, such as 0.01')
  return z.NEVER
})

/** A cron pattern. */
const pattern = z.string().superRefine((given, context) => {
  try {
    readCron(given)
  } catch (error) {
    const reason = (error as Error).message.replace(/^CronPattern: /, '').replace(/\.$/, '')
    context.addIssue(`must be a cron pattern of five fields in UTC, such as "10 0 * * *": ${reason}`)
  }
})

/** The environment variables that the gateway reads. */
export const variables = z.object({
  HOST: text.default('127.0.0.1'),
  PORT: port.default(4000),
  DATABASE_URL: url(/^postgres(ql)?:$/, 'postgres://user:password@host:5432/database').optional(),
  MIGRATE: z.enum(['on', 'off'], 'must be on or off').default('on'),
  DATA_DIR: text.default('.data'),
  REDIS_URL: url(/^rediss?:$/, 'redis://host:6379').optional(),
  ADMIN_TOKEN: token.optional(),
  ADMIN_TOKENS: namedTokens.optional(),
  POSITIONS_SOURCE: location.optional(),
  POSITIONS_SOURCE_FORMAT: z
    .enum(['auto', 'files', 'graphql', 'rest'], 'must be auto, files, graphql or rest')
    .default('auto'),
  POSITIONS_SOURCE_KEY: text.regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces').optional(),
  POSITIONS_SOURCE_PAGING: z.enum(['cursor', 'offset'], 'must be cursor or offset').default('cursor'),
  POSITIONS_SOURCE_PAGE_SIZE: whole(1, 100_000).default(1000),
  POSITIONS_SOURCE_FIELDS: names.default(defaultNames),
  PRICES_SOURCE: url(/^https?:$/, 'https://coins.llama.fi').optional(),
  PRICES_MAX_AGE_SECONDS: whole(0, 10 * 365 * 86_400).default(21_600),
  PRICES_CHAINS: chains.default({}),
  SOURCE_TIMEOUT_MS: whole(1, 3_600_000).default(30_000),
  SOURCE_RETRIES: whole(0, 20).default(4),
  SOURCE_MAX_BYTES: whole(1024, 1024 ** 3).default(64 * 1024 * 1024),
  MAX_PRICE_JUMP: z.coerce.number('must be a number').gt(1, 'must be more than 1').default(5),
  POINTS_BASE_DEPOSIT: points.default(1),
  POINTS_BASE_BORROW: points.default(0.5),
  WEBSITE_URL: url(/^https?:$/, 'https://example.org').default('https://github.com/lending-graph/gateway'),
  FEDERATION: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((given) => given === 'true'),
  PLAN: z.enum(['on', 'off'], 'must be on or off').default('on'),
  SAMPLE_DATA: z.enum(['on', 'off'], 'must be on or off').default('off'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  LOG_REQUESTS: loggedRequests.default('slow'),
  SLOW_REQUEST_MS: whole(1, 3_600_000).default(1000),
  SLOW_STATEMENT_MS: whole(1, 3_600_000).default(500),
  METRICS_PORT: port.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?:$/, 'http://collector:4318').optional(),
  CACHE_MAX_BYTES: z.coerce
    .number('must be a number of bytes')
    .int()
    .min(0)
    .default(64 * 1024 * 1024),
  MAX_QUERY_DEPTH: whole(0, 1_000_000).default(15),
  MAX_QUERY_ALIASES: whole(0, 1_000_000).default(100),
  MAX_QUERY_TOKENS: whole(0, 1_000_000_000).default(2000),
  MAX_QUERY_COST: whole(0, 1_000_000_000).default(100_000),
  KNOWN_DOCUMENTS: documents.default([]),
  TRUSTED_DOCUMENTS_ONLY: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((given) => given === 'true'),
  MAX_ANSWER_BYTES: whole(1024, 512 * 1024 * 1024).default(32 * 1024 * 1024),
  MAX_SUBSCRIPTIONS: whole(0, 1_000_000).default(1000),
  MAX_SUBSCRIPTIONS_PER_CLIENT: whole(0, 1_000_000).optional(),
  MAX_CONNECTIONS: whole(1, 1_000_000).default(10_000),
  MAX_CONCURRENT_REQUESTS: whole(1, 100_000).default(64),
  REQUEST_TIMEOUT_MS: whole(1, 3_600_000).default(30_000),
  SEND_TIMEOUT_MS: whole(1, 3_600_000).default(60_000),
  KEEP_ALIVE_TIMEOUT_MS: whole(1, 3_600_000).default(72_000),
  SHUTDOWN_TIMEOUT_MS: whole(0, 3_600_000).default(5000),
  RATE_LIMIT: whole(1, 1_000_000_000).optional(),
  TRUST_PROXY: proxies.optional(),
  DISTRIBUTION_CRON: pattern.optional(),
  DISTRIBUTION_CATCH_UP: whole(1, 10_000).default(7),
  READ_TIMEOUT_MS: whole(0, 3_600_000).default(30_000),
  LOCK_TIMEOUT_MS: whole(0, 86_400_000).default(30_000),
  DATABASE_POOL_SIZE: z.coerce.number('must be a number').int().min(2).max(1000).default(10),
})

/** Adds the checks between settings. */
const settings = variables.superRefine(
  ({ POSITIONS_SOURCE: source, POSITIONS_SOURCE_FORMAT: format, ...rest }, context) => {
    const issue = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message })
    if (rest.DISTRIBUTION_CRON !== undefined && source === undefined)
      issue('POSITIONS_SOURCE', 'is needed, since DISTRIBUTION_CRON is set: the daily job fetches positions from it')
    if (format === 'auto' || source === undefined) return
    if (!isRemote(source) && format !== 'files')
      issue(
        'POSITIONS_SOURCE',
        `must look like https://example.org/${format}, since POSITIONS_SOURCE_FORMAT is ${format}`,
      )
    if (format === 'graphql' && rest.PRICES_SOURCE === undefined)
      issue('PRICES_SOURCE', 'is needed, such as https://coins.llama.fi: a GraphQL source of positions gives no prices')
  },
)

export type Config = Readonly<z.infer<typeof variables>>

/** Missing or invalid settings or options. The message is for the user, one line per setting. */
export class ConfigError extends Error {}

/**
 * Reads the settings from the environment.
 * @throws ConfigError that names every invalid variable and says what a valid one looks like
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = settings.safeParse(env)
  if (parsed.success) return Object.freeze(parsed.data)
  throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('\n'))
}
