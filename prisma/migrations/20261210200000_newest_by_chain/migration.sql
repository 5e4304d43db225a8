-- The date of the newest record of each leg on each chain, by chain id. The next update of a leg adds them.
ALTER TABLE "leg_progress" ADD COLUMN "chains" JSONB NOT NULL DEFAULT '{}';
