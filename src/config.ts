import { z } from 'zod'

const port = z.coerce.number('must be a port number').int().min(0).max(65535)
const points = z.coerce.number('must be a number').min(0, 'must be 0 or more').max(1e9, 'must be at most 1e9')
const text = z.string().min(1, 'must not be empty')
const url = (protocols: RegExp, example: string) =>
  text.refine((value) => URL.canParse(value) && protocols.test(new URL(value).protocol), `must look like ${example}`)

const variables = z.object({
  HOST: text.default('127.0.0.1'),
  PORT: port.default(4000),
  DATABASE_URL: url(/^postgres(ql)?:$/, 'postgres://user:password@host:5432/database').optional(),
  DATA_DIR: text.default('.data'),
  REDIS_URL: url(/^rediss?:$/, 'redis://host:6379').optional(),
  ADMIN_TOKEN: z
    .string()
    .min(8, 'must have at least 8 characters')
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
    .optional(),
  POSITIONS_SOURCE: text.optional(),
  POINTS_BASE_DEPOSIT: points.default(1),
  POINTS_BASE_BORROW: points.default(0.5),
  WEBSITE_URL: url(/^https?:$/, 'https://example.org').default('https://github.com/lending-graph/gateway'),
  SAMPLE_DATA: z.enum(['on', 'off'], 'must be on or off').default('off'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  CACHE_MAX_BYTES: z.coerce
    .number('must be a number of bytes')
    .int()
    .min(0)
    .default(64 * 1024 * 1024),
  DATABASE_POOL_SIZE: z.coerce.number('must be a number').int().min(2).max(1000).default(10),
})

export type Config = Readonly<z.infer<typeof variables>>

/** A variable of the environment that is missing or wrong: one line a variable, made to be shown. */
export class ConfigError extends Error {}

/**
 * The settings, read from the environment once.
 * @throws ConfigError that names every variable that is wrong and says what would be right
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = variables.safeParse(env)
  if (parsed.success) return Object.freeze(parsed.data)
  throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('\n'))
}
