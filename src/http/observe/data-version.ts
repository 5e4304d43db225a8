import type { IncomingHttpHeaders } from 'node:http'

/** The header with the data version of an answer, which a client may send with its next request. */
export const DATA_VERSION = 'x-data-version'

/** The data version that a client requires at least. NaN if its header is not valid. */
export function minVersionOf(headers: IncomingHttpHeaders): number | undefined {
  const given = headers[DATA_VERSION]
  if (given === undefined) return undefined
  return typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
}
