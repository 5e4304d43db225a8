-- API keys: who calls, and what they may use. The version of the data does not count this table: no
-- answer reads it.

CREATE TABLE api_key (
  id text COLLATE "C" PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  digest bytea NOT NULL,
  previous_digest bytea,
  previous_until timestamptz(3),
  per_minute integer,
  per_day integer,
  scopes jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3)
);

-- Gateways that know a key read it again. Its last use is no change of it.
CREATE FUNCTION notify_api_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gateway_key', coalesce(NEW.id, OLD.id));
  RETURN NULL;
END $$;

CREATE TRIGGER notify_api_key AFTER INSERT OR DELETE OR UPDATE OF id, name, digest, previous_digest,
  previous_until, per_minute, per_day, scopes, expires_at, revoked_at ON api_key
  FOR EACH ROW EXECUTE FUNCTION notify_api_key();
