-- The rates of another gateway count from the last moment of their day on, no longer from its first. The next update requests all
-- of them, since a comparison with the progress so far would find fewer.
DELETE FROM "leg_progress" WHERE "leg" = 'rates' AND "newest" = date_trunc('day', "newest", 'UTC');
