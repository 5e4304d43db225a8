import type { PoolChoicesQuery } from 'lending-graph-client'
import { ChainChoice, chainsOf } from './chain-choice.tsx'
import { cut } from './names.ts'
import { useUrlState } from './url-state.ts'

type Pool = Pick<PoolChoicesQuery['pools']['nodes'][number], 'chainId' | 'assetA' | 'assetB'>

/** The chains and tokens that pools have, and those that the address of the view chooses. */
export function usePlaces(pools: readonly Pool[]) {
  const url = useUrlState()
  const chains = chainsOf(pools)
  const tokens = pools.flatMap(({ assetA, assetB }) => [assetA, assetB])
  const symbols = [...new Set(tokens.map(({ symbol }) => symbol))]
  const chosen = {
    chain: chains.find((id) => String(id) === url.get('chain')),
    /** The tokens of the chosen symbol. */
    tokens: tokens.filter(({ symbol }) => symbol === url.get('token')),
  }
  return { chains, symbols: symbols.sort((a, b) => a.localeCompare(b)), chosen }
}

/** Lets a chain and a token be chosen. */
export function PlaceChoice({
  of: { chains, symbols, chosen },
}: {
  of: ReturnType<typeof usePlaces>
}) {
  const url = useUrlState()
  return (
    <>
      <ChainChoice
        chains={chains}
        chosen={String(chosen.chain ?? '')}
        onChain={(chain) => url.set({ chain })}
      />
      <label>
        Token
        <select
          value={chosen.tokens[0]?.symbol ?? ''}
          onChange={({ target }) => url.set({ token: target.value || undefined })}
        >
          <option value="">All tokens</option>
          {symbols.map((symbol) => (
            <option key={symbol} value={symbol}>
              {cut(symbol)}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}
