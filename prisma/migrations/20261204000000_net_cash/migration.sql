-- What each user has put into each market and vault, so that earnings do not add up all cash flows. Amounts are exact decimals;
-- `unpriced` counts the flows without one.
CREATE VIEW "cash_flow_total" AS
SELECT "account_id", "chain_id", "entity_type", "entity_id",
  coalesce(sum((CASE WHEN "kind" IN ('deposit', 'repay') THEN "amount_usd" ELSE -"amount_usd" END)::text::numeric), 0) AS "usd",
  count(*) AS "flows", count(*) - count("amount_usd") AS "unpriced"
FROM "cash_flow" GROUP BY "account_id", "chain_id", "entity_type", "entity_id";

-- Adds what has come to the totals, and takes off what is gone.
CREATE FUNCTION "add_net_cash"() RETURNS TRIGGER LANGUAGE plpgsql SET extra_float_digits = 1 AS $$
DECLARE
  terms TEXT := $sql$SELECT account_id, chain_id, entity_type, entity_id,
      coalesce((CASE WHEN kind IN ('deposit', 'repay') THEN amount_usd ELSE -amount_usd END)::text::numeric, 0) * %1$s AS usd,
      %1$s AS flows, CASE WHEN amount_usd IS NULL THEN %1$s ELSE 0 END AS unpriced FROM %2$s$sql$;
BEGIN
  EXECUTE 'INSERT INTO net_cash AS t SELECT account_id, chain_id, entity_type, entity_id, sum(usd), sum(flows), sum(unpriced) FROM (' ||
    CASE TG_OP WHEN 'INSERT' THEN format(terms, 1, 'after') WHEN 'DELETE' THEN format(terms, -1, 'before')
      ELSE format(terms, 1, 'after') || ' UNION ALL ' || format(terms, -1, 'before') END || $sql$) s
    GROUP BY 1, 2, 3, 4 HAVING (sum(usd), sum(flows), sum(unpriced)) <> (0, 0, 0) ORDER BY 1, 2, 3, 4
    ON CONFLICT (account_id, chain_id, entity_type, entity_id)
    DO UPDATE SET usd = t.usd + excluded.usd, flows = t.flows + excluded.flows, unpriced = t.unpriced + excluded.unpriced$sql$;
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM net_cash t USING before b WHERE t.flows = 0 AND t.account_id = b.account_id AND t.chain_id = b.chain_id
      AND t.entity_type = b.entity_type AND t.entity_id = b.entity_id;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION "remove_net_cash"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM net_cash;
  RETURN NULL;
END $$;

DO $$
BEGIN
  -- A sharded store has no triggers.
  IF to_regprocedure('data_changed()') IS NOT NULL THEN
    ALTER VIEW "cash_flow_total" RENAME TO "net_cash";
    RETURN;
  END IF;
  CREATE TABLE "net_cash" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "chain_id" BIGINT NOT NULL,
    "entity_type" "entity_type" NOT NULL,
    "entity_id" TEXT COLLATE "C" NOT NULL,
    "usd" DECIMAL NOT NULL,
    "flows" BIGINT NOT NULL,
    "unpriced" BIGINT NOT NULL,
    CONSTRAINT "net_cash_pkey" PRIMARY KEY ("account_id", "chain_id", "entity_type", "entity_id")
  );
  CREATE TRIGGER add_net_cash AFTER INSERT ON "cash_flow" REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION "add_net_cash"();
  CREATE TRIGGER add_net_cash_updated AFTER UPDATE ON "cash_flow" REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION "add_net_cash"();
  CREATE TRIGGER add_net_cash_deleted AFTER DELETE ON "cash_flow" REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION "add_net_cash"();
  CREATE TRIGGER remove_net_cash AFTER TRUNCATE ON "cash_flow" FOR EACH STATEMENT EXECUTE FUNCTION "remove_net_cash"();
  -- Writers wait for the triggers by now.
  INSERT INTO "net_cash" SELECT * FROM "cash_flow_total" ORDER BY 1, 2, 3, 4;
  CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "net_cash"
    FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
  ANALYZE "net_cash";
END $$;
