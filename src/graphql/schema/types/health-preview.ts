import {
  assertPreview,
  type HealthPreview as Preview,
  previewColumns,
  previewKey,
  previews,
} from '../../../domain/position/health-preview.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { liquidationTrigger } from './liquidation-trigger.ts'

/** Adds the health of a position after a user has moved tokens. */
export function addHealthPreview(builder: Builder): void {
  const HealthPreview = builder.objectRef<Preview>('HealthPreview').implement({
    description:
      "The numbers of a user's position in a pool after a move of tokens, at the prices of the " +
      'newest distribution date.',
    fields: (t) => ({
      ...columnFields(t, previewColumns),
      liquidationTrigger: t.field(liquidationTrigger),
    }),
  })
  builder.queryFields((t) => {
    const tokens = (description: string) =>
      t.arg.float({ required: true, defaultValue: 0, description: `${description}, from 0.` })
    return {
      healthPreview: t.field({
        type: HealthPreview,
        description:
          "A user's position in a pool after a move of tokens. It need not be stored: then the " +
          'user has nothing there yet.',
        args: {
          user: t.arg({ type: 'Address', required: true, description: "The user's address." }),
          pool: t.arg({ type: 'Address', required: true, description: "The pool's address." }),
          collateral: t.arg({
            type: 'Address',
            required: true,
            description: 'The token of the pool that is collateral. The debt is in the other.',
          }),
          supply: tokens('Whole tokens of the collateral to supply'),
          withdraw: tokens('Whole tokens of the collateral to withdraw, protected ones last'),
          borrow: tokens('Whole tokens of the other token to borrow'),
          repay: tokens('Whole tokens of the other token to repay'),
        },
        extensions: {
          unplanned: 'It refuses moves that the stored amounts do not allow.',
          cost: { once: 500, weight: 20 },
        },
        resolve: async (_, args, { batches }) => {
          const preview = await batches.load(previews, previewKey(args))
          assertPreview(preview, args)
          return preview
        },
      }),
    }
  })
}
