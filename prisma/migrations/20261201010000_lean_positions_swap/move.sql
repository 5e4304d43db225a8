-- Copies one distribution date or, when all are copied, builds one index.
DO $$
DECLARE
  statement TEXT;
BEGIN
  IF "move_next_date"() THEN
    RETURN;
  END IF;
  SET LOCAL maintenance_work_mem = '256MB';
  FOREACH statement IN ARRAY ARRAY[
    'CREATE INDEX "stored_position_user_idx" ON "stored_position" ("user_address", "distribution_date")',
    'CREATE INDEX "stored_position_pool_idx" ON "stored_position" ("pool_key", "distribution_date", "id" DESC)',
    'CREATE UNIQUE INDEX "stored_position_date_idx" ON "stored_position" ("distribution_date", "id" DESC)'
  ] LOOP
    IF to_regclass(substring(statement FROM '"[a-z_]+"')) IS NULL THEN
      EXECUTE statement;
      RETURN;
    END IF;
  END LOOP;
END $$;

SELECT (SELECT count(*) FROM "moved_date") + (SELECT count(*) FROM pg_indexes WHERE tablename = 'stored_position') AS moved,
  (SELECT count(*) FROM "distribution") + 3 AS total;
