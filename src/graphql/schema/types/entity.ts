import type { ObjectRef } from '@pothos/core'
import type { Listing } from '../../../db/lists/listing.ts'
import type { EntityType } from '../../../domain/holding/holding.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputs } from '../../fields/list-inputs.ts'
import { listArguments } from '../../fields/page-arguments.ts'
import { type KeyedRow, list, one } from '../../fields/sql-field.ts'
import type { Builder, Types } from '../builder.ts'

/** The parts of the queries of markets, or of vaults. */
interface Entities<Row> {
  kind: EntityType
  Type: ObjectRef<Types, Row>
  all: Listing<Row>
  at: KeyedRow<Row>
  inputs: ListInputs
}

/** Adds the queries for one market or vault, and for all. */
export function addEntityQueries<Row>(builder: Builder, { kind, Type, all, at, inputs }: Entities<Row>): void {
  const Connection = connectionType(builder, Type.name, Type)
  builder.queryFields((t) => ({
    [kind]: t.field({
      type: Type,
      nullable: true,
      description: `The ${kind} at an address on a chain. Null if it is not stored.`,
      args: {
        chainId: t.arg({ type: 'SafeInt', required: true, description: 'The chain id.' }),
        address: t.arg({ type: 'Address', required: true, description: `The ${kind}'s address.` }),
      },
      ...one(at, ['chainId', 'address']),
    }),
    [`${kind}s`]: t.field({
      type: Connection,
      description: `All ${kind}s, by chain, then address.`,
      args: listArguments(t.arg, inputs),
      ...list({ listing: () => all, filter: () => ({ where: [] }) }),
    }),
  }))
}
