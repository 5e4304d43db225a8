import * as z from 'zod'
import type { EntityType } from '../../generated/operations/graphql.ts'

export const entityTypeShape = z.enum(['market', 'vault'])

/** Converts the entity type of a breakdown item to its documented name. */
export function entityType<T extends { entity_type: EntityType }>(item: T) {
  return { ...item, entity_type: item.entity_type === 'MARKET' ? ('market' as const) : ('vault' as const) }
}
