import * as z from 'zod'
import type { EntityType } from '../../generated/operations/graphql.ts'

export const entityTypeShape = z.enum(['market', 'vault'])

/** A breakdown item with the document's name of its entity's type. */
export function entityType<T extends { entity_type: EntityType }>(item: T) {
  return { ...item, entity_type: item.entity_type === 'MARKET' ? ('market' as const) : ('vault' as const) }
}
