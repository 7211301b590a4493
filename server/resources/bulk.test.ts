import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bothHomes, type Home } from "@/server/db/fixtures/both-homes";
import { createEngine, createNamespace, createReadyInstance, settleEngine } from "./fixtures/firebolt";
import { grant, person } from "./fixtures/roles";
import { createBulkJobs } from "./bulk-jobs";
import { insertJob } from "./bulk-store";
import { beginCommand } from "./audit";
import { createStage, type Stage } from "./fixtures/stage";

const roles = { vera: person("vera"), olga: person("olga") };

let stage: Stage;
let home: Home;
describe.each(bothHomes)("%s", (_home, open) => {
  beforeAll(async () => {
    home = await open();
    stage = await createStage({ reads: "memory", database: home.database });
    await createNamespace(stage, "shop");
    await createReadyInstance(stage, "shop");
    // vera sees everything and may do nothing; olga may start and stop.
    await grant(stage, roles.vera, ["get", "list"]);
    await grant(stage, roles.olga, ["get", "list", "start", "stop"], "shop");
  });
  afterAll(async () => {
    await stage.stop();
    await home.close();
  });

  test("a bulk command runs on the server and tells of each item as was forecast", async () => {
    const names = ["many-0", "many-1", "many-2"];
    for (const name of names) {
      await createEngine(stage, { namespace: "shop", name }, {}, { group: "many" });
      await settleEngine(stage, { namespace: "shop", name });
    }
    await createEngine(stage, { namespace: "shop", name: "many-3" }, { replicas: 0 }, { group: "many" });
    await settleEngine(stage, { namespace: "shop", name: "many-3" });
    await stage.projection.settled();
    const bulk = { command: "stop", of: { filter: { labels: { group: "many" } } } };
    const forecast = await stage.as(roles.olga).bulk.forecast(bulk);
    expect([forecast.total, forecast.allowed]).toEqual([4, 3]);
    const { id } = await stage.as(roles.olga).bulk.run(bulk);
    await expect
      .poll(async () => (await stage.as(roles.olga).bulk.get({ id })).state, { timeout: 60_000 })
      .toBe("done");
    const job = await stage.as(roles.olga).bulk.get({ id });
    expect(job.items.map(({ name, outcome, code }) => [name, outcome, code])).toEqual(
      forecast.items.map(({ name, refusal }) => [name, refusal ? "refused" : "accepted", refusal?.code ?? null]),
    );
    await expect(stage.as(roles.vera).bulk.get({ id })).rejects.toThrow("no bulk job");
  });

  test("the forecast says what the command wants to know, and is made with what it is told", async () => {
    await createEngine(stage, { namespace: "shop", name: "asked" });
    await settleEngine(stage, { namespace: "shop", name: "asked" });
    await stage.projection.settled();
    const of = { refs: [{ kind: "firebolt.engine", namespace: "shop", name: "asked" }] };
    const told = await stage.as().bulk.forecast({ command: "scale", args: { replicas: 2 }, of });
    expect(told).toMatchObject({ allowed: 1, destroys: false, args: { replicas: { type: "integer" } } });
    const refused = await stage.as().bulk.forecast({ command: "scale", args: { replicas: -1 }, of });
    expect(refused).toMatchObject({ allowed: 0, reasons: [{ code: "invalid", count: 1 }] });
  });

  const patient = { timeout: 60_000 };

  /** Engines of a job that a process began and did not live to finish. */
  async function leftBehind(group: string) {
    // Nobody but the process that a test starts takes it over.
    await stage.services.bulk.stop();
    const names = [0, 1, 2].map((at) => `${group}-${at}`);
    for (const name of names) {
      await createEngine(stage, { namespace: "shop", name });
      await settleEngine(stage, { namespace: "shop", name });
    }
    const refs = names.map((name) => ({ kind: "firebolt.engine", namespace: "shop", name }));
    const asked = { ...stage.services, identity: roles.olga };
    const id = randomUUID();
    await insertJob(asked, {
      id,
      runner: "a process that died",
      input: { command: "stop", args: {}, of: { refs } },
      refs,
    });
    return { id, refs, asked };
  }

  test("a job that a process left behind is gone on with, and an item that was under way is told as unknown", async () => {
    const { id, refs, asked } = await leftBehind("left");
    // It died in the middle of the first item: the row is open, nobody will ever close it.
    const [first] = refs;
    if (!first) throw new Error("there are three");
    const begun = { ...first, command: "stop", args: {}, idempotencyKey: `bulk/${id}/0`, bulkId: id };
    await beginCommand(asked, begun, randomUUID());
    const heir = createBulkJobs({ onError: (error) => void stage.faults.push(error) });
    // As if another process shared the database: its silence has to be waited for.
    await heir.start({ ...stage.services, database: { ...stage.database, home: "server" } });
    expect((await stage.as(roles.olga).bulk.get({ id })).waiting).toBe(3);
    const state = async () => {
      await stage.clock.advance(10_000);
      return (await stage.as(roles.olga).bulk.get({ id })).state;
    };
    await expect.poll(state, patient).toBe("done");
    const { items } = await stage.as(roles.olga).bulk.get({ id });
    expect(items.map(({ outcome, code }) => [outcome, code])).toEqual([
      ["refused", "check failed"],
      ["accepted", null],
      ["accepted", null],
    ]);
    expect(items[0]?.sentence).toContain("may or may not");
    const { commands } = await stage.as(roles.olga).commands.page({ of: first });
    expect(commands.map(({ outcome, reason }) => [outcome, reason])).toEqual([["refused", "Interrupted"]]);
    await heir.stop();
  });

  test("a database that is away for a moment costs a job time and no item", async () => {
    const { id } = await leftBehind("away");
    const away = { for: 4 };
    const query: Stage["database"]["query"] = (...args) =>
      away.for-- > 0 ? Promise.reject(new Error("away")) : stage.database.query(...args);
    const heard: unknown[] = [];
    const heir = createBulkJobs({ onError: (error) => void heard.push(error) });
    await heir.start({ ...stage.services, database: { ...stage.database, query } });
    const job = async () => {
      await stage.clock.advance(10_000);
      const { state, accepted } = await stage.as(roles.olga).bulk.get({ id });
      return [state, accepted];
    };
    await expect.poll(job, patient).toEqual(["done", 3]);
    expect(heard.length).toBeGreaterThan(0);
    await heir.stop();
  });

  test("a process that stops hands its jobs over at once", async () => {
    const { id } = await leftBehind("handed");
    const first = createBulkJobs({ onError: (error) => void stage.faults.push(error) });
    // Takes what was left behind at once, as in a folder that is its alone.
    await first.start({ ...stage.services, database: { ...stage.database, home: "embedded" } });
    await first.stop();
    const second = createBulkJobs({ onError: (error) => void stage.faults.push(error) });
    await second.start({ ...stage.services, database: { ...stage.database, home: "server" } });
    await expect.poll(async () => (await stage.as(roles.olga).bulk.get({ id })).state, patient).toBe("done");
    expect((await stage.as(roles.olga).bulk.get({ id })).accepted).toBe(3);
    await second.stop();
  });
});
