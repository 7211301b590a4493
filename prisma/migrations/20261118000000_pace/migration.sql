-- Rates and stays of the last day are counted as transitions come, so that a page about a machine reads no history.
CREATE TABLE "Pace" (
  "kind" TEXT NOT NULL,
  "lifecycle" TEXT NOT NULL,
  "hour" TIMESTAMPTZ(3) NOT NULL,
  "edge" TEXT NOT NULL,
  "from" TEXT NOT NULL,
  "to" TEXT NOT NULL,
  "bucket" SMALLINT NOT NULL,
  "count" BIGINT NOT NULL,
  PRIMARY KEY ("kind", "lifecycle", "hour", "edge", "from", "to", "bucket")
);

-- What the last day was like before this table. Buckets as server/history/dwell.ts makes them.
INSERT INTO "Pace" ("kind", "lifecycle", "hour", "edge", "from", "to", "bucket", "count")
SELECT "kind", "lifecycle", date_trunc('hour', "at", 'UTC'), coalesce("edge", ''), "from", "to",
  CASE WHEN "dwellMs" IS NULL THEN -1 WHEN "dwellMs" <= 100 THEN 0 ELSE least(63, ceil(2 * log(2, "dwellMs" / 100.0))) END, count(*)
FROM "Transition" WHERE "at" > now() - interval '2 days' GROUP BY 1, 2, 3, 4, 5, 6, 7;
