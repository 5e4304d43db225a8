import type { Queryable } from '../../db/write.ts'

/**
 * Makes tables and sequences of the transaction that stand in for what a rollback leaves behind:
 * numbers that sequences have assigned. Temporary tables come first in the search path, with the
 * rules that follow from them. No run of the store has a number as large as those of a check.
 */
export async function shadowSequences(client: Queryable): Promise<void> {
  await client.query(SHADOWS)
}

const SHADOWS = `
  CREATE TEMP SEQUENCE run_id_seq;
  SELECT setval('run_id_seq', 2000000000);
  CREATE TEMP SEQUENCE multiplier_revision_id_seq;
  CREATE TEMP SEQUENCE base_points_revision_id_seq;
  DO $$ DECLARE rules text := pg_get_viewdef('multiplier_rule'::regclass); BEGIN
    CREATE TEMP TABLE multiplier ON COMMIT DROP AS TABLE multiplier;
    ALTER TABLE multiplier ADD PRIMARY KEY (pool_address), ADD UNIQUE (id);
    CREATE TEMP TABLE multiplier_revision ON COMMIT DROP AS TABLE multiplier_revision;
    PERFORM setval('multiplier_revision_id_seq', max(id)) FROM multiplier_revision;
    ALTER TABLE multiplier_revision ADD PRIMARY KEY (id),
      ALTER recorded_at SET DEFAULT clock_timestamp(),
      ALTER id SET DEFAULT nextval('multiplier_revision_id_seq');
    CREATE TRIGGER record_insert AFTER INSERT ON multiplier REFERENCING NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION record_multiplier_revision();
    CREATE TRIGGER record_update AFTER UPDATE ON multiplier
      REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION record_multiplier_revision();
    EXECUTE 'CREATE TEMP VIEW multiplier_rule AS ' || rules;
  END $$`
