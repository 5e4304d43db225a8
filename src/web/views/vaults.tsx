import { type VaultCardFragment, type VaultOrder, VaultsDocument } from 'lending-graph-client'
import { Answer, NothingStored } from '../answer.tsx'
import { chainName } from '../chains.ts'
import { VaultLink } from '../entity-link.tsx'
import { TokenIcons } from '../identity.tsx'
import { TokenSymbol } from '../name.tsx'
import { Page } from '../page-frame.tsx'
import { type Column, PagedTable, type Sort, sortBy, usePage } from '../table.tsx'
import { TokenName } from '../tokens.tsx'
import { useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Num } from '../values.tsx'

const ROWS = 25

const columns: Column<VaultCardFragment>[] = [
  { name: 'Vault', heads: true, sortKey: 'NAME', cell: (vault) => <VaultLink vault={vault} /> },
  {
    name: 'Token',
    sortKey: 'ASSET_SYMBOL',
    cell: ({ asset }) => (
      <span className="named">
        <TokenIcons tokens={[asset]} /> <TokenSymbol token={asset} /> <TokenName token={asset} />
      </span>
    ),
  },
  { name: 'Chain', sortKey: 'CHAIN_ID', cell: ({ chainId }) => chainName(chainId) },
  {
    name: 'Deposit APR',
    numeric: true,
    sortKey: 'DEPOSIT_APR',
    cell: ({ depositApr }) => <Num value={depositApr} unit="percent" />,
  },
  {
    name: 'Total assets',
    numeric: true,
    sortKey: 'TVL_USD',
    cell: ({ totalAssets }) => <Num value={totalAssets?.usd ?? null} unit="usd" />,
  },
  {
    name: 'Users',
    numeric: true,
    sortKey: 'USER_COUNT',
    cell: ({ userCount }) => <Num value={userCount} unit="count" />,
  },
]
const SORTS = columns.flatMap(({ sortKey }) => [
  `${sortKey}_DESC`,
  `${sortKey}_ASC`,
]) as Sort<VaultOrder>[]

/** All vaults, with their rates. */
export function Vaults() {
  const url = useUrlState()
  const sort = url.oneOf<Sort<VaultOrder>>('sort', ['DEPOSIT_APR_DESC', ...SORTS])
  const variables = { ...usePage(ROWS), ...sortBy(sort) }
  const vaults = useGraph(VaultsDocument, variables)
  return (
    <Page title="Vaults" operation={{ query: VaultsDocument, variables }}>
      <p className="lede">A vault lends one token across markets.</p>
      <Answer of={vaults} rows={8}>
        {({ vaults }) => (
          <PagedTable
            caption="Vaults"
            columns={columns}
            list={vaults}
            rows={ROWS}
            rowKey={({ id }) => id}
            sort={sort}
            empty={<NothingStored of="vaults" />}
          />
        )}
      </Answer>
    </Page>
  )
}
