import { createHash } from 'node:crypto'

/** A strong ETag of a body, of its length and its digest. */
export function entityTag(body: string | Buffer): string {
  const digest = createHash('sha1').update(body).digest('base64').slice(0, 27)
  return `"${Buffer.byteLength(body).toString(16)}-${digest}"`
}
