import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Node } from "@/server/sandbox/objects/node";
import { type Pod } from "@/server/sandbox/objects/pod";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";

// Time moves only when the sandbox has nothing left to do, so nothing here depends on how fast the machine is.
const clock = createVirtualClock({ quiet: () => quiet() });
const ctx = { user: { username: "test", groups: ["system:masters"] } };
const BUSYBOX = "localhost/busybox:1";
let sandbox: Sandbox;
let isIdle = () => true;

beforeAll(async () => {
  sandbox = await createSandbox({
    clock,
    kubelet: { nodes: [{ name: "one" }, { name: "two", capacity: { cpu: "2" } }] },
  });
  isIdle = () => sandbox.idle();
  await clock.settle();
});
afterAll(() => sandbox.stop());

async function quiet(): Promise<void> {
  for (let calm = 0; calm < 2; calm = isIdle() ? calm + 1 : 0) await new Promise((resolve) => setImmediate(resolve));
}

async function create(name: string, spec: Record<string, unknown>, annotations: Record<string, string> = {}) {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", annotations },
    spec: { nodeSelector: { "kubernetes.io/hostname": "one" }, ...spec },
  };
  await sandbox.cluster.create(apis.pod, pod, ctx);
  await clock.settle();
}

const runs = (script: string, more: Record<string, unknown> = {}) => ({
  containers: [{ name: "main", image: BUSYBOX, command: ["sh", "-c", script], ...more }],
});
const podNow = (name: string) => sandbox.cluster.get(apis.pod, "default", name) as unknown as Pod | undefined; // as the registry keeps it
const statusOf = (name: string) => podNow(name)?.status?.containerStatuses?.[0];
const nodeNow = (name: string) => sandbox.cluster.get(apis.node, undefined, name) as unknown as Node; // as the registry keeps it
const eventsOf = (name: string) =>
  sandbox.cluster
    .list(apis.event, { namespace: "default" })
    .filter((event) => (event["involvedObject"] as { name: string }).name === name);
const messagesOf = (name: string, reason: string) =>
  eventsOf(name)
    .filter((event) => event["reason"] === reason)
    .map((event) => event["message"]);

/** Moves time until it holds; the limit is virtual. */
async function advanceUntil(holds: () => boolean, limitMs = 900_000) {
  for (let leftMs = limitMs; !holds();) {
    const nextMs = clock.nextInMs() ?? leftMs;
    if (nextMs > leftMs) throw new Error("it did not come");
    await clock.advance(Math.max(1, nextMs));
    leftMs -= nextMs;
  }
}

const annotate = async (name: string, annotations: Record<string, string | undefined>) => {
  const changed = (old: KubernetesObject) => ({
    ...old,
    metadata: {
      ...old.metadata,
      annotations: JSON.parse(JSON.stringify({ ...old.metadata.annotations, ...annotations })) as Record<
        string,
        string
      >,
    },
  });
  await sandbox.cluster.change(apis.node, { name }, changed, ctx);
  await clock.settle();
};

describe("the kubelet", () => {
  test("restarts a crashing container at once, then after 10, 20, 40 … seconds, and no later than after five minutes", async () => {
    await create("crash", runs("exit 1"));
    const delays: string[] = [];
    for (let count = 0; count < 7; count += 1) {
      await advanceUntil(
        () =>
          statusOf("crash")?.restartCount === count + 1 &&
          statusOf("crash")?.state.waiting?.reason === "CrashLoopBackOff",
      );
      delays.push(/back-off (\S+) /.exec(statusOf("crash")?.state.waiting?.message ?? "")?.[1] ?? "");
    }
    expect(delays).toEqual(["10s", "20s", "40s", "1m20s", "2m40s", "5m0s", "5m0s"]);
  });

  test("is busy until it is told what became of a pod, so that no time passes in between", async () => {
    await create("brief", { ...runs("sleep 7"), restartPolicy: "Never" });
    const endsAt = clock.monotonic() + 7_000;
    while (clock.monotonic() < endsAt) await clock.advanceToNext(7_000);
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    expect([isIdle(), podNow("brief")?.status?.phase]).toEqual([false, "Running"]);
    await clock.settle();
    expect(podNow("brief")?.status?.phase).toBe("Succeeded");
    expect(clock.monotonic()).toBe(endsAt);
  });

  test("annotations make a pod run out of memory, exit, or never become ready", async () => {
    await create("oom", runs("sleep 3600"), { "sandbox.orrery.dev/oom-after": "5s" });
    await create(
      "exits",
      { ...runs("sleep 3600"), restartPolicy: "Never" },
      { "sandbox.orrery.dev/exit-after": "3s", "sandbox.orrery.dev/exit-code": "42" },
    );
    await create("shy", runs("sleep 3600"), { "sandbox.orrery.dev/ready-delay": "never" });
    await create("slow", runs("sleep 3600"), { "sandbox.orrery.dev/ready-delay": "30s" });
    await clock.advance(29_000);
    expect(statusOf("oom")?.lastState.terminated).toMatchObject({ reason: "OOMKilled", exitCode: 137 });
    expect(podNow("exits")?.status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { terminated: { exitCode: 42, reason: "Error" } } }],
    });
    expect([statusOf("shy")?.ready, statusOf("slow")?.ready]).toEqual([false, false]);
    await clock.advance(2_000);
    expect([statusOf("shy")?.ready, statusOf("slow")?.ready]).toEqual([false, true]);
  });

  test("an image that an annotation makes fail is tried again after ever longer times", async () => {
    await create("pull", runs("true"), { "sandbox.orrery.dev/image-pull-error": "manifest unknown" });
    expect(statusOf("pull")?.state.waiting).toEqual({ reason: "ErrImagePull", message: "manifest unknown" });
    await clock.advance(5_000);
    expect(statusOf("pull")?.state.waiting?.reason).toBe("ImagePullBackOff");
    expect(messagesOf("pull", "Failed")).toContain(`Failed to pull image "${BUSYBOX}": manifest unknown`);
  });

  test("a pod that does not heed the signal is killed when its grace is over, and not before", async () => {
    await create("stubborn", { ...runs("sleep 3600"), terminationGracePeriodSeconds: 30 });
    await sandbox.cluster.delete(apis.pod, "default", "stubborn", {}, ctx);
    await clock.advance(29_000);
    expect(podNow("stubborn")?.metadata.deletionTimestamp).toBeDefined();
    await clock.advance(2_000);
    expect(podNow("stubborn")).toBeUndefined();
  });

  test("a cordoned node takes no more pods, and the wait is told; uncordoned it takes them", async () => {
    const cordon = (unschedulable: boolean) => (old: KubernetesObject) => ({
      ...old,
      spec: { ...old.spec, unschedulable },
    });
    await sandbox.cluster.change(apis.node, { name: "two" }, cordon(true), ctx);
    await create("refugee", { ...runs("sleep 3600"), nodeSelector: { "kubernetes.io/hostname": "two" } });
    const [message] = messagesOf("refugee", "FailedScheduling");
    expect(message).toBe(
      "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable.",
    );
    await sandbox.cluster.change(apis.node, { name: "two" }, cordon(false), ctx);
    await clock.advance(1_000);
    expect(podNow("refugee")?.spec.nodeName).toBe("two");
  });

  test("requests are counted against the node, and what leaves makes room", async () => {
    const asking = (cpu: string) => ({
      ...runs("sleep 3600", { resources: { requests: { cpu } } }),
      nodeSelector: { "kubernetes.io/hostname": "two" },
      terminationGracePeriodSeconds: 0,
    });
    await create("big", asking("1500m"));
    await create("next", asking("1"));
    expect(messagesOf("next", "FailedScheduling")[0]).toBe(
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector.",
    );
    await sandbox.cluster.delete(apis.pod, "default", "big", { graceSeconds: 0 }, ctx);
    await clock.advance(1_000);
    expect(podNow("next")?.spec.nodeName).toBe("two");
  });

  test("a node that is not ready is tainted, its pods are not ready and are evicted when they tolerate it no longer", async () => {
    await create("guest", {
      ...runs("sleep 3600"),
      nodeSelector: { "kubernetes.io/hostname": "two" },
      terminationGracePeriodSeconds: 0,
      tolerations: [
        { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      ],
    });
    await annotate("two", { "sandbox.orrery.dev/not-ready": "true" });
    await clock.advance(1_000);
    expect(nodeNow("two").status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
      status: "False",
      reason: "KubeletNotReady",
    });
    expect(nodeNow("two").spec.taints?.map(({ key, effect }) => `${key}:${effect}`)).toContain(
      "node.kubernetes.io/not-ready:NoExecute",
    );
    await clock.advance(290_000);
    expect(podNow("guest")?.metadata.deletionTimestamp).toBeUndefined();
    await clock.advance(20_000);
    expect(podNow("guest")).toBeUndefined();
    await annotate("two", { "sandbox.orrery.dev/not-ready": undefined });
    await clock.advance(1_000);
    expect(nodeNow("two").spec.taints ?? []).toEqual([]);
  });
});
