import { SearchDocument, type SearchQuery } from 'lending-graph-client'
import { Answer, Empty } from '../answer.tsx'
import { EntityLink, VaultLink } from '../entity-link.tsx'
import { useKnownWallets } from '../known-wallets.tsx'
import { Page } from '../page-frame.tsx'
import { type Column, Table } from '../table.tsx'
import { useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Num, PoolLink, WalletLink } from '../values.tsx'

type Result = SearchQuery['search'][number]

const columns: Column<Result>[] = [
  { name: 'Kind', cell: ({ item }) => (item.__typename === 'User' ? 'Wallet' : item.__typename) },
  {
    name: 'Name',
    heads: true,
    cell: ({ item }) => {
      if (item.__typename === 'User') return <WalletLink address={item.address} />
      if (item.__typename === 'Pool')
        return <PoolLink address={item.address} name={item.displayName} />
      if (item.__typename === 'Vault') return <VaultLink vault={item} />
      return <EntityLink entity={item} />
    },
  },
  { name: 'Address', cell: ({ item }) => <span className="hex">{item.address}</span> },
  {
    name: 'Points',
    numeric: true,
    cell: ({ item }) =>
      item.__typename === 'User' ? <Num value={item.totalPoints} unit="points" /> : null,
  },
]

/** Wallets, pools, markets and vaults by address, symbol or name. */
export function Search() {
  const text = useUrlState().get('q') ?? ''
  const variables = { text, first: 50 }
  const named = useKnownWallets()(text).filter(({ why }) => why !== 'recent')
  const answer = useGraph(SearchDocument, variables, { pause: text === '' })
  return (
    <Page
      ofNow
      title={text ? `Search: ${text}` : 'Search'}
      operation={{ query: SearchDocument, variables }}
    >
      {text !== '' && named.length > 0 && (
        <p className="links">
          Named in this browser:
          {named.map(({ address }) => (
            <WalletLink key={address} address={address} />
          ))}
        </p>
      )}
      {text === '' ? (
        <Empty>
          Search for an address or its beginning, a token, or the name of a pool or a vault.
        </Empty>
      ) : (
        <Answer of={answer} rows={10}>
          {({ search }) =>
            search.length === 0 ? (
              <Empty>
                Nothing matches. Wallets are found by their address or its beginning; pools, markets
                and vaults also by symbol or name.
              </Empty>
            ) : (
              <Table
                caption="Results, best match first"
                columns={columns.filter(
                  ({ numeric }) =>
                    !numeric || search.some(({ item }) => item.__typename === 'User'),
                )}
                rows={search}
                rowKey={({ item }) => item.id}
              />
            )
          }
        </Answer>
      )}
    </Page>
  )
}
