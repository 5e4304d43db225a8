import { inWrite, type Queryable } from '../../db/write.ts'
import { GatewayError } from '../../errors.ts'
import { isoDay } from '../../time.ts'
import type { ChangeDeps } from '../multiplier/update.ts'
import { closeSeasons } from './close-seasons.ts'
import { statusOn } from './season.ts'
import { assertSeasons, type SeasonDates } from './season-dates.ts'

interface Change {
  requestedBy: string
  /** Allows changes of a season whose board is final. */
  reopen?: boolean
}

/**
 * Adds a season, or changes the dates of the one with its name.
 * @throws BAD_INPUT for an invalid name or dates, CONFLICT for dates of another season, or if its
 * board is final
 */
export const setSeason = (deps: ChangeDeps, season: SeasonDates, change: Change): Promise<void> =>
  changeSeasons(deps, change, (seasons) => [
    ...seasons.filter(({ name }) => name !== season.name),
    season,
  ])

/**
 * Removes a season. Points stay as they are.
 * @throws NOT_FOUND for an unknown name, CONFLICT if its board is final
 */
export const removeSeason = (deps: ChangeDeps, name: string, change: Change): Promise<void> =>
  changeSeasons(deps, change, (seasons) => {
    const others = seasons.filter((season) => season.name !== name)
    if (others.length < seasons.length) return others
    throw new GatewayError('NOT_FOUND', `There is no season ${name}; nothing was changed.`)
  })

/**
 * Makes the stored seasons these. It writes nothing if they are.
 * @throws BAD_INPUT and CONFLICT as `setSeason` does
 */
export async function applySeasons(
  deps: ChangeDeps,
  wanted: SeasonDates[],
  change: Change,
): Promise<void> {
  const { obsolete, missing } = difference(await storedSeasons(deps.pool), wanted)
  if (obsolete.length > 0 || missing.length > 0) await changeSeasons(deps, change, () => wanted)
}

const changeSeasons = (
  { pool, now, signal }: ChangeDeps,
  change: Change,
  next: (stored: SeasonDates[]) => SeasonDates[],
): Promise<void> =>
  inWrite({ pool, signal }, async (writer) => {
    await writer.lock()
    await replaceSeasons(writer, next, { ...change, today: isoDay(now()) })
  })

/**
 * The same in the caller's transaction, which has the writers' lock.
 * @returns the names of the seasons whose board is final now
 * @throws BAD_INPUT and CONFLICT as `setSeason` does
 */
export async function replaceSeasons(
  client: Queryable,
  next: (stored: SeasonDates[]) => SeasonDates[],
  { requestedBy, reopen = false, today }: Change & { today: string },
): Promise<string[]> {
  const stored = await storedSeasons(client)
  const wanted = next(stored)
  assertSeasons(wanted)
  const { obsolete, missing } = difference(stored, wanted)
  if (!reopen) obsolete.forEach(assertOpen)
  await client.query('DELETE FROM season WHERE name = ANY($1::text[])', [
    obsolete.map(({ name }) => name),
  ])
  for (const { name, startsAt, endsAt } of missing)
    await client.query(
      `INSERT INTO season (name, starts_at, ends_at, status, changed_by)
       VALUES ($1, $2::date, $3::date, ${statusOn('$4::date', '$2::date', '$3::date')}, $5)`,
      [name, startsAt, endsAt, today, requestedBy],
    )
  return closeSeasons(client, today)
}

interface Stored extends SeasonDates {
  closedAt: Date | null
}

async function storedSeasons(client: Queryable): Promise<Stored[]> {
  const { rows } = await client.query<Stored>(
    `SELECT name, starts_at::text AS "startsAt", ends_at::text AS "endsAt",
       closed_at AS "closedAt" FROM season ORDER BY starts_at`,
  )
  return rows
}

const difference = (stored: Stored[], wanted: SeasonDates[]) => ({
  obsolete: stored.filter((season) => !wanted.some((one) => equal(one, season))),
  missing: wanted.filter((season) => !stored.some((one) => equal(one, season))),
})

const equal = (a: SeasonDates, b: SeasonDates) =>
  a.name === b.name && a.startsAt === b.startsAt && a.endsAt === b.endsAt

function assertOpen({ name, closedAt }: Stored): void {
  if (closedAt === null) return
  const since = isoDay(closedAt)
  throw new GatewayError(
    'CONFLICT',
    `The board of ${name} has been final since ${since}; add --reopen to change it.`,
  )
}
