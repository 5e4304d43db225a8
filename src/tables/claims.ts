import type { PoolClient } from 'pg'
import { GatewayError } from '../errors.ts'
import type { Cell } from './cells.ts'
import { type Format, formats } from './formats.ts'

/** A season whose board is final. */
export interface FinalSeason {
  name: string
  /** The first and the last distribution date, as YYYY-MM-DD. */
  startsAt: string
  endsAt: string
  closedAt: Date
  /** The digest of the board. */
  digest: string
  /** All points of the season, in millionths. */
  total: bigint
}

interface SeasonRow extends Omit<FinalSeason, 'total' | 'digest'> {
  digest: string | null
}

/** The columns of the board that a claim file is made of. */
export const CLAIM_FIELDS = 'user.address,rank,points'

const COLUMNS = ['address', 'rank', 'points', 'share']
const DECIMALS = 18
const SCALE = 10n ** BigInt(DECIMALS)
const csv = formats.csv as Format

/** Reads a season. @throws NOT_FOUND if there is none, CONFLICT if its board is not final */
export async function readFinalSeason(client: PoolClient, name: string): Promise<FinalSeason> {
  const { rows } = await client.query<SeasonRow>(
    `SELECT name, starts_at::text AS "startsAt", ends_at::text AS "endsAt",
       closed_at AS "closedAt", digest FROM season WHERE name = $1`,
    [name],
  )
  const [season] = rows
  if (!season)
    throw new GatewayError(
      'NOT_FOUND',
      'There is no season of this name: program { seasons { name } } lists them.',
    )
  const { digest } = season
  if (digest === null)
    throw new GatewayError(
      'CONFLICT',
      `The board of ${season.name} is not final yet: a season ends with the distribution of its ` +
        'last date.',
    )
  const sums = await client.query<{ total: string }>(
    `SELECT coalesce(sum(points), 0)::text AS total FROM account_day
     WHERE distribution_date BETWEEN $1::date AND $2::date`,
    [season.startsAt, season.endsAt],
  )
  return { ...season, digest, total: BigInt(sums.rows[0]?.total ?? 0) }
}

/** The formats of a claim file, by the end of its path. */
export const claimFormats: Record<string, (season: FinalSeason) => Format> = {
  csv: (season) => ({
    type: csv.type,
    head: (_, table) => csv.head(COLUMNS, table),
    lines: (rows, _, table) => csv.lines(claims(rows, season), COLUMNS, table),
  }),
  json: (season) => {
    let isFirst = true
    return {
      type: 'application/json; charset=utf-8',
      head: () => headOf(season),
      lines: (rows) => {
        const texts = claims(rows, season).map(
          (row) => `{${row.map((value, at) => `"${COLUMNS[at]}":${value}`).join(',')}}`,
        )
        const text = texts.map((one, at) => (isFirst && at === 0 ? one : `,\n${one}`)).join('')
        isFirst &&= texts.length === 0
        return text
      },
      tail: ']}\n',
    }
  },
}

function headOf({ name, startsAt, endsAt, closedAt, digest, total }: FinalSeason): string {
  const points = decimal(total, 6)
  const head = { season: name, startsAt, endsAt, closedAt, digest, points, claims: [] }
  return JSON.stringify(head).replace(/\]\}$/, '\n')
}

// Points and shares are text in JSON too, so that no reader rounds them.
function claims(rows: Cell[][], { total }: FinalSeason): Cell[][] {
  return rows.map(([address = '', rank = '', value = '']) => {
    const [whole = '', fraction = ''] = value.split('.')
    const points = BigInt(whole + fraction.padEnd(6, '0'))
    const share = total === 0n ? 0n : (points * SCALE) / total
    return [address, rank, `"${decimal(points, 6)}"`, `"${decimal(share, DECIMALS)}"`]
  })
}

function decimal(value: bigint, decimals: number): string {
  const digits = String(value).padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
