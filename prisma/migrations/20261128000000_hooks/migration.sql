-- Hooks: who is told of what happens, and what is still to be told. The version of the data does not
-- count these tables: no answer reads them.

CREATE TABLE hook (
  id bigserial PRIMARY KEY,
  url text COLLATE "C" NOT NULL,
  events jsonb NOT NULL,
  secret text COLLATE "C" NOT NULL,
  previous_secret text COLLATE "C",
  previous_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE hook_delivery (
  id bigserial PRIMARY KEY,
  hook_id bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  message_id uuid NOT NULL DEFAULT gen_random_uuid(),
  facts jsonb NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  tried_since timestamptz(3),
  due_at timestamptz(3),
  dead_at timestamptz(3),
  error text COLLATE "C"
);
CREATE INDEX hook_delivery_hook_id_subject_id_idx ON hook_delivery (hook_id, subject, id);

-- A run of a date that ends is noted for each hook that wants to know, in the transaction that ends
-- it. An import may bring many dates: only the newest one is noted.
CREATE FUNCTION note_run_for_hooks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  name text := CASE NEW.status WHEN 'succeeded' THEN 'distribution.computed'
    ELSE 'distribution.failed' END;
BEGIN
  IF NEW.kind = 'import' AND NEW.date < (SELECT max(date) FROM distribution) THEN
    RETURN NULL;
  END IF;
  INSERT INTO hook_delivery (hook_id, event, subject, facts, occurred_at)
  SELECT id, name, NEW.date::text, jsonb_build_object('date', NEW.date, 'runId', NEW.id::text,
    'kind', NEW.kind, 'requestedBy', NEW.requested_by, 'error', NEW.error,
    'points', NEW.total_points_after / 1000000.0, 'positions', NEW.position_count_after,
    'accounts', NEW.account_count_after), coalesce(NEW.finished_at, clock_timestamp())
  FROM hook WHERE events @> to_jsonb(name) ORDER BY id FOR KEY SHARE;
  RETURN NULL;
END $$;

CREATE TRIGGER note_run_for_hooks AFTER UPDATE ON run FOR EACH ROW
  WHEN (OLD.status = 'running' AND NEW.status <> 'running' AND NEW.date IS NOT NULL)
  EXECUTE FUNCTION note_run_for_hooks();
