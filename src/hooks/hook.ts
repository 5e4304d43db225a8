import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { readAddress } from '../address.ts'
import { inWrite } from '../db/write.ts'
import { GatewayError } from '../errors.ts'
import { EVENTS } from './events.ts'

const MAX_HOOKS = 1000
const MAX_WATCHES = 200_000
const GRACE_HOURS = 24
const MAX_CHAINS = 100

/** A hook as it is shown: without its secret. */
export interface Hook {
  id: string
  url: string
  events: string[]
  /** The chains of its events. Null for all. */
  chainIds: number[] | null
  createdAt: Date
  /** Number of wallets that it watches. */
  wallets: number
  /** Messages that wait, also for another attempt. */
  waiting: number
  /** Messages that were given up. */
  dead: number
  /** Failing if a message waits that has failed, sending if only others wait, else idle. */
  state: 'idle' | 'sending' | 'failing'
  /** Why the newest message that failed did so. */
  lastError: string | null
}

/** True for the number of a hook or of a message. */
export const isId = (text: string): boolean => /^[1-9]\d{0,17}$/.test(text)

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** A new hook: its place, and its events. */
export interface NewHook {
  url: string
  /** All that need no wallets if there are none, or those of its wallets. */
  events: string[]
  /** The chains of events that have one, or all. */
  chainIds: number[]
  wallets: string[]
  /** The values that matter, by name. */
  thresholds: { health?: number; rank?: number; points?: number }
  allowsPrivate: boolean
}

/**
 * Adds a hook.
 * @returns its id, and the secret that signs its messages
 * @throws BAD_INPUT for a URL, an event, a chain or a wallet that cannot be
 * @throws CONFLICT if there are too many hooks or watched wallets
 */
export async function addHook(
  pool: Pool,
  options: NewHook,
): Promise<{ id: string; secret: string }> {
  // It brings undici, which a gateway without hooks does not load.
  const { readTarget } = await import('./target.ts')
  const url = readTarget(options.url, options.allowsPrivate)
  const events = readEvents(options)
  const chains = readChains(options.chainIds, events)
  const wallets = [...new Set(options.wallets.map(readWallet))]
  const watched = events.filter((event) => EVENTS[event]?.ofWallets)
  const secret = newSecret()
  return inWrite({ pool }, async (writer) => {
    await writer.query('LOCK TABLE hook_watch IN SHARE ROW EXCLUSIVE MODE')
    const { rows } = await writer.query<{ id: string }>(
      `INSERT INTO hook (url, events, chain_ids, secret)
       SELECT $1, $2, $3, $4 WHERE (SELECT count(*) FROM hook) < $5 RETURNING id`,
      [url, JSON.stringify(events), chains && JSON.stringify(chains), secret, MAX_HOOKS],
    )
    const [hook] = rows
    if (!hook) throw new GatewayError('CONFLICT', `There are ${MAX_HOOKS} hooks: remove one first.`)
    if (watched.length === 0) return { id: hook.id, secret }
    const thresholds = watched.map((event) => {
      const { threshold } = EVENTS[event] ?? {}
      return threshold === undefined ? null : (options.thresholds[threshold] ?? null)
    })
    const { rowCount } = await writer.query(
      `INSERT INTO hook_watch (hook_id, event, wallet, threshold)
       SELECT $1, e.event, w.wallet, e.threshold
       FROM unnest($2::text[], $3::float8[]) e(event, threshold), unnest($4::text[]) w(wallet)
       WHERE (SELECT count(*) FROM hook_watch) + $5::int <= $6`,
      [hook.id, watched, thresholds, wallets, watched.length * wallets.length, MAX_WATCHES],
    )
    if (rowCount === 0)
      throw new GatewayError(
        'CONFLICT',
        `All hooks together watch at most ${MAX_WATCHES} wallets, counted once for each event.`,
      )
    return { id: hook.id, secret }
  })
}

const refuse = (why: string) => new GatewayError('BAD_INPUT', why)

function readWallet(text: string): string {
  const wallet = readAddress(text)
  if (wallet === undefined)
    throw refuse(`A wallet is 0x and 40 hexadecimal digits, not ${text.slice(0, 60)}.`)
  return wallet
}

// The chains of a new hook. Undefined for all.
function readChains(chains: number[], events: string[]): number[] | undefined {
  if (chains.length === 0) return undefined
  if (!chains.every((chain) => Number.isSafeInteger(chain) && chain > 0))
    throw refuse('A chain is a whole number above 0, such as 1.')
  const distinct = [...new Set(chains)]
  if (distinct.length > MAX_CHAINS) throw refuse(`A hook names at most ${MAX_CHAINS} chains.`)
  if (!events.some((event) => EVENTS[event]?.ofChain))
    throw refuse(
      `Chains are for the events ${Object.keys(EVENTS)
        .filter((event) => EVENTS[event]?.ofChain)
        .join(', ')}.`,
    )
  return distinct
}

// The events of a new hook. Each that has a value needs it, and wallets need an event.
function readEvents({ events, wallets, thresholds }: NewHook): string[] {
  const known = Object.keys(EVENTS)
  const unknown = events.find((event) => !known.includes(event))
  if (unknown !== undefined)
    throw refuse(`There is no event ${unknown.slice(0, 60)}: the events are ${known.join(', ')}.`)
  const hasValue = (event: string) => {
    const { threshold } = EVENTS[event] ?? {}
    return threshold === undefined || thresholds[threshold] !== undefined
  }
  const isOfWallets = (event: string) => EVENTS[event]?.ofWallets === true
  const usual = known.filter(
    (event) => isOfWallets(event) === wallets.length > 0 && hasValue(event),
  )
  const chosen = events.length > 0 ? [...new Set(events)] : usual
  for (const [name, value] of Object.entries(thresholds)) {
    if (value === undefined) continue
    if (!(value > 0 && Number.isFinite(value))) throw refuse(`${name} is a number above 0.`)
    if (!chosen.some((event) => EVENTS[event]?.threshold === name))
      throw refuse(`${name} is for the event wallet.${name} of wallets.`)
  }
  const missing = chosen.find((event) => !hasValue(event))
  if (missing) throw refuse(`${missing} needs a value: ${EVENTS[missing]?.threshold}.`)
  if (chosen.some(isOfWallets) !== wallets.length > 0)
    throw refuse('Wallets need events of wallets, and these need wallets.')
  return chosen
}

/**
 * All hooks, in the order in which they were added.
 * @param id of the only one to read
 */
export async function listHooks(pool: Pool, id?: string): Promise<Hook[]> {
  const { rows } = await pool.query<Hook>(
    `SELECT h.id, h.url, h.events, h.chain_ids AS "chainIds", h.created_at AS "createdAt",
       (SELECT count(DISTINCT wallet)::int FROM hook_watch w WHERE w.hook_id = h.id) AS wallets,
       m.waiting, m.dead, m."lastError",
       CASE WHEN m.failing THEN 'failing' WHEN m.waiting > 0 THEN 'sending' ELSE 'idle' END AS state
     FROM hook h, LATERAL (
       SELECT count(*) FILTER (WHERE dead_at IS NULL)::int AS waiting,
         count(*) FILTER (WHERE dead_at IS NOT NULL)::int AS dead,
         coalesce(bool_or(error IS NOT NULL AND dead_at IS NULL), false) AS failing,
         (array_agg(error ORDER BY id DESC) FILTER (WHERE error IS NOT NULL))[1] AS "lastError"
       FROM hook_delivery WHERE hook_id = h.id) m
     WHERE h.id = coalesce($1, h.id) ORDER BY h.id`,
    [id],
  )
  return rows
}

/** Reads a hook. @throws NOT_FOUND */
export async function readHook(pool: Pool, id: string): Promise<Hook> {
  const [hook] = await listHooks(pool, id)
  if (!hook) throw unknownHook(id)
  return hook
}

/**
 * Gives a hook a new secret. The previous one signs too, for a day.
 * @throws NOT_FOUND
 */
export async function rotateSecret(pool: Pool, id: string, now: Date): Promise<string> {
  const secret = newSecret()
  const { rowCount } = await pool.query(
    `UPDATE hook SET previous_secret = secret, secret = $2,
       previous_until = $3::timestamptz + interval '${GRACE_HOURS} hours' WHERE id = $1`,
    [id, secret, now],
  )
  if (rowCount === 0) throw unknownHook(id)
  return secret
}

/**
 * Removes a hook and its messages.
 * @throws NOT_FOUND
 */
export function removeHook(pool: Pool, id: string): Promise<void> {
  return inWrite({ pool }, async (writer) => {
    await writer.query('DELETE FROM hook_watch WHERE hook_id = $1', [id])
    const { rowCount } = await writer.query('DELETE FROM hook WHERE id = $1', [id])
    if (rowCount === 0) throw unknownHook(id)
    await writer.query('DELETE FROM hook_delivery WHERE hook_id = $1', [id])
  })
}

/**
 * The URL of a hook, and the secrets that sign its messages now.
 * @throws NOT_FOUND
 */
export async function readSigned(
  pool: Pool,
  id: string,
  now: Date,
): Promise<{ url: string; secrets: string[] }> {
  const { rows } = await pool.query<{ url: string; secrets: string[] }>(
    `SELECT url, ${SECRETS} AS secrets FROM hook h WHERE id = $2`,
    [now, id],
  )
  if (!rows[0]) throw unknownHook(id)
  return rows[0]
}

/** SQL of the secrets of the hook `h` at the time $1. */
export const SECRETS = `CASE WHEN h.previous_until > $1::timestamptz
  THEN ARRAY[h.secret, h.previous_secret] ELSE ARRAY[h.secret] END`

/** The error for a hook that does not exist. */
export const unknownHook = (id: string) => new GatewayError('NOT_FOUND', `There is no hook ${id}.`)
