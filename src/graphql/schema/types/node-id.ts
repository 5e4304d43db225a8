import { type GraphQLSchema, isObjectType } from 'graphql'
import { GatewayError } from '../../../errors.ts'
import { parseUtc } from '../../../time.ts'

interface NodeId {
  typename: string
  id: string
}

const MAX_LENGTH = 1000

// The types whose ids end with an address, and have no other text.
const BY_ADDRESS = ['User', 'Pool', 'Market', 'Vault', 'Asset']

/**
 * Checks an id, and makes its address one as it is stored: it may be in any case.
 * @throws BAD_INPUT if the id has no known type, or cannot be the id of a stored row
 */
export function assertNodeId(nodeId: NodeId, schema: GraphQLSchema): void {
  const { typename, id } = nodeId
  const type = schema.getType(typename)
  const isNode = isObjectType(type) && type.getInterfaces().some((one) => one.name === 'Node')
  if (!isNode || id.includes('\0') || id.length > MAX_LENGTH) throw badId()
  // Pothos loads the same object.
  if (BY_ADDRESS.includes(typename)) nodeId.id = id.toLowerCase()
}

export const chainAddressId = ({ chainId, id }: { chainId: bigint; id: string }) =>
  `${chainId}:${id}`

export const chainAddressSql = (column: (field: string) => string) =>
  `${column('chainId')} || ':' || ${column('id')}`

export function readChainAddressId(text: string): { chainId: bigint; id: string } {
  const [, chainId, id] = /^(\d{1,16}):(0x[0-9a-f]{40})$/.exec(text) ?? []
  if (chainId === undefined || id === undefined) throw badId()
  return { chainId: BigInt(chainId), id }
}

export function readDateId(text: string): Date {
  const date = text.length === 10 ? parseUtc(text) : undefined
  if (!date) throw badId()
  return date
}

const badId = () =>
  new GatewayError(
    'BAD_INPUT',
    'The id does not identify an object. Use an id that the API returned.',
    [{ in: 'query', name: 'id', message: 'is not an id that the API returned' }],
  )
