import { afterAll, beforeAll, expect, test } from "vitest";
import { createEngine, createNamespace, createReadyInstance, settleEngine } from "./fixtures/firebolt";
import { person } from "./fixtures/roles";
import { createStage, type Stage } from "./fixtures/stage";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage({ reads: "memory" });
  await createNamespace(stage, "shop");
  await createReadyInstance(stage, "shop");
});
afterAll(() => stage.stop());

const ref = { kind: "firebolt.engine", namespace: "shop", name: "long" };

test("a history at a glance counts every transition once, in the stretch of time in which it happened", async () => {
  await createEngine(stage, ref);
  await settleEngine(stage, ref);
  await stage.projection.settled();
  const { transitions } = await stage.as().resource.history({ ...ref, limit: 200 });
  const [newest] = transitions;
  if (!newest) throw new Error("nothing happened");
  // As if it had gone round for a month: a thousand times to and fro, an hour apart.
  await stage.database.query(
    `INSERT INTO "Transition" ("id", "resourceId", "uid", "kind", "lifecycle", "pass", "at", "machine", "from", "to", "event",
       "flipped", "facts", "evidence", "actions", "writes", "error")
     SELECT -i, $1, 'u', $2, 'phase', 'made-' || i, $3::timestamptz - i * interval '1 hour', 'hash',
       (ARRAY['stable', 'creating'])[1 + i % 2], (ARRAY['creating', 'stable'])[1 + i % 2], 'observed', '[]', '{}', '{}', '[]', '[]',
       CASE WHEN i = 1000 THEN 'no water' END
     FROM generate_series(1, 1000) i`,
    ["firebolt.engine/shop/long", ref.kind, newest.at],
  );
  const { total, stretches } = await stage.as().resource.digest(ref);
  expect(total).toBe(transitions.length + 1_000);
  expect(stretches.reduce((sum, { count }) => sum + count, 0)).toBe(total);
  expect(stretches.length).toBeLessThanOrEqual(201);
  expect(stretches.map(({ until }) => until)).toEqual(
    stretches
      .map(({ until }) => until)
      .toSorted()
      .toReversed(),
  );
  expect(stretches.at(-1)).toMatchObject({ errors: 1, firstId: "-1000" });
  const { lastId, firstId, moves } = stretches[0] ?? { lastId: "", firstId: "", moves: [] };
  expect(lastId).toBe(newest.id);
  expect(BigInt(firstId)).toBeLessThan(BigInt(lastId));
  expect(moves.length).toBeGreaterThan(0);
});

test("who may not see the resource may not see its history at a glance", async () => {
  await expect(stage.as(person("nobody")).resource.digest(ref)).rejects.toThrow();
});
