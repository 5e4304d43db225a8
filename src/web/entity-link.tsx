import type { MarketNameFragment, VaultNameFragment } from 'lending-graph-client'
import { Link } from 'wouter'
import { brief } from './format.ts'
import { TokenIcons } from './identity.tsx'
import { Name, TokenSymbol } from './name.tsx'
import { vaultPath } from './paths.ts'
import { PoolLink } from './values.tsx'

type Entity =
  | ({ __typename: 'Market' } & MarketNameFragment)
  | ({ __typename: 'Vault' } & VaultNameFragment)

interface Props {
  entity: Entity | null
  /** Its address, if it is not stored. */
  address?: string
}

/** A market, by its token and its pool, or a vault. */
export function EntityLink({ entity, address = '' }: Props) {
  if (!entity) return <span title={address}>{brief(address)}</span>
  const icon = <TokenIcons tokens={[entity.asset]} />
  if (entity.__typename === 'Vault')
    return (
      <span className="named">
        {icon} <VaultLink vault={entity} />
      </span>
    )
  return (
    <span className="named">
      {icon}
      <span className="where">
        <TokenSymbol token={entity.asset} />
        {entity.pool && (
          <>
            {' in '}
            <PoolLink address={entity.pool.address} name={entity.pool.displayName} />
          </>
        )}
      </span>
    </span>
  )
}

export const VaultLink = ({ vault }: { vault: VaultNameFragment }) => (
  <Link href={vaultPath(vault)} title={vault.address}>
    <Name kind="vault" name={vault.name} address={vault.address} />
  </Link>
)
