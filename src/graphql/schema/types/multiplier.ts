import type { Columns, Listing } from '../../../db/lists/listing.ts'
import { multiplierChoices } from '../../../domain/multiplier/choices.ts'
import { revisionListing } from '../../../domain/multiplier/history.ts'
import { updateMultipliers } from '../../../domain/multiplier/update.ts'
import { type Multiplier as MultiplierRow, Prisma } from '../../../generated/prisma/client.ts'
import { requireAdmin } from '../../execution/context.ts'
import { keyOf, list, nodeId, one, unplanned } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes, Chosen } from '../list-inputs.ts'
import { connectionType } from './connection-type.ts'
import type { MultiplierRevisionsRef } from './multiplier-revision.ts'
import { listArguments } from './page-arguments.ts'
import { type PoolRef, poolAt } from './pool.ts'

const columns: Columns<MultiplierRow> = {
  id: 't.id',
  poolAddress: 't.pool_address',
  depositTokenA: 't.deposit_token_a',
  depositTokenB: 't.deposit_token_b',
  borrowTokenA: 't.borrow_token_a',
  borrowTokenB: 't.borrow_token_b',
  createdAt: 't.created_at',
  updatedAt: 't.updated_at',
}

const multipliers: Listing<MultiplierRow & { marketId: bigint }> = {
  name: 'multipliers',
  from: Prisma.sql`multiplier t JOIN pool p ON p.id = t.pool_address`,
  columns: { ...columns, marketId: 'p.market_id' },
  order: [
    { column: 'p.market_id', field: 'marketId', type: 'bigint', direction: 'ASC' },
    { column: 'p.id', field: 'poolAddress', type: 'text', direction: 'ASC' },
  ],
}

/** Loads the multiplier of a pool. */
export const multiplierAt = keyOf<MultiplierRow>(
  { from: Prisma.sql`multiplier t`, columns },
  { 't.pool_address': 'text' },
)

type Refs = {
  chosen: ChoiceTypes
  Pool: PoolRef
  MultiplierRevisions: MultiplierRevisionsRef
  RevisionChosen: Chosen
}

export function addMultiplier(builder: Builder, { chosen, Pool, MultiplierRevisions, RevisionChosen }: Refs) {
  const MultiplierChosen = chosen('Multiplier', multiplierChoices)
  const Multiplier = builder.prismaNode('Multiplier', {
    id: { field: 'poolAddress', ...nodeId('Multiplier', (column) => column('poolAddress')) },
    nullable: true,
    description: "The factors that turn a pool's dollars into points.",
    fields: (t) => ({
      uuid: t.exposeString('id', { description: "The multiplier's UUID: its id in the REST API." }),
      poolAddress: t.expose('poolAddress', { type: 'Address', description: "The pool's address." }),
      depositTokenA: t.exposeFloat('depositTokenA', { description: 'The factor for each dollar of token A supplied.' }),
      depositTokenB: t.exposeFloat('depositTokenB', { description: 'The factor for each dollar of token B supplied.' }),
      borrowTokenA: t.exposeFloat('borrowTokenA', { description: 'The factor for each dollar of token A borrowed.' }),
      borrowTokenB: t.exposeFloat('borrowTokenB', { description: 'The factor for each dollar of token B borrowed.' }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the pool first got a multiplier.' }),
      updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the multiplier last changed.' }),
      pool: t.field({
        type: Pool,
        nullable: true,
        description: 'The pool. Null if it is not stored.',
        ...one(poolAt, ['poolAddress']),
      }),
      history: t.field({
        type: MultiplierRevisions,
        description: 'The revisions of the multiplier, newest first: who changed what, and when.',
        args: listArguments(t.arg, RevisionChosen),
        ...unplanned(
          {
            listing: () => revisionListing,
            choices: RevisionChosen.choices,
            filter: () => ({ where: [] }),
            owner: { columns: [{ column: 't.pool_address', type: 'text' }], fields: ['poolAddress'] },
          },
          'Operators read it, rarely.',
        ),
      }),
    }),
  })

  const MultiplierInput = builder.inputType('MultiplierInput', {
    description:
      'New factors for a pool: finite numbers of at least 0. An omitted factor keeps its value, or is 0 if the pool had no multiplier.',
    fields: (t) => ({
      poolAddress: t.field({ type: 'Address', required: true, description: "The pool's address." }),
      depositTokenA: t.float({ description: 'The factor for each dollar of token A supplied.' }),
      depositTokenB: t.float({ description: 'The factor for each dollar of token B supplied.' }),
      borrowTokenA: t.float({ description: 'The factor for each dollar of token A borrowed.' }),
      borrowTokenB: t.float({ description: 'The factor for each dollar of token B borrowed.' }),
    }),
  })

  const Multipliers = connectionType(builder, 'Multiplier', Multiplier)
  builder.queryFields((t) => ({
    multipliers: t.field({
      type: Multipliers,
      description: 'All multipliers, by pool number, then pool address.',
      args: listArguments(t.arg, MultiplierChosen),
      ...list({ listing: () => multipliers, choices: MultiplierChosen.choices, filter: () => ({ where: [] }) }),
    }),
  }))

  builder.mutationFields((t) => ({
    updateMultipliers: t.field({
      type: [Multiplier],
      description:
        'Sets the multipliers of pools, either all or none, and returns them in the order of the request. Stored points do not change until their date is resynced. Requires the admin token.',
      args: {
        multipliers: t.arg({
          type: [MultiplierInput],
          required: true,
          description: 'The new multipliers: at least one, each pool at most once.',
        }),
      },
      resolve: async (_, args, context) => {
        const requestedBy = requireAdmin(context.admin)
        const addresses = await updateMultipliers(context.deps.store, args.multipliers, requestedBy)
        context.batches.clear()
        const stored = await Promise.all(addresses.map((address) => context.batches.load(multiplierAt.load, [address])))
        return stored.filter((one) => one !== null)
      },
    }),
  }))
  return { Multiplier, MultiplierInput }
}

export type MultiplierRef = ReturnType<typeof addMultiplier>['Multiplier']
export type MultiplierInputRef = ReturnType<typeof addMultiplier>['MultiplierInput']
