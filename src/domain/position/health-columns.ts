import { sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { BORROWING_POWER, LTV, liquidation, liquidationDropSql } from './health.ts'

const address = { type: 'address' } as const
const text = { type: 'text' } as const
const float = { type: 'float' } as const

/**
 * The columns of a position's amounts, and of what they say about its liquidation.
 * @param healthFactor SQL of the health factor of the position `t`
 */
export const healthColumns = (healthFactor: string) =>
  sqlColumns(Prisma.PositionScalarFieldEnum, {
    chainId: { sql: '(SELECT p.chain_id FROM pool p WHERE p.key = t.pool_key)', type: 'integer' },
    ltv: {
      sql: LTV,
      type: 'float',
      nullable: true,
      description:
        'The loan-to-value (LTV) as a fraction, 0.75 is 75 %: the debt of each side, ' +
        'divided by the supply of the other side, including protected supply, where that ' +
        'side has debt. Null without debt or without such supply, or if tokens have no price.',
      filter: true,
      sort: true,
    },
    healthFactor: {
      sql: healthFactor,
      type: 'float',
      nullable: true,
      description:
        'The supply of each side where the other side has debt, including protected supply, ' +
        "times its market's `liquidationThreshold`, divided by the debt of both sides. " +
        'Below 1 the position can be liquidated. The thresholds are those that were in ' +
        'force when the date was the newest one, or the first that are known. Null without ' +
        'debt, if such a threshold is not known, or if tokens have no price.',
      filter: true,
      sort: true,
    },
    liquidationDrop: {
      sql: liquidationDropSql(healthFactor),
      type: 'float',
      nullable: true,
      description:
        'The fraction by which the price of the collateral must fall, all others unchanged, ' +
        'until the position can be liquidated, 0.25 is 25 %: 1 - 1 / `healthFactor`. ' +
        'Negative if it can be liquidated now. Null if `healthFactor` is null or 0.',
      filter: true,
      sort: true,
    },
    liquidationPriceUsd: {
      derived: liquidation.collateralPrice,
      type: 'float',
      nullable: true,
      description:
        'The price of the collateral in USD, on the side without debt, at which the ' +
        'position can be liquidated: its price divided by `healthFactor`. Null if ' +
        '`healthFactor` is null or 0, or if both sides have debt.',
    },
    liquidationDebtPriceUsd: {
      derived: liquidation.debtPrice,
      type: 'float',
      nullable: true,
      description:
        'The price of the debt in USD at which the position can be liquidated, that of the ' +
        'collateral unchanged: its price times `healthFactor`. Null if `healthFactor` is null ' +
        'or 0, if both sides have debt, or without a price.',
    },
    liquidationRatio: {
      derived: liquidation.ratio,
      type: 'float',
      nullable: true,
      description:
        'The price of the collateral in whole tokens of the debt at which the position can be ' +
        'liquidated, whatever both cost in USD. Null if `healthFactor` is null or 0, if both ' +
        'sides have debt, or without a price.',
    },
    borrowingPowerUsd: {
      sql: BORROWING_POWER,
      type: 'float',
      nullable: true,
      description:
        'The amount in USD that the user could still borrow: the supply of each side where ' +
        "the other side has debt, including protected supply, times its market's `maxLtv`, " +
        'minus the debt of both sides. Negative if the debt is larger. Null without debt, ' +
        'if such a `maxLtv` is not known, or if tokens have no price.',
    },
    // The parts of an object.
    triggerAddress: { ...address, derived: liquidation.triggerAddress, nullable: true },
    triggerSymbol: { ...text, derived: liquidation.triggerSymbol, nullable: true },
    triggerAgainstAddress: {
      ...address,
      derived: liquidation.triggerAgainstAddress,
      nullable: true,
    },
    triggerAgainstSymbol: { ...text, derived: liquidation.triggerAgainstSymbol, nullable: true },
    triggerDirection: { derived: liquidation.triggerDirection, type: 'text' },
    triggerPriceUsd: { ...float, derived: liquidation.triggerPriceUsd, nullable: true },
    triggerRatio: { ...float, derived: liquidation.triggerRatio, nullable: true },
    triggerChange: { ...float, derived: liquidation.triggerChange, nullable: true },
    mover: { ...text, nullable: true },
    aTokenAddress: address,
    aTokenSymbol: text,
    aTokenPrice: float,
    aSuppliedAmount: float,
    aSuppliedAmountUsd: float,
    aProtectedSuppliedAmount: float,
    aProtectedSuppliedAmountUsd: float,
    aBorrowedAmount: float,
    aBorrowedAmountUsd: float,
    bTokenAddress: address,
    bTokenSymbol: text,
    bTokenPrice: float,
    bSuppliedAmount: float,
    bSuppliedAmountUsd: float,
    bProtectedSuppliedAmount: float,
    bProtectedSuppliedAmountUsd: float,
    bBorrowedAmount: float,
    bBorrowedAmountUsd: float,
  })
