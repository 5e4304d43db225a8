import { AnnouncedDocument, type AnnouncedQuery, type FactorsFragment } from 'lending-graph-client'
import { briefDay, isoDay, times } from './format.ts'
import { cut } from './names.ts'
import { useGraph } from './use-graph.ts'
import { Unknown } from './values.tsx'

type Multiplier = Pick<FactorsFragment, Side>
type Side = (typeof SIDES)[number]
type Announcement = AnnouncedQuery['multiplierRevisions']['nodes'][number]

const SIDES = ['depositA', 'depositB', 'borrowA', 'borrowB'] as const

interface FactorsProps {
  multiplier: Multiplier | null | undefined
  /** The tokens of sides A and B. */
  symbols: readonly [string, string]
}

type Tokens = { assetA: { symbol: string }; assetB: { symbol: string } }

/** The symbols of a pool's tokens. One that is not stored has neither. */
export const symbolsOf = (pool: Tokens | null | undefined): readonly [string, string] => [
  pool?.assetA.symbol ?? 'first token',
  pool?.assetB.symbol ?? 'second token',
]

/** The multiplier of each side, or that points were not computed from any. */
export function Factors({ multiplier, symbols }: FactorsProps) {
  if (!multiplier) return <Unknown />
  const groups = byFactor(multiplier, SIDES)
  const isVaried = groups.filter(([factor]) => factor !== 0).length > 1
  const rest = isVaried
    ? groups.find(([factor, sides]) => factor === 1 && isMixed(sides))
    : undefined
  // Without a rest, sides that are not named score nothing.
  const named = groups.filter((group) => group !== rest && (rest || group[0] !== 0))
  if (named.length === 0) return <small>all 0x</small>
  return (
    <span className="chips">
      {named.map(([factor, sides]) => (
        <span key={factor} className={factor > 1 ? 'chip raised' : 'chip'}>
          {times(factor)} {inWords(sides, symbols)}
        </span>
      ))}
      {rest && <span className="chip">{times(rest[0])} rest</span>}
    </span>
  )
}

/** The sides whose factors differ, each with both: supply USDC 1x → 2x. */
export const changedFactors = (
  before: Multiplier | null | undefined,
  after: Multiplier | null | undefined,
  symbols: readonly [string, string],
): string[] =>
  SIDES.flatMap((side) => {
    const [from, to] = [before?.[side] ?? 0, after?.[side] ?? 0]
    return from === to ? [] : [`${inWords([side], symbols)} ${times(from)} → ${times(to)}`]
  })

/** True if neither supply nor borrow says which sides these are. */
const isMixed = (sides: readonly Side[]) =>
  sides.some((side) => side.startsWith('deposit')) &&
  sides.some((side) => side.startsWith('borrow'))

interface PoolFactorsProps extends FactorsProps {
  /** Those of the pool. */
  announced: readonly Announcement[] | undefined
}

/** The factors of a pool now and those that are announced, or that it has no points. */
export function PoolFactors({ multiplier, symbols, announced = [] }: PoolFactorsProps) {
  const isZero = SIDES.every((side) => !multiplier?.[side])
  return (
    <>
      {isZero ? <small>no points</small> : <Factors multiplier={multiplier} symbols={symbols} />}
      <Announced multiplier={multiplier} symbols={symbols} announced={announced} />
    </>
  )
}

/** The factors of a pool that are announced for dates to come. */
export function Announced({ multiplier, symbols, announced = [] }: PoolFactorsProps) {
  if (announced.length === 0) return null
  return (
    <span className="chips">
      {announced.map((next, at) => {
        const before = at === 0 ? multiplier : announced[at - 1]
        const changed = SIDES.filter((side) => (next[side] ?? 0) !== (before?.[side] ?? 0))
        return byFactor(next, changed).map(([factor, sides]) => (
          <span key={`${next.id} ${factor}`} className="chip announced">
            {times(factor)} {inWords(sides, symbols)} from {briefDay(next.from ?? '')}
          </span>
        ))
      })}
    </span>
  )
}

/** One factor: only a raised one has a colour, and what scores nothing is struck through. */
export function Factor({ value }: { value: number | undefined }) {
  const factor = value ?? 0
  if (factor > 1) return <span className="chip raised">{times(factor)}</span>
  if (factor > 0) return <small>{times(factor)}</small>
  return (
    <small>
      <s aria-hidden="true">0x</s>
      <span className="visually-hidden">no points</span>
    </small>
  )
}

/**
 * The multipliers that are announced for dates to come, by pool, in the order of their dates.
 * @param pools only theirs
 */
export function useAnnounced(pools?: string[]): Map<string, Announcement[]> {
  const today = isoDay(new Date().toISOString())
  const { data } = useGraph(AnnouncedDocument, { after: today, ...(pools && { pools }) })
  const byPool = new Map<string, Announcement[]>()
  // The newest of a date comes first, and is the one that counts.
  for (const revision of data?.multiplierRevisions.nodes ?? []) {
    const others = byPool.get(revision.poolAddress) ?? []
    if (revision.revokedAt !== null || others.some(({ from }) => from === revision.from)) continue
    byPool.set(
      revision.poolAddress,
      [...others, revision].sort((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1)),
    )
  }
  return byPool
}

/** The sides of each factor, largest factor first. */
function byFactor(multiplier: Multiplier, sides: readonly Side[]) {
  const groups = new Map<number, Side[]>()
  for (const side of sides) {
    const factor = multiplier[side] ?? 0
    groups.set(factor, [...(groups.get(factor) ?? []), side])
  }
  return [...groups].sort(([one], [other]) => other - one)
}

/** Sides by their tokens: supply USDC, borrow. */
function inWords(sides: readonly Side[], [a, b]: readonly [string, string]): string {
  const of = (word: string, isA: boolean, isB: boolean) => {
    if (isA && isB) return [word]
    return [...(isA ? [`${word} ${cut(a)}`] : []), ...(isB ? [`${word} ${cut(b)}`] : [])]
  }
  return [
    ...of('supply', sides.includes('depositA'), sides.includes('depositB')),
    ...of('borrow', sides.includes('borrowA'), sides.includes('borrowB')),
  ].join(', ')
}
