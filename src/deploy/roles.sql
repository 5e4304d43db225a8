-- Roles with the least rights, for a database of your own: run it in that database, as a superuser or as a role that owns
-- it and may create roles. It may be run again, and on a store that is in use: its tables then belong to gateway_owner.
--
--   gateway_owner   migrates: owns the tables
--   gateway_writer  imports, computes points, changes multipliers; serves too
--   gateway_reader  serves, can change nothing, and cannot read the secrets that sign messages
--
-- None has a password yet: ALTER ROLE gateway_owner PASSWORD '...', and so on.

BEGIN;

DO $$
DECLARE
  name TEXT;
BEGIN
  FOREACH name IN ARRAY ARRAY['gateway_owner', 'gateway_writer', 'gateway_reader'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
      EXECUTE format('CREATE ROLE %I LOGIN', name);
    END IF;
  END LOOP;
  -- Only a member of gateway_owner, or a superuser, may give it tables.
  EXECUTE format('GRANT gateway_owner TO %I', current_user);

  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO gateway_owner, gateway_writer, gateway_reader', current_database());
  -- Imports and runs stage what they write in temporary tables.
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO gateway_owner, gateway_writer', current_database());
END $$;

REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO gateway_owner;
GRANT USAGE ON SCHEMA public TO gateway_writer, gateway_reader;

-- What a store already has.
DO $$
DECLARE
  statement TEXT;
BEGIN
  FOR statement IN
    SELECT format('ALTER TABLE %s OWNER TO gateway_owner', oid::regclass) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')
    UNION ALL
    SELECT format('ALTER TYPE %s OWNER TO gateway_owner', oid::regtype) FROM pg_type
    WHERE typnamespace = 'public'::regnamespace AND typtype = 'e'
    UNION ALL
    SELECT format('ALTER FUNCTION %s OWNER TO gateway_owner', oid::regprocedure) FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND prorettype = 'trigger'::regtype
  LOOP
    EXECUTE statement;
  END LOOP;
END $$;

GRANT SELECT ON ALL TABLES IN SCHEMA public TO gateway_writer, gateway_reader;
GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO gateway_writer;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO gateway_writer;

-- What later migrations add.
ALTER DEFAULT PRIVILEGES FOR ROLE gateway_owner IN SCHEMA public GRANT SELECT ON TABLES TO gateway_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE gateway_owner IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO gateway_writer;
ALTER DEFAULT PRIVILEGES FOR ROLE gateway_owner IN SCHEMA public GRANT USAGE ON SEQUENCES TO gateway_writer;

DO $$
BEGIN
  -- From Postgres 17 on, who writes a table may renew its statistics: else they come with autovacuum, within minutes.
  IF current_setting('server_version_num')::int >= 170000 THEN
    GRANT MAINTAIN ON ALL TABLES IN SCHEMA public TO gateway_writer;
    ALTER DEFAULT PRIVILEGES FOR ROLE gateway_owner IN SCHEMA public GRANT MAINTAIN ON TABLES TO gateway_writer;
  END IF;
  -- Which migrations are applied is the owner's to say. A second run of this file sees to it in a store that was empty.
  IF to_regclass('public._prisma_migrations') IS NOT NULL THEN
    REVOKE INSERT, UPDATE, DELETE ON public._prisma_migrations FROM gateway_writer;
  END IF;
  -- So it is with the secrets of hooks.
  IF to_regclass('public.hook') IS NOT NULL THEN
    REVOKE SELECT ON public.hook FROM gateway_reader;
    GRANT SELECT (id, url, events, chain_ids, created_at) ON public.hook TO gateway_reader;
  END IF;
END $$;

COMMIT;
