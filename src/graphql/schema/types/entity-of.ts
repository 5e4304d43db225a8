import { sqlFields } from 'pothos-sql'
import { marketAt } from './market.ts'
import { vaultAt } from './vault.ts'

/** The options of a field with the market or vault of a row that has the address of one of them. */
export const entityOf = {
  type: 'Entity',
  nullable: true,
  description: 'The market or vault. Null if it is not stored.',
  ...sqlFields.firstOf({
    Market: { kind: marketAt, by: ['chainId', 'marketId'] },
    Vault: { kind: vaultAt, by: ['chainId', 'vaultId'] },
  }),
} as const
