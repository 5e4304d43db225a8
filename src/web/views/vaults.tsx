import {
  type VaultCardFragment,
  type VaultOrder,
  VaultsDocument,
  VaultTrendsDocument,
} from 'lending-graph-client'
import { Answer, NothingStored } from '../answer.tsx'
import { chainName } from '../chains.ts'
import { VaultLink } from '../entity-link.tsx'
import { TokenIcons } from '../identity.tsx'
import { TokenSymbol } from '../name.tsx'
import { Page } from '../page-frame.tsx'
import { netApy, type SharePrices } from '../share-price.ts'
import { Sparkline } from '../sparkline.tsx'
import { type Column, PagedTable, type Sort, SortChoice, sortBy, usePage } from '../table.tsx'
import { useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Num } from '../values.tsx'

const ROWS = 25

const columns = (trends: ReadonlyMap<string, SharePrices>): Column<VaultCardFragment>[] => [
  {
    name: 'Vault',
    heads: true,
    sortKey: 'NAME',
    cell: (vault) => (
      <span className="named">
        <TokenIcons tokens={[vault.asset]} />
        <span className="where">
          <VaultLink vault={vault} />
        </span>
      </span>
    ),
  },
  {
    name: 'Token',
    sortKey: 'ASSET_SYMBOL',
    cell: ({ asset }) => <TokenSymbol token={asset} />,
  },
  { name: 'Chain', sortKey: 'CHAIN_ID', cell: ({ chainId }) => chainName(chainId) },
  {
    name: 'Net APY, 30 days',
    numeric: true,
    cell: ({ id }) => <Num value={netApy(trends.get(id) ?? [])} unit="percent" />,
  },
  {
    name: 'Deposit APR',
    numeric: true,
    sortKey: 'DEPOSIT_APR',
    cell: ({ depositApr }) => <Num value={depositApr} unit="percent" />,
  },
  {
    name: 'Share price',
    numeric: true,
    sortKey: 'SHARE_PRICE',
    cell: ({ sharePrice }) => <Num value={sharePrice} unit="share" />,
  },
  {
    name: '30 days',
    numeric: true,
    cell: ({ id }) => (
      <Sparkline values={(trends.get(id) ?? []).map(({ sharePrice }) => sharePrice)} />
    ),
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
const SORTS = columns(new Map()).flatMap(({ sortKey }) =>
  sortKey ? [`${sortKey}_DESC`, `${sortKey}_ASC`] : [],
) as Sort<VaultOrder>[]

/** All vaults, with their rates and what a share is worth. */
export function Vaults() {
  const url = useUrlState()
  const sort = url.oneOf<Sort<VaultOrder>>('sort', ['DEPOSIT_APR_DESC', ...SORTS])
  const variables = { ...usePage(ROWS), ...sortBy(sort) }
  const vaults = useGraph(VaultsDocument, variables)
  const trends = useGraph(VaultTrendsDocument, variables)
  const all = columns(new Map(trends.data?.vaults.nodes.map(({ id, series }) => [id, series])))
  return (
    <Page ofNow title="Vaults" operation={{ query: VaultsDocument, variables }}>
      <p className="lede">
        A vault lends one token across markets. Net APY is the growth of a share in 30 days, after
        fees, as a yearly rate.
      </p>
      <div className="choices narrow">
        <SortChoice columns={all} sort={sort} />
      </div>
      <Answer of={vaults} rows={8}>
        {({ vaults }) => (
          <PagedTable
            caption="Vaults"
            columns={all}
            list={vaults}
            whole={{ name: 'vaults', arguments: variables }}
            rows={ROWS}
            rowKey={({ id }) => id}
            sort={sort}
            cards="facts"
            empty={<NothingStored of="vaults" />}
          />
        )}
      </Answer>
    </Page>
  )
}
