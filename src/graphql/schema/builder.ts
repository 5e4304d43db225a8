import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type PrismaTypes from '../../generated/pothos.ts'
import { getDatamodel } from '../../generated/pothos.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'
import type { GraphContext } from '../execution/context.ts'
import { assertNodeId } from './types/node-id.ts'

export interface SchemaTypes {
  Context: GraphContext
  PrismaTypes: PrismaTypes
  Scalars: {
    Address: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date }
    BigInt: { Input: bigint; Output: bigint | string }
    SafeInt: { Input: number; Output: bigint | number }
    _Any: { Input: unknown; Output: unknown }
    ID: { Input: string; Output: string }
  }
  Connection: { totalCount: () => Promise<number> | number }
  DefaultFieldNullability: false
  DefaultEdgesNullability: { list: false; items: false }
  DefaultNodeNullability: false
}

/**
 * A new, empty schema builder: each type's file adds its part (see schema.ts).
 * @param more plugins that are loaded only where they are needed
 */
export function createBuilder(more: ('federation' | 'directives')[] = []) {
  return new SchemaBuilder<SchemaTypes>({
    plugins: [RelayPlugin, PrismaPlugin, ...more],
    defaultFieldNullability: false,
    prisma: {
      // A snapshot's client has all that the plugin uses: the models.
      client: (context) => context.reader.models as PrismaClient,
      dmmf: getDatamodel(),
      exposeDescriptions: false,
      filterConnectionTotalCount: true,
    },
    relay: {
      nodesOnConnection: {
        description: 'The rows of this page, without their cursors.',
        extensions: { cost: { rows: 'page' } },
      },
      edgesFieldOptions: {
        description: 'The rows of this page, each with its cursor.',
        extensions: { cost: { rows: 'page' } },
        nullable: { list: false, items: false },
      },
      nodeFieldOptions: { description: 'The row.', nullable: false, extensions: { cost: { weight: 0 } } },
      cursorType: 'String',
      cursorFieldOptions: { description: 'Where the row is in the list: opaque text for after and before.' },
      pageInfoFieldOptions: {
        description: 'Whether more rows follow, and where this page begins and ends.',
        extensions: { cost: { weight: 0 } },
      },
      pageInfoTypeOptions: { description: 'Where a page begins and ends.', shareable: true },
      hasNextPageFieldOptions: { description: 'Whether rows follow this page.' },
      hasPreviousPageFieldOptions: { description: 'Whether rows come before this page.' },
      startCursorFieldOptions: { description: 'The cursor of the first row; null on an empty page.' },
      endCursorFieldOptions: { description: 'The cursor of the last row; null on an empty page.' },
      nodeTypeOptions: { description: 'What has a globally unique id.' },
      nodeQueryOptions: {
        description: 'The object with a globally unique id; null where there is none.',
        args: { id: { description: 'The id, as an object gave it.' } },
        resolve: (_, { id }, __, { schema }, load) => {
          assertNodeId(id, schema)
          return load(id)
        },
      },
      nodesQueryOptions: {
        description: 'The objects with globally unique ids, in their order; null where there is none.',
        args: { ids: { description: 'The ids, as objects gave them.' } },
        resolve: (_, { ids }, __, { schema }, load) => {
          for (const id of ids) assertNodeId(id, schema)
          return load(ids)
        },
      },
      idFieldOptions: { description: 'A globally unique id: `node(id:)` gives the same object again.' },
    },
  })
}

export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>
export type Builder = ReturnType<typeof createBuilder>
