import { either } from '../../fields/sql-field.ts'
import { marketAt } from './market.ts'
import { vaultAt } from './vault.ts'

/** The market or vault of a row that has the address of one of them. */
export const entityOf = either({
  Market: { kind: marketAt, by: ['chainId', 'marketId'] },
  Vault: { kind: vaultAt, by: ['chainId', 'vaultId'] },
})
