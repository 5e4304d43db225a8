-- The names and logos of tokens, which imports of tokens.jsonl bring.
CREATE TABLE "token" (
    "chain_id" BIGINT NOT NULL,
    "address" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "logo_uri" TEXT COLLATE "C",

    CONSTRAINT "token_pkey" PRIMARY KEY ("chain_id", "address")
);

DO $$
BEGIN
  IF to_regprocedure('data_changed()') IS NULL THEN
    CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "token"
      FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
  ELSE
    PERFORM create_reference_table('token');
  END IF;
END $$;
