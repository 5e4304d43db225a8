-- AlterTable
ALTER TABLE "market" ADD COLUMN "max_ltv" DOUBLE PRECISION,
ADD COLUMN "liquidation_threshold" DOUBLE PRECISION;

-- Collateral for each dollar of debt. Few positions have debt, so the index is small. Prisma cannot describe it.
CREATE INDEX "position_coverage_idx" ON "position" ("market_address", "distribution_date", ((
    (CASE WHEN "b_borrowed_amount_usd" > 0 THEN ("a_supplied_amount_usd"::numeric + "a_protected_supplied_amount_usd"::numeric) ELSE 0 END
      + CASE WHEN "a_borrowed_amount_usd" > 0 THEN ("b_supplied_amount_usd"::numeric + "b_protected_supplied_amount_usd"::numeric) ELSE 0 END)
    / (greatest("a_borrowed_amount_usd", 0)::numeric + greatest("b_borrowed_amount_usd", 0)::numeric))))
  WHERE "a_borrowed_amount_usd" > 0 OR "b_borrowed_amount_usd" > 0;
