-- A version number comes twice where a store is restored from a backup and written to again. The uuid that is drawn with
-- each new version does not: both together name one state of the data.
ALTER TABLE "data_version" ADD COLUMN "history" UUID NOT NULL DEFAULT gen_random_uuid();

-- Transaction ids begin again in a server that a dump is loaded into: the start of the transaction tells two apart.
ALTER TABLE "data_version" ADD COLUMN "written_at" TIMESTAMPTZ NOT NULL DEFAULT 'epoch';

CREATE OR REPLACE FUNCTION "raise_data_version"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "data_version" SET "version" = "version" + 1, "history" = gen_random_uuid(),
    "written_by" = pg_current_xact_id(), "written_at" = transaction_timestamp()
  WHERE "id" = coalesce(TG_ARGV[0]::int, 1)
    AND ("written_by", "written_at") IS DISTINCT FROM (pg_current_xact_id(), transaction_timestamp());
  IF FOUND THEN
    PERFORM pg_notify('gateway_data', '');
  END IF;
  RETURN NULL;
END $$;
