-- CreateTable
CREATE TABLE "rate_revision" (
    "entity_type" "entity_type" NOT NULL,
    "chain_id" BIGINT NOT NULL,
    "entity_id" TEXT COLLATE "C" NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    "deposit_rate" DOUBLE PRECISION NOT NULL,
    "borrow_rate" DOUBLE PRECISION,

    CONSTRAINT "rate_revision_pkey" PRIMARY KEY ("entity_type","chain_id","entity_id","changed_at")
);

-- CreateIndex
CREATE INDEX "rate_revision_changed_at_idx" ON "rate_revision"("changed_at");

-- Whoever changes a market's or a vault's rates leaves a revision; a vault has no borrow rate.
CREATE FUNCTION "record_rate_revision"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO "rate_revision"
    SELECT TG_ARGV[0]::"entity_type", n."chain_id", n."id", now(), n."deposit_rate", (to_jsonb(n)->>'borrow_rate')::float8
    FROM "new_rows" n
    ON CONFLICT ("entity_type", "chain_id", "entity_id", "changed_at") DO UPDATE
      SET "deposit_rate" = EXCLUDED."deposit_rate", "borrow_rate" = EXCLUDED."borrow_rate";
  ELSE
    INSERT INTO "rate_revision"
    SELECT TG_ARGV[0]::"entity_type", n."chain_id", n."id", now(), n."deposit_rate", (to_jsonb(n)->>'borrow_rate')::float8
    FROM "new_rows" n LEFT JOIN "old_rows" o USING ("chain_id", "id")
    WHERE n."deposit_rate" IS DISTINCT FROM o."deposit_rate"
      OR to_jsonb(n)->'borrow_rate' IS DISTINCT FROM to_jsonb(o)->'borrow_rate'
    ON CONFLICT ("entity_type", "chain_id", "entity_id", "changed_at") DO UPDATE
      SET "deposit_rate" = EXCLUDED."deposit_rate", "borrow_rate" = EXCLUDED."borrow_rate";
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "record_rates_insert" AFTER INSERT ON "market" REFERENCING NEW TABLE AS "new_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "record_rate_revision"('market');
CREATE TRIGGER "record_rates_update" AFTER UPDATE ON "market" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "record_rate_revision"('market');
CREATE TRIGGER "record_rates_insert" AFTER INSERT ON "vault" REFERENCING NEW TABLE AS "new_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "record_rate_revision"('vault');
CREATE TRIGGER "record_rates_update" AFTER UPDATE ON "vault" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "record_rate_revision"('vault');

CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "rate_revision"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();

-- What is stored already has these rates from now on; since when, nobody wrote down.
INSERT INTO "rate_revision" SELECT 'market', "chain_id", "id", now(), "deposit_rate", "borrow_rate" FROM "market";
INSERT INTO "rate_revision" SELECT 'vault', "chain_id", "id", now(), "deposit_rate", NULL FROM "vault";
