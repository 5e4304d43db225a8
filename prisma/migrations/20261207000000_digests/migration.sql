-- SHA-256 over the points of a date, in hexadecimal: see domain/points/digest.ts. Null for dates that were stored before, until
-- a gateway has computed it.
ALTER TABLE "distribution" ADD COLUMN "digest" TEXT COLLATE "C";
ALTER TABLE "run" ADD COLUMN "digest" TEXT COLLATE "C";
