import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { edgesOf } from "@/machines/edges";
import { engineMachine } from "@/machines/firebolt/engine.machine";
import { metaOf, statesOf } from "@/machines/lifecycle";
import { apis } from "@/server/kubernetes/apis";
import { kinds } from "@/machines/families";
import { replay } from "@/server/history/replay";
import { createEngine, createNamespace, createReadyInstance, settleEngine } from "./fixtures/firebolt";
import { grant, person } from "./fixtures/roles";
import { admin, createStage, type Stage } from "./fixtures/stage";

const engineApi = kinds["firebolt.engine"].api;
const commands = Object.keys(metaOf(engineMachine).commands);
const roles = { ada: admin, vera: person("vera"), olga: person("olga"), nora: person("nora") };

let stage: Stage;
beforeAll(async () => {
  stage = await createStage({ reads: "memory" });
  await createNamespace(stage, "shop");
  await createReadyInstance(stage, "shop");
  // vera sees everything and may do nothing; olga may start and stop; nora may nothing at all.
  await grant(stage, roles.vera, ["get", "list"]);
  await grant(stage, roles.olga, ["get", "list", "start", "stop"], "shop");
});
afterAll(async () => {
  await stage.projection.settled();
  expect((await replay(stage.database, kinds)).divergences).toEqual([]);
  await stage.stop();
});

const ref = (name: string) => ({ kind: "firebolt.engine", namespace: "shop", name });
let keys = 0;
const key = () => `agreement-${keys++}`;

/** An engine put into a state by hand: what the machine makes of it is up to the machine. */
async function engineIn(state: string, more: { replicas: number; deleting?: boolean }, name: string) {
  const engine = await createEngine(stage, { namespace: "shop", name }, { replicas: more.replicas });
  await stage.client.patch(
    engineApi,
    engine.metadata,
    { metadata: { finalizers: ["compute.firebolt.io/engine-cleanup"] } },
    { type: "merge" },
  );
  await stage.setStatus(engine, {
    phase: state,
    currentGeneration: 1,
    activeGeneration: 0,
    ...(state === "draining" ? { drainingGeneration: 0 } : {}),
  });
  if (more.deleting) await stage.client.delete(engineApi, engine.metadata);
  return engine;
}

describe("what resource.get offers is what resource.command accepts", () => {
  const cases = statesOf(engineMachine).flatMap((state) =>
    [{ replicas: 1 }, { replicas: 0 }, { replicas: 1, deleting: true }].map((more) => ({ state, more })),
  );
  test.each(cases)(
    "for every command and every role, of an engine that is $state with $more",
    async ({ state, more }) => {
      const name = `${state}-${more.replicas}${"deleting" in more ? "-deleting" : ""}`;
      await engineIn(state, more, name);
      for (const [role, identity] of Object.entries(roles)) {
        const caller = stage.as(identity);
        const offered = await caller.resource.get(ref(name)).then(
          ({ commands: offers }) => offers,
          () => null,
        );
        const forecast = offered && (await caller.bulk.forecast({ command: "stop", of: { refs: [ref(name)] } }));
        if (forecast)
          expect(forecast.items[0]?.refusal).toEqual(offered.find(({ command }) => command === "stop")?.refusal);
        for (const command of commands) {
          const offer = offered?.find((one) => one.command === command);
          const preview = offered && (await caller.resource.preview({ ...ref(name), command, args: {} }));
          const answer = await caller.resource.command({ ...ref(name), command, args: {}, idempotencyKey: key() });
          expect(answer.accepted, `${role} ${command}`).toBe(offer?.allowed ?? false);
          if (preview) expect(preview.refusal).toEqual(offer?.refusal);
          if (!answer.accepted && offer) expect(answer.refusal).toEqual(offer.refusal);
          if (!answer.accepted && !offer) expect(answer.refusal.code).toBe("permission");
          // Back to where it was, for the next one.
          if (answer.accepted)
            await stage.client.patch(engineApi, ref(name), { spec: { replicas: more.replicas } }, { type: "merge" });
        }
      }
    },
  );

  test("and every edge of a command that the machine has was tried", () => {
    const known = new Set(edgesOf(engineMachine).map(({ event }) => event));
    for (const command of commands) expect(known).toContain(command);
  });
});

test("a command is done once however often it is sent, and a key of another command is refused", async () => {
  const at = { namespace: "shop", name: "once" };
  await createEngine(stage, at);
  await settleEngine(stage, at);
  const ask = { ...ref("once"), command: "scale", args: { replicas: 2 }, idempotencyKey: "the-same-key" };
  const first = await stage.as().resource.command(ask);
  const version = (await stage.client.get(engineApi, at)).metadata.resourceVersion;
  const second = await stage.as().resource.command({ ...ask, args: { replicas: 3 } });
  expect(first).toMatchObject({ accepted: true, repeated: false, changed: { spec: { replicas: 2 } } });
  expect(second).toEqual({ ...first, repeated: true });
  expect((await stage.client.get(engineApi, at)).metadata.resourceVersion).toBe(version);
  const other = await stage.as().resource.command({ ...ask, command: "stop", args: {} });
  expect(other).toMatchObject({ accepted: false, refusal: { code: "invalid" } });
});

test("a stale click is told what changed, bad arguments which one, an unknown command that it is none", async () => {
  const at = { namespace: "shop", name: "stale" };
  await createEngine(stage, at);
  await settleEngine(stage, at);
  const ask = { ...ref("stale"), command: "scale", args: { replicas: 2 } };
  const answers = [
    await stage.as().resource.command({ ...ask, seenState: "creating", idempotencyKey: key() }),
    await stage.as().resource.command({ ...ask, args: { replicas: -1 }, idempotencyKey: key() }),
    await stage.as().resource.command({ ...ask, args: { pods: 2 }, idempotencyKey: key() }),
    await stage.as().resource.command({ ...ask, command: "explode", args: {}, idempotencyKey: key() }),
    await stage.as().resource.command({ ...ask, name: "nobody", idempotencyKey: key() }),
  ];
  const codes = answers.map((answer) => (answer.accepted ? "accepted" : answer.refusal.code));
  expect(codes).toEqual(["conflict", "invalid", "invalid", "invalid", "not found"]);
});

test("every command, allowed or refused, is in the audit log and an event on the object", async () => {
  const at = { namespace: "shop", name: "audited" };
  await createEngine(stage, at);
  await settleEngine(stage, at);
  await stage.as(roles.olga).resource.command({ ...ref("audited"), command: "stop", args: {}, idempotencyKey: key() });
  await stage.as(roles.olga).resource.command({ ...ref("audited"), command: "stop", args: {}, idempotencyKey: key() });
  await stage.as(roles.vera).resource.command({ ...ref("audited"), command: "stop", args: {}, idempotencyKey: key() });
  const { commands: log } = await stage.as(roles.vera).commands.page({ of: ref("audited") });
  expect(log.map(({ actor, outcome, code, stateBefore }) => [actor, outcome, code, stateBefore])).toEqual([
    ["vera", "refused", "permission", null],
    ["olga", "refused", "state", "stable"],
    ["olga", "accepted", null, "stable"],
  ]);
  expect((await stage.as(roles.nora).commands.page({ of: ref("audited") })).commands).toEqual([]);
  await expect
    .poll(async () => (await stage.client.list(apis.event, { namespace: "shop" })).items.map(({ reason }) => reason), {
      timeout: 60_000,
    })
    .toEqual(expect.arrayContaining(["CommandAccepted", "CommandRefused"]));
  await settleEngine(stage, at);
  await stage.projection.settled();
  const { transitions } = await stage.as().resource.history(ref("audited"));
  expect(transitions.filter(({ actor }) => actor === "olga").map(({ from, to }) => [from, to])).toEqual([
    ["stable", "creating"],
  ]);
  const asked = transitions.find(({ actor }) => actor === "olga");
  const then = await stage.as().resource.asOf({ ...ref("audited"), id: asked?.id ?? "" });
  // The whole page as it was: where it stood, which way was taken and why, and what it said of itself.
  expect(then.lifecycles).toMatchObject([
    { lifecycle: "phase", state: "creating", left: "stable", decidedIn: "stable" },
  ]);
  expect(then.lifecycles[0]?.waysOut?.filter(({ taken }) => taken)).toMatchObject([{ to: "creating", open: true }]);
  expect(then.conditions.map(({ type }) => type)).toContain("Ready");
  await expect(stage.as().resource.asOf({ ...ref("awaited"), id: asked?.id ?? "" })).rejects.toThrow("not kept");
  const moves = await stage.as(roles.vera).fleet.lately({ limit: 5 });
  expect(moves[0]).toMatchObject({ name: "audited", kindTitle: "Engine" });
  expect(await stage.as(roles.nora).fleet.lately({ limit: 5 })).toEqual([]);
  const specs = await stage.as().resource.generations(ref("audited"));
  expect(specs.map(({ generation }) => generation)).toEqual([2, 1]);
  const { edges } = await stage.as().machines.flow({ kind: "firebolt.engine", lifecycle: "phase" });
  expect(edges.find(({ edge }) => edge === asked?.edge)?.day).toBeGreaterThan(0);
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
  await expect.poll(async () => (await stage.as(roles.olga).bulk.get({ id })).state, { timeout: 60_000 }).toBe("done");
  const job = await stage.as(roles.olga).bulk.get({ id });
  expect(job.items.map(({ name, outcome, code }) => [name, outcome, code])).toEqual(
    forecast.items.map(({ name, refusal }) => [name, refusal ? "refused" : "accepted", refusal?.code ?? null]),
  );
  await expect(stage.as(roles.vera).bulk.get({ id })).rejects.toThrow("no bulk job");
});

test("waiting ends with the state, and when it does not come, with the reason", async () => {
  const at = { namespace: "shop", name: "awaited" };
  await createEngine(stage, at);
  await stage.passOver("firebolt.engine", at);
  await stage.projection.settled();
  const waiting = stage.as().resource.wait({ ...ref("awaited"), states: ["stable"], timeoutMs: 600_000 });
  await settleEngine(stage, at);
  expect(await waiting).toMatchObject({ reached: true, state: "stable", reason: null });
  const ended = { over: false };
  const vain = stage
    .as()
    .resource.wait({ ...ref("awaited"), states: ["stopped"], timeoutMs: 5_000 })
    .finally(() => (ended.over = true));
  while (!ended.over) await stage.clock.advance(1_000);
  expect(await vain).toMatchObject({ reached: false, state: "stable" });
});
