-- AlterTable
ALTER TABLE "market" ADD COLUMN "limits_until" DATE[],
ADD COLUMN "past_max_ltvs" DOUBLE PRECISION[],
ADD COLUMN "past_liquidation_thresholds" DOUBLE PRECISION[];

-- Whoever changes a market's limits leaves the previous ones to the positions before the newest distribution date. Unknown ones are
-- not kept: the first that are known count before them.
CREATE FUNCTION "keep_past_limits"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  newest DATE := (SELECT max("date") FROM "distribution");
BEGIN
  IF newest > coalesce(OLD."limits_until"[cardinality(OLD."limits_until")], '-infinity') THEN
    NEW."limits_until" := OLD."limits_until" || newest;
    NEW."past_max_ltvs" := OLD."past_max_ltvs" || OLD."max_ltv";
    NEW."past_liquidation_thresholds" := OLD."past_liquidation_thresholds" || OLD."liquidation_threshold";
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "keep_past_limits" BEFORE UPDATE ON "market" FOR EACH ROW
  WHEN ((OLD."max_ltv" IS NOT NULL OR OLD."liquidation_threshold" IS NOT NULL)
    AND (OLD."max_ltv", OLD."liquidation_threshold") IS DISTINCT FROM (NEW."max_ltv", NEW."liquidation_threshold"))
  EXECUTE FUNCTION "keep_past_limits"();
