import { crdOf } from "@/machines/crd";
import { feldera } from "@/machines/feldera/family";
import { pipelineSchema } from "@/machines/feldera/pipeline.schema";
import { coreHash, programHash } from "@/server/feldera/program-hash";
import { createFelderaReconcilers } from "@/server/feldera/reconcilers";
import { apis } from "@/server/kubernetes/apis";
import { clientOver, type KubernetesClient } from "@/server/kubernetes/client";
import { isAlreadyExists } from "@/server/kubernetes/errors";
import { apiVersionOf } from "@/server/kubernetes/object";
import { createTransport } from "@/server/kubernetes/transport";
import { createWorker } from "@/server/worker";
import { type Bench, type BenchGroup, type Figure } from "./bench-group";
import { median, percentile, round } from "./sample";
import { openStatusWatch, type StatusWatch } from "./status-watch";

const PIPELINES = 200;
const ROUNDS = 60;
const WARM_UP = 5;
const WRITERS = 16;
const { api } = feldera.kinds.pipeline;

/** Starts of compiled pipelines: from the request to the status that it causes. Their pods fit on no node. */
export const felderaPipelines: BenchGroup = {
  key: "felderaPipelines",
  title: "Feldera pipelines: started one by one and all at once",
  run: async (bench) => {
    const count = Math.ceil(PIPELINES / bench.scale);
    await define(bench.client);
    const [loop, raw] = [await bench.namespace("pipelines"), await bench.namespace("pipelines-raw")];
    const names = namesOf("p", count);
    const single = namesOf("s", Math.ceil(ROUNDS / bench.scale) + WARM_UP);
    await eachOf([...names, ...single], (name) => compiled(bench.client, loop, name));
    await eachOf(names, (name) => compiled(bench.client, raw, name));
    const { worker, sent } = countingWorker(bench, loop);
    worker.start();
    await worker.synced();
    const watch = await openStatusWatch(bench.client, api);
    const samples = await oneByOne(bench, watch, { loop, raw, names: single });
    bench.say(`  ${samples.loop.length} starts, one by one`);

    const before = sent.writes;
    const all = Promise.all(names.map((name) => isIn(watch, loop, name, "Provisioning")));
    const loopMs = await timed(() => Promise.all([all, eachOf(names, (name) => start(bench.client, loop, name))]));
    const writes = sent.writes - before;
    await worker.stop();
    watch.close();
    const floorMs = await timed(() =>
      eachOf(
        Array.from({ length: writes + count }, (_, index) => names[index % count] ?? ""),
        (name) => touch(bench.client, raw, name),
      ),
    );
    const figures: Figure[] = [
      {
        key: "startToProvisioning",
        what: "p50 of a start → Provisioning visible, over raw PATCH → watch event",
        value: round(median(samples.loop) / median(samples.raw)),
        unit: "ratio",
        goal: { atMost: 5 },
        detail: {
          rounds: samples.loop.length,
          rawP50Ms: round(median(samples.raw)),
          p50Ms: round(median(samples.loop)),
          p99Ms: round(percentile(samples.loop, 0.99)),
        },
      },
      {
        key: "startsAtOnce",
        what: `${count} pipelines started at once until all are seen Provisioning, against as many bare writes`,
        value: round(floorMs / loopMs),
        unit: "ratio",
        goal: { atLeast: 0.5 },
        detail: { seconds: round(loopMs / 1_000), floorSeconds: round(floorMs / 1_000), writes },
      },
    ];
    return figures;
  },
};

function namesOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

async function oneByOne(
  bench: Bench,
  watch: StatusWatch,
  { loop, raw, names }: { loop: string; raw: string; names: readonly string[] },
) {
  const samples = { raw: [] as number[], loop: [] as number[] };
  for (const [turn, name] of names.entries()) {
    const floorFrom = performance.now();
    const echoed = watch.seen(raw, "p-0", ({ metadata }) => metadata.annotations?.turn === String(turn));
    await touch(bench.client, raw, "p-0", turn);
    const floor = (await echoed) - floorFrom;
    const from = performance.now();
    const provisioning = isIn(watch, loop, name, "Provisioning");
    await start(bench.client, loop, name);
    const ours = (await provisioning) - from;
    if (turn < WARM_UP) continue;
    samples.raw.push(floor);
    samples.loop.push(ours);
  }
  return samples;
}

function isIn(watch: StatusWatch, namespace: string, name: string, status: string): Promise<number> {
  return watch.seen(namespace, name, (object) => object.status?.deployment_resources_status === status);
}

async function define(client: KubernetesClient): Promise<void> {
  await client.create(apis.customResourceDefinition, crdOf(feldera.kinds.pipeline)).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  for (let served = false; !served;) {
    served = await client.list(api, { limit: 1 }).then(
      () => true,
      () => false,
    );
  }
}

/** As a compiler leaves it: what is measured is the start. */
async function compiled(client: KubernetesClient, namespace: string, name: string): Promise<void> {
  const runtime_config = { resources: { cpu_cores_min: 9_000 } };
  const object = await client.create(api, {
    apiVersion: apiVersionOf(api),
    kind: api.kind,
    metadata: { namespace, name },
    spec: { program_code: "CREATE TABLE t (id INT);", runtime_config },
  });
  const { spec } = pipelineSchema.parse(object);
  const handled = { program: programHash(spec), core: coreHash(spec) };
  const status = { program_status: "Success", program_info: {}, handled };
  await client.patch(api, { namespace, name }, { status }, { type: "merge", subresource: "status" });
}

function start(client: KubernetesClient, namespace: string, name: string) {
  const deployment = { desired: "Provisioned", attempt: 1 };
  return client.patch(api, { namespace, name }, { spec: { deployment } }, { type: "merge" });
}

/** A write that nobody acts on. */
let touched = 0;
function touch(client: KubernetesClient, namespace: string, name: string, turn = ++touched) {
  const metadata = { annotations: { turn: String(turn) } };
  return client.patch(api, { namespace, name }, { metadata }, { type: "merge" });
}

function countingWorker(bench: Bench, namespace: string) {
  const sent = { writes: 0 };
  const transport = createTransport(bench.connection, { clock: bench.clock });
  const counted = {
    ...transport,
    send: (request: Parameters<typeof transport.send>[0]) => {
      if (request.method !== "GET" && !request.path.includes("/leases")) sent.writes += 1;
      return transport.send(request);
    },
  };
  const reconcilers = createFelderaReconcilers({
    pipelineImage: "registry.example/pipeline:1",
    compilerImage: "registry.example/compiler:1",
    compilersMax: 1,
    provisioningTimeoutMs: 600_000,
    storageMb: 1,
    platformVersion: "1",
    scripts: { pipeline: null, compiler: null },
  });
  const client = clientOver(counted, bench.clock);
  const worker = createWorker({
    client,
    clock: bench.clock,
    reconcilers,
    identity: "bench",
    leaseNamespace: namespace,
    namespace,
  });
  bench.undo(async () => {
    await worker.stop();
    await client.close();
  });
  return { worker, sent };
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
