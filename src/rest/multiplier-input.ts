import * as z from 'zod'
import { address, date } from './parameters.ts'

const factor = z
  .number('must be a finite number from 0 up')
  .min(0, 'must be a finite number from 0 up')
  .optional()
// A record from `/multipliers/all` can be sent back as is. Unknown fields are rejected, as they are
// usually typos.
const ignored = z.unknown().optional()
/** A multiplier in the format of `POST /multipliers/update`. */
export const multiplierInput = z.strictObject(
  {
    poolAddress: address,
    deposit_tokenA: factor,
    deposit_tokenB: factor,
    borrow_tokenA: factor,
    borrow_tokenB: factor,
    from: date
      .optional()
      .describe(
        'The first distribution date that they count for. Without it they count for every ' +
          'date, so a resync of a stored date uses them.',
      ),
    id: ignored,
    tokenA_address: ignored,
    tokenB_address: ignored,
    tokenA_symbol: ignored,
    tokenB_symbol: ignored,
    poolName: ignored,
    createdAt: ignored,
    updatedAt: ignored,
  },
  'must be a multiplier object such as {"poolAddress": "0x…", "deposit_tokenA": 2}',
)
