import { type VaultCardFragment, type VaultOrder, VaultsDocument } from 'lending-graph-client'
import { Answer, NothingStored } from '../answer.tsx'
import { VaultLink } from '../entity-link.tsx'
import { Page } from '../page-frame.tsx'
import { type Column, Pager, type Sort, sortBy, Table } from '../table.tsx'
import { useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Num } from '../values.tsx'

const ROWS = 25

const columns: Column<VaultCardFragment>[] = [
  { name: 'Vault', heads: true, sortKey: 'NAME', cell: (vault) => <VaultLink vault={vault} /> },
  { name: 'Token', sortKey: 'ASSET_SYMBOL', cell: ({ asset }) => asset.symbol },
  { name: 'Chain', numeric: true, sortKey: 'CHAIN_ID', cell: ({ chainId }) => chainId },
  {
    name: 'Deposit APR',
    numeric: true,
    sortKey: 'DEPOSIT_APR',
    cell: ({ depositApr }) => <Num value={depositApr} unit="percent" />,
  },
]
const SORTS = columns.flatMap(({ sortKey }) => [`${sortKey}_DESC`, `${sortKey}_ASC`]) as Sort<VaultOrder>[]

/** All vaults, with their rates. */
export function Vaults() {
  const url = useUrlState()
  const sort = url.oneOf<Sort<VaultOrder>>('sort', ['DEPOSIT_APR_DESC', ...SORTS])
  const after = url.get('after')
  const variables = { first: ROWS, ...sortBy(sort), ...(after && { after }) }
  const vaults = useGraph(VaultsDocument, variables)
  return (
    <Page title="Vaults" operation={{ query: VaultsDocument, variables }}>
      <p>A vault lends one token across markets.</p>
      <Answer of={vaults} rows={8}>
        {({ vaults: { nodes, totalCount, pageInfo } }) =>
          totalCount === 0 ? (
            <NothingStored of="vaults" />
          ) : (
            <>
              <Table caption="Vaults" columns={columns} rows={nodes} rowKey={({ id }) => id} sort={sort} />
              <Pager label="vaults" pageInfo={pageInfo} />
            </>
          )
        }
      </Answer>
    </Page>
  )
}
