import { Link } from 'wouter'
import { chainName } from './chains.ts'
import { times } from './format.ts'
import { TokenIcons } from './identity.tsx'
import { TokenSymbol } from './name.tsx'
import type { PoolSide } from './pool-sides.ts'
import type { Column } from './table.tsx'
import { useUrlState } from './url-state.ts'
import { PoolLink, Unknown } from './values.tsx'

const SIDES = [
  ['deposit', 'Deposit'],
  ['borrow', 'Borrow'],
  ['both', 'Both'],
] as const

/** True for the sides of pools that the address chooses. */
export function useChosenSide(usual: 'deposit' | 'both'): (side: PoolSide) => boolean {
  const chosen = useUrlState().get('side') ?? usual
  if (chosen === 'both') return () => true
  return ({ isBorrowed }) => isBorrowed === (chosen === 'borrow')
}

/** Lets deposits or debts be chosen. */
export function SideChoice({ usual }: { usual: 'deposit' | 'both' }) {
  const url = useUrlState()
  const chosen = url.get('side') ?? usual
  return (
    <nav className="choice" aria-label="Side">
      {SIDES.map(([side, name]) => (
        <Link
          key={side}
          href={url.link({ side: side === usual ? undefined : side })}
          aria-current={side === chosen ? 'true' : undefined}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}

/** The column that names a row by its side. */
export const sideColumn = {
  name: 'Side',
  heads: true,
  cell: ({ isBorrowed, asset }) => (
    <span className="named">
      <TokenIcons tokens={[asset]} />
      <span>
        {isBorrowed ? 'Borrow' : 'Deposit'} <TokenSymbol token={asset} />
      </span>
    </span>
  ),
} satisfies Column<PoolSide>

/** The columns that say where a side is. They follow the numbers, which phones have room for. */
export const placeColumns = [
  {
    name: 'Pool',
    cell: ({ pool }) => <PoolLink address={pool.address} name={pool.displayName} />,
  },
  { name: 'Chain', cell: ({ pool }) => chainName(pool.chainId) },
] satisfies Column<PoolSide>[]

/** A multiplier: raised ones are chips, the usual one is muted. */
export function Factor({ factor }: { factor: number | null }) {
  if (factor === null) return <Unknown />
  return factor > 1 ? (
    <span className="chip raised">{times(factor)}</span>
  ) : (
    <small>{times(factor)}</small>
  )
}
