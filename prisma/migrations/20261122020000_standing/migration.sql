-- CreateTable
CREATE TABLE "standing" (
    "distribution_date" DATE NOT NULL,
    "user_address" TEXT COLLATE "C" NOT NULL,
    "points" DOUBLE PRECISION NOT NULL,
    "rank" INTEGER NOT NULL,

    CONSTRAINT "standing_pkey" PRIMARY KEY ("distribution_date","user_address")
);

-- CreateTable
CREATE TABLE "standing_day" (
    "date" DATE NOT NULL,

    CONSTRAINT "standing_day_pkey" PRIMARY KEY ("date")
);

-- CreateIndex
CREATE INDEX "standing_distribution_date_rank_idx" ON "standing"("distribution_date", "rank");

-- Standings of dates that are stored already come when a server starts: that may take a while.
CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "standing"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "standing_day"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
