import { timingSafeEqual } from 'node:crypto'
import type { Pool } from 'pg'
import { GatewayError } from '../errors.ts'
import type { Scope } from '../graphql/context.ts'
import { newSecret, type Secret } from './secret.ts'

const MAX_KEYS = 10_000
const GRACE_HOURS = 24

/** A key as it is stored. */
export interface StoredKey {
  id: string
  name: string
  digest: Buffer
  previousDigest: Buffer | null
  previousUntil: Date | null
  perMinute: number | null
  perDay: number | null
  scopes: Scope[]
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
}

const COLUMNS = `id, name, digest, previous_digest AS "previousDigest",
  previous_until AS "previousUntil", per_minute AS "perMinute", per_day AS "perDay", scopes,
  created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt",
  last_used_at AS "lastUsedAt"`

/** Limits in points, and an end. Undefined if there is none. */
export interface KeyOptions {
  name: string
  perMinute: number | undefined
  perDay: number | undefined
  expiresAt: Date | undefined
  scopes: Scope[]
}

/**
 * Adds a key. @returns its id, and its secret, which is not stored
 * @throws CONFLICT if its name is in use, or there are too many
 */
export async function addKey(
  pool: Pool,
  { name, perMinute, perDay, expiresAt, scopes }: KeyOptions,
): Promise<{ id: string; secret: string }> {
  const { secret, id, digest } = newSecret()
  const { rowCount } = await pool.query(
    `INSERT INTO api_key (id, name, digest, per_minute, per_day, expires_at, scopes)
     SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM api_key) < $8
     ON CONFLICT (name) DO NOTHING`,
    [id, name, digest, perMinute, perDay, expiresAt, JSON.stringify(scopes), MAX_KEYS],
  )
  if (rowCount !== 0) return { id, secret }
  const named = await pool.query('SELECT FROM api_key WHERE name = $1', [name])
  throw new GatewayError(
    'CONFLICT',
    named.rowCount === 0
      ? `There are ${MAX_KEYS} keys, which is the most: remove one.`
      : `A key ${name} exists: take another name, rotate it, or remove it.`,
  )
}

/** All keys, in the order in which they were added. */
export async function listKeys(pool: Pool): Promise<StoredKey[]> {
  const { rows } = await pool.query<StoredKey>(
    `SELECT ${COLUMNS} FROM api_key ORDER BY created_at, id`,
  )
  return rows
}

/** A key as it is shown: without its digests. */
export function shownKey({ digest, previousDigest, ...shown }: StoredKey) {
  return shown
}

/** The state of a key. */
export function stateOf(
  { revokedAt, expiresAt }: StoredKey,
  now: Date,
): 'valid' | 'expired' | 'revoked' {
  if (revokedAt) return 'revoked'
  return expiresAt && expiresAt <= now ? 'expired' : 'valid'
}

/** Reads the key with an id. */
export async function readKey(pool: Pool, id: string): Promise<StoredKey | undefined> {
  const { rows } = await pool.query<StoredKey>({
    name: 'api-key',
    text: `SELECT ${COLUMNS} FROM api_key WHERE id = $1`,
    values: [id],
  })
  return rows[0]
}

/**
 * Gives a key a new secret. The previous one is valid too, for a day.
 * @returns the secret @throws NOT_FOUND
 */
export async function rotateKey(pool: Pool, name: string, now: Date): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM api_key WHERE name = $1 AND revoked_at IS NULL',
    [name],
  )
  const { secret, digest } = newSecret(rows[0]?.id)
  const { rowCount } = await pool.query(
    `UPDATE api_key SET previous_digest = digest, digest = $2,
       previous_until = $3::timestamptz + interval '${GRACE_HOURS} hours'
     WHERE name = $1 AND revoked_at IS NULL`,
    [name, digest, now],
  )
  if (rowCount === 0) throw unknownKey(name)
  return secret
}

/** Revokes a key for good. @throws NOT_FOUND */
export async function revokeKey(pool: Pool, name: string, now: Date): Promise<void> {
  const { rowCount } = await pool.query(
    'UPDATE api_key SET revoked_at = coalesce(revoked_at, $2) WHERE name = $1',
    [name, now],
  )
  if (rowCount === 0) throw unknownKey(name)
}

/** Removes a key, so that its name is free again. @throws NOT_FOUND */
export async function removeKey(pool: Pool, name: string): Promise<void> {
  const { rowCount } = await pool.query('DELETE FROM api_key WHERE name = $1', [name])
  if (rowCount === 0) throw unknownKey(name)
}

/** Notes when keys were last used. */
export async function noteUses(pool: Pool, uses: ReadonlyMap<string, Date>): Promise<void> {
  await pool.query(
    `UPDATE api_key SET last_used_at = greatest(last_used_at, used.at)
     FROM unnest($1::text[], $2::timestamptz[]) AS used (id, at) WHERE api_key.id = used.id`,
    [[...uses.keys()], [...uses.values()]],
  )
}

/** Says why a secret is not valid, or no longer. Undefined if it is. Takes constant time. */
export function faultOf(
  key: StoredKey | undefined,
  { digest }: Pick<Secret, 'digest'>,
  now: Date,
): string | undefined {
  if (!key) return UNKNOWN
  const { previousDigest, previousUntil, expiresAt, name } = key
  const isCurrent = timingSafeEqual(digest, key.digest)
  const isPrevious = timingSafeEqual(digest, previousDigest ?? NO_DIGEST)
  if (!isCurrent && !isPrevious) return UNKNOWN
  if (key.revokedAt) return `The API key ${name} is revoked.`
  if (expiresAt && expiresAt <= now) return `The API key ${name} has expired.`
  if (!isCurrent && previousUntil && previousUntil <= now)
    return `This secret of the API key ${name} was replaced. Send the new one.`
  return undefined
}

/** Why a secret is refused that no key has. */
export const UNKNOWN = 'This API key is not known here. Check that it is complete.'
const NO_DIGEST = Buffer.alloc(32)

const unknownKey = (name: string) =>
  new GatewayError('NOT_FOUND', `There is no key ${name.slice(0, 60)} that can be changed.`)
