-- Seasons: named spans of distribution dates, both ends included. No two share a date. Without any, every date may be computed.
CREATE TYPE "season_status" AS ENUM ('upcoming', 'active', 'ended');
CREATE TABLE "season" (
    "name" TEXT COLLATE "C" NOT NULL,
    "starts_at" DATE NOT NULL,
    "ends_at" DATE,
    -- As of today, UTC. The gateway keeps it so.
    "status" "season_status" NOT NULL,
    -- The board of an ended season: SHA-256 over its lines, in hexadecimal, and when it became final.
    "digest" TEXT COLLATE "C",
    "closed_at" TIMESTAMPTZ(3),
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "changed_by" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "season_pkey" PRIMARY KEY ("name"),
    CONSTRAINT "season_ends_after_start" CHECK ("ends_at" >= "starts_at"),
    CONSTRAINT "season_no_overlap" EXCLUDE USING gist (daterange("starts_at", "ends_at", '[]') WITH &&)
);
CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "season"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();

-- The season whose final board the run has changed.
ALTER TABLE "run" ADD COLUMN "reopened" TEXT COLLATE "C";
