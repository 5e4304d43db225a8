-- An import that brings past limits, or has added the previous ones itself, is left as it is.
DO $$
BEGIN
  -- A sharded store has no triggers.
  IF to_regprocedure('data_changed()') IS NOT NULL THEN
    RETURN;
  END IF;
  DROP TRIGGER "keep_past_limits" ON "market";
  CREATE TRIGGER "keep_past_limits" BEFORE UPDATE ON "market" FOR EACH ROW
    WHEN ((OLD."max_ltv" IS NOT NULL OR OLD."liquidation_threshold" IS NOT NULL)
      AND (OLD."max_ltv", OLD."liquidation_threshold") IS DISTINCT FROM (NEW."max_ltv", NEW."liquidation_threshold")
      AND OLD."limits_until" IS NOT DISTINCT FROM NEW."limits_until")
    EXECUTE FUNCTION "keep_past_limits"();
END $$;
