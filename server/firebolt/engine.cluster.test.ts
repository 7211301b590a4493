import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findCondition } from "@/machines/conditions";
import { crdOf } from "@/machines/crd";
import { type Engine, engineSchema } from "@/machines/firebolt/engine.schema";
import { firebolt } from "@/machines/firebolt/family";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { connectionFrom } from "@/server/kubernetes/connection";
import { isAlreadyExists, isNotFound } from "@/server/kubernetes/errors";
import { type Api, apiVersionOf, type KubernetesObject, pathOf } from "@/server/kubernetes/object";
import { programText } from "@/server/sandbox/programs/node-programs";
import { createReplayCheck } from "@/server/testing/replay-check";
import { createWorker, type Worker } from "@/server/worker";
import { createFireboltReconcilers } from "./reconcilers";

const namespace = `orrery-firebolt-${process.pid}`;
const kubeconfig = process.env.KUBECONFIG ?? "";
const { engine: engineKind, instance } = firebolt.kinds;
/** Ends what hangs: a kubelet with much to do takes its time. */
const limitMs = 120_000;
let client: KubernetesClient;
let worker: Worker;
let lives = 0;
/** One worker for each phase that it is to die in, loaded while the other tests wait for their pods. */
const doomed: ChildProcess[] = [];

beforeAll(async () => {
  if (!kubeconfig) throw new Error("Name a disposable cluster with KUBECONFIG.");
  for (const phase of ["creating", "switching", "draining", "cleaning", "stable", "stopped"]) {
    const script = "server/firebolt/fixtures/kill-at-phase.ts";
    const args = ["--import", "tsx", script, kubeconfig, namespace, phase, `doomed-in-${phase}`];
    doomed.push(spawn(process.execPath, args, { stdio: ["pipe", "ignore", "ignore"] }));
  }
  client = createClient({ connection: await connectionFrom({ kubeconfig }), clock: systemClock });
  for (const kind of Object.values(firebolt.kinds)) {
    await define(crdOf(kind));
    await until(`${kind.api.plural} are served`, () =>
      client.list(kind.api, { limit: 1 }).then(
        () => true,
        () => false,
      ),
    );
  }
  await client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await create(apis.configMap, "stand-in", { data: { "engine.mjs": programText("engine"), firebolt: program } });
  // The instance's own services are not what is looked at here: it is simply ready.
  await create(instance.api, "main", { spec: { id: "01J0000000000000000000TEST", metadata: {}, gateway: {} } });
  const status = { phase: "Ready", metadataReady: true, metadataEndpoint: "main-metadata:7000" };
  await client.patch(instance.api, { namespace, name: "main" }, { status }, { type: "merge", subresource: "status" });
  worker = await startWorker();
});

afterAll(async () => {
  for (const child of doomed) child.kill();
  const { items } = await client.list(engineKind.api, { namespace });
  await worker.stop();
  for (const { metadata } of items) {
    await client.patch(engineKind.api, metadata, { metadata: { finalizers: null } }, { type: "merge" });
  }
  await client.delete(apis.namespace, { name: namespace });
  await client.close();
  history.mustReplay();
});

/** Not by server-side apply: an API server without CEL refuses the rules there, and drops them here. */
async function define(definition: KubernetesObject) {
  try {
    await client.create(apis.customResourceDefinition, definition);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { metadata } = await client.get(apis.customResourceDefinition, definition.metadata);
    const { resourceVersion } = metadata;
    await client.replace(apis.customResourceDefinition, {
      ...definition,
      metadata: { ...definition.metadata, resourceVersion },
    });
  }
}

/** What every engine's image has in this place: the program that the operator starts. */
const program = '#!/bin/sh\nexec node /opt/firebolt/engine.mjs "$@"\n';

function template(version: string, more: Record<string, unknown> = {}) {
  const env = [{ name: "VERSION", value: version }];
  const volumeMounts = [{ name: "stand-in", mountPath: "/opt/firebolt", readOnly: true }];
  return {
    spec: {
      ...more,
      containers: [{ name: "engine", image: "localhost/node:20", imagePullPolicy: "IfNotPresent", env, volumeMounts }],
      volumes: [{ name: "stand-in", configMap: { name: "stand-in", defaultMode: 0o555 } }],
    },
  };
}

const { "firebolt.engine": engineReconciler, "firebolt.engineClass": classReconciler } = createFireboltReconcilers();
const reconcilers = { "firebolt.engine": engineReconciler, "firebolt.engineClass": classReconciler };
const history = createReplayCheck(reconcilers);

async function startWorker(): Promise<Worker> {
  const started = createWorker({
    client: createClient({ connection: await connectionFrom({ kubeconfig }), clock: systemClock }),
    clock: systemClock,
    reconcilers,
    identity: `test-${process.pid}`,
    leaseNamespace: namespace,
    // A lease for each life: whoever was killed cannot give its own back, and nobody waits for that here.
    leaseName: `life-${(lives += 1)}`,
    namespace,
    onPass: history.onPass,
  });
  started.start();
  return started;
}

function create(api: Api, name: string, more: Record<string, unknown>) {
  return client.create(api, { apiVersion: apiVersionOf(api), kind: api.kind, metadata: { name, namespace }, ...more });
}

async function until<T>(what: string, look: () => Promise<T | null | false>): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== null && found !== false) return found;
    if (performance.now() > end) throw new Error(`waited ${limitMs / 1_000} s in vain until ${what}`);
    await systemClock.sleep(100);
  }
}

const engineNamed = async (name: string) => engineSchema.parse(await client.get(engineKind.api, { namespace, name }));
const untilEngine = (name: string, what: string, is: (engine: Engine) => boolean) =>
  until(`engine ${name} ${what}`, async () => {
    const engine = await engineNamed(name);
    return is(engine) && engine;
  });
const ready = ({ status }: Engine) => findCondition(status.conditions, "Ready");
const isServing = (engine: Engine) => ready(engine)?.status === "True";
const servesOn = (generation: number) => (engine: Engine) =>
  isServing(engine) && engine.status.activeGeneration === generation;
const roll = (name: string, version: string) =>
  client.patch(engineKind.api, { namespace, name }, { spec: { template: template(version) } }, { type: "merge" });

const setsOf = async (name: string) => {
  const { items } = await client.list(apis.statefulSet, { namespace, labelSelector: `firebolt.io/engine=${name}` });
  return items.map(({ metadata }) => metadata.name);
};

/** Seconds until something is so, said and not judged: how fast a shared machine is proves nothing. */
async function timed<T>(what: string, wait: Promise<T>): Promise<T> {
  const began = performance.now();
  const found = await wait;
  say(what, performance.now() - began);
  return found;
}

function say(what: string, ms: number) {
  process.stdout.write(`${what}: ${(ms / 1_000).toFixed(1)} s\n`);
}

/** What the engine was promised to say in time, by the stamps of the API server: whole seconds of one clock. */
function expectWithin10s(what: string, since: string | undefined, engine: Engine) {
  const { managedFields = [] } = engine.metadata as { managedFields?: { manager: string; time: string }[] };
  const written = managedFields.filter(({ manager }) => manager === "orrery").map(({ time }) => Date.parse(time));
  const ms = Math.max(...written) - Date.parse(since ?? "");
  say(what, ms);
  expect(ms).toBeGreaterThanOrEqual(0);
  expect(ms).toBeLessThanOrEqual(10_000);
}

/** When the cluster first said that pods of this engine cannot be made. */
async function firstWarning(name: string): Promise<string> {
  const fieldSelector = `involvedObject.name=${name}-g0,type=Warning`;
  const { items } = await client.list(apis.event, { namespace, fieldSelector });
  return items.map(({ firstTimestamp }) => String(firstTimestamp)).sort()[0] ?? "";
}

/** The addresses behind the engine's Service, as the cluster tells them. */
function followEndpoints(name: string) {
  const ending = new AbortController();
  let addresses: string[] = [];
  const followed = (async () => {
    const path = pathOf(apis.endpoints, { namespace });
    const query = { fieldSelector: `metadata.name=${name}-service` };
    for await (const { object } of client.watch(path, { query, signal: ending.signal })) {
      const subsets = (object.subsets ?? []) as { addresses?: { ip: string }[] }[];
      addresses = subsets.flatMap((subset) => (subset.addresses ?? []).map(({ ip }) => ip));
    }
  })().catch(() => undefined);
  return {
    now: () => addresses,
    async stop() {
      ending.abort();
      await followed;
    },
  };
}

test("under load a roll through the Service fails no request", async () => {
  await create(engineKind.api, "load", { spec: { instanceRef: "main", replicas: 2, template: template("1") } });
  await timed("first deploy of two pods", untilEngine("load", "serves", servesOn(0)));
  const endpoints = followEndpoints("load");
  await until("both pods are behind the Service", async () => endpoints.now().length === 2);
  const [failures, served]: [string[], Map<string, number>] = [[], new Map()];
  let [running, sent] = [true, 0];
  const user = async () => {
    while (running) {
      const addresses = endpoints.now();
      const address = addresses[(sent += 1) % Math.max(1, addresses.length)] ?? "";
      const answer = await fetch(`http://${address}:3473/?ms=20`, { method: "POST", body: "select 1" }).catch(String);
      if (typeof answer === "string" || answer.status !== 200) failures.push(`${address}: ${JSON.stringify(answer)}`);
      else {
        const { engine, node } = (await answer.json()) as { engine: string; node: number };
        served.set(engine, node);
      }
    }
  };
  const users = Array.from({ length: 4 }, user);
  await roll("load", "2");
  await timed("roll of two pods under load", untilEngine("load", "serves on generation 1", servesOn(1)));
  running = false;
  await Promise.all(users);
  await endpoints.stop();
  expect(failures).toEqual([]);
  expect([...served.keys()].some((pod) => pod.startsWith("load-g0"))).toBe(true);
  expect([...served.keys()].some((pod) => pod.startsWith("load-g1"))).toBe(true);
  // Whatever the version of the cluster: an old one sets no label that a pod could have its number from.
  expect([...served].filter(([pod, node]) => !pod.endsWith(`-${node}`))).toEqual([]);
});

test("a held query keeps the old generation until it ends", async () => {
  const pod = await client.get(apis.pod, { namespace, name: "load-g1-0" });
  const url = `http://${String(pod.status?.podIP)}:3473`;
  const query = fetch(`${url}/?hold=slow`, { method: "POST", body: "select 1" });
  await until("the query runs", async () => (await (await fetch(`${url}/queries`)).text()).includes("slow"));
  await client.patch(
    engineKind.api,
    { namespace, name: "load" },
    { spec: { drainCheckInterval: "1s" } },
    { type: "merge" },
  );
  await roll("load", "3");
  await untilEngine("load", "drains", ({ status }) => status.phase === "draining");
  // Several looks at the old pods later it still drains.
  await systemClock.sleep(4_000);
  expect((await engineNamed("load")).status).toMatchObject({ phase: "draining", drainingGeneration: 1 });
  expect(await fetch(`${url}/release?name=slow`, { method: "POST" }).then(({ status }) => status)).toBe(200);
  expect((await query).status).toBe(200);
  await untilEngine("load", "serves on generation 2", servesOn(2));
});

test("within 10 s a missing ServiceAccount is told on the engine, and 10 s after it is there no more", async () => {
  await create(engineKind.api, "orphan", {
    spec: { instanceRef: "main", replicas: 1, template: template("1", { serviceAccountName: "nobody" }) },
  });
  const because = (engine: Engine) => ready(engine)?.reason === "FailedCreate";
  const stuck = await untilEngine("orphan", "tells", because);
  expect(ready(stuck)?.message).toMatch(/^StatefulSet orphan-g0: .*nobody.* \(x\d+\)$/);
  expectWithin10s("a missing ServiceAccount is told", await firstWarning("orphan"), stuck);
  const { metadata } = await create(apis.serviceAccount, "nobody", {});
  const past = await untilEngine("orphan", "is past it", (engine) => !because(engine));
  expectWithin10s("the message is gone", metadata.creationTimestamp, past);
  await untilEngine("orphan", "serves", isServing);
});

test("within 10 s an exceeded quota is told on the engine, and 10 s after there is room no more", async () => {
  await create(apis.resourceQuota, "none", { spec: { hard: { pods: "0" } } });
  await until("the quota counts", async () => {
    const quota = await client.get(apis.resourceQuota, { namespace, name: "none" });
    return JSON.stringify(quota.status ?? {}).includes("used");
  });
  await create(engineKind.api, "crowded", { spec: { instanceRef: "main", replicas: 1, template: template("1") } });
  const because = (engine: Engine) => ready(engine)?.message.includes("exceeded quota") === true;
  const stuck = await untilEngine("crowded", "tells", because);
  expectWithin10s("an exceeded quota is told", await firstWarning("crowded"), stuck);
  await client.delete(apis.resourceQuota, { namespace, name: "none" });
  // A deletion has no stamp that stays; what is made right after it has.
  const { metadata } = await create(apis.configMap, "quota-is-gone", {});
  const past = await untilEngine("crowded", "is past it", (engine) => !because(engine));
  expectWithin10s("the message is gone", metadata.creationTimestamp, past);
  await untilEngine("crowded", "serves", isServing);
});

test("a template with a field that no pod has is told on the engine, and mended by the next edit", async () => {
  const spec = { instanceRef: "main", replicas: 1 };
  await create(engineKind.api, "typo", { spec: { ...spec, template: template("1", { imagePullSecret: "x" }) } });
  const refused = await untilEngine("typo", "tells", (engine) => ready(engine)?.reason === "Invalid");
  expect(ready(refused)?.message).toContain(".spec.template.spec.imagePullSecret");
  const mended = { spec: { template: { spec: { imagePullSecret: null } } } };
  await client.patch(engineKind.api, { namespace, name: "typo" }, mended, { type: "merge" });
  await untilEngine("typo", "serves", isServing);
});

test("a worker that is killed with -9 as it enters each phase loses nothing", async () => {
  await worker.stop();
  // The metrics of the old pods through the API server this time.
  const scrape = { spec: { metricScrapeMode: "ApiserverProxy" } };
  await client.patch(instance.api, { namespace, name: "main" }, scrape, { type: "merge" });
  await roll("load", "4");
  const lastDoomed = doomed.at(-1);
  for (const child of doomed) {
    // Stopped is no phase of that roll: the last of them dies on the way to no pods at all.
    if (child === lastDoomed) {
      await client.patch(engineKind.api, { namespace, name: "load" }, { spec: { replicas: 0 } }, { type: "merge" });
    }
    const timer = setTimeout(() => child.kill("SIGTERM"), limitMs);
    const ended = new Promise((resolve) => child.once("exit", (_, by) => resolve(by)));
    child.stdin?.write("go\n");
    expect(await ended).toBe("SIGKILL");
    clearTimeout(timer);
  }
  worker = await startWorker();
  await untilEngine("load", "is stopped", ({ status }) => status.phase === "stopped" && status.activeGeneration === 4);
  expect(await setsOf("load")).toEqual(["load-g4"]);
  await client.patch(engineKind.api, { namespace, name: "load" }, { spec: { replicas: 2 } }, { type: "merge" });
  await untilEngine("load", "serves on generation 5", servesOn(5));
  expect(await setsOf("load")).toEqual(["load-g5"]);
});

test("a deleted engine leaves nothing behind", async () => {
  await client.delete(engineKind.api, { namespace, name: "load" });
  await until("the engine is gone", () => engineNamed("load").then(() => false, isNotFound));
  for (const api of [apis.statefulSet, apis.service, apis.configMap]) {
    const { items } = await client.list(api, { namespace, labelSelector: "firebolt.io/engine=load" });
    expect(items).toEqual([]);
  }
});
