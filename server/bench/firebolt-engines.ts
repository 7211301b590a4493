import { firebolt } from "@/machines/firebolt/family";
import { createFireboltReconcilers } from "@/server/firebolt/reconcilers";
import { apis } from "@/server/kubernetes/apis";
import { clientOver, type KubernetesClient } from "@/server/kubernetes/client";
import { isAlreadyExists } from "@/server/kubernetes/errors";
import { type Api, apiVersionOf, type KubernetesObject, pathOf } from "@/server/kubernetes/object";
import { createTransport, type Send } from "@/server/kubernetes/transport";
import { createWorker } from "@/server/worker";
import { type Bench, type BenchGroup, type Figure } from "./bench-group";
import { defineKinds } from "./define-kinds";
import { round } from "./sample";
import { openStatusWatch } from "./status-watch";
import { podRevision } from "./pod-revision";

const ENGINES = 500;
const WRITERS = 16;
const QUIET_MS = 60_000;
const { engine, instance } = firebolt.kinds;

/** Engines from nothing to serving on pods that are played, against the server's own time for the very same writes. */
export const fireboltEngines: BenchGroup = {
  key: "fireboltEngines",
  title: "Firebolt engines: created at once, rolled, and left alone",
  run: async (bench) => {
    const count = Math.ceil(ENGINES / bench.scale);
    await defineKinds(bench.client, Object.values(firebolt.kinds));
    const namespace = await bench.namespace("engines");
    bench.undo(() => letGo(bench.client, namespace));
    await readyInstance(bench.client, namespace);
    const { worker, sent } = recordingWorker(bench, namespace);
    const player = playPods(bench, namespace, sent);
    const watch = await openStatusWatch(bench.client, engine.api, namespace);
    const serving = (name: string, generation: number) =>
      watch.seen(namespace, name, ({ status }) => status?.phase === "stable" && status.activeGeneration === generation);
    worker.start();
    await worker.synced();

    const names = Array.from({ length: count }, (_, index) => `e-${index}`);
    const all = Promise.all(names.map((name) => serving(name, 0)));
    const cpu = process.cpuUsage();
    const loopMs = await timed(async () => {
      await eachOf(names, (name) => create(bench.client, namespace, name));
      await all;
    });
    const { user, system } = process.cpuUsage(cpu);
    const writes = sent.filter(isCounted);
    bench.say(`  ${count} engines serve`);

    const quietMs = QUIET_MS / bench.scale;
    await settled(bench, sent);
    const before = sent.length;
    await bench.clock.sleep(quietMs);
    const quiet = sent.slice(before).filter(({ path }) => !path.includes("/leases/"));

    bench.say(`  quiet: ${quiet.length} requests`);
    const rolled = sent.length;
    const seen = serving("e-0", 1);
    await roll(bench.client, namespace, "e-0");
    await seen;
    // Until it serves: what becomes of the played pods later, when the cluster's own controller replaces them, is no roll.
    const rollWrites = sent.slice(rolled).filter((write) => isCounted(write) && isAbout("e-0", write));
    await player.stop();
    watch.close();
    await worker.stop();

    bench.say(`  rolled with ${rollWrites.length} writes`);
    const raw = await bench.namespace("engines-raw");
    bench.undo(() => letGo(bench.client, raw));
    const floorMs = await timed(() => replay(bench, writes, { from: namespace, to: raw, names }));
    const figures: Figure[] = [
      {
        key: "engineRoll",
        what: "writes of one blue-green roll of an engine",
        value: rollWrites.length,
        unit: "writes",
        goal: { atMost: 14 },
        detail: {},
      },
      {
        key: "enginesAtOnce",
        what: `${count} engines from nothing to stable, against the same writes sent as fast as the server takes them`,
        value: round(floorMs / loopMs),
        unit: "ratio",
        goal: { atLeast: 0.7 },
        detail: {
          seconds: round(loopMs / 1_000),
          floorSeconds: round(floorMs / 1_000),
          writes: writes.length,
          // Of this whole process: the player of the pods and the watch that measures are in it.
          cpuMsPerEngine: round((user + system) / 1_000 / count),
        },
      },
      {
        key: "enginesQuiet",
        what: `requests in ${quietMs / 1_000} quiet seconds with ${count} engines, but watches and the lease`,
        value: quiet.length,
        unit: "writes",
        goal: { atMost: 0 },
        detail: {},
      },
    ];
    return figures;
  },
};

type PodMeta = { labels?: Record<string, string> };
type Sent = Pick<Send, "method" | "path" | "body" | "headers">;

const isCounted = ({ method, path }: Sent) => method !== "GET" && !path.includes("/leases");

/** A write to the engine, to what it owns, or of an event that tells of it; its pods are played. */
function isAbout(name: string, { path, body }: Sent): boolean {
  if (path.includes("/pods")) return false;
  return path.includes("/events") ? (body?.includes(`"${name}"`) ?? false) : new RegExp(`/${name}\\b`).test(path);
}

function recordingWorker(bench: Bench, namespace: string) {
  const sent: Sent[] = [];
  const transport = createTransport(bench.connection, { clock: bench.clock });
  const client = clientOver(
    {
      ...transport,
      send: (request) => {
        sent.push(request);
        return transport.send(request);
      },
    },
    bench.clock,
  );
  const { "firebolt.engine": engines, "firebolt.engineClass": classes } = createFireboltReconcilers();
  const worker = createWorker({
    client,
    clock: bench.clock,
    reconcilers: { "firebolt.engine": engines, "firebolt.engineClass": classes },
    identity: "bench",
    leaseNamespace: namespace,
    namespace,
  });
  return { worker, sent };
}

async function readyInstance(client: KubernetesClient, namespace: string): Promise<void> {
  await make(client, instance.api, namespace, "main", { id: "01J0000000000000000000TEST", metadata: {}, gateway: {} });
  const status = { phase: "Ready", metadataReady: true, metadataEndpoint: "main-metadata:7000" };
  await client.patch(instance.api, { namespace, name: "main" }, { status }, { type: "merge", subresource: "status" });
}

function make(client: KubernetesClient, api: Api, namespace: string, name: string, spec: Record<string, unknown>) {
  return client.create(api, { apiVersion: apiVersionOf(api), kind: api.kind, metadata: { namespace, name }, spec });
}

/** Pods that no scheduler takes: they are played. */
const template = (version: string) => ({
  metadata: { annotations: { version } },
  spec: { schedulerName: "nobody", containers: [{ name: "engine", image: "registry.example/engine:1" }] },
});

function create(client: KubernetesClient, namespace: string, name: string) {
  const spec = { instanceRef: "main", replicas: 1, drainCheckEnabled: false, template: template("1") };
  return make(client, engine.api, namespace, name, spec);
}

async function roll(client: KubernetesClient, namespace: string, name: string): Promise<void> {
  await client.patch(engine.api, { namespace, name }, { spec: { template: template("2") } }, { type: "merge" });
}

/** Makes the pod of every StatefulSet at once and ready, faster than the controllers of a cluster would. */
function playPods(bench: Bench, namespace: string, sent: Sent[]) {
  const ending = new AbortController();
  const status = { phase: "Running", podIP: "127.0.0.1", conditions: [{ type: "Ready", status: "True" }] };
  const play = async (set: KubernetesObject) => {
    const name = `${set.metadata.name}-0`;
    // Of every StatefulSet that the API server has taken.
    const { template: pod } = set.spec as { template: { metadata: PodMeta; spec: Record<string, unknown> } };
    const labels = {
      ...pod.metadata.labels,
      "statefulset.kubernetes.io/pod-name": name,
      "controller-revision-hash": podRevision(set),
    };
    const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: set.metadata.name, uid: set.metadata.uid ?? "" };
    const object: KubernetesObject = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...pod.metadata, name, namespace, labels, ownerReferences: [{ ...owner, controller: true }] },
      spec: pod.spec,
    };
    const path = pathOf(apis.pod, { namespace });
    sent.push({ method: "POST", path, headers: { "content-type": "application/json" }, body: JSON.stringify(object) });
    await bench.client.create(apis.pod, object).catch((error: unknown) => {
      // The StatefulSet controller of the cluster may have been faster.
      if (!isAlreadyExists(error)) throw error;
    });
  };
  const played = new Set<string>();
  const follow = async (api: Api, act: (object: KubernetesObject) => Promise<unknown>) => {
    for await (const { type, object } of bench.client.watch(pathOf(api, { namespace }), { signal: ending.signal })) {
      const uid = object.metadata.uid ?? "";
      if (type === "DELETED" || played.has(uid)) continue;
      played.add(uid);
      act(object).catch((error: unknown) => bench.say(`not played: ${String(error)}`));
    }
  };
  const makeReady = ({ metadata }: KubernetesObject) => {
    const path = pathOf(apis.pod, { namespace, name: metadata.name, subresource: "status" });
    const headers = { "content-type": "application/merge-patch+json" };
    sent.push({ method: "PATCH", path, headers, body: JSON.stringify({ status }) });
    return bench.client
      .patch(apis.pod, metadata, { status }, { type: "merge", subresource: "status" })
      .catch(() => undefined);
  };
  const done = Promise.all([follow(apis.statefulSet, play), follow(apis.pod, makeReady)]).catch(() => undefined);
  return {
    async stop() {
      ending.abort();
      await done;
    },
  };
}

/** The worker that would take the finalizers off has ended, and a namespace cannot go while they are on. */
async function letGo(client: KubernetesClient, namespace: string): Promise<void> {
  const { items } = await client.list(engine.api, { namespace });
  for (const { metadata } of items) {
    await client.patch(engine.api, metadata, { metadata: { finalizers: null } }, { type: "merge" });
  }
}

/** No request for a while: what the last one set off has come to an end. */
async function settled(bench: Bench, sent: readonly Sent[]): Promise<void> {
  const others = () => sent.filter(({ path }) => !path.includes("/leases/")).length;
  for (let before = -1; before !== others();) {
    before = others();
    await bench.clock.sleep(3_000);
  }
}

/** The same writes again, engine by engine in their order, in a namespace where nobody acts on them. */
async function replay(
  bench: Bench,
  writes: readonly Sent[],
  { from, to, names }: { from: string; to: string; names: readonly string[] },
): Promise<void> {
  const byEngine = new Map<string, Sent[]>();
  for (const write of writes) {
    const name = /\be-\d+/.exec(`${write.path} ${write.body ?? ""}`)?.[0] ?? "";
    byEngine.set(name, [...(byEngine.get(name) ?? []), write]);
  }
  const transport = createTransport(bench.connection, { clock: bench.clock });
  await eachOf(names, async (name) => {
    await create(bench.client, to, name);
    for (const { method, path, headers, body = "" } of byEngine.get(name) ?? []) {
      // Some are refused for want of what was there then; a refusal costs the server near enough the same.
      await transport.send({
        method,
        path: path.replaceAll(from, to),
        headers,
        body: detached(body.replaceAll(from, to)),
      });
    }
  });
  await transport.close();
}

/** Without what ties a write to the moment it was made in. */
function detached(text: string): string {
  const value: unknown = JSON.parse(text, (key, value: unknown) =>
    key === "resourceVersion" || key === "ownerReferences" || key === "uid" ? undefined : value,
  );
  return JSON.stringify(value);
}

async function eachOf(names: readonly string[], run: (name: string) => Promise<unknown>): Promise<void> {
  let next = 0;
  const writer = async () => {
    for (let name = names[next++]; name !== undefined; name = names[next++]) await run(name);
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await run();
  return performance.now() - startedMs;
}
