import { marketSnapshotChoices, vaultSnapshotChoices } from '../../../domain/snapshot/choices.ts'
import type { MarketSnapshot as MarketRow, VaultSnapshot as VaultRow } from '../../../domain/snapshot/snapshot.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes } from '../list-inputs.ts'
import { connectionType } from './connection-type.ts'

type Common = Pick<MarketRow, 'chainId' | 'accountId' | 'positionId' | 'timestamp'>

/** The snapshot types; the fields that lead to users, markets and vaults are in snapshot-links.ts. */
export function addSnapshot(builder: Builder, { chosen }: { chosen: ChoiceTypes }) {
  const Snapshot = builder.interfaceRef<Common>('Snapshot').implement({
    description: "A user's position in a market or a vault at one moment. One is kept a day.",
    fields: (t) => ({
      chainId: t.expose('chainId', { type: 'SafeInt', description: 'The chain.' }),
      userAddress: t.expose('accountId', { type: 'Address', description: "The user's address." }),
      positionId: t.exposeString('positionId', {
        nullable: true,
        description: "Which of the user's positions there; null where positions are added up.",
      }),
      timestamp: t.expose('timestamp', { type: 'BigInt', description: 'The moment, Unix seconds.' }),
    }),
    resolveType: (row) => ('marketId' in row ? 'MarketSnapshot' : 'VaultSnapshot'),
  })

  const MarketSnapshot = builder.objectRef<MarketRow>('MarketSnapshot').implement({
    description: "A user's position in a market at one moment.",
    interfaces: [Snapshot],
    fields: (t) => ({
      marketAddress: t.expose('marketId', { type: 'Address', description: "The market's address." }),
      collateralAssets: t.expose('collateralAssets', {
        type: 'BigInt',
        description: "Collateral, in the token's smallest unit.",
      }),
      collateralUsd: t.exposeFloat('collateralUsd', {
        nullable: true,
        description: 'Collateral in USD; null: no price.',
      }),
      protectedAssets: t.expose('protectedAssets', {
        type: 'BigInt',
        description: "Protected (non-borrowable) collateral, in the token's smallest unit.",
      }),
      protectedUsd: t.exposeFloat('protectedUsd', {
        nullable: true,
        description: 'Protected collateral in USD; null: no price.',
      }),
      debtAssets: t.expose('debtAssets', { type: 'BigInt', description: "Debt, in the token's smallest unit." }),
      debtUsd: t.exposeFloat('debtUsd', { nullable: true, description: 'Debt in USD; null: no price.' }),
    }),
  })

  const VaultSnapshot = builder.objectRef<VaultRow>('VaultSnapshot').implement({
    description: "A user's position in a vault at one moment.",
    interfaces: [Snapshot],
    fields: (t) => ({
      vaultAddress: t.expose('vaultId', { type: 'Address', description: "The vault's address." }),
      shares: t.expose('shares', { type: 'BigInt', description: 'Shares of the vault, in their smallest unit.' }),
      assets: t.expose('assets', {
        type: 'BigInt',
        description: "What the shares are worth, in the token's smallest unit.",
      }),
      assetsUsd: t.exposeFloat('assetsUsd', {
        nullable: true,
        description: 'What the shares are worth in USD; null: no price.',
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
