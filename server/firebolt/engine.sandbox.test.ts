import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCondition } from "@/machines/conditions";
import { type Engine, engineSchema } from "@/machines/firebolt/engine.schema";
import { firebolt } from "@/machines/firebolt/family";
import { apis } from "@/server/kubernetes/apis";
import { applyCommand } from "@/server/reconcile/apply";
import { createLiveWorld } from "@/server/reconcile/live-world";
import { createFireboltReconcilers } from "./reconcilers";
import { createFireboltFleet, type FireboltFleet } from "./fixtures/firebolt-fleet";

const { engine: engineKind, engineClass, instance } = firebolt.kinds;
let fleet: FireboltFleet;

beforeAll(async () => {
  fleet = await createFireboltFleet();
  await fleet.create(instance.api, { metadata: { name: "main" }, spec: { metadata: {}, gateway: {} } });
});
afterAll(() => fleet.stop());

const ready = ({ status }: Engine) => findCondition(status.conditions, "Ready");
const isServing = (engine: Engine) => ready(engine)?.status === "True";
const servesOn = (generation: number) => (engine: Engine) =>
  isServing(engine) && engine.status.activeGeneration === generation;
const because = (reason: string) => (engine: Engine) => ready(engine)?.reason === reason;
const inPhase = (phase: string) => (engine: Engine) => engine.status.phase === phase;

async function deploy(name: string, spec: Record<string, unknown> = {}) {
  await fleet.create(engineKind.api, { metadata: { name }, spec: { instanceRef: "main", replicas: 1, ...spec } });
}

async function running(name: string, spec: Record<string, unknown> = {}) {
  await deploy(name, spec);
  return await fleet.untilEngine(name, "serves", isServing);
}

const patch = (name: string, spec: Record<string, unknown>) => fleet.patch(engineKind.api, name, { spec });
const image = (tag: string) => ({
  template: { spec: { containers: [{ name: "engine", image: `ghcr.io/firebolt-db/engine:${tag}` }] } },
});

async function command(name: string, type: string, args: Record<string, unknown> = {}) {
  const reconciler = createFireboltReconcilers()["firebolt.engine"];
  const object = await fleet.client.get(engineKind.api, { namespace: "shop", name });
  const world = createLiveWorld({ client: fleet.client, clock: fleet.clock });
  const seen = await reconciler.read(engineSchema.parse(object), world);
  const plan = reconciler.compute(seen, { type, ...args }, fleet.clock.now());
  await applyCommand({ client: fleet.client, kind: engineKind, object, plan });
}

async function objectsOf(name: string): Promise<string[]> {
  const where = { namespace: "shop", labelSelector: `firebolt.io/engine=${name}` };
  const lists = await Promise.all(
    [apis.statefulSet, apis.service, apis.configMap].map((api) => fleet.client.list(api, where)),
  );
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)).sort();
}

async function queryPort(pod: string): Promise<string> {
  const object = await fleet.client.get(apis.pod, { namespace: "shop", name: pod });
  return `http://${String(object.status?.podIP)}:3473`;
}

describe("life of an engine", () => {
  test("an instance brings up its services and says where its metadata is", async () => {
    const object = await fleet.until("the instance is ready", async () => {
      const seen = await fleet.find(instance.api, "main");
      return seen?.status?.phase === "Ready" && seen;
    });
    expect(object.spec?.id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(object.status).toMatchObject({ metadataEndpoint: "main-metadata.shop.svc.cluster.local:7000" });
  });

  test("a first deploy serves on generation 0, and the Service leads to its pods", async () => {
    const engine = await running("first", { replicas: 2 });
    expect(engine.status).toMatchObject({ phase: "stable", readyReplicas: 2, observedGeneration: 1 });
    await fleet.until("the Service has both pods", async () => {
      const endpoints = JSON.stringify(await fleet.find(apis.endpoints, "first-service"));
      return endpoints.includes("first-g0-0") && endpoints.includes("first-g0-1");
    });
    expect(await objectsOf("first")).toEqual(["first-g0", "first-g0-config", "first-g0-hl", "first-service"]);
  });

  test("a roll leaves one generation and costs at most 14 writes", async () => {
    const before = fleet.passes.length;
    await patch("first", image("2"));
    await fleet.untilEngine("first", "serves on generation 1", servesOn(1));
    expect(await objectsOf("first")).toEqual(["first-g1", "first-g1-config", "first-g1-hl", "first-service"]);
    const writes = fleet.passes
      .slice(before)
      .filter(({ kind, key }) => kind === "firebolt.engine" && key.name === "first")
      .flatMap((pass) => pass.writes.filter(({ outcome }) => outcome === "done"));
    expect(writes.map(({ sentence }) => sentence).length).toBeLessThanOrEqual(14);
  });

  test("a query that runs on the old generation keeps it until it ends", async () => {
    const url = await queryPort("first-g1-0");
    const query = fetch(`${url}/?hold=slow`, { method: "POST", body: "select 1" });
    await fleet.until("the query runs", async () => (await (await fetch(`${url}/queries`)).text()).includes("slow"));
    await patch("first", image("3"));
    await fleet.untilEngine("first", "drains", inPhase("draining"));
    await fleet.clock.advance(30_000);
    expect((await fleet.engine("first")).status).toMatchObject({ phase: "draining", drainingGeneration: 1 });
    await fetch(`${url}/release?name=slow`, { method: "POST" });
    expect((await query).status).toBe(200);
    await fleet.untilEngine("first", "serves on generation 2", servesOn(2));
  });

  test("a query that nobody wants to wait for is left behind by skipDrain", async () => {
    const url = await queryPort("first-g2-0");
    const query = fetch(`${url}/?hold=stuck`, { method: "POST", body: "select 1" }).catch(() => null);
    await fleet.until("the query runs", async () => (await (await fetch(`${url}/queries`)).text()).includes("stuck"));
    await patch("first", image("4"));
    await fleet.untilEngine("first", "drains", inPhase("draining"));
    await command("first", "skipDrain");
    await fleet.untilEngine("first", "serves on generation 3", servesOn(3));
    await fleet.until("the old pod is gone", async () => (await fleet.find(apis.pod, "first-g2-0")) === null);
    await query;
  });

  test("stop ends all pods, and start brings back as many as there were", async () => {
    await command("first", "stop");
    const stopped = await fleet.untilEngine("first", "is stopped", inPhase("stopped"));
    expect(ready(stopped)).toMatchObject({ status: "False", reason: "Stopped" });
    await command("first", "start");
    const started = await fleet.untilEngine("first", "serves again", isServing);
    expect(started.spec.replicas).toBe(2);
  });

  test("scale and restart each roll to a new generation", async () => {
    const before = (await fleet.engine("first")).status.activeGeneration;
    await command("first", "scale", { replicas: 1 });
    await fleet.untilEngine("first", "is scaled", servesOn(before + 1));
    await command("first", "restart");
    const engine = await fleet.untilEngine("first", "is restarted", servesOn(before + 2));
    expect(engine.status.readyReplicas).toBe(1);
  });

  test.each(["creating", "switching", "draining", "cleaning"])(
    "a worker that dies as the engine enters %s is replaced without harm",
    async (phase) => {
      const before = (await fleet.engine("first")).status.activeGeneration;
      await patch("first", image(`after-${phase}`));
      const since = fleet.passes.length;
      const seenIn = () =>
        fleet.passes.slice(since).some(({ plan, key }) => key.name === "first" && plan?.steps.phase?.to === phase);
      await fleet.until(`a pass ends in ${phase}`, async () => seenIn());
      await fleet.restartWorker();
      await fleet.untilEngine("first", "serves the next generation", servesOn(before + 1));
      expect(await objectsOf("first")).toHaveLength(4);
    },
  );

  test("an engine with a claim takes its volumes with the generation", async () => {
    await running("claimed", { storage: { persistentVolumeClaim: { size: "1Gi" } } });
    await patch("claimed", { ...image("2"), drainCheckEnabled: false });
    await fleet.untilEngine("claimed", "serves on generation 1", servesOn(1));
    await fleet.until("only the new claim is left", async () => {
      const { items } = await fleet.client.list(apis.persistentVolumeClaim, {
        namespace: "shop",
        labelSelector: "firebolt.io/engine=claimed",
      });
      return items.map(({ metadata }) => metadata.name).join() === "data-claimed-g1-0";
    });
  });

  test("a deleted engine leaves nothing behind, even in the middle of a roll", async () => {
    await patch("claimed", image("3"));
    await fleet.untilEngine("claimed", "rolls", inPhase("creating"));
    await fleet.client.delete(engineKind.api, { namespace: "shop", name: "claimed" }, {});
    await fleet.until("the engine is gone", async () => (await fleet.find(engineKind.api, "claimed")) === null);
    await fleet.until("its pods are gone", async () => {
      const where = { namespace: "shop", labelSelector: "firebolt.io/engine=claimed" };
      return (await fleet.client.list(apis.pod, where)).items.length === 0;
    });
    expect(await objectsOf("claimed")).toEqual([]);
  });
});

describe("classes", () => {
  const classTemplate = (value: string) => ({
    template: { spec: { containers: [{ name: "engine", env: [{ name: "MODE", value }] }] } },
  });

  test("an edit rolls exactly the engines that name the class", async () => {
    await fleet.create(engineClass.api, { metadata: { name: "big" }, spec: classTemplate("a") });
    await running("classed", { engineClassRef: "big" });
    await running("plain");
    await fleet.create(engineClass.api, { metadata: { name: "small" }, spec: classTemplate("a") });
    await running("of-another-class", { engineClassRef: "small" });
    await fleet.patch(engineClass.api, "big", { spec: classTemplate("b") });
    await fleet.untilEngine("classed", "serves on generation 1", servesOn(1));
    await fleet.clock.advance(60_000);
    for (const other of ["plain", "of-another-class"]) {
      expect((await fleet.engine(other)).status).toMatchObject({ phase: "stable", currentGeneration: 0 });
    }
    const set = await fleet.find(apis.statefulSet, "classed-g1");
    expect(JSON.stringify(set?.spec)).toContain('"value":"b"');
  });

  test("a class counts its engines and stays while one names it", async () => {
    await fleet.until("the class counts one engine", async () => {
      const seen = await fleet.find(engineClass.api, "big");
      return seen?.status?.boundEngines === 1;
    });
    await fleet.client.delete(engineClass.api, { namespace: "shop", name: "big" }, {});
    await fleet.until("the deletion is blocked", async () =>
      JSON.stringify((await fleet.find(engineClass.api, "big"))?.status).includes("DeletionBlocked"),
    );
    await fleet.patch(engineKind.api, "classed", { spec: { engineClassRef: null } });
    await fleet.until("the class is gone", async () => (await fleet.find(engineClass.api, "big")) === null);
    await fleet.untilEngine("classed", "serves without its class", servesOn(2));
  });

  test("a class with an owned field holds its engines and names the field", async () => {
    await fleet.create(engineClass.api, { metadata: { name: "bad" }, spec: { template: { spec: { hostPID: true } } } });
    await deploy("held", { engineClassRef: "bad" });
    const engine = await fleet.untilEngine("held", "is held", because("FireboltEngineClassUnready"));
    expect(ready(engine)?.message).toContain("spec.template.spec.hostPID");
    await fleet.patch(engineClass.api, "bad", { spec: { template: { spec: { hostPID: null } } } });
    await fleet.untilEngine("held", "serves once the class is good", isServing);
  });
});

describe("trouble", () => {
  test("an instance that is lost holds a resting engine and not a rollout", async () => {
    await fleet.create(instance.api, { metadata: { name: "other" }, spec: { metadata: {}, gateway: {} } });
    await running("guest", { instanceRef: "other" });
    await fleet.patch(apis.deployment, "other-metadata", {
      spec: { template: { metadata: { annotations: { "sandbox.orrery.dev/ready-delay": "never" } } } },
    });
    await fleet.client.delete(instance.api, { namespace: "shop", name: "other" }, {});
    const engine = await fleet.untilEngine("guest", "waits", because("InstanceNotReady"));
    expect(engine.status.phase).toBe("stable");
    expect(findCondition(engine.status.conditions, "InstanceReady")?.message).toContain('"other" does not exist');
    expect(await objectsOf("guest")).toHaveLength(4);
  });

  test.each([46, 60, 100, 253])(
    "a name of %i characters is told as a condition, can be explained, and goes again",
    async (length) => {
      const name = "n".repeat(length);
      await deploy(name);
      const engine = await fleet.untilEngine(name, "is refused", because("NameRejected"));
      expect(ready(engine)?.message).toContain("at most 45 characters");
      const world = createLiveWorld({ client: fleet.client, clock: fleet.clock });
      expect(await createFireboltReconcilers()["firebolt.engine"].read(engine, world)).toMatchObject({ owned: [] });
      await fleet.client.delete(engineKind.api, { namespace: "shop", name });
      await fleet.until("it is gone", async () => (await fleet.find(engineKind.api, name)) === null);
    },
  );

  test("no password of an instance is in anything that a pass tells", async () => {
    const secret = await fleet.client.get(apis.secret, { namespace: "shop", name: "main-metadata-postgres-creds" });
    const { password = "" } = secret.data as { password?: string };
    expect(password.length).toBeGreaterThan(30);
    const told = JSON.stringify(fleet.passes);
    expect(told).not.toContain(password);
    expect(told).not.toContain(Buffer.from(password, "base64").toString());
  });
});
