import type { ArgBuilder as PothosArgBuilder, SchemaTypes } from '@pothos/core'
import type {} from '@pothos/plugin-relay'

/** The types of the host's schema, which may be any. */
// biome-ignore lint/suspicious/noExplicitAny: Pothos' builders are invariant in their types
export type HostTypes = any

/** A row, an argument or the value of a field: the host's schema has its type. */
// biome-ignore lint/suspicious/noExplicitAny: a resolver here fits fields of all types
export type HostValue = any

/** The arguments of a field, by name. */
export type Arguments = Record<string, HostValue>

/** A builder of Pothos with its relay plugin. */
export type Builder = PothosSchemaTypes.SchemaBuilder<HostTypes>

export type ArgBuilder<Types extends SchemaTypes> = PothosArgBuilder<Types>
