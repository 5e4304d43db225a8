-- Keys may be in the path, the query and the user of a source's URL: stored names and errors keep its host only.
CREATE FUNCTION pg_temp.hosts_only(text TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT regexp_replace(text,
    '\m(https?|postgres|postgresql)://([^\s/"@]*@)?([^\s/?#",;()]+)([/?#]([^\s"]*[^\s",.;:)])?)?',
    '\1://\3', 'gi')
$$;

UPDATE "run" SET
  "error" = pg_temp.hosts_only("error"),
  "sources" = pg_temp.hosts_only("sources"::text)::jsonb
WHERE "error" ~ '://' OR "sources"::text ~ '://';

UPDATE "leg_progress" SET "source" = pg_temp.hosts_only("source") WHERE "source" ~ '://';

DROP FUNCTION pg_temp.hosts_only(TEXT);
