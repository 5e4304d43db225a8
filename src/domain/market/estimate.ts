import { type RowOf, sqlColumns } from 'pothos-sql'
import { exact, quotient, toDouble } from '../../db/exact-sum.ts'
import { badArgument } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type BasePoints, rateSql } from '../points/formula.ts'
import { pointsColumn } from '../points/millionths.ts'
import { baseOn, factorsOn, limitedMillionths, NEXT_DATE } from '../points/per-day.ts'

/** The most days, dollars and dollars for a point of an estimate. */
export const MOST_DAYS = 3650
const MOST_USD = 1e15
const MOST_POINT_VALUE = 1e6
export const MOST_RULES = 100

interface EstimateArguments {
  amountUsd: number
  days: number
  pointValueUsd: number
  from?: Date | null | undefined
}

/** @throws BAD_INPUT */
export function assertEstimate({ amountUsd, days, pointValueUsd, from }: EstimateArguments): void {
  if (!(amountUsd >= 0 && amountUsd <= MOST_USD))
    throw badArgument('amountUsd', `must be from 0 to ${MOST_USD}`)
  if (days < 1 || days > MOST_DAYS) throw badArgument('days', `must be from 1 to ${MOST_DAYS}`)
  if (!(pointValueUsd >= 0 && pointValueUsd <= MOST_POINT_VALUE))
    throw badArgument('pointValueUsd', `must be from 0 to ${MOST_POINT_VALUE}`)
  if (from && from.getUTCFullYear() > 9000)
    throw badArgument('from', 'must not be after the year 9000')
}

const date = (value: Prisma.Sql | undefined) =>
  Prisma.sql`coalesce(nullif(${value}, 'infinity'), ${Prisma.raw(NEXT_DATE)})`

// SQL of a dollar's points per day on the side `s.side` of a pool, by the rules `m` and `b`.
const perDollar = (base: BasePoints, kind: 'deposit' | 'borrow') =>
  `CASE s.side WHEN 'a' THEN ${rateSql(base, kind, 'a', 'm', 'b')}
    ELSE ${rateSql(base, kind, 'b', 'm', 'b')} END`

// A FROM item `s` with the side of a pool that a market is. No row if the pool does not name it.
const sideOf = (chainId: Prisma.Sql, id: Prisma.Sql, pool: Prisma.Sql) =>
  Prisma.sql`(SELECT p.id AS pool, CASE ${id} WHEN p.unit_1_id THEN 'a' ELSE 'b' END AS side
    FROM pool p
    WHERE p.id = ${pool} AND p.chain_id = ${chainId} AND ${id} IN (p.unit_1_id, p.unit_2_id)) s`

const PER_DOLLAR = { type: 'float', nullable: true } as const
const ABSENT = 'Null if the pool is not stored, or does not name the market as a side.'

export const pointsPerDollarColumns = sqlColumns({
  depositPointsPerDollar: {
    ...PER_DOLLAR,
    sql: 't.deposit',
    description:
      'The points per day of a dollar supplied: base points times multiplier. Protected supply ' +
      `earns them only while the other side is borrowed. ${ABSENT}`,
  },
  borrowPointsPerDollar: {
    ...PER_DOLLAR,
    sql: 't.borrow',
    description: `The points per day of a dollar borrowed: base points times multiplier. ${ABSENT}`,
  },
})

export type PointsPerDollar = RowOf<typeof pointsPerDollarColumns>

/**
 * The FROM clause for `pointsPerDollarColumns`: a market by its chain, id and pool, on a
 * distribution date.
 */
export const pointsPerDollarSql =
  (base: BasePoints) =>
  ([chainId, id, pool, asOf]: Prisma.Sql[]): Prisma.Sql =>
    Prisma.sql`FROM (
    SELECT ${Prisma.raw(perDollar(base, 'deposit'))} AS deposit,
      ${Prisma.raw(perDollar(base, 'borrow'))} AS borrow
    FROM ${sideOf(chainId as Prisma.Sql, id as Prisma.Sql, pool as Prisma.Sql)}
      CROSS JOIN (SELECT ${date(asOf)} AS date) d
    CROSS JOIN LATERAL ${Prisma.raw(baseOn('d.date'))}
    LEFT JOIN LATERAL (${Prisma.raw(factorsOn('d.date', 's.pool'))}) m ON true) t`

export const estimateColumns = sqlColumns({
  from: { sql: 't.first', type: 'date', description: 'The first distribution date that counts.' },
  to: { sql: 't.last', type: 'date', description: 'The last distribution date that counts.' },
  apr: {
    sql: 't.apr',
    type: 'float',
    description: 'The APR of now as a fraction, assumed not to change: 0.05 is 5 %.',
  },
  interestUsd: {
    sql: toDouble('t.interest'),
    type: 'float',
    description: 'Simple interest in USD: `amountUsd * apr * days / 365`, due or owed.',
  },
  points: {
    ...pointsColumn('t.millionths'),
    nullable: true,
    description:
      'The points of the amount: those of a day, rounded to millionths, for each date by the ' +
      'rules known now. Null for a vault, where the program counts none that are known, if the ' +
      'pool of a market is not stored, and if they are more than a side may have.',
  },
  totalUsd: {
    sql: toDouble('t.total'),
    type: 'float',
    nullable: true,
    description:
      '`interestUsd`, negative for a borrower, plus the worth of the points at ' +
      '`pointValueUsd`. Null if points are worth more than 0 and are null.',
  },
  totalApr: {
    sql: quotient(toDouble('t.total * 365 / t.days'), 't.amount'),
    type: 'float',
    nullable: true,
    description:
      '`totalUsd` as a yearly rate of the amount, as a fraction: 0.05 is 5 %. Null if it or ' +
      'the amount is 0 or null.',
  },
  pool: { sql: "coalesce(t.pool, '')", type: 'text' },
  side: { sql: "coalesce(t.side, '')", type: 'text' },
  borrowed: { sql: 't.borrowed', type: 'boolean' },
})

export type Estimate = RowOf<typeof estimateColumns>

// A query of the rules between two dates of `s`, both included, for a side of a pool: the first
// date, the number of days and a dollar's points per day. A row begins where a rule of the pool or
// of the base points does.
const rulesBetween = (base: BasePoints) => `
  SELECT d.date, d.days,
    CASE WHEN s.borrowed THEN ${perDollar(base, 'borrow')}
      ELSE ${perDollar(base, 'deposit')} END AS rate
  FROM (SELECT date, lead(date, 1, s.last + 1) OVER (ORDER BY date) - date AS days FROM (
      SELECT s.first AS date
      UNION SELECT r.from_date FROM multiplier_rule r
        WHERE r.pool_address = s.pool AND r.from_date > s.first AND r.from_date <= s.last
      UNION SELECT r.from_date FROM base_points_rule r
        WHERE r.from_date > s.first AND r.from_date <= s.last) d) d
  CROSS JOIN LATERAL ${baseOn('d.date')}
  LEFT JOIN LATERAL (${factorsOn('d.date', 's.pool')}) m ON true OFFSET 0`

interface EstimateInputs {
  apr: Prisma.Sql
  borrowed: Prisma.Sql
  /** A FROM item `s` with the pool and the side. */
  side: Prisma.Sql
  inputs: (Prisma.Sql | undefined)[]
}

const INTEREST = `${exact('s.amount')} * ${exact('s.apr')} * s.days / 365`

// Null if they are more than a side may have under one of the rules.
const pointsOfAmount = (base: BasePoints) => `(
  SELECT CASE WHEN count(*) = count(millionths) THEN sum(millionths::numeric * days) END
  FROM (
    SELECT ${limitedMillionths('(r.rate * s.amount)')} AS millionths, r.days
    FROM (${rulesBetween(base)}) r OFFSET 0) p)`

const TOTAL = `CASE WHEN s.borrowed THEN -s.interest ELSE s.interest END
  + CASE WHEN s.value = 0 THEN 0 ELSE ${exact('s.value')} * s.millionths * 0.000001 END`

function estimateFrom(
  base: BasePoints,
  { apr, borrowed, side, inputs }: EstimateInputs,
): Prisma.Sql {
  const [amount, days, value, from] = inputs
  const values = Prisma.sql`SELECT s.*, ${amount} AS amount, (${days})::int AS days,
      ${value} AS value, ${apr} AS apr, ${borrowed} AS borrowed,
      ${date(from)} AS first, ${date(from)} + (${days})::int - 1 AS last
    FROM (SELECT 1) one LEFT JOIN ${side} ON true OFFSET 0`
  const parts = Prisma.sql`SELECT s.*, ${Prisma.raw(INTEREST)} AS interest,
      CASE WHEN s.pool IS NOT NULL THEN ${Prisma.raw(pointsOfAmount(base))} END AS millionths
    FROM (${values}) s OFFSET 0`
  return Prisma.sql`FROM (SELECT s.*, ${Prisma.raw(TOTAL)} AS total FROM (${parts}) s OFFSET 0) t`
}

/**
 * The FROM clause for `estimateColumns`: a market by its chain, id, pool and rates, and the
 * arguments of an estimate.
 */
export const marketEstimateSql =
  (base: BasePoints) =>
  ([chainId, id, pool, deposit, borrow, isBorrowed, ...inputs]: Prisma.Sql[]): Prisma.Sql =>
    estimateFrom(base, {
      apr: Prisma.sql`CASE WHEN ${isBorrowed} THEN ${borrow} ELSE ${deposit} END`,
      borrowed: isBorrowed as Prisma.Sql,
      side: sideOf(chainId as Prisma.Sql, id as Prisma.Sql, pool as Prisma.Sql),
      inputs,
    })

/** The same for a vault by its rate. */
export const vaultEstimateSql =
  (base: BasePoints) =>
  ([deposit, ...inputs]: Prisma.Sql[]): Prisma.Sql =>
    estimateFrom(base, {
      apr: deposit as Prisma.Sql,
      borrowed: Prisma.sql`false`,
      side: Prisma.sql`(SELECT NULL::text AS pool, NULL::text AS side) s`,
      inputs,
    })

export const estimateRuleColumns = sqlColumns({
  from: {
    sql: 't.date',
    type: 'date',
    description: 'The first distribution date that the rules are in force for.',
  },
  days: {
    sql: 't.days',
    type: 'int',
    description: 'The number of distribution dates, from it on, that count.',
  },
  pointsPerDollar: {
    sql: 't.rate',
    type: 'float',
    description: 'The points per day of a dollar: base points times multiplier.',
  },
})

export type EstimateRule = RowOf<typeof estimateRuleColumns>

/**
 * The FROM clause for `estimateRuleColumns`: the rules of an estimate, by its pool, side, kind, and
 * first and last date.
 */
export const estimateRulesSql =
  (base: BasePoints) =>
  ([pool, side, borrowed, first, last]: Prisma.Sql[]): Prisma.Sql =>
    Prisma.sql`FROM (
    SELECT r.* FROM (SELECT ${pool} AS pool, ${side} AS side, ${borrowed} AS borrowed,
      ${first} AS first, ${last} AS last) s
    CROSS JOIN LATERAL (${Prisma.raw(rulesBetween(base))}) r WHERE s.pool <> '' ORDER BY r.date
      LIMIT ${Prisma.raw(String(MOST_RULES))}) t
  ORDER BY t.date`
