-- Rows that stand alike are counted as one group. The group's name is one short value: to group by it costs a fifth of
-- what it costs by the columns that it is made of, and any of its rows tells what they are.
-- In PL/pgSQL, whose plan is kept: a function in SQL would be planned anew for every row that is written.
CREATE FUNCTION "alikeOf"(kind TEXT, namespace TEXT, state TEXT, tone TEXT, lifecycles JSONB) RETURNS UUID
  IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql
  AS 'BEGIN RETURN md5(kind || E''\n'' || namespace || E''\n'' || state || E''\n'' || tone || E''\n'' || (SELECT coalesce(jsonb_object_agg(key, value - ''since''), ''{}'') FROM jsonb_each(lifecycles))::text)::uuid; END';
ALTER TABLE "Resource" ADD COLUMN "alike" UUID NOT NULL
  GENERATED ALWAYS AS ("alikeOf"("kind", "namespace", "state", "tone", "lifecycles")) STORED;
ALTER TABLE "Resource" DROP COLUMN "standing";
DROP FUNCTION "standingOf"(JSONB);
-- What a text is looked for in, in lower case once: ILIKE would lower every row of the fleet for every word.
ALTER TABLE "Resource" ADD COLUMN "searched" TEXT NOT NULL
  GENERATED ALWAYS AS (lower("name" || ' ' || "namespace" || ' ' || "state" || ' ' || "sentence")) STORED;
