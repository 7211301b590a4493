-- How many resources stand alike, kept with every write: to count a fleet is to add up its groups, and not to read it.
CREATE TABLE "Standing" (
  "alike" UUID NOT NULL PRIMARY KEY,
  "family" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "namespace" TEXT NOT NULL,
  "state" TEXT NOT NULL,
  "tone" TEXT NOT NULL,
  "lifecycles" JSONB NOT NULL,
  "size" INTEGER NOT NULL
);
INSERT INTO "Standing"
  SELECT DISTINCT ON ("alike") "alike", "family", "kind", "namespace", "state", "tone", "lifecycles",
    count(*) OVER (PARTITION BY "alike")
  FROM "Resource" WHERE "deletedAt" IS NULL ORDER BY "alike";

CREATE FUNCTION "countStanding"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD."deletedAt" IS NULL THEN
    UPDATE "Standing" SET "size" = "size" - 1 WHERE "alike" = OLD."alike";
    DELETE FROM "Standing" WHERE "alike" = OLD."alike" AND "size" <= 0;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW."deletedAt" IS NULL THEN
    INSERT INTO "Standing"
    VALUES (NEW."alike", NEW."family", NEW."kind", NEW."namespace", NEW."state", NEW."tone", NEW."lifecycles", 1)
    ON CONFLICT ("alike") DO UPDATE SET "size" = "Standing"."size" + 1;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "Resource_counted" AFTER INSERT OR DELETE ON "Resource"
  FOR EACH ROW EXECUTE FUNCTION "countStanding"();
CREATE TRIGGER "Resource_recounted" AFTER UPDATE ON "Resource"
  FOR EACH ROW WHEN (OLD."alike" <> NEW."alike" OR (OLD."deletedAt" IS NULL) <> (NEW."deletedAt" IS NULL))
  EXECUTE FUNCTION "countStanding"();

-- Emptied in one go, the rows tell of no changes.
CREATE FUNCTION "forgetStanding"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "Standing";
  RETURN NULL;
END $$;
CREATE TRIGGER "Resource_emptied" AFTER TRUNCATE ON "Resource"
  FOR EACH STATEMENT EXECUTE FUNCTION "forgetStanding"();
