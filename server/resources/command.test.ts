import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { kinds } from "@/machines/families";
import { bothHomes, type Home } from "@/server/db/fixtures/both-homes";
import { beginCommand } from "./audit";
import { busyWith } from "./busy";
import { createEngine, createNamespace, createReadyInstance, settleEngine } from "./fixtures/firebolt";
import { grant, person } from "./fixtures/roles";
import { createStage, type Stage } from "./fixtures/stage";
import { idOf } from "./ref";

const engineApi = kinds["firebolt.engine"].api;
const roles = { vera: person("vera"), olga: person("olga"), nora: person("nora") };

let stage: Stage;
let home: Home;
describe.each(bothHomes)("%s", (_home, open) => {
  beforeAll(async () => {
    home = await open();
    stage = await createStage({ reads: "memory", database: home.database });
    await createNamespace(stage, "shop");
    await createReadyInstance(stage, "shop");
    // vera sees everything and may do nothing; olga may start and stop; nora may nothing at all.
    await grant(stage, roles.vera, ["get", "list"]);
    await grant(stage, roles.olga, ["get", "list", "start", "stop"], "shop");
  });
  afterAll(async () => {
    await stage.stop();
    await home.close();
  });

  const ref = (name: string) => ({ kind: "firebolt.engine", namespace: "shop", name });
  let keys = 0;
  const key = () => `command-${keys++}`;

  test("a command is done once however often it is sent, and a key of another command is refused", async () => {
    const at = { namespace: "shop", name: "once" };
    await createEngine(stage, at);
    await settleEngine(stage, at);
    const ask = { ...ref("once"), command: "scale", args: { replicas: 2 }, idempotencyKey: "the-same-key" };
    const first = await stage.as().resource.command(ask);
    const version = (await stage.client.get(engineApi, at)).metadata.resourceVersion;
    const second = await stage.as().resource.command(ask);
    expect(first).toMatchObject({ accepted: true, repeated: false, changed: { spec: { replicas: 2 } } });
    expect(second).toEqual({ ...first, repeated: true });
    expect((await stage.client.get(engineApi, at)).metadata.resourceVersion).toBe(version);
    for (const another of [
      { command: "stop", args: {} },
      { command: "scale", args: { replicas: 3 } },
    ]) {
      const other = await stage.as().resource.command({ ...ask, ...another });
      expect(other).toMatchObject({ accepted: false, refusal: { code: "invalid" } });
    }
    const { commands: log } = await stage.as().commands.page({ of: ref("once") });
    expect(log.map(({ command, outcome, code }) => [command, outcome, code])).toEqual([
      ["scale", "refused", "invalid"],
      ["stop", "refused", "invalid"],
      ["scale", "accepted", null],
    ]);
  });

  test("of two commands at once one is carried out; the other is told which, and so is whoever looks", async () => {
    const at = { namespace: "shop", name: "busy" };
    await createEngine(stage, at);
    await settleEngine(stage, at);
    const asked = { ...stage.services, identity: roles.olga };
    const input = { ...ref("busy"), command: "stop", args: {} };
    const first = await beginCommand(asked, { ...input, idempotencyKey: key() }, "busy-first");
    const second = await beginCommand(asked, { ...input, idempotencyKey: key() }, "busy-second");
    expect([first.fresh, second.fresh]).toEqual([true, true]);
    expect(await busyWith(stage.services, idOf(input), "busy-first")).toBeNull();
    const refusal = { code: "busy", reason: "stop", sentence: expect.stringContaining("asked for by olga") as string };
    expect(await busyWith(stage.services, idOf(input), "busy-second")).toMatchObject(refusal);
    const { commands } = await stage.as().resource.get(ref("busy"));
    expect(commands.find(({ command }) => command === "scale")).toMatchObject({ allowed: false, refusal });
    const scale = () =>
      stage.as().resource.command({ ...input, command: "scale", args: { replicas: 2 }, idempotencyKey: key() });
    expect(await scale()).toMatchObject({ accepted: false, refusal });
    // One that never answers belongs to a process that died.
    await stage.clock.advance(30_000);
    expect(await scale()).toMatchObject({ accepted: true });
  });

  test("a right that cannot be checked is neither there nor missing, and the refusal is in the log", async () => {
    const { rights } = stage.services;
    stage.services.rights = { may: async () => ({ allowed: false, unknown: true, reason: "timeout" }) };
    const asking = stage.as().resource.command({ ...ref("busy"), command: "stop", idempotencyKey: key() });
    const answer = await asking.finally(() => (stage.services.rights = rights));
    const sentence = expect.stringContaining("could not be checked") as string;
    expect(answer).toMatchObject({ accepted: false, refusal: { code: "check failed", sentence, reason: "timeout" } });
    const { commands } = await stage.as().commands.page({ of: ref("busy"), limit: 1 });
    expect(commands).toMatchObject([{ outcome: "refused", code: "check failed" }]);
  });

  test("a stale click is told what changed, bad or missing arguments which one, an unknown command that it is none", async () => {
    const at = { namespace: "shop", name: "stale" };
    await createEngine(stage, at);
    await settleEngine(stage, at);
    const ask = { ...ref("stale"), command: "scale", args: { replicas: 2 } };
    const answers = [
      await stage.as().resource.command({ ...ask, seenState: "creating", idempotencyKey: key() }),
      await stage.as().resource.command({ ...ask, args: { replicas: -1 }, idempotencyKey: key() }),
      await stage.as().resource.command({ ...ask, args: { pods: 2 }, idempotencyKey: key() }),
      await stage.as().resource.command({ ...ask, args: {}, idempotencyKey: key() }),
      await stage.as().resource.command({ ...ask, command: "explode", args: {}, idempotencyKey: key() }),
      await stage.as().resource.command({ ...ask, name: "nobody", idempotencyKey: key() }),
    ];
    const codes = answers.map((answer) => (answer.accepted ? "accepted" : answer.refusal.code));
    expect(codes).toEqual(["conflict", "invalid", "invalid", "invalid", "invalid", "not found"]);
  });

  test("every command, allowed or refused, is in the audit log and an event on the object", async () => {
    const at = { namespace: "shop", name: "audited" };
    await createEngine(stage, at);
    await settleEngine(stage, at);
    await stage
      .as(roles.olga)
      .resource.command({ ...ref("audited"), command: "stop", args: {}, idempotencyKey: key() });
    await stage
      .as(roles.olga)
      .resource.command({ ...ref("audited"), command: "stop", args: {}, idempotencyKey: key() });
    await stage
      .as(roles.vera)
      .resource.command({ ...ref("audited"), command: "stop", args: {}, idempotencyKey: key() });
    const { commands: log } = await stage.as(roles.vera).commands.page({ of: ref("audited") });
    expect(log.map(({ actor, outcome, code, stateBefore }) => [actor, outcome, code, stateBefore])).toEqual([
      ["vera", "refused", "permission", null],
      ["olga", "refused", "state", "stable"],
      ["olga", "accepted", null, "stable"],
    ]);
    expect((await stage.as(roles.nora).commands.page({ of: ref("audited") })).commands).toEqual([]);
    const eventsOf = async () => {
      const { items } = await stage.client.list(apis.event, { namespace: "shop" });
      return items
        .filter(({ involvedObject }) => (involvedObject as { name: string }).name === "audited")
        .map(({ reason, message }) => `${String(reason)}: ${String(message)}`)
        .sort();
    };
    await expect
      .poll(eventsOf, { timeout: 60_000 })
      .toEqual([
        "CommandAccepted: olga asked for stop",
        expect.stringMatching(/^CommandRefused: olga asked for stop: Stop is not possible/),
        expect.stringMatching(/^CommandRefused: vera asked for stop: This needs `stop` on fireboltengines/),
      ]);
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
});
