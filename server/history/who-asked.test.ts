import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { contentHash } from "@/machines/content-hash";
import { kettle } from "@/machines/fixtures/kettle";
import type { Database } from "@/server/db/database";
import { startPostgres, type PostgresServer } from "@/server/db/fixtures/postgres-server";
import { openTestDatabase } from "@/server/db/fixtures/test-database";
import { openDatabase } from "@/server/db/open-database";
import { createVirtualClock } from "@/server/kubernetes/clock";
import type { PassOutcome } from "@/server/reconcile/pass";
import { kettleAt, moved, start, type Phase } from "./fixtures/kettle-passes";
import { createProjection } from "./projection";

const own = Object.values(kettle.lifecycles).map(({ machine }) => contentHash(machine))[0];

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describe.each([
  ["embedded", openTestDatabase],
  ["server", async () => openDatabase({ dataDir: null, url: await server.createDatabase() })],
])("a command, %s", (_home, open) => {
  let database: Database;
  const clock = createVirtualClock({ startMs: start });
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());
  const projected = () => createProjection({ database, clock, kinds: { "kitchen.kettle": kettle } });

  const ask = (id: string, resourceVersion: string, more: { patch?: object; machine?: string | undefined } = {}) =>
    database.query(
      `INSERT INTO "Command" ("id", "at", "actor", "groups", "idempotencyKey", "resourceId", "kind", "namespace", "name",
         "command", "args", "outcome", "sentence", "changed", "machine")
       VALUES ($1, $2, $3, '[]', $1, 'kitchen.kettle/home/asked', 'kitchen.kettle', 'home', 'asked', 'heat', '{}', 'accepted',
         '', $4::jsonb, $5)`,
      [
        id,
        new Date(start),
        `who-${id}`,
        JSON.stringify({ patch: more.patch ?? { spec: { litres: 2 } }, answer: { resourceVersion } }),
        more.machine ?? "of another lifecycle",
      ],
    );
  // All in the same moment: only the version that was read tells before from after.
  const read = (version: string, from: Phase, to: Phase, more: Partial<PassOutcome> = {}) => {
    const outcome = moved("asked", from, to, { at: start, token: 100, ...more });
    const object = kettleAt("asked", from, start);
    return { ...outcome, object: { ...object, metadata: { ...object.metadata, resourceVersion: version } } };
  };
  const told = () =>
    database.query(
      `SELECT "to", "actor" FROM "Transition" WHERE "resourceId" = 'kitchen.kettle/home/asked' ORDER BY "id"`,
    );
  afterEach(async () => {
    for (const table of ["Transition", "Resource", "Command"]) await database.query(`DELETE FROM "${table}"`);
  });

  test("is told by the first pass that read what it wrote, once, however passes are stored together", async () => {
    const projection = projected();
    await ask("first", "10");
    await ask("second", "12");
    projection.accept(read("9", "off", "heating"));
    projection.accept(read("10", "heating", "off"));
    projection.accept(read("11", "off", "heating"));
    await projection.settled();
    projection.accept(read("13", "heating", "hot"));
    projection.accept(read("14", "hot", "off"));
    await projection.settled();
    expect(await told()).toEqual([
      { to: "heating", actor: null },
      { to: "off", actor: "who-first" },
      { to: "heating", actor: null },
      { to: "hot", actor: "who-second" },
      { to: "off", actor: null },
    ]);
    await projection.stop();
  });

  test.each([
    // where nothing came of it at first         the next move is     of the command
    ["of another lifecycle", { machine: "other" }, null],
    ["of this lifecycle", { machine: own }, "who-idle"],
    ["that changed nothing", { machine: own, patch: {} }, null],
  ])("%s that the first pass did nothing about", async (_which, more, actor) => {
    const projection = projected();
    await ask("idle", "10", more);
    projection.accept(read("10", "off", "off"));
    projection.accept(read("20", "off", "heating"));
    projection.accept(read("21", "heating", "hot"));
    await projection.settled();
    expect(await told()).toEqual([
      { to: "heating", actor },
      { to: "hot", actor: null },
    ]);
    await projection.stop();
  });

  test("is remembered over a restart as read before", async () => {
    const projection = projected();
    const resourceAfter = kettleAt("asked", "hot", start);
    resourceAfter.metadata.resourceVersion = "15";
    projection.accept(read("12", "heating", "hot", { resourceAfter }));
    await projection.settled();
    await projection.stop();
    await ask("long ago", "10");
    const next = projected();
    await next.start();
    next.accept(read("20", "hot", "off"));
    await next.settled();
    expect(await told()).toEqual([
      { to: "hot", actor: null },
      { to: "off", actor: null },
    ]);
    await next.stop();
  });

  test("is told by the try that succeeds, and by the one that failed before it", async () => {
    const projection = projected();
    await ask("hard", "10");
    projection.accept(read("9", "off", "off"));
    projection.accept(read("10", "off", "heating", { error: "no", resourceAfter: kettleAt("asked", "off", start) }));
    projection.accept(read("10", "off", "heating"));
    projection.accept(read("11", "heating", "hot"));
    await projection.settled();
    expect(await told()).toEqual([
      { to: "off", actor: "who-hard" },
      { to: "heating", actor: "who-hard" },
      { to: "hot", actor: null },
    ]);
    await projection.stop();
  });
});
