import { DAY_MS } from '../../time.ts'
import { MAX_POINTS } from '../points/millionths.ts'
import { isSeasonName, SEASON_NAME } from '../season/season-dates.ts'
import { nearestName, type Problem, shownName } from './problem.ts'
import * as values from './values.ts'

/** A probable mistake: `what` lines have, and the field of one. */
export interface Doubt {
  what: string
  field: string
  reason: string
}

/** A field of a record that contradicts another one. */
export interface Misfit {
  field: string
  reason: string
}

/** A revision has all four factors, or none where the multiplier was removed. */
export function revisionFits(revision: Record<string, unknown>) {
  const factors = ['deposit_tokenA', 'deposit_tokenB', 'borrow_tokenA', 'borrow_tokenB']
  const removed = factors.filter((factor) => revision[factor] === null)
  const [field] = removed
  if (field === undefined || removed.length === factors.length) return undefined
  return { field, reason: 'must be a number, unless all four are null' }
}

/** A run that succeeded stored a date, unless it is an update, or an import of other records. */
export function runFits({ kind, status, date }: Record<string, unknown>) {
  if (status === 'failed' || kind === 'update' || kind === 'import' || date !== null)
    return undefined
  return { field: 'date', reason: 'must not be null: the run succeeded' }
}

/** Points of both sides of a position. An entry has more bits for them. */
export function entryFits({ pointsBefore, pointsAfter }: Record<string, unknown>) {
  const entry = Object.entries({ pointsBefore, pointsAfter })
  const [field] = entry.find(([, points]) => Math.abs(Number(points)) > 2 * MAX_POINTS) ?? []
  return field === undefined
    ? undefined
    : { field, reason: `must be from -${2 * MAX_POINTS} to ${2 * MAX_POINTS}` }
}

export function seasonFits({ name, startsAt, endsAt }: Record<string, unknown>) {
  if (!isSeasonName(String(name))) return { field: 'name', reason: SEASON_NAME }
  if (endsAt === null || Date.parse(String(endsAt)) >= Date.parse(String(startsAt)))
    return undefined
  return { field: 'endsAt', reason: 'must not be before startsAt' }
}

/** A market has both rates, a vault has no borrow rate. */
export function ratesFit({ entityType, borrowRate }: Record<string, unknown>) {
  if ((entityType === 'market') === (typeof borrowRate === 'number')) return undefined
  return {
    field: 'borrowRate',
    reason: entityType === 'market' ? 'is missing' : 'must be absent: a vault has none',
  }
}

/** The moment of a price belongs to its day. */
export function priceFits({ date, time }: Record<string, unknown>) {
  if (typeof time !== 'string') return undefined
  const days = (Date.parse(time) - Date.parse(String(date))) / DAY_MS
  if (days >= -1 && days <= 2) return undefined
  return {
    field: 'time',
    reason: `must be at most a day before or after ${String(date).slice(0, 10)}, but is ${time}`,
  }
}

const TOKEN_FIELDS = [
  'chainId',
  'address',
  'name',
  'logoURI',
  'movesWith',
  'symbol',
  'decimals',
  'tags',
  'extensions',
]

/**
 * Shortens the name of a token, and leaves out a logo that cannot be stored and fields that no
 * token list has. Tags say what its price moves with, unless they contradict each other.
 */
export function mendToken(token: Record<string, unknown>) {
  const changes: Problem[] = []
  const record = { ...token }
  const unknown = Object.keys(token).filter((field) => !TOKEN_FIELDS.includes(field))
  for (const field of unknown) delete record[field]
  const [first = ''] = unknown
  if (first !== '')
    changes.push({
      field: shownName(first),
      reason: `is ignored, ${nearestName(first, TOKEN_FIELDS)}`,
    })
  if (typeof token.name === 'string' && token.name.length > values.MAX_TEXT) {
    record.name = `${token.name.slice(0, values.MAX_TEXT - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
    changes.push({ field: 'name', reason: `has ${token.name.length} characters` })
  }
  const { logoURI } = token
  if (logoURI !== undefined && logoURI !== null && values.logo.encode(logoURI) === undefined) {
    delete record.logoURI
    changes.push({ field: 'logoURI', reason: `must be ${values.logo.what}` })
  }
  const groups = groupsOf(token)
  if (groups.length > 1) {
    delete record.movesWith
    changes.push({
      field: 'tags',
      reason: `contradict each other: the price cannot move with ${groups.join(' and with ')}`,
    })
  } else if (groups[0] !== undefined) record.movesWith = groups[0]
  return { record, changes }
}

// The groups that the tags of a token and its field name. Its price moves with one of them.
function groupsOf({ movesWith, tags }: Record<string, unknown>): string[] {
  const tagged = (Array.isArray(tags) ? tags : []).flatMap((tag) => {
    if (tag === 'stablecoin') return ['USD']
    const [, group] = /^like_([A-Za-z0-9]{1,20})$/.exec(String(tag)) ?? []
    return group === undefined ? [] : [group.toUpperCase()]
  })
  const own = typeof movesWith === 'string' && tagged.length > 0 ? [movesWith.toUpperCase()] : []
  return [...new Set([...own, ...tagged])]
}

/** A loan that is allowed must not be liquidated at once. */
export function riskFits({ maxLtv, liquidationThreshold }: Record<string, unknown>) {
  if (
    typeof maxLtv !== 'number' ||
    typeof liquidationThreshold !== 'number' ||
    maxLtv <= liquidationThreshold
  )
    return undefined
  return {
    field: 'maxLtv',
    reason: `must not be above liquidationThreshold, ${liquidationThreshold}, but is ${maxLtv}`,
  }
}

// A USD amount may differ from amount × price by this share of the larger one, or by this many
// dollars: prices are rounded.
const USD_SHARE = 0.01
const USD_ROUNDING = 1

const priced = ['a', 'b'].flatMap((side) =>
  ['SuppliedAmount', 'ProtectedSuppliedAmount', 'BorrowedAmount'].map((amount) => ({
    usd: `${side}${amount}Usd`,
    amount: `${side}${amount}`,
    price: `${side}TokenPrice`,
  })),
)

/** A USD amount is its amount times the price. */
export function doubtUsd(position: Record<string, unknown>) {
  for (const { usd, amount, price } of priced) {
    const [stated, expected] = [
      Number(position[usd]),
      Number(position[amount]) * Number(position[price]),
    ]
    const difference = Math.abs(stated - expected)
    if (
      difference > USD_ROUNDING &&
      difference > USD_SHARE * Math.max(Math.abs(stated), Math.abs(expected))
    )
      return {
        what: 'a USD amount that contradicts amount × price',
        field: usd,
        reason: `is ${stated}, but ${amount} × ${price} is ${Number(expected.toPrecision(6))}`,
      }
  }
  return undefined
}

// Unix seconds of the year 5138. Milliseconds are more since 1973.
const MILLISECONDS = 1e11

export function doubtTime({ timestamp }: Record<string, unknown>) {
  if (Number(timestamp) < MILLISECONDS) return undefined
  const what = 'a time that seems to be in milliseconds, not in seconds'
  return { what, field: 'timestamp', reason: `is ${timestamp}` }
}

/** A record has both pointsA and pointsB or neither. If it has points, they are the sum. */
export function pointsFit({ pointsA, pointsB, points }: Record<string, unknown>) {
  if (typeof pointsA !== 'number' && typeof pointsB !== 'number')
    return points === undefined
      ? undefined
      : { field: 'points', reason: 'needs pointsA and pointsB' }
  if (typeof pointsA !== 'number')
    return { field: 'pointsA', reason: 'is missing: pointsB is given' }
  if (typeof pointsB !== 'number')
    return { field: 'pointsB', reason: 'is missing: pointsA is given' }
  const sum = pointsA + pointsB
  if (
    typeof points !== 'number' ||
    Math.abs(points - sum) <= 1e-9 * Math.max(1, Math.abs(pointsA), Math.abs(pointsB))
  )
    return undefined
  return {
    field: 'points',
    reason: `must be pointsA + pointsB, ${Number(sum.toFixed(6))}, not ${points}`,
  }
}
