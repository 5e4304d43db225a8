import type { MarketNameFragment, VaultNameFragment } from 'lending-graph-client'
import { Link } from 'wouter'
import { brief } from './format.ts'
import { vaultPath } from './paths.ts'
import { PoolLink } from './values.tsx'

type Entity = ({ __typename: 'Market' } & MarketNameFragment) | ({ __typename: 'Vault' } & VaultNameFragment)

interface Props {
  entity: Entity | null
  /** Its address, if it is not stored. */
  address?: string
}

/** A market, by its token and its pool, or a vault. */
export function EntityLink({ entity, address = '' }: Props) {
  if (!entity) return <span title={address}>{brief(address)}</span>
  if (entity.__typename === 'Vault') return <VaultLink vault={entity} />
  return (
    <>
      {entity.asset.symbol}
      {entity.pool && (
        <>
          {' in '}
          <PoolLink address={entity.pool.address} name={entity.pool.displayName} />
        </>
      )}
    </>
  )
}

export const VaultLink = ({ vault }: { vault: VaultNameFragment }) => (
  <Link href={vaultPath(vault)} title={vault.address}>
    {vault.name}
  </Link>
)
