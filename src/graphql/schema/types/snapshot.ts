import { marketSnapshotChoices, vaultSnapshotChoices } from '../../../domain/snapshot/choices.ts'
import type { MarketSnapshot as MarketRow } from '../../../domain/snapshot/snapshot.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes } from '../list-inputs.ts'
import { connectionType } from './connection-type.ts'

type Common = Pick<MarketRow, 'chainId' | 'accountId' | 'positionId' | 'timestamp'>

/** Adds the snapshot types. links.ts adds their users, markets and vaults. */
export function addSnapshot(builder: Builder, { chosen }: { chosen: ChoiceTypes }) {
  const Snapshot = builder.interfaceRef<Common>('Snapshot').implement({
    description: "A user's position in a market or vault at one point in time. One snapshot is stored per day.",
    fields: (t) => ({
      chainId: t.expose('chainId', { type: 'SafeInt', description: 'The chain id.' }),
      userAddress: t.expose('accountId', { type: 'Address', description: "The user's address." }),
      positionId: t.exposeString('positionId', {
        nullable: true,
        description: "The id of the user's position in the market or vault. Null if positions are summed.",
      }),
      timestamp: t.expose('timestamp', { type: 'BigInt', description: 'The time of the snapshot, in Unix seconds.' }),
    }),
    resolveType: (row) => ('marketId' in row ? 'MarketSnapshot' : 'VaultSnapshot'),
  })

  const MarketSnapshot = builder.prismaObject('MarketSnapshot', {
    description: "A user's position in a market at one point in time.",
    interfaces: [Snapshot],
    fields: (t) => ({
      marketAddress: t.expose('marketId', { type: 'Address', description: "The market's address." }),
      collateralAssets: t.expose('collateralAssets', {
        type: 'BigInt',
        description: "Collateral, in the token's smallest unit.",
      }),
      collateralUsd: t.exposeFloat('collateralUsd', {
        nullable: true,
        description: 'Collateral, in USD. Null if the price is unknown.',
      }),
      protectedAssets: t.expose('protectedAssets', {
        type: 'BigInt',
        description: "Protected (non-borrowable) collateral, in the token's smallest unit.",
      }),
      protectedUsd: t.exposeFloat('protectedUsd', {
        nullable: true,
        description: 'Protected collateral, in USD. Null if the price is unknown.',
      }),
      debtAssets: t.expose('debtAssets', { type: 'BigInt', description: "Debt, in the token's smallest unit." }),
      debtUsd: t.exposeFloat('debtUsd', { nullable: true, description: 'Debt, in USD. Null if the price is unknown.' }),
    }),
  })

  const VaultSnapshot = builder.prismaObject('VaultSnapshot', {
    description: "A user's position in a vault at one point in time.",
    interfaces: [Snapshot],
    fields: (t) => ({
      vaultAddress: t.expose('vaultId', { type: 'Address', description: "The vault's address." }),
      shares: t.expose('shares', { type: 'BigInt', description: 'Vault shares, in their smallest unit.' }),
      assets: t.expose('assets', {
        type: 'BigInt',
        description: "Value of the shares, in the token's smallest unit.",
      }),
      assetsUsd: t.exposeFloat('assetsUsd', {
        nullable: true,
        description: 'Value of the shares, in USD. Null if the price is unknown.',
      }),
    }),
  })
  return {
    Snapshot,
    MarketSnapshot,
    VaultSnapshot,
    MarketSnapshotChosen: chosen('MarketSnapshot', marketSnapshotChoices),
    VaultSnapshotChosen: chosen('VaultSnapshot', vaultSnapshotChoices),
    MarketSnapshots: connectionType(builder, 'MarketSnapshot', MarketSnapshot),
    VaultSnapshots: connectionType(builder, 'VaultSnapshot', VaultSnapshot),
  }
}

export type SnapshotRefs = ReturnType<typeof addSnapshot>
