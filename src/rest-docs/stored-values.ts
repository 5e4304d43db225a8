import { basePath } from './served.ts'

interface Parameter {
  name: string
  required?: boolean
  example?: unknown
}

/** The OpenAPI document, as far as the page changes it. */
export interface OpenApi {
  servers?: unknown
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>
}

interface Stored {
  address: string | undefined
  market: string | undefined
  vault: string | undefined
}

const QUERY = `query StoredValues($example: Address!) {
  user(address: $example) { totalPoints }
  leaderboard(first: 1) { nodes { userAddress } }
  markets(first: 1) { nodes { address } }
  vaults(first: 1) { nodes { address } }
}`

/**
 * The document as the page shows it. The page fills its forms with the examples: those of required
 * parameters and of `account` are records of the store, and other optional parameters have none,
 * since they would narrow the first answer.
 */
export async function withStoredValues(document: OpenApi): Promise<OpenApi> {
  const parameters = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap((operation) => operation.parameters ?? [])
  const example = parameters.find(({ name }) => name === 'address')?.example
  const stored = await storedValues(example).catch(() => undefined)
  for (const parameter of parameters) {
    const isFilled = parameter.required || parameter.name === 'account'
    const name = parameter.name === 'account' ? 'address' : parameter.name
    const value = stored?.[name as keyof Stored] ?? parameter.example
    parameter.example = isFilled ? value : undefined
  }
  return document
}

/** Records of the store. Undefined if it has the record that the document names. */
async function storedValues(example: unknown): Promise<Stored | undefined> {
  const response = await fetch(`${basePath}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: QUERY, variables: { example } }),
  })
  const { data } = await response.json()
  if (Number(data.user?.totalPoints ?? 0) > 0) return undefined
  return {
    address: data.leaderboard.nodes[0]?.userAddress,
    market: data.markets.nodes[0]?.address,
    vault: data.vaults.nodes[0]?.address,
  }
}
