import type { Listing } from 'pothos-sql'
import { selectList } from 'pothos-sql/host'
import type { Batch, Reader } from '../../db/connect/reader.ts'
import { GatewayError } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { DAY_MS, parseUtc } from '../../time.ts'
import {
  asOfDate,
  type LeaderboardEntry,
  newestLeaderboard,
  pastLeaderboard,
} from './leaderboard.ts'
import { type WindowBounds, windowLeaderboard, windowOf } from './window.ts'

const WINDOW = /^(\d{4}-\d\d-\d\d)?\/(\d{4}-\d\d-\d\d)\/(?:(0x[0-9a-f]{40})|(\d{1,15}))?$/

/** Reads the window that the scope of an entry names. Undefined if it names none. */
export function windowIn(scope: string): WindowBounds | undefined {
  const [, before, last, pool, chainId] = WINDOW.exec(scope) ?? []
  const [from, to] = [before, last].map((date) => (date === undefined ? undefined : parseUtc(date)))
  if (!to || (before !== undefined && !from)) return undefined
  return {
    from: from ? new Date(from.getTime() + DAY_MS) : null,
    to,
    pool: pool ?? null,
    chainId: chainId === undefined ? null : Number(chainId),
  }
}

/**
 * Loads entries by user and scope, in one statement for each scope. Null for an entry that does not
 * exist, or no longer.
 */
export const entriesOf: Batch<readonly string[], LeaderboardEntry | null> = async (
  reader,
  keys,
) => {
  const users = new Map<string, string[]>()
  for (const [user = '', scope = ''] of keys) users.set(scope, [...(users.get(scope) ?? []), user])
  const found = new Map<string, LeaderboardEntry>()
  for (const [scope, addresses] of users)
    for (const row of await entriesIn(reader, scope, addresses))
      found.set(`${row.userAddress}:${scope}`, row)
  return keys.map((key) => found.get(key.join(':')) ?? null)
}

async function entriesIn(
  reader: Reader,
  scope: string,
  users: string[],
): Promise<LeaderboardEntry[]> {
  const board = await boardOf(reader, scope).catch((error) => {
    // The store has no such window any more, or never had.
    if (error instanceof GatewayError && error.code === 'BAD_INPUT') return undefined
    throw error
  })
  if (!board) return []
  return reader.$queryRaw<LeaderboardEntry[]>`SELECT * FROM (
    SELECT ${selectList(board.columns)} FROM ${board.from}
      WHERE t.user_address = ANY(${users}::text[])) e
    WHERE e.scope = ${scope}`
}

async function boardOf(
  reader: Reader,
  scope: string,
): Promise<Listing<LeaderboardEntry> | undefined> {
  const bounds = windowIn(scope)
  const window = bounds && (await windowOf(reader, bounds))
  if (window) return windowLeaderboard(window)
  const date = scope.length === 10 ? parseUtc(scope) : undefined
  const at = date && (await asOfDate(reader, date))
  if (!at || at.date !== scope) return undefined
  return at.newest ? newestLeaderboard : onDate(scope)
}

const onDate = (date: string): Listing<LeaderboardEntry> => ({
  ...pastLeaderboard,
  from: Prisma.sql`(SELECT * FROM rank_history WHERE distribution_date = ${date}::date) t`,
})
