import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type { RowOf } from 'pothos-sql'
import type { Asset } from '../../domain/asset/asset.ts'
import type { Distribution } from '../../domain/distribution/distribution.ts'
import type { ProgramTotals } from '../../domain/distribution/program.ts'
import type { RunRow } from '../../domain/distribution/run-listing.ts'
import type { DayTotals } from '../../domain/distribution/run-record.ts'
import type { earningsColumns } from '../../domain/earnings/earnings.ts'
import type { netAprColumns } from '../../domain/earnings/net-apr.ts'
import type { Worth } from '../../domain/holding/worth.ts'
import type { Portfolio } from '../../domain/portfolio/portfolio.ts'
import type { SnapshotRow } from '../../domain/snapshot/snapshot.ts'
import type PrismaTypes from '../../generated/pothos.ts'
import { getDatamodel } from '../../generated/pothos.ts'
import type {
  Market,
  MultiplierRevision,
  Pool,
  Position,
  Prisma,
  PrismaClient,
  Vault,
} from '../../generated/prisma/client.ts'
import type { GraphContext } from '../context.ts'
import { idCharge } from './types/charges.ts'
import { assertNodeId } from './types/node-id.ts'

const BY_ID = 'Only the value of the id says which type is read.'

export interface SchemaTypes {
  Context: GraphContext
  PrismaTypes: PrismaTypes
  Scalars: {
    Address: { Input: string; Output: string }
    Date: { Input: Date; Output: Date }
    DateTime: { Input: Date; Output: Date }
    BigInt: { Input: bigint; Output: bigint | string | Prisma.Decimal }
    SafeInt: { Input: number; Output: bigint | number }
    _Any: { Input: unknown; Output: unknown }
    ID: { Input: string; Output: string }
  }
  /** The types that other files refer to by their name. Rows of lists have any shape. */
  Objects: {
    Asset: Asset
    DayTotals: DayTotals
    Distribution: Distribution
    Earnings: RowOf<typeof earningsColumns>
    GroupKey: object
    LiquidationTrigger: object
    Market: Market
    MultiplierRevision: MultiplierRevision
    NetApr: RowOf<typeof netAprColumns>
    Pool: Pool
    Portfolio: Portfolio
    Position: Position
    Problem: {
      code: 'MULTIPLIER_JUMPED' | 'MULTIPLIER_MISSING'
      message: string
      poolAddress: string
    }
    Program: ProgramTotals
    Run: RunRow
    Snapshot: SnapshotRow
    TokenAmount: object
    User: { address: string }
    Vault: Vault
    Worth: Worth
  } & Record<`${string}Connection` | `Legacy${string}`, object>
  Interfaces: { Entity: Market | Vault }
  Connection: { totalCount: () => Promise<number> | number }
  DefaultFieldNullability: false
  DefaultEdgesNullability: { list: false; items: false }
  DefaultNodeNullability: false
}

/** Creates an empty schema builder. Each file in types/ adds its part (see schema.ts). */
export function createBuilder() {
  return new SchemaBuilder<SchemaTypes>({
    plugins: [RelayPlugin, PrismaPlugin],
    defaultFieldNullability: false,
    prisma: {
      client: ({ reader }) => reader.models as PrismaClient,
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
      nodeFieldOptions: {
        description: 'The row.',
        nullable: false,
        extensions: { cost: { weight: 0 } },
      },
      cursorType: 'String',
      cursorFieldOptions: {
        description: 'The cursor of the row: opaque text for `after` and `before`.',
      },
      pageInfoFieldOptions: {
        description: 'The first and last cursor of this page, and whether rows follow.',
        extensions: { cost: { weight: 0 } },
      },
      pageInfoTypeOptions: {
        description: 'The first and last cursor of a page, and whether rows follow.',
      },
      hasNextPageFieldOptions: {
        description: 'True if rows follow this page. False with `first: 0` or `last: 0`.',
      },
      hasPreviousPageFieldOptions: {
        description: 'True if rows come before this page. False with `first: 0` or `last: 0`.',
      },
      startCursorFieldOptions: {
        description: 'The cursor of the first row. Null if the page is empty.',
      },
      endCursorFieldOptions: {
        description: 'The cursor of the last row. Null if the page is empty.',
      },
      nodeTypeOptions: { description: 'An object with a globally unique id.' },
      nodeQueryOptions: {
        description: 'The object with this globally unique id. Null if there is none.',
        args: { id: { description: 'The id, as the API returned it.' } },
        extensions: { unplanned: BY_ID, cost: { weight: idCharge(1) } },
        resolve: (_, { id }, __, { schema }, load) => {
          assertNodeId(id, schema)
          return load(id)
        },
      },
      nodesQueryOptions: {
        description: 'The objects with these ids, in their order. Null for an unknown id.',
        args: { ids: { description: 'The ids, as the API returned them.' } },
        extensions: { unplanned: BY_ID, cost: { weight: idCharge(0) } },
        resolve: (_, { ids }, __, { schema }, load) => {
          for (const id of ids) assertNodeId(id, schema)
          return load(ids)
        },
      },
      idFieldOptions: { description: 'A globally unique id: `node(id:)` returns the same object.' },
    },
  })
}

export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>
export type Builder = ReturnType<typeof createBuilder>
