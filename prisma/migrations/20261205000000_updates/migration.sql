-- Updates fetch analytics from sources, one run for each leg.
ALTER TYPE "distribution_kind" ADD VALUE 'update';
ALTER TABLE "run" ADD COLUMN "leg" TEXT COLLATE "C";

-- How far each leg has come, and what its source had in the time that the next update requests again.
CREATE TABLE "leg_progress" (
    "leg" TEXT COLLATE "C" NOT NULL,
    "source" TEXT COLLATE "C" NOT NULL,
    "newest" TIMESTAMPTZ(3) NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "record_count" BIGINT NOT NULL,
    "user_count" BIGINT NOT NULL,
    "value_usd" DOUBLE PRECISION NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "leg_progress_pkey" PRIMARY KEY ("leg")
);
CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "leg_progress"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version(2);
