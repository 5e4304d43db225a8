import { defineLookup, sqlFields } from 'pothos-sql'
import {
  type BasePointsOn,
  basePointsColumns,
  basePointsOn,
  basePointsOnColumns,
  basePointsRevision,
  basePointsRevisions,
  MAX_REVISIONS,
  type BasePointsRevision as Row,
  setBasePoints,
} from '../../../domain/multiplier/base-points.ts'
import { revokeBasePoints } from '../../../domain/multiplier/revoke.ts'
import type { BasePoints as Settings } from '../../../domain/points/formula.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { changeDeps, type GraphContext, requireAdmin } from '../../context.ts'
import type { Builder } from '../builder.ts'
import { columnFields, columnsType } from '../column-fields.ts'
import { REVOKE_INPUT, readRevoked } from './record-number.ts'

const revisionAt = defineLookup({
  columns: basePointsColumns,
  types: ['bigint'],
  at: (id) => Prisma.sql`FROM base_points_revision t WHERE t.id = ${id}`,
})

/** Adds base points. @param settings those that count where no revision does */
export function addBasePoints(builder: Builder, settings: Settings): void {
  const onDate = defineLookup({
    columns: basePointsOnColumns,
    types: ['date'],
    always: true,
    nullable: true,
    at: basePointsOn(settings),
  })
  const Revision = columnsType(builder, 'BasePointsRevision', basePointsColumns, {
    description: 'Base points from one distribution date to that of the next revision.',
  })
  const BasePoints = builder.objectRef<BasePointsOn>('BasePoints').implement({
    description: 'The points per day and dollar of a date, before multipliers.',
    fields: (t) => ({
      ...columnFields(t, basePointsOnColumns),
      revision: t.field({
        type: Revision,
        nullable: true,
        description: 'The revision in force. Null if the settings of the gateway count.',
        ...sqlFields.lookup(revisionAt, ['revisionId']),
      }),
    }),
  })
  builder.queryFields((t) => ({
    basePoints: t.field({
      type: BasePoints,
      description: 'The base points of today or, with `asOf`, of a distribution date.',
      args: {
        asOf: t.arg({
          type: 'Date',
          description: 'The distribution date, as known now. It may be in the future.',
        }),
      },
      ...sqlFields.lookup(onDate, ['asOf']),
    }),
    basePointsRevisions: t.field({
      description:
        `The newest ${MAX_REVISIONS} revisions of the base points, newest first: who changed ` +
        'what, and when. Empty if the settings of the gateway always counted.',
      ...sqlFields.list(t.arg, 'BasePointsRevision', {
        columns: basePointsColumns,
        by: [],
        from: () => basePointsRevisions,
        extensions: { cost: { rows: 5 } },
      }),
    }),
  }))

  const SetInput = builder.inputType('SetBasePointsInput', {
    description: 'The input of `setBasePoints`. Finite numbers of at least 0.',
    fields: (t) => ({
      deposit: t.float({
        required: true,
        description: 'Base points per day for each dollar supplied.',
      }),
      borrow: t.float({
        required: true,
        description: 'Base points per day for each dollar borrowed.',
      }),
      protectedMinLtv: t.float({
        description:
          'The least LTV of a side at which its protected supply earns points, from 0 to 1. ' +
          'Default: any debt is enough.',
      }),
      from: t.field({
        type: 'Date',
        description: 'The first date that they count for, maybe to come. Default: all dates.',
      }),
    }),
  })
  const Payload = builder.objectRef<{ revision: Row }>('BasePointsPayload').implement({
    description: 'The change that `setBasePoints` or `revokeBasePoints` made.',
    fields: (t) => ({
      revision: t.field({
        type: Revision,
        description: 'The new or the revoked revision.',
        resolve: ({ revision }) => revision,
      }),
    }),
  })
  const changed = async (id: bigint, { reader }: GraphContext) => {
    const revision = await basePointsRevision(reader, id)
    if (!revision) throw new Error(`the revision ${id} of the base points has no record`)
    return { revision }
  }
  builder.mutationFields((t) => ({
    setBasePoints: t.field({
      type: Payload,
      description:
        'Sets the base points of every date or, with `from`, of a date and all later ones. ' +
        'Stored points do not change until their date is resynced. Requires the admin token.',
      args: {
        input: t.arg({ type: SetInput, required: true, description: 'The new base points.' }),
      },
      resolve: async (_, { input }, context) => {
        const requestedBy = requireAdmin(context.admin, 'rules')
        return changed(await setBasePoints(changeDeps(context), input, requestedBy), context)
      },
    }),
    revokeBasePoints: t.field({
      type: Payload,
      description: 'Revokes base points whose `from` is to come. Needs the admin token.',
      args: {
        input: t.arg({ type: REVOKE_INPUT, required: true, description: 'The announcement.' }),
      },
      resolve: async (_, { input }, context) => {
        const requestedBy = requireAdmin(context.admin, 'rules')
        const id = readRevoked(input)
        await revokeBasePoints(changeDeps(context), id, requestedBy)
        return changed(id, context)
      },
    }),
  }))
}
