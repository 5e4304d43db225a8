import type { MarketNameFragment, VaultNameFragment } from 'lending-graph-client'
import { Link } from 'wouter'
import { brief } from './format.ts'
import { vaultPath } from './paths.ts'
import { PoolLink } from './values.tsx'

interface Entity {
  market?: MarketNameFragment | null
  vault?: VaultNameFragment | null
  /** Its address, where neither is stored. */
  address?: string
}

/** A market, by its token and its pool, or a vault. */
export function EntityLink({ market, vault, address }: Entity) {
  if (vault) return <VaultLink vault={vault} />
  if (market)
    return (
      <>
        {market.assetSymbol}
        {market.pool && (
          <>
            {' in '}
            <PoolLink address={market.pool.address} name={market.pool.displayName} />
          </>
        )}
      </>
    )
  return <span title={address}>{brief(address ?? '')}</span>
}

export const VaultLink = ({ vault }: { vault: VaultNameFragment }) => (
  <Link href={vaultPath(vault)} title={vault.address}>
    {vault.name}
  </Link>
)
