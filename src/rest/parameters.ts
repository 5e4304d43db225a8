import * as z from 'zod'
import { ADDRESS_PATTERN, isAddress } from '../address.ts'
import { parseUtc } from '../time.ts'

const once = 'must be given once, without brackets, and not be empty'
const text = z.string(once).min(1, 'must not be empty')

/** A distribution date. */
export const date = z
  .string('must be a date, given once')
  .refine(
    (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && parseUtc(value) !== undefined,
    'must be a date: YYYY-MM-DD',
  )
  .meta({ override: { type: 'string', format: 'date' } })

/** A 20-byte address in any case, converted to lower case. */
export const address = z
  .string({
    error: ({ input }) =>
      input === undefined ? 'is required' : 'must be given once, without brackets',
  })
  .refine(isAddress, 'must be an address: 0x and 40 hexadecimal digits')
  .transform((value) => value.toLowerCase())
  .meta({ override: { type: 'string', pattern: `^${ADDRESS_PATTERN}$` } })

/** Passed for a required address if no account is given. */
export const NO_ONE = '0x0000000000000000000000000000000000000000'

/** An integer in digits, from `minimum` to `maximum`. */
export function integer(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) {
  const range =
    maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum} up` : `from ${minimum} to ${maximum}`
  const message = `must be an integer ${range}`
  return z
    .string(once)
    .regex(/^[0-9]{1,32}$/, message)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum && Number.isSafeInteger(value), message)
    .meta({
      override({ jsonSchema }: { jsonSchema: object & { pattern?: string } }) {
        delete jsonSchema.pattern
        Object.assign(jsonSchema, { type: 'integer', minimum, maximum })
      },
    })
}

const defaultTo = (schema: ReturnType<typeof integer>, value: number) =>
  schema.default(value).meta({ override: { default: value } })

/** Free text, compared after `asEntity`. */
export const entityText = text
  .refine((value) => !value.includes('\0'), 'must not hold a NUL character')
  .meta({ override: { type: 'string', minLength: 1 } })

/** Converts an address to lower case, and leaves other text unchanged. */
export const asEntity = (value: string) => (isAddress(value) ? value.toLowerCase() : value)

/**
 * The value of a filter by address. Text that is not an address matches nothing, like an empty
 * list.
 */
export function whereAddress(value: string | undefined): string | string[] | undefined {
  if (value === undefined) return undefined
  return isAddress(value) ? value.toLowerCase() : []
}

/** A record id from `nextCursor`. */
export const recordCursor = entityText
  .optional()
  .describe('A record id that `nextCursor` returned. The page starts after that record.')

/** Any ISO 8601 UTC timestamp. */
export const dateCursor = text
  .refine(
    (value) => /T/.test(value) && parseUtc(value) !== undefined,
    'must be an ISO 8601 UTC timestamp, such as 2025-03-01T00:00:00.000Z',
  )
  .optional()
  .meta({
    description:
      'An ISO 8601 UTC timestamp that `nextCursor` returned. The page starts after that date.',
    override: { type: 'string', format: 'date-time' },
  })

/** Unix seconds as a digit string of any length. */
export const unixSeconds = text
  .regex(/^[0-9]+$/, 'must be Unix seconds: digits')
  .transform((value) => BigInt(value))
  .meta({ override: { type: 'string', pattern: '^[0-9]+$' } })

/** A boolean. `null` and empty mean false. */
export const flag = z
  .enum(['true', 'false', 'null', ''], 'must be true, false, null or empty')
  .transform((value) => value === 'true')
  .meta({ override: { type: 'string', default: 'false' } })

const ADDRESSES = { type: 'string' as const, pattern: `^${ADDRESS_PATTERN}(,${ADDRESS_PATTERN})*$` }

/** One or more addresses: repeated, in brackets (`asset[]`, `asset[0]`), or separated by commas. */
export const addresses = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (Array.isArray(value) ? value : [value]).flatMap((one) => one.split(',')))
  .refine(
    (all) => all.every(isAddress),
    'must be addresses: 0x and 40 hexadecimal digits each, separated by commas or repeated',
  )
  .refine((all) => all.length <= 200, 'must be at most 200 addresses')
  .transform((all) => all.map((one) => one.toLowerCase()))
  .meta({
    override: { anyOf: [ADDRESSES, { type: 'array', items: ADDRESSES, maxItems: 200 }] },
  })

/** The page parameters of the indexer API. */
export const pageQuery = {
  page: defaultTo(integer(1), 1).describe('Page number, starting at 1.'),
  page_size: defaultTo(integer(1, 1000), 100).describe('Number of rows per page.'),
  chain_id: integer(1)
    .optional()
    .describe('Only rows on this chain, such as 1, 42161, 8453 or 146.'),
}

export const limit = defaultTo(integer(1, 100), 10)

/** The arguments of a list for a page. */
export const pageOf = ({ page, page_size }: { page: number; page_size: number }) => ({
  first: page_size,
  offset: ((BigInt(page) - 1n) * BigInt(page_size)).toString(),
})
