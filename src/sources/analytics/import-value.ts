import { DAY_MS } from '../../time.ts'
import type { Shape, Shapes } from './mapping.ts'

// Writes a source's value as the import format has it: numbers for digits and digits for numbers,
// as the field needs. Any other value stays, for validation to refuse.
function importValue({ type, sql }: Shape, value: unknown): unknown {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
  if (value instanceof Date) return dateValue(type, value)
  switch (type) {
    case 'int':
    case 'integer':
    case 'bigint':
    case 'unix':
    case 'float':
      return typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
    case 'timestamp':
    case 'amount':
      return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
    case 'moment':
      return isSeconds(value) ? new Date(Number(value) * 1000).toISOString() : value
    case 'date':
      return isSeconds(value) ? dayOf(Number(value) * 1000) : value
    default:
      return typeof value === 'string' && sql !== 'text' ? value.toLowerCase() : value
  }
}

function dateValue(type: string, value: Date): string | number {
  const seconds = Math.floor(value.getTime() / 1000)
  if (type === 'timestamp') return String(seconds)
  if (type === 'unix') return seconds
  return type === 'date' ? dayOf(value.getTime()) : value.toISOString()
}

const dayOf = (time: number) => new Date(Math.floor(time / DAY_MS) * DAY_MS).toISOString()
const NUMBER = /^-?\d{1,400}(\.\d{1,400})?(e[+-]?\d{1,3})?$/i
const isSeconds = (value: unknown) =>
  /^\d{1,11}$/.test(String(value)) && (typeof value === 'string' || typeof value === 'number')

/**
 * A record in the import format. Fields that a record may lack are left out where the source has
 * null.
 */
export function importRecord(
  shapes: Shapes,
  constants: Readonly<Record<string, unknown>>,
  of: (field: string) => unknown,
): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (const [field, shape] of Object.entries(shapes)) {
    const value = Object.hasOwn(constants, field) ? constants[field] : importValue(shape, of(field))
    if (value === undefined || (value === null && !shape.nullable && shape.absent !== undefined))
      continue
    record[field] = value
  }
  return record
}
