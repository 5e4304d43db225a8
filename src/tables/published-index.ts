import { z } from 'zod'
import { GatewayError } from '../errors.ts'

/** The name of the file that lists all others. */
export const INDEX = 'index.json'

// Names lead nowhere but below their directory.
const NAME = /^\d{4}-\d{2}-\d{2}\/[a-z]+-[\w-]+\.[a-z.]+$/

const file = z.object({
  name: z.string().regex(NAME),
  rows: z.int().min(0),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

const date = z.object({
  date: z.iso.date(),
  run: z.string().nullable(),
  basePoints: z
    .object({ deposit: z.number(), borrow: z.number(), protectedMinLtv: z.number().nullable() })
    .nullable(),
  digest: z.string(),
  finishedAt: z.string(),
  files: z.array(file),
})

const index = z.object({ format: z.literal('gateway-published-1'), dates: z.array(date) })

/** A published file: its path below the directory, its rows and bytes, and their digest. */
export type PublishedFile = z.infer<typeof file>

/**
 * A published date: the run that stored it with the base points that it used, null for a date older
 * than records of runs; the digest of its points; and its files.
 */
export type PublishedDate = z.infer<typeof date>

/** Reads an index. @param from names it in an error @throws BAD_INPUT */
export function readIndex(text: string, from: string): PublishedDate[] {
  const refuse = (reason: string) =>
    new GatewayError('BAD_INPUT', `${from} was not written by gateway publish: ${reason}.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refuse('it is not JSON')
  }
  const read = index.safeParse(value)
  if (read.success) return read.data.dates
  const [issue] = read.error.issues
  throw refuse(`${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'is invalid'}`)
}

/** The text of an index. */
export const indexText = (dates: PublishedDate[]): string =>
  `${JSON.stringify({ format: 'gateway-published-1', dates }, null, 1)}\n`
