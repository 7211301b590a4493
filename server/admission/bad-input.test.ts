import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCondition } from "@/machines/conditions";
import { type Engine } from "@/machines/firebolt/engine.schema";
import { firebolt } from "@/machines/firebolt/family";
import { createFireboltFleet, type FireboltFleet } from "@/server/firebolt/fixtures/firebolt-fleet";
import { apis } from "@/server/kubernetes/apis";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { silentLog } from "@/server/observability/log";
import { type Admission, startAdmission } from "./admission";

const { engine, engineClass, instance } = firebolt.kinds;
const ready = ({ status }: Engine) => findCondition(status.conditions, "Ready");

describe.each([
  ["without the webhook", false],
  ["with the webhook", true],
])("%s", (_, isJudged) => {
  let fleet: FireboltFleet;
  let admission: Admission | null = null;
  let others: KubernetesObject[];
  let serial = 0;

  beforeAll(async () => {
    fleet = await createFireboltFleet({ bounds: { memory: "16Gi" } });
    await fleet.create(instance.api, { metadata: { name: "main" }, spec: { metadata: {}, gateway: {} } });
    for (const [name, replicas] of [
      ["serving", 1],
      ["stopped", 0],
    ] as const) {
      await fleet.create(engine.api, { metadata: { name }, spec: { instanceRef: "main", replicas } });
      await fleet.untilEngine(name, "rests", ({ status }) => status.phase === (replicas > 0 ? "stable" : "stopped"));
    }
    others = await lookAtOthers();
    if (!isJudged) return;
    const { client } = fleet;
    // Certificates are judged by the clock of the TLS library.
    const clock = createVirtualClock({ startMs: Date.now() });
    const place = { host: "127.0.0.1", port: 0, url: "https://127.0.0.1:{port}", namespace: "default" };
    admission = await startAdmission({ client, clock, log: silentLog, bounds: { memory: "16Gi" }, ...place });
  });
  afterAll(async () => {
    await admission?.stop();
    await fleet.stop();
  });

  const lookAtOthers = () =>
    Promise.all(["serving", "stopped"].map((name) => fleet.client.get(engine.api, { namespace: "shop", name })));
  const deploy = (spec: Record<string, unknown>, name = `bad-${(serial += 1)}`) =>
    fleet.create(engine.api, { metadata: { name }, spec: { instanceRef: "main", replicas: 1, ...spec } });
  const container = (more: Record<string, unknown>) => ({
    template: { spec: { containers: [{ name: "engine", ...more }] } },
  });

  const isTold = async ({ metadata: { name } }: KubernetesObject, reason: string, words: string) => {
    const seen = await fleet.untilEngine(name, `says ${reason}`, (one) => ready(one)?.reason === reason);
    const instanceReady = findCondition(seen.status.conditions, "InstanceReady");
    expect(`${ready(seen)?.message}; ${instanceReady?.message}`).toContain(words);
    expect(await fleet.find(apis.statefulSet, `${name}-g0`)).toBeNull();
  };

  test.each([
    ["an unknown instance", { instanceRef: "nowhere" }, "InstanceNotReady", '"nowhere" does not exist'],
    ["an unknown class", { engineClassRef: "nothing" }, "FireboltEngineClassNotFound", '"nothing" does not exist'],
  ])("%s, which may be made later, is told in a condition", async (_, spec, reason, words) => {
    await isTold(await deploy(spec), reason, words);
  });

  test.each([
    ["a negative number of replicas", { replicas: -1 }, "spec.replicas"],
    ["more pods than a config could name", { replicas: 2_000_000_000 }, "spec.replicas"],
    ["a config that is not an object", { customEngineConfig: "fast" }, "spec.customEngineConfig"],
    ["a template whose containers are no list", { template: { spec: { containers: "engine" } } }, "spec.template"],
    ["no instance", { instanceRef: "" }, "spec.instanceRef"],
  ])("%s is refused, with the field's name", async (_, spec, path) => {
    await expect(deploy(spec)).rejects.toThrow(path);
  });

  test("a name of 300 characters is refused", async () => {
    await expect(deploy({}, "n".repeat(300))).rejects.toThrow(/metadata.name/);
  });

  const judgement = isJudged ? "refused" : "told in a condition";

  test.each([
    ["an owned field", container({ command: ["sh"] }), "TemplateRejected", "containers[engine].command"],
    ["a size that is none", { storage: { emptyDir: { sizeLimit: "much" } } }, "TemplateRejected", "sizeLimit"],
    ["too much memory", container({ resources: { limits: { memory: "17Gi" } } }), "ResourceBoundsExceeded", "17Gi"],
  ])(`%s is ${judgement}, by its path`, async (_, spec, reason, words) => {
    if (isJudged) await expect(deploy(spec)).rejects.toThrow(words);
    else await isTold(await deploy(spec), reason, words);
  });

  test(`a name that its pods could not have is ${judgement}`, async () => {
    const name = "n".repeat(46);
    if (isJudged) await expect(deploy({}, name)).rejects.toThrow("at most 45 characters");
    else await isTold(await deploy({}, name), "NameRejected", "at most 45 characters");
  });

  test(`a class with an owned field is ${judgement}, by its path`, async () => {
    const spec = { template: { spec: { hostNetwork: true } } };
    const make = () => fleet.create(engineClass.api, { metadata: { name: "bad" }, spec });
    if (isJudged) {
      await expect(make()).rejects.toThrow("spec.template.spec.hostNetwork");
      return;
    }
    await make();
    await isTold(
      await deploy({ engineClassRef: "bad" }),
      "FireboltEngineClassUnready",
      "spec.template.spec.hostNetwork",
    );
  });

  test("and nothing of it has made anybody write to another engine", async () => {
    await fleet.clock.advance(60_000);
    expect(await lookAtOthers()).toEqual(others);
  });
});
