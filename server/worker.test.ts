import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { crdOf } from "@/machines/crd";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { errorOfStatus } from "@/server/kubernetes/errors";
import { type Api, type KubernetesObject } from "@/server/kubernetes/object";
import { createReflector } from "@/server/kubernetes/reflector";
import { createStore, type Store } from "@/server/kubernetes/store";
import { type PassOutcome } from "@/server/reconcile/pass";
import { type Plan } from "@/server/reconcile/plan";
import { type AnyReconciler, defineReconciler, ownedBy } from "@/server/reconcile/reconciler";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";
import { type Widget, widget } from "@/server/testing/fixtures/widget";
import { until as untilFound } from "@/server/testing/until";
import { heldLease } from "@/server/testing/held-lease";
import { createLog } from "@/server/observability/log";
import { createWorker, type Worker, type WorkerOptions } from "@/server/worker";

const { api } = widget;
const running: { sandbox?: Sandbox; workers: Worker[]; caches: Shown[]; requests: number; stuck: boolean } = {
  workers: [],
  caches: [],
  requests: 0,
  /** A pass hangs on purpose: it waits for nothing but time. */
  stuck: false,
};

/** A kind that the sandbox does not serve. */
const ABSENT = "absents";

/** What a worker's cache must show before all is quiet. */
type Shown = { store: Store; api: Api; namespace?: string; silenced?: () => boolean };

const clock = createVirtualClock({
  quiet: async () => {
    for (let calm = 0; calm < 3; calm = isQuiet() ? calm + 1 : 0) {
      await new Promise((resolve) => void setImmediate(resolve));
    }
  },
});

/** Nothing is under way, on either side or on the wire: every request is answered and every cache shows what there is. */
function isQuiet(): boolean {
  return (running.stuck || running.workers.every((worker) => worker.idle())) && isDelivered();
}

function isDelivered(): boolean {
  return running.requests === 0 && (running.sandbox?.idle() ?? true) && running.caches.every(isShown);
}

function isShown({ store, api: of, namespace: within, silenced }: Shown): boolean {
  if (silenced?.() || !running.sandbox || of.plural === ABSENT) return true;
  if (!store.synced) return false;
  const there = running.sandbox.cluster.list(of, { namespace: within });
  return (
    there.length === store.size &&
    there.every(({ metadata }) => store.get(metadata)?.metadata.resourceVersion === metadata.resourceVersion)
  );
}

let sandbox: Sandbox;
let client: KubernetesClient;
let namespace: string;
let serial = 0;

beforeAll(async () => {
  sandbox = await createSandbox({ clock, controllers: false });
  running.sandbox = sandbox;
  client = counted(createClient({ connection: sandbox.connection(), clock }));
  await client.create(apis.customResourceDefinition, crdOf(widget));
});

beforeEach(async () => {
  namespace = `worker-${++serial}`;
  await client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
});

afterEach(async () => {
  for (const worker of running.workers.splice(0)) await worker.stop({ abandon: true });
  running.caches.length = 0;
  running.stuck = false;
});

afterAll(async () => {
  await client.close();
  await sandbox.stop();
});

const calm: Plan = { steps: {}, effects: [], status: null, requeueAfterMs: null };

type Rules = {
  read?: (resource: Widget) => unknown;
  plan?: (resource: Widget, now: number) => Plan;
  statusOfFailure?: AnyReconciler["statusOfFailure"];
};

/** A reconciler of widgets that does as the test says. */
function widgets({ read = () => undefined, plan = () => calm, statusOfFailure }: Rules) {
  return defineReconciler<Widget, Widget>({
    id: "testing.widget",
    kind: widget,
    watches: [{ api: apis.configMap, keysOf: ownedBy(widget) }],
    read: async (resource) => {
      await read(resource);
      return resource;
    },
    known: () => ({}),
    compute: (resource, _, now) => plan(resource, now),
    ...(statusOfFailure ? { statusOfFailure } : {}),
  });
}

function startWorker(rules: Rules, over: Partial<WorkerOptions> = {}, silenced?: () => boolean) {
  const passes: PassOutcome[] = [];
  const writes: string[] = [];
  const state = { stopped: false };
  const own = counted(createClient({ connection: sandbox.connection(), clock }));
  const reconciler = widgets(rules);
  const worker = createWorker({
    client: noting(own, writes),
    clock,
    reconcilers: { [reconciler.id]: reconciler },
    identity: "test",
    leaseNamespace: namespace,
    namespace,
    lease: heldLease(1),
    onPass: (outcome) => passes.push(outcome),
    ...over,
    parts: {
      ...over.parts,
      createReflector: (options) => {
        running.caches.push({ ...options, silenced: () => state.stopped || (silenced?.() ?? false) });
        return createReflector(options);
      },
    },
  });
  running.workers.push(worker);
  worker.start();
  const stop: Worker["stop"] = (options) => {
    state.stopped = true;
    return worker.stop(options);
  };
  return { worker: { ...worker, stop }, passes, writes };
}

/** Counts the requests that are under way. */
function counted(inner: KubernetesClient): KubernetesClient {
  const wait = async <T>(answer: Promise<T>): Promise<T> => {
    running.requests += 1;
    return answer.finally(() => (running.requests -= 1));
  };
  return {
    ...inner,
    guarded: (check) => counted(inner.guarded(check)),
    get: (...args) => wait(inner.get(...args)),
    list: (...args) => wait(inner.list(...args)),
    create: (...args) => wait(inner.create(...args)),
    replace: (...args) => wait(inner.replace(...args)),
    patch: (...args) => wait(inner.patch(...args)),
    delete: (...args) => wait(inner.delete(...args)),
    request: (...args) => wait(inner.request(...args)),
  };
}

/** Notes every request but watches and lists. */
function noting(inner: KubernetesClient, writes: string[]): KubernetesClient {
  return {
    ...inner,
    guarded: (check) => noting(inner.guarded(check), writes),
    get: (of, key) => (writes.push(`GET ${of.kind} ${key.name}`), inner.get(of, key)),
    patch: (of, key, body, options) => {
      writes.push(`${options.subresource ?? options.type} ${of.kind} ${key.name}`);
      return inner.patch(of, key, body, options);
    },
  };
}

function createWidget(name = "w", text = "one"): Promise<KubernetesObject> {
  const metadata = { namespace, name };
  return client.create(api, {
    apiVersion: "testing.orrery.dev/v1",
    kind: "Widget",
    metadata,
    spec: { text, parts: 0 },
  });
}

const setText = (text: string, name = "w") =>
  client.patch(api, { namespace, name }, { spec: { text } }, { type: "merge" });

const copied = ({ spec, status }: Widget): Plan => ({
  ...calm,
  status: { ...status, phase: "ready", text: spec.text },
});

describe("failures", () => {
  test("one that may pass is tried again after 5 s, then twice as long each time, up to 5 min", async () => {
    await createWidget();
    const { passes } = startWorker({
      read: () => {
        throw new Error("no answer");
      },
    });
    await clock.settle();
    const seen = [passes.length];
    for (const seconds of [5, 10, 20, 40, 80, 160, 300, 300]) {
      await clock.advance(seconds * 1_000 - 1);
      seen.push(passes.length);
      await clock.advance(1);
      seen.push(passes.length);
    }
    expect(seen).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9]);
    expect(passes.every(({ error }) => error === "no answer")).toBe(true);
  });

  test("are told in the status, and the echo of that does not cut the wait short", async () => {
    await createWidget();
    const { passes, writes } = startWorker({
      read: () => {
        throw new Error("no answer");
      },
      statusOfFailure: (_, failure) => ({
        phase: "building",
        generation: 0,
        text: `${failure.kind}: ${failure.message}`,
      }),
    });
    await clock.settle();
    expect(await client.get(api, { namespace, name: "w" })).toMatchObject({ status: { text: "transient: no answer" } });
    await clock.advance(4_999);
    expect(passes).toHaveLength(1);
    await clock.advance(1);
    expect(passes).toHaveLength(2);
    // The second time there is nothing new to tell.
    expect(writes).toEqual(["status Widget w"]);
  });

  test("a change ends the wait, and a success starts the counting over", async () => {
    await createWidget();
    const state = { broken: true };
    const { passes } = startWorker({
      read: () => {
        if (state.broken) throw new Error("no answer");
      },
    });
    await clock.advance(5_000);
    expect(passes).toHaveLength(2);
    state.broken = false;
    await setText("two");
    await clock.settle();
    expect(passes.at(-1)?.error).toBeUndefined();
    state.broken = true;
    await setText("three");
    await clock.settle();
    const before = passes.length;
    await clock.advance(5_000);
    expect(passes.length).toBe(before + 1);
  });

  test("one that will not pass waits for a change, however long", async () => {
    await createWidget();
    const { passes } = startWorker({
      plan: ({ spec }) =>
        spec.text === "one" ? { ...calm, failure: { kind: "permanent", message: "no such thing" } } : calm,
    });
    await clock.advance(3_600_000);
    expect(passes.map(({ error }) => error)).toEqual(["no such thing"]);
    await setText("two");
    await clock.settle();
    expect(passes.at(-1)?.error).toBeUndefined();
  });

  test("one that will not pass and is told in the status is looked at once more, for what that may decide", async () => {
    await createWidget();
    const { passes, writes } = startWorker({
      plan: ({ status }) =>
        status.text === "permanent: not like this"
          ? { ...calm, status: { ...status, phase: "ready", text: "given up" } }
          : calm,
      read: () => {
        if (passes.length === 0) throw errorOfStatus(422, { reason: "Invalid", message: "not like this" });
      },
      statusOfFailure: (_, failure) => ({
        phase: "building",
        generation: 0,
        text: `${failure.kind}: ${failure.message}`,
      }),
    });
    await clock.settle();
    expect(await client.get(api, { namespace, name: "w" })).toMatchObject({ status: { text: "given up" } });
    expect(writes).toEqual(["status Widget w", "status Widget w"]);
  });

  test("a refused write is permanent, a conflict is answered at once", async () => {
    await createWidget();
    const refusals = [
      errorOfStatus(409, { reason: "Conflict", message: "changed" }),
      errorOfStatus(409, { reason: "Conflict", message: "changed again" }),
      errorOfStatus(422, { reason: "Invalid", message: "not like this" }),
    ];
    const { passes } = startWorker({
      read: () => {
        const refusal = refusals.shift();
        if (refusal) throw refusal;
      },
    });
    await clock.settle();
    expect(passes.map(({ error }) => error)).toEqual(["changed", "changed again", "not like this"]);
    await clock.advance(3_600_000);
    expect(passes).toHaveLength(3);
  });

  test("the time that a busy server names is waited for", async () => {
    await createWidget();
    const state = { busy: true };
    const { passes } = startWorker({
      read: () => {
        if (state.busy) throw errorOfStatus(503, { reason: "ServiceUnavailable", message: "busy" }, "60");
      },
    });
    await clock.advance(59_999);
    expect(passes).toHaveLength(1);
    state.busy = false;
    await clock.advance(1);
    expect(passes).toHaveLength(2);
  });

  test("an exception of our own is counted, logged with pass, kind and key, and tried again like any failure", async () => {
    await createWidget();
    const lines: Record<string, unknown>[] = [];
    const log = createLog({ write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
    const { passes, worker } = startWorker(
      {
        read: () => Promise.reject(new Error("no answer")),
        statusOfFailure: () => {
          throw new Error("a bug");
        },
      },
      { log },
    );
    await clock.settle();
    const [pass] = passes;
    expect(pass?.error).toBe("the pass ended in an exception: Error: a bug");
    expect(lines.find(({ level }) => level === "error")).toMatchObject({
      pass: pass?.id,
      kind: "testing.widget",
      key: `${namespace}/w`,
    });
    expect(worker.metrics.text()).toContain('controller_runtime_reconcile_panics_total{controller="testing.widget"} 1');
    await clock.advance(5_000);
    expect(passes).toHaveLength(2);
  });

  test("a listener that fails does not stop the worker", async () => {
    await createWidget();
    const { worker } = startWorker(
      { plan: copied },
      {
        onPass: () => {
          throw new Error("the database is away");
        },
      },
    );
    await clock.settle();
    expect(await client.get(api, { namespace, name: "w" })).toMatchObject({ status: { text: "one" } });
    expect(worker.idle()).toBe(true);
  });
});

describe("quiet", () => {
  test("a converged fleet costs no request at all", async () => {
    for (const name of ["a", "b", "c"]) await createWidget(name);
    const { writes } = startWorker({ plan: copied });
    await clock.settle();
    expect(writes).toEqual(["status Widget a", "status Widget b", "status Widget c"]);
    await clock.advance(1_800_000);
    expect(writes).toHaveLength(3);
  });

  test("a resource asks to be looked at again, and is, once each time", async () => {
    await createWidget();
    const { passes } = startWorker({ plan: () => ({ ...calm, requeueAfterMs: 30_000 }) });
    await clock.advance(29_999);
    expect(passes).toHaveLength(1);
    await clock.advance(60_001);
    expect(passes).toHaveLength(4);
  });

  test("what is gone is told once and forgotten", async () => {
    await createWidget();
    const { passes } = startWorker({ plan: () => ({ ...calm, requeueAfterMs: 30_000 }) });
    await clock.settle();
    await client.delete(api, { namespace, name: "w" });
    await clock.advance(120_000);
    expect(passes.map(({ object }) => object?.metadata.name ?? null)).toEqual(["w", null]);
  });

  test("an owned object wakes its owner", async () => {
    const { metadata } = await createWidget();
    const { passes } = startWorker({});
    await clock.settle();
    const owner = { apiVersion: "testing.orrery.dev/v1", kind: "Widget", name: "w", uid: metadata.uid ?? "" };
    const child = { namespace, name: "c", ownerReferences: [owner] };
    await client.create(apis.configMap, { apiVersion: "v1", kind: "ConfigMap", metadata: child });
    await clock.settle();
    await client.patch(apis.configMap, child, { metadata: { ownerReferences: null } }, { type: "merge" });
    await clock.settle();
    expect(passes).toHaveLength(3);
  });
});

describe("read your own writes", () => {
  test("a pass waits until the cache shows what the last one wrote, and then sees it", async () => {
    await createWidget();
    const cache = { held: false, release: [] as (() => void)[] };
    const plan = (resource: Widget) => {
      // From here on the watch is silent: the cache does not learn of the status that is about to be written.
      if (resource.spec.text === "two") cache.held = true;
      return copied(resource);
    };
    const { passes, worker, writes } = startWorker(
      { plan },
      { parts: { createStore: (options) => holdingBack(createStore(options), cache) } },
      () => cache.held,
    );
    await clock.settle();
    await setText("two");
    await clock.settle();
    const before = passes.length;
    worker.wake("testing.widget", { namespace, name: "w" });
    await clock.advance(10_000);
    expect(passes).toHaveLength(before);
    cache.held = false;
    for (const release of cache.release.splice(0)) release();
    await clock.settle();
    expect(passes.length).toBeGreaterThan(before);
    expect(passes.slice(before).every(({ object }) => object?.status?.text === "two")).toBe(true);
    expect(writes).toEqual(["status Widget w", "status Widget w"]);
  });
});

describe("leadership", () => {
  const leased = (identity: string) =>
    startWorker({ plan: copied }, { lease: undefined, leaseClient: client, identity, random: () => 0.5 });
  const writers = (...all: ReturnType<typeof leased>[]) => all.map(({ writes }) => writes.length);

  test("of two replicas one writes; the other has its caches full and takes over within the lease when it is killed", async () => {
    await createWidget();
    const first = leased("first");
    await clock.settle();
    const second = leased("second");
    await clock.settle();
    await setText("two");
    await clock.settle();
    expect([first.worker.isLeader(), second.worker.isLeader()]).toEqual([true, false]);
    expect([second.worker.health().ready, second.passes.length]).toEqual([true, 0]);
    const before = writers(first, second);
    await first.worker.stop({ abandon: true });
    await setText("three");
    await clock.advance(14_000);
    expect(second.worker.isLeader()).toBe(false);
    await clock.advance(3_400);
    expect(second.worker.isLeader()).toBe(true);
    expect(await client.get(api, { namespace, name: "w" })).toMatchObject({ status: { text: "three" } });
    expect([before, writers(first, second)]).toEqual([
      [2, 0],
      [2, 1],
    ]);
    expect(second.passes[0]?.token).toBeGreaterThan(first.passes[0]?.token ?? Infinity);
  });

  test("a leader renews every two seconds, and the news of its own renewals do not wake it", async () => {
    const counted = { renewals: 0 };
    const leaseClient = {
      ...client,
      replace: (...args: Parameters<typeof client.replace>) => {
        counted.renewals++;
        return client.replace(...args);
      },
    };
    startWorker({ plan: copied }, { lease: undefined, leaseClient, identity: "first", random: () => 0.5 });
    await clock.settle();
    counted.renewals = 0;
    for (let turn = 0; turn < 10; turn++) await clock.advance(2_000);
    expect(counted.renewals).toBe(10);
  });

  test("a clean stop hands over at once, without waiting for any time to pass", async () => {
    await createWidget();
    const first = leased("first");
    await clock.settle();
    const second = leased("second");
    await clock.settle();
    const before = clock.now();
    await first.worker.stop();
    await setText("two");
    await untilFound("the other leads", () => second.worker.isLeader());
    await clock.settle();
    expect(clock.now()).toBe(before);
    expect(await client.get(api, { namespace, name: "w" })).toMatchObject({ status: { text: "two" } });
  });

  test("a pass that loses the lease on its way writes nothing, and is done by whoever leads next", async () => {
    await createWidget();
    const lease = heldLease(1);
    const state = { lose: true };
    const { passes, writes, worker } = startWorker(
      {
        read: () => {
          if (state.lose) void lease.stop();
        },
        plan: copied,
      },
      { lease },
    );
    await clock.advance(60_000);
    expect([writes, passes.length]).toEqual([["status Widget w"], 1]);
    expect((await client.get(api, { namespace, name: "w" })).status).toBeUndefined();
    expect(worker.metrics.text()).toContain("orrery_writes_without_lease_total 1");
    state.lose = false;
    lease.start();
    await clock.settle();
    expect(await client.get(api, { namespace, name: "w" })).toMatchObject({ status: { text: "one" } });
  });

  test("a write that has not left when the lease is lost never leaves", async () => {
    await createWidget();
    const lease = heldLease(1);
    const losing = (inner: KubernetesClient): KubernetesClient => ({
      ...inner,
      patch: (...args) => {
        const written = inner.patch(...args);
        void lease.stop();
        return written;
      },
      guarded: (check) => losing(inner.guarded(check)),
    });
    const own = losing(counted(createClient({ connection: sandbox.connection(), clock })));
    const { passes } = startWorker({ plan: copied }, { lease, client: own });
    await clock.advance(60_000);
    expect(passes).toHaveLength(1);
    expect((await client.get(api, { namespace, name: "w" })).status).toBeUndefined();
  });
});

describe("a pass whose time is up", () => {
  const hanging = () => {
    const first = gate();
    const state = { reads: 0 };
    const read = () => (++state.reads === 1 ? first.opened : undefined);
    return { state, read, wakeUp: first.open };
  };
  const timeouts = ({ metrics }: Worker) =>
    /controller_runtime_reconcile_timeouts_total\{[^}]*\} (\d+)/.exec(metrics.text())?.[1];

  test("is given up, counted, and tried again with the wait of any failure", async () => {
    await createWidget();
    const { state, read } = hanging();
    const { passes, worker } = startWorker({ read, plan: copied });
    await until(() => state.reads === 1);
    running.stuck = true;
    await clock.advance(299_999);
    expect([passes.length, timeouts(worker)]).toEqual([0, "0"]);
    await clock.advance(1);
    running.stuck = false;
    expect([passes.map(({ error }) => error), timeouts(worker)]).toEqual([["the pass was given up after 300 s"], "1"]);
    await clock.advance(4_999);
    expect(state.reads).toBe(1);
    await clock.advance(1);
    expect(await client.get(api, { namespace, name: "w" })).toMatchObject({ status: { text: "one" } });
  });

  const emit = { type: "emit", severity: "Normal", reason: "Late", message: "too late" } as const;
  test.each([
    ["status", []],
    ["Event", [emit]],
  ])("writes nothing more when it comes round after all, no %s either", async (_what, effects) => {
    await createWidget();
    const { state, read, wakeUp } = hanging();
    const { worker } = startWorker({
      read,
      plan: (resource) => (state.reads === 1 ? { ...copied(resource), effects } : calm),
    });
    await until(() => state.reads === 1);
    running.stuck = true;
    await clock.advance(300_000);
    running.stuck = false;
    wakeUp();
    await clock.advance(60_000);
    expect(state.reads).toBe(2);
    expect((await client.get(api, { namespace, name: "w" })).status).toBeUndefined();
    expect(worker.metrics.text()).toContain('orrery_recorded_events_total{outcome="written"} 0');
  });

  test("ends the write that is under way, and does not take its own earlier write for somebody's change", async () => {
    await createWidget();
    const state = { hangs: true, asked: 0 };
    const held = (inner: KubernetesClient): KubernetesClient => ({
      ...inner,
      guarded: (check) => {
        const right = check;
        const guarded = inner.guarded(check);
        return {
          ...held(guarded),
          patch: (of, key, body, options) => {
            state.asked += 1;
            if (options.subresource !== "status" || !state.hangs) return guarded.patch(of, key, body, options);
            // As a request on a dead line: it ends with the right to make it.
            return new Promise((_, reject) => {
              const signal = right();
              signal?.addEventListener("abort", () => reject(signal.reason as Error));
            });
          },
        };
      },
    });
    const own = held(counted(createClient({ connection: sandbox.connection(), clock })));
    const { passes } = startWorker(
      { plan: (resource) => ({ ...copied(resource), effects: [{ type: "addFinalizer", finalizer: "a.b/c" }] }) },
      { client: own },
    );
    await until(() => state.asked === 2);
    running.stuck = true;
    await clock.advance(300_000);
    running.stuck = false;
    state.hangs = false;
    await clock.advance(4_999);
    expect(passes).toHaveLength(1);
    await clock.advance(1);
    expect(await client.get(api, { namespace, name: "w" })).toMatchObject({ status: { text: "one" } });
    await client.patch(api, { namespace, name: "w" }, { metadata: { finalizers: null } }, { type: "merge" });
  });
});

describe("the caches", () => {
  const absentApi = { ...api, kind: "Absent", plural: ABSENT, singular: "absent", shortNames: ["ab"] };
  const absents = (rules: Rules) => ({ ...widgets(rules), id: "testing.absent", kind: { ...widget, api: absentApi } });

  test("one that is late is told by name, counted, and keeps its own kind waiting until it is filled", async () => {
    await createWidget();
    const lines: Record<string, unknown>[] = [];
    const log = createLog({ write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
    const useless: string[] = [];
    const reconcilers = { "testing.widget": widgets({ plan: copied }), "testing.absent": absents({}) };
    const { worker, passes } = startWorker({}, { reconcilers, log, onUseless: (why) => useless.push(why) });
    const late = () => lines.filter(({ level }) => level === "error");
    await clock.advance(119_999);
    expect([late(), worker.health().ready]).toEqual([[], false]);
    await clock.advance(1);
    expect(late()).toMatchObject([{ resource: ABSENT, kinds: ["testing.absent"] }]);
    expect(worker.metrics.text()).toMatch(/orrery_cache_sync_timeouts_total\{resource="absents",[^}]*\} 1/);
    expect(worker.health().detail.waitingFor).toMatchObject([{ resource: ABSENT, kinds: ["testing.absent"] }]);
    expect(useless).toEqual([]);
    expect(await client.get(api, { namespace, name: "w" })).toMatchObject({ status: { text: "one" } });

    await client.create(apis.customResourceDefinition, crdOf({ ...widget, api: absentApi }));
    await client.create(absentApi, {
      apiVersion: "testing.orrery.dev/v1",
      kind: "Absent",
      metadata: { namespace, name: "a" },
      spec: { text: "", parts: 0 },
    });
    await clock.advance(60_000);
    expect(worker.health().ready).toBe(true);
    expect(passes.some(({ kind }) => kind === "testing.absent")).toBe(true);
    await client.delete(apis.customResourceDefinition, { name: `${ABSENT}.${api.group}` });
  });

  test("a worker none of whose kinds can run says so in one sentence, so that its process can end", async () => {
    const useless: string[] = [];
    startWorker(
      {},
      { reconcilers: { "testing.absent": absents({}) }, onUseless: (sentence) => useless.push(sentence) },
    );
    await clock.advance(119_999);
    expect(useless).toEqual([]);
    await clock.advance(600_000);
    expect(useless).toHaveLength(1);
    expect(useless[0]).toMatch(
      /^No kind can be looked after: .*absents \(.*could not find.*deploy\/rbac\.yaml names\.$/,
    );
  });

  test("are gone through every ten hours, give or take one, without a request: what failed for good is looked at again", async () => {
    await createWidget();
    const failure = { kind: "permanent", message: "not allowed" } as const;
    const { passes, writes } = startWorker({ plan: () => ({ ...calm, failure }) }, { random: () => 0 });
    await clock.settle();
    await clock.advance(9 * 3_600_000 - 60_000);
    expect(passes).toHaveLength(1);
    await clock.advance(60_000);
    expect(passes).toHaveLength(2);
    await clock.advance(9 * 3_600_000);
    expect([passes.length, writes]).toEqual([3, []]);
  });
});

describe("start and stop", () => {
  test("a user's change overtakes the keys of the start", async () => {
    for (const name of ["a", "b", "c", "d"]) await createWidget(name);
    const first = gate();
    const order: string[] = [];
    startWorker(
      {
        read: ({ metadata }) => {
          order.push(metadata.name);
          return order.length === 1 ? first.opened : undefined;
        },
      },
      { concurrency: 1 },
    );
    await until(() => order.length === 1);
    await setText("two", "d");
    // The change is in the cache when a later object is.
    await createWidget("e");
    await delivered();
    first.open();
    await clock.settle();
    expect(order).toEqual(["a", "d", "e", "b", "c"]);
  });

  test("while somebody changes things, and for a moment after, the flood goes on with one pass at a time", async () => {
    for (const name of ["a", "b", "c", "d", "e", "f", "g", "h"]) await createWidget(name);
    running.stuck = true;
    const underWay: (() => void)[] = [];
    const endAll = () => underWay.splice(0).forEach((end) => end());
    startWorker(
      { read: ({ spec }) => (spec.text === "two" ? undefined : new Promise<void>((end) => underWay.push(end))) },
      { concurrency: 15 },
    );
    await until(() => underWay.length === 3);
    await setText("two", "h");
    await clock.settle();
    endAll();
    await clock.settle();
    expect(underWay).toHaveLength(1);
    await clock.advance(1_000);
    endAll();
    await clock.settle();
    expect(underWay).toHaveLength(3);
    endAll();
  });

  test("a stop lets the pass under way end, and starts no other", async () => {
    await createWidget("a");
    const first = gate();
    const order: string[] = [];
    const { worker } = startWorker(
      {
        read: ({ metadata }) => {
          order.push(metadata.name);
          return first.opened;
        },
        plan: copied,
      },
      { concurrency: 1 },
    );
    await until(() => order.length === 1);
    await createWidget("b");
    await delivered();
    const stopped = worker.stop();
    first.open();
    await stopped;
    expect(order).toEqual(["a"]);
    expect(await client.get(api, { namespace, name: "a" })).toMatchObject({ status: { text: "one" } });
    expect((await client.get(api, { namespace, name: "b" })).status).toBeUndefined();
  });

  test("a crash leaves the pass where it was, and the next worker finishes it", async () => {
    await createWidget();
    const first = gate();
    const state = { reads: 0 };
    const read = () => (++state.reads === 1 ? first.opened : undefined);
    const { worker } = startWorker({ read, plan: copied });
    await until(() => state.reads === 1);
    await worker.stop({ abandon: true });
    first.open();
    await delivered();
    expect((await client.get(api, { namespace, name: "w" })).status).toBeUndefined();
    startWorker({ read, plan: copied });
    await clock.settle();
    expect(await client.get(api, { namespace, name: "w" })).toMatchObject({ status: { text: "one" } });
  });

  test("a kind that the cluster does not serve is told, and does not stop the others", async () => {
    await createWidget();
    const absent = { ...widgets({}), id: "testing.absent", kind: { ...widget, api: { ...api, plural: ABSENT } } };
    const { worker } = startWorker(
      {},
      { reconcilers: { "testing.widget": widgets({ plan: copied }), "testing.absent": absent } },
    );
    await clock.settle();
    expect(await client.get(api, { namespace, name: "w" })).toMatchObject({ status: { text: "one" } });
    expect(worker.health()).toMatchObject({
      alive: true,
      ready: false,
      detail: { leading: true, waitingFor: [{ resource: "absents" }] },
    });
  });

  test("the numbers that operators expect are there", async () => {
    await createWidget();
    const { worker } = startWorker({ plan: copied });
    await clock.settle();
    const text = worker.metrics.text();
    for (const line of [
      'controller_runtime_reconcile_total{controller="testing.widget",result="success"} 2',
      'orrery_effects_total{controller="testing.widget",verb="status",outcome="done"} 1',
      'workqueue_depth{controller="testing.widget",priority="normal"} 0',
      'orrery_cache_objects{resource="widgets",group="testing.orrery.dev",selector=""} 1',
      'leader_election_master_status{name="orrery-worker"} 1',
      // A first time is seen as a rise only by who has seen the zero before it.
      'controller_runtime_reconcile_total{controller="testing.widget",result="error"} 0',
      'controller_runtime_reconcile_errors_total{controller="testing.widget"} 0',
      'controller_runtime_reconcile_panics_total{controller="testing.widget"} 0',
      'controller_runtime_reconcile_timeouts_total{controller="testing.widget"} 0',
      'controller_runtime_terminal_reconcile_errors_total{controller="testing.widget"} 0',
      "orrery_writes_without_lease_total 0",
    ]) {
      expect(text).toContain(line);
    }
  });
});

/** A door that a pass waits at. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const until = (look: () => boolean) => untilFound("the pass has begun", look);

/** For when a pass is under way on purpose, so that the worker is not idle. */
const delivered = () => untilFound("everything is delivered", isDelivered);

/** A store whose watch can be silenced: events wait until they are released. */
function holdingBack(store: ReturnType<typeof createStore>, cache: { held: boolean; release: (() => void)[] }) {
  return new Proxy(store, {
    get: (target, field) => {
      if (field !== "apply") return Reflect.get(target, field) as unknown;
      return (...event: Parameters<typeof store.apply>) => {
        if (!cache.held) return target.apply(...event);
        cache.release.push(() => void target.apply(...event));
        return true;
      };
    },
  });
}
