import type { Listing } from '../../../db/lists/listing.ts'
import { assertSortable } from '../../../domain/snapshot/choices.ts'
import { snapshotFilter, vaultSnapshots } from '../../../domain/snapshot/snapshot.ts'
import { vaultChoices } from '../../../domain/vault/choices.ts'
import { Prisma, type Vault as VaultRow } from '../../../generated/prisma/client.ts'
import { keyOf, list, nodeId, one } from '../../plan/reading.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes } from '../list-inputs.ts'
import { OWNED_COUNT } from './charges.ts'
import { connectionType } from './connection-type.ts'
import { chainAddressId, chainAddressSql, readChainAddressId } from './node-id.ts'
import { listArguments } from './page-arguments.ts'
import type { SnapshotRefs } from './snapshot.ts'

const vaults: Listing<VaultRow> = {
  name: 'vaults',
  from: Prisma.sql`vault t`,
  columns: {
    chainId: 't.chain_id',
    id: 't.id',
    name: 't.name',
    assetAddress: 't.asset_address',
    assetSymbol: 't.asset_symbol',
    assetDecimals: 't.asset_decimals',
    depositRate: 't.deposit_rate',
  },
  order: [
    { column: 't.chain_id', field: 'chainId', type: 'bigint', direction: 'ASC' },
    { column: 't.id', field: 'id', type: 'text', direction: 'ASC' },
  ],
}

/** Loads the vault at an address on a chain. */
export const vaultAt = keyOf(vaults, { 't.chain_id': 'bigint', 't.id': 'text' })

type Refs = { chosen: ChoiceTypes } & SnapshotRefs

export function addVault(builder: Builder, { chosen, VaultSnapshots, VaultSnapshotChosen }: Refs) {
  const VaultChosen = chosen('Vault', vaultChoices)
  const Vault = builder.prismaNode('Vault', {
    id: { resolve: chainAddressId, ...nodeId('Vault', chainAddressSql) },
    findUnique: (id) => ({ chainId_id: readChainAddressId(id) }),
    nullable: true,
    description: 'A vault that lends one asset across markets.',
    fields: (t) => ({
      chainId: t.expose('chainId', { type: 'SafeInt', description: 'The id of the chain that the vault is on.' }),
      address: t.expose('id', { type: 'Address', description: "The vault's address." }),
      name: t.exposeString('name', { description: "The vault's name." }),
      assetAddress: t.expose('assetAddress', { type: 'Address', description: "The address of the vault's token." }),
      assetSymbol: t.exposeString('assetSymbol', { description: "The symbol of the vault's token." }),
      assetDecimals: t.exposeInt('assetDecimals', { description: "The number of decimals of the vault's token." }),
      depositRate: t.exposeFloat('depositRate', {
        description: 'The deposit APR as a fraction: 0.05 is 5 %.',
      }),
      snapshots: t.field({
        type: VaultSnapshots,
        description: 'Snapshots of all users in the vault, oldest first, then by user and position.',
        args: {
          ...listArguments(t.arg, VaultSnapshotChosen),
          from: t.arg({ type: 'BigInt', description: 'Only snapshots at or after this time, in Unix seconds.' }),
          to: t.arg({ type: 'BigInt', description: 'Only snapshots at or before this time, in Unix seconds.' }),
        },
        ...list(
          {
            listing: () => vaultSnapshots,
            choices: VaultSnapshotChosen.choices,
            assertSortable,
            filter: ({ from, to }) => snapshotFilter('vault', { from, to }),
            owner: {
              columns: [
                { column: 't.vault_id', type: 'text' },
                { column: 't.chain_id', type: 'bigint' },
              ],
              fields: ['id', 'chainId'],
            },
          },
          { cost: { count: () => OWNED_COUNT } satisfies FieldCost },
        ),
      }),
    }),
  })

  const Vaults = connectionType(builder, 'Vault', Vault)
  builder.queryFields((t) => ({
    vault: t.field({
      type: Vault,
      nullable: true,
      description: 'The vault at an address on a chain. Null if it is not stored.',
      args: {
        chainId: t.arg({ type: 'SafeInt', required: true, description: 'The chain id.' }),
        address: t.arg({ type: 'Address', required: true, description: "The vault's address." }),
      },
      ...one(vaultAt, ['chainId', 'address']),
    }),
    vaults: t.field({
      type: Vaults,
      description: 'All vaults, by chain, then address.',
      args: {
        ...listArguments(t.arg, VaultChosen),
        chainId: t.arg({ type: 'SafeInt', description: 'Only vaults on this chain.' }),
        address: t.arg({ type: 'Address', description: 'Only vaults at this address, on any chain.' }),
      },
      ...list({
        listing: () => vaults,
        choices: VaultChosen.choices,
        filter: ({ chainId, address }) => {
          const where: Prisma.Sql[] = []
          if (typeof chainId === 'number') where.push(Prisma.sql`t.chain_id = ${chainId}::bigint`)
          if (address) where.push(Prisma.sql`t.id = ${address}`)
          return { where }
        },
      }),
    }),
  }))
  return Vault
}

export type VaultRef = ReturnType<typeof addVault>
