import { TokensDocument, type TokensQuery } from 'lending-graph-client'
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react'
import { noteName } from './names.ts'
import { useGraph } from './use-graph.ts'

type Tokens = ReadonlyMap<string, TokensQuery['assets']['nodes'][number]>

const TokensContext = createContext<Tokens>(new Map())

/** The name and the logo of a token by its id, as far as they are stored. */
export const useToken = (id: string) => useContext(TokensContext).get(id)

/**
 * Reads the names and logos of tokens once for all views: rows have no more than ids and symbols.
 */
export function Tokens({ children }: { children: ReactNode }) {
  const { data } = useGraph(TokensDocument, {})
  const tokens = useMemo(
    () => new Map(data?.assets.nodes.map((token) => [token.id, token])),
    [data],
  )
  useEffect(() => {
    for (const { symbol, address, chainId } of data?.assets.nodes ?? [])
      noteName('token', symbol, address, chainId)
  }, [data])
  return <TokensContext value={tokens}>{children}</TokensContext>
}

/** The name of a token after its symbol, if it says more. */
export function TokenName({ token: { id, symbol } }: { token: { id: string; symbol: string } }) {
  const name = useToken(id)?.name
  return name && name !== symbol ? (
    <small>
      <bdi className="name" title={name.length > 20 ? name : undefined}>
        {name}
      </bdi>
    </small>
  ) : null
}
