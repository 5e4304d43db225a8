-- What each user has withdrawn, borrowed and repaid in each market and vault, so that the realised part of earnings adds up no cash flows.
DO $$
DECLARE
  -- A sharded store has no triggers: there the view is read.
  sharded BOOLEAN := to_regprocedure('data_changed()') IS NOT NULL;
BEGIN
  EXECUTE format($sql$CREATE OR REPLACE VIEW %I AS
    SELECT "account_id", "chain_id", "entity_type", "entity_id",
      coalesce(sum((CASE WHEN "kind" IN ('deposit', 'repay') THEN "amount_usd" ELSE -"amount_usd" END)::text::numeric), 0) AS "usd",
      count(*) AS "flows", count(*) - count("amount_usd") AS "unpriced",
      coalesce(sum((CASE WHEN "kind" = 'withdraw' THEN "amount_usd" END)::text::numeric), 0) AS "withdrawn",
      coalesce(sum((CASE WHEN "kind" = 'borrow' THEN "amount_usd" END)::text::numeric), 0) AS "borrowed",
      coalesce(sum((CASE WHEN "kind" = 'repay' THEN "amount_usd" END)::text::numeric), 0) AS "repaid"
    FROM "cash_flow" GROUP BY "account_id", "chain_id", "entity_type", "entity_id"$sql$,
    CASE WHEN sharded THEN 'net_cash' ELSE 'cash_flow_total' END);
  IF sharded THEN
    RETURN;
  END IF;
  LOCK TABLE "cash_flow" IN SHARE ROW EXCLUSIVE MODE;
  ALTER TABLE "net_cash" ADD COLUMN "withdrawn" DECIMAL NOT NULL DEFAULT 0, ADD COLUMN "borrowed" DECIMAL NOT NULL DEFAULT 0,
    ADD COLUMN "repaid" DECIMAL NOT NULL DEFAULT 0;
  ALTER TABLE "net_cash" ALTER COLUMN "withdrawn" DROP DEFAULT, ALTER COLUMN "borrowed" DROP DEFAULT, ALTER COLUMN "repaid" DROP DEFAULT;
  UPDATE "net_cash" t SET "withdrawn" = s."withdrawn", "borrowed" = s."borrowed", "repaid" = s."repaid" FROM "cash_flow_total" s
    WHERE (t."account_id", t."chain_id", t."entity_type", t."entity_id") = (s."account_id", s."chain_id", s."entity_type", s."entity_id")
      AND (s."withdrawn", s."borrowed", s."repaid") <> (0, 0, 0);
END $$;

-- The same as before, with these sums.
CREATE OR REPLACE FUNCTION "add_net_cash"() RETURNS TRIGGER LANGUAGE plpgsql SET extra_float_digits = 1 AS $$
DECLARE
  terms TEXT := $sql$SELECT account_id, chain_id, entity_type, entity_id,
      coalesce((CASE WHEN kind IN ('deposit', 'repay') THEN amount_usd ELSE -amount_usd END)::text::numeric, 0) * %1$s AS usd,
      %1$s AS flows, CASE WHEN amount_usd IS NULL THEN %1$s ELSE 0 END AS unpriced,
      coalesce((CASE WHEN kind = 'withdraw' THEN amount_usd END)::text::numeric, 0) * %1$s AS withdrawn,
      coalesce((CASE WHEN kind = 'borrow' THEN amount_usd END)::text::numeric, 0) * %1$s AS borrowed,
      coalesce((CASE WHEN kind = 'repay' THEN amount_usd END)::text::numeric, 0) * %1$s AS repaid FROM %2$s$sql$;
  sums TEXT := 'sum(usd), sum(flows), sum(unpriced), sum(withdrawn), sum(borrowed), sum(repaid)';
BEGIN
  EXECUTE 'INSERT INTO net_cash AS t SELECT account_id, chain_id, entity_type, entity_id, ' || sums || ' FROM (' ||
    CASE TG_OP WHEN 'INSERT' THEN format(terms, 1, 'after') WHEN 'DELETE' THEN format(terms, -1, 'before')
      ELSE format(terms, 1, 'after') || ' UNION ALL ' || format(terms, -1, 'before') END || ') s
    GROUP BY 1, 2, 3, 4 HAVING (' || sums || $sql$) <> (0, 0, 0, 0, 0, 0) ORDER BY 1, 2, 3, 4
    ON CONFLICT (account_id, chain_id, entity_type, entity_id)
    DO UPDATE SET usd = t.usd + excluded.usd, flows = t.flows + excluded.flows, unpriced = t.unpriced + excluded.unpriced,
      withdrawn = t.withdrawn + excluded.withdrawn, borrowed = t.borrowed + excluded.borrowed, repaid = t.repaid + excluded.repaid$sql$;
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM net_cash t USING before b WHERE t.flows = 0 AND t.account_id = b.account_id AND t.chain_id = b.chain_id
      AND t.entity_type = b.entity_type AND t.entity_id = b.entity_id;
  END IF;
  RETURN NULL;
END $$;
