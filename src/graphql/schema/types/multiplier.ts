import { defineLookup, listTypes, sqlFields } from 'pothos-sql'
import { revisionListing, revisionsById } from '../../../domain/multiplier/history.ts'
import {
  multiplierColumns,
  multiplierOnColumns,
  multipliers,
  multipliersOf,
  multipliersOn,
  multipliersOnSql,
} from '../../../domain/multiplier/multiplier.ts'
import { type Jump, jumpsOf } from '../../../domain/multiplier/problems.ts'
import { revokeMultiplier } from '../../../domain/multiplier/revoke.ts'
import { updateMultipliers } from '../../../domain/multiplier/update.ts'
import {
  type Multiplier as MultiplierRow,
  Prisma,
  type MultiplierRevision as RevisionRow,
} from '../../../generated/prisma/client.ts'
import { changeDeps, requireAdmin } from '../../context.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { ownerOf, related, storedRow } from '../relation.ts'
import { updates } from './charges.ts'
import { legacyRecord } from './legacy.ts'
import { readDateId } from './node-id.ts'
import { poolAt, poolField } from './pool.ts'
import type { Problem } from './problem.ts'
import { REVOKE_INPUT, readRevoked } from './record-number.ts'

export const multiplierAt = storedRow(
  'Multiplier',
  { from: Prisma.sql`multiplier t`, columns: multiplierColumns },
  multipliersOf,
)

const multiplierOn = defineLookup({
  columns: multiplierOnColumns,
  types: ['text', 'date'],
  at: (pool, date) => Prisma.sql`FROM ${multipliersOnSql(date)} WHERE t.pool_address = ${pool}`,
})

export function addMultiplier(builder: Builder): void {
  const Multiplier = builder.prismaObject('Multiplier', {
    description: "The factors that turn a pool's dollars into points.",
    fields: (t) => ({
      ...columnFields(t, multiplierColumns),
      legacy: t.field(legacyRecord),
      pool: t.field({ ...poolField, ...related('Multiplier', 'pool', poolAt) }),
      revisions: t.field({
        description: 'Its revisions, newest first: who changed what, and when.',
        ...sqlFields.list(t.arg, 'MultiplierRevision', {
          listing: () => revisionListing,
          owner: ownerOf('Multiplier', 'revisions', revisionListing),
          extensions: { unplanned: 'Operators read it, rarely.' },
        }),
      }),
    }),
  })

  builder.nodeRef(Multiplier, {
    id: {
      resolve: (row: MultiplierRow & { nodeKey?: string }) => row.nodeKey ?? row.poolAddress,
      ...sqlFields.nodeId('Multiplier', (column) => column('nodeKey')),
    },
    loadManyWithoutCache: (ids, { batches }) =>
      Promise.all(
        ids.map((id) => {
          const [pool, day] = id.split('@')
          return day === undefined
            ? batches.load(multiplierAt.load, [pool])
            : batches.load(multiplierOn.load, [pool, readDateId(day)])
        }),
      ),
  })

  builder.objectFields('Pool', (t) => ({
    multiplier: t.field({
      type: Multiplier,
      nullable: true,
      description: "The pool's multiplier of now. Null without one: it scores no points.",
      ...related('Pool', 'multiplier', multiplierAt),
    }),
  }))

  const MultiplierInput = builder.inputType('MultiplierInput', {
    description:
      'New factors for a pool: finite numbers of at least 0. An omitted factor keeps its ' +
      'value, or is 0 if the pool had no multiplier.',
    fields: (t) => ({
      poolAddress: t.field({ type: 'Address', required: true, description: "The pool's address." }),
      depositA: t.float({ description: 'The factor for each dollar of asset A supplied.' }),
      depositB: t.float({ description: 'The factor for each dollar of asset B supplied.' }),
      borrowA: t.float({ description: 'The factor for each dollar of asset A borrowed.' }),
      borrowB: t.float({ description: 'The factor for each dollar of asset B borrowed.' }),
      from: t.field({
        type: 'Date',
        description:
          'The first date that they count for, maybe to come. Default: all dates, also those ' +
          'that are stored.',
      }),
    }),
  })

  listTypes(builder, Multiplier, multipliers)
  builder.queryFields((t) => ({
    multipliers: t.field({
      description: 'The multipliers of today or, with `asOf`, of a date, by pool number.',
      ...sqlFields.list(t.arg, 'Multiplier', {
        args: {
          asOf: t.arg({
            type: 'Date',
            description:
              'The distribution date whose rules are returned, as known now. A run of that date ' +
              'would use them. It may be in the future.',
          }),
        },
        listing: ({ asOf }) => (asOf ? multipliersOn(asOf) : multipliers),
      }),
    }),
  }))

  const UpdateInput = builder.inputType('UpdateMultipliersInput', {
    description: 'The input of `updateMultipliers`.',
    fields: (t) => ({
      multipliers: t.field({
        type: [MultiplierInput],
        required: true,
        description: 'The new multipliers: at least one, each pool at most once.',
      }),
    }),
  })
  const MultipliersPayload = builder
    .objectRef<{ multipliers: MultiplierRow[]; problems: Problem[] }>('UpdateMultipliersPayload')
    .implement({
      description: 'The change that `updateMultipliers` made.',
      fields: (t) => ({
        multipliers: t.field({
          type: [Multiplier],
          extensions: { cost: { rows: 'page' } },
          description: 'The new multipliers, in the order of the input.',
          resolve: ({ multipliers }) => multipliers,
        }),
        problems: t.field({
          type: ['Problem'],
          extensions: { cost: { rows: 'page' } },
          description: 'Probable mistakes in what was changed. Mostly empty.',
          resolve: ({ problems }) => problems,
        }),
      }),
    })
  const RevisionPayload = builder
    .objectRef<{ revision: RevisionRow }>('RevokeMultiplierPayload')
    .implement({
      description: 'The change that `revokeMultiplier` made.',
      fields: (t) => ({
        revision: t.field({
          type: 'MultiplierRevision',
          description: 'The revoked revision.',
          resolve: ({ revision }) => revision,
        }),
      }),
    })
  builder.mutationFields((t) => ({
    updateMultipliers: t.field({
      type: MultipliersPayload,
      extensions: { cost: { page: updates } satisfies FieldCost },
      description:
        'Sets the multipliers of pools, either all or none. Stored points do not change until ' +
        'their date is resynced. Requires the admin token.',
      args: {
        input: t.arg({ type: UpdateInput, required: true, description: 'The new multipliers.' }),
      },
      resolve: async (_, { input }, context) => {
        const requestedBy = requireAdmin(context.admin, 'rules')
        const changes = await updateMultipliers(changeDeps(context), input.multipliers, requestedBy)
        context.batches.clear()
        const stored = await Promise.all(
          changes.map(({ poolAddress, from }) =>
            from
              ? context.batches.load(multiplierOn.load, [poolAddress, from])
              : context.batches.load(multiplierAt.load, [poolAddress]),
          ),
        )
        return {
          multipliers: stored.filter((one) => one !== null),
          problems: jumpsOf(changes).map(problemOf),
        }
      },
    }),
    revokeMultiplier: t.field({
      type: RevisionPayload,
      description:
        'Revokes an announcement: a revision whose `from` is in the future. It stays among the ' +
        'revisions. Requires the admin token.',
      args: {
        input: t.arg({ type: REVOKE_INPUT, required: true, description: 'The announcement.' }),
      },
      resolve: async (_, { input }, context) => {
        const requestedBy = requireAdmin(context.admin, 'rules')
        const id = readRevoked(input)
        await revokeMultiplier(changeDeps(context), id, requestedBy)
        context.batches.clear()
        const revision = await context.batches.load(revisionsById, id)
        if (!revision) throw new Error(`the revision ${id} has no record`)
        return { revision }
      },
    }),
  }))
}

const problemOf = ({ poolAddress, factor, from, to }: Jump): Problem => ({
  code: 'MULTIPLIER_JUMPED',
  message: `${factor} of ${poolAddress} changed from ${from ?? 'none'} to ${to}.`,
  poolAddress,
})
