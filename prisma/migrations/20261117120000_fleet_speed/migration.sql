-- Where every lifecycle stands, without since when: rows that stand alike are counted together.
CREATE FUNCTION "standingOf"(lifecycles JSONB) RETURNS JSONB IMMUTABLE PARALLEL SAFE LANGUAGE sql
  AS 'SELECT coalesce(jsonb_object_agg(key, value - ''since''), ''{}'') FROM jsonb_each(lifecycles)';
ALTER TABLE "Resource" ADD COLUMN "standing" JSONB NOT NULL GENERATED ALWAYS AS ("standingOf"("lifecycles")) STORED;
-- The newest transitions of one machine, for its rates.
CREATE INDEX "Transition_kind_lifecycle_at_idx" ON "Transition" ("kind", "lifecycle", "at");
