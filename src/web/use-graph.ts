import { useEffect, useRef } from 'react'
import { type AnyVariables, type CombinedError, type TypedDocumentNode, useQuery } from 'urql'
import { useLive } from './live.tsx'

export interface GraphAnswer<Data> {
  /** Undefined until the first answer. */
  data: Data | undefined
  error: CombinedError | undefined
  fetching: boolean
  /** Undefined if the page has another way. */
  retry: (() => void) | undefined
}

/** Queries the graph, and again whenever its data changes. The previous answer stays until then. */
export function useGraph<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  { pause = false } = {},
): GraphAnswer<Data> {
  const { generation } = useLive()
  const seen = useRef(generation)
  const [{ data, error, fetching }, execute] = useQuery<Data, Variables>({
    query,
    variables,
    pause,
    requestPolicy: 'cache-and-network',
  } as Parameters<typeof useQuery<Data, Variables>>[0])
  const retry = () => execute({ requestPolicy: 'network-only' })
  const latest = useRef(retry)
  latest.current = retry
  useEffect(() => {
    if (seen.current === generation) return
    seen.current = generation
    if (!pause) latest.current()
  }, [generation, pause])
  return { data, error, fetching, retry }
}
