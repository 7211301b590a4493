import { describe, expect, test } from "vitest";
import { findCondition } from "@/machines/conditions";
import { observed } from "@/machines/lifecycle";
import { createPlayedInstance } from "./fixtures/played-instance";
import { computeInstance } from "./instance.compute";
import { readInstance } from "./instance.read";

type PlayedInstance = ReturnType<typeof createPlayedInstance>;
const conditionOf = (played: PlayedInstance, type: string) => findCondition(played.instance().status.conditions, type);
const phaseOf = (played: PlayedInstance) => played.instance().status.phase;
const namesOf = (played: PlayedInstance) =>
  ["Deployment", "StatefulSet", "Service", "ConfigMap", "Secret"].flatMap((kind) =>
    played.all(kind).map(({ metadata }) => `${kind} ${metadata.name}`),
  );

async function ready(spec: Record<string, unknown> = {}) {
  const played = createPlayedInstance(spec);
  await played.ready();
  expect(phaseOf(played)).toBe("Ready");
  return played;
}

const external = {
  metadata: { postgres: { host: "db.example", database: "meta", credentialsSecretRef: { name: "db-login" } } },
};
const login = (data: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "db-login", namespace: "shop" },
  data,
});

describe("what an instance is made of", () => {
  test("metadata service, gateway and a PostgreSQL of its own", async () => {
    expect(namesOf(await ready())).toEqual([
      "Deployment main-metadata",
      "Deployment main-gateway",
      "StatefulSet main-metadata-pg",
      "Service main-metadata-pg",
      "Service main-metadata",
      "Service main-gateway",
      "ConfigMap main-gateway-config",
      "Secret main-metadata-postgres-creds",
    ]);
  });

  test("no PostgreSQL where another is named, whose credentials the metadata service reads", async () => {
    const played = createPlayedInstance(external);
    played.put(login({ username: "dQ==", password: "cA==" }));
    await played.ready();
    expect(phaseOf(played)).toBe("Ready");
    expect(played.all("StatefulSet")).toEqual([]);
    expect(played.all("Secret")).toHaveLength(1);
    const pod = JSON.stringify(played.get("Deployment", "main-metadata")?.spec);
    expect(pod).toContain('"value":"db.example"');
    expect(pod).toContain('"secretKeyRef":{"name":"db-login","key":"password"}');
  });

  test("what somebody removes or changes is put back", async () => {
    const played = await ready();
    played.remove("Service", "main-gateway");
    const gateway = played.get("Deployment", "main-gateway");
    if (gateway) played.put({ ...gateway, spec: { ...gateway.spec, replicas: 7 } });
    await played.pass();
    expect(played.get("Service", "main-gateway")).not.toBeNull();
    expect(played.get("Deployment", "main-gateway")?.spec?.replicas).toBe(2);
  });

  test("what the spec asks for no longer is taken away", async () => {
    const played = await ready();
    const annotated = { template: { metadata: { annotations: { team: "a" } } } };
    const podOf = () => JSON.stringify(played.get("Deployment", "main-metadata")?.spec);
    played.change({ metadata: annotated });
    await played.pass();
    expect(podOf()).toContain('"team":"a"');
    played.change({ metadata: {} });
    await played.pass();
    expect(podOf()).not.toContain("team");
  });

  test("a resting instance writes nothing", async () => {
    const played = await ready();
    const before = played.get("FireboltInstance", "main")?.status;
    const plan = await played.pass();
    expect(plan).toMatchObject({ effects: [], requeueAfterMs: 30_000 });
    expect(played.get("FireboltInstance", "main")?.status).toEqual(before);
  });
});

describe("its id", () => {
  test("is generated once and stays", async () => {
    const played = await ready();
    const { id } = played.instance().spec;
    expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    for (let turn = 0; turn < 3; turn++) await played.pass();
    expect(played.instance().spec.id).toBe(id);
    expect(JSON.stringify(played.get("Deployment", "main-metadata"))).toContain(id);
  });

  test("is the user's where he names one", async () => {
    expect((await ready({ id: "mine" })).instance()).toMatchObject({
      spec: { id: "mine" },
      status: { observedId: "mine" },
    });
  });

  test("that was taken away is put back", async () => {
    const played = await ready({ id: "mine" });
    played.change({ id: undefined });
    await played.pass();
    expect(played.instance().spec.id).toBe("mine");
    expect(phaseOf(played)).toBe("Ready");
  });

  test("that was changed fails the instance for good, even when it is changed back", async () => {
    const played = await ready({ id: "mine" });
    played.change({ id: "other" });
    await played.pass();
    expect(phaseOf(played)).toBe("Failed");
    expect(conditionOf(played, "Ready")).toMatchObject({ status: "False", reason: "IdChanged" });
    played.change({ id: "mine" });
    expect(await played.pass()).toMatchObject({ effects: [], requeueAfterMs: 300_000 });
    expect(phaseOf(played)).toBe("Failed");
    expect(conditionOf(played, "Ready")).toMatchObject({ reason: "IdChanged" });
  });
});

describe("phases", () => {
  test("a new instance is Provisioning until metadata service and gateway are ready", async () => {
    const played = createPlayedInstance();
    await played.pass();
    expect(conditionOf(played, "Ready")).toMatchObject({ status: "False", reason: "Initializing" });
    await played.pass();
    played.setReady("StatefulSet", "main-metadata-pg", 1);
    played.setReady("Deployment", "main-metadata", 1);
    expect(await played.pass()).toMatchObject({ requeueAfterMs: 5_000 });
    expect(played.instance().status).toMatchObject({ phase: "Provisioning", metadataReady: true, gatewayReady: false });
    expect(conditionOf(played, "Ready")).toMatchObject({ reason: "Provisioning" });
    played.playAll();
    await played.pass();
    expect(phaseOf(played)).toBe("Ready");
    expect(conditionOf(played, "Ready")).toMatchObject({ status: "True", reason: "AllComponentsReady" });
  });

  test.each([
    ["Deployment", "main-metadata"],
    ["StatefulSet", "main-metadata-pg"],
  ])("without its %s %s a ready instance is Degraded and tells no metadata endpoint", async (kind, name) => {
    const played = await ready();
    expect(played.instance().status.metadataEndpoint).toBe("main-metadata.shop.svc.cluster.local:7000");
    played.setReady(kind, name, 0);
    await played.pass();
    expect(played.instance().status).toMatchObject({ phase: "Degraded", metadataReady: false });
    expect(played.instance().status).not.toHaveProperty("metadataEndpoint");
    played.playAll();
    await played.pass();
    expect(played.instance().status).toMatchObject({ phase: "Ready", metadataReady: true });
    expect(played.instance().status.metadataEndpoint).toBeDefined();
  });

  test("without its gateway it is Degraded, and engines may go on: the metadata endpoint stays", async () => {
    const played = await ready();
    played.setReady("Deployment", "main-gateway", 0);
    await played.pass();
    expect(played.instance().status).toMatchObject({ phase: "Degraded", gatewayReady: false, metadataReady: true });
    expect(played.instance().status.metadataEndpoint).toBeDefined();
    expect(conditionOf(played, "GatewayReady")).toMatchObject({ status: "False" });
  });

  test("a database whose credentials are lost fails the instance, which is not tried again and again", async () => {
    const played = await ready();
    played.remove("Secret", "main-metadata-postgres-creds");
    expect(await played.pass()).toMatchObject({ effects: [], requeueAfterMs: 300_000 });
    expect(conditionOf(played, "Ready")).toMatchObject({ reason: "PostgresCredentialsLost" });
    expect(played.instance().status).toMatchObject({ phase: "Failed", metadataReady: false });
    expect(played.get("Secret", "main-metadata-postgres-creds")).toBeNull();
  });
});

test("credentials that a cache does not show yet are neither written over nor taken for lost", async () => {
  const played = await ready();
  const world = played.world();
  const get: typeof world.get = (api, ref) => (api.kind === "Secret" ? Promise.resolve(null) : world.get(api, ref));
  const plan = computeInstance(await readInstance(played.instance(), { ...world, get }), observed, 0);
  expect(plan.effects).toEqual([]);
  expect(plan.status).toMatchObject({ phase: "Ready" });
});

describe("bad input", () => {
  test.each([
    ["does not exist", null, "Secret db-login does not exist"],
    ["lacks a key", { username: "dQ==" }, "Secret db-login has no key password"],
  ])("a Secret of another PostgreSQL that %s is named, and mended once it is right", async (_, data, message) => {
    const played = createPlayedInstance(external);
    if (data) played.put(login(data));
    await played.ready();
    expect(phaseOf(played)).toBe("Provisioning");
    expect(conditionOf(played, "MetadataReady")).toMatchObject({ reason: "PostgresSecretPreflightFailed", message });
    expect(played.all("Deployment")).toEqual([]);
    played.put(login({ username: "dQ==", password: "cA==" }));
    await played.ready();
    expect(phaseOf(played)).toBe("Ready");
  });

  test.each([
    ["metadata", "metadata", "spec.metadata.template.spec.containers[metadata].command"],
    ["gateway", "envoy", "spec.gateway.template.spec.containers[envoy].command"],
  ])("an owned field in the %s template is told, and what serves goes on serving", async (part, container, path) => {
    const played = await ready();
    played.change({ [part]: { template: { spec: { containers: [{ name: container, command: ["sh"] }] } } } });
    await played.pass();
    expect(played.instance().status).toMatchObject({ phase: "Degraded", metadataReady: true, gatewayReady: true });
    expect(conditionOf(played, "Ready")).toMatchObject({ status: "False", reason: "TemplateRejected" });
    expect(conditionOf(played, "Ready")?.message).toContain(path);
    played.change({ [part]: {} });
    await played.pass();
    expect(phaseOf(played)).toBe("Ready");
  });
});

test("a kind that cannot be listed holds up no other, and the instance stays until all was looked at", async () => {
  const played = await ready();
  played.leave();
  const { live, ...world } = played.world();
  const list: typeof live.list = (api, where) =>
    api.kind === "Secret" ? Promise.reject(new Error("no answer")) : live.list(api, where);
  const plan = computeInstance(
    await readInstance(played.instance(), { ...world, live: { ...live, list } }),
    observed,
    0,
  );
  expect(plan.effects).toHaveLength(7);
  expect(plan.effects.every(({ type }) => type === "delete")).toBe(true);
  expect(plan.failure).toEqual({ kind: "transient", message: "secrets cannot be listed: no answer" });
});

test("a deleted instance takes all its objects with it, its finalizer last", async () => {
  const played = await ready();
  played.leave();
  const plan = await played.pass();
  expect(plan.effects.at(-1)).toEqual({ type: "removeFinalizer", finalizer: "compute.firebolt.io/instance-cleanup" });
  expect(namesOf(played)).toEqual([]);
});
