import { describe, expect, test } from "vitest";
import { type Plan } from "@/server/reconcile/plan";
import { createPlayedCluster, seedEngine, type PlayedCluster } from "./fixtures/played-cluster";

const name = "analytics";
const image = (tag: string) => ({
  template: { spec: { containers: [{ name: "engine", image: `registry.example/engine:${tag}` }] } },
});

type Story = {
  spec?: Record<string, unknown>;
  /** What users do, at which pass. */
  acts: readonly { at: number; act: (cluster: PlayedCluster) => void }[];
  /** Pods of this image never get ready. */
  broken?: string;
  ends: { phase: "stable" | "stopped" | "gone"; pods: number };
};

const change = (tag: string) => (cluster: PlayedCluster) => cluster.patchEngine(name, { spec: image(tag) });
const replicas = (count: number) => (cluster: PlayedCluster) =>
  cluster.patchEngine(name, { spec: { replicas: count } });
const remove = (cluster: PlayedCluster) => {
  const self = cluster.get("FireboltEngine", name);
  if (self) cluster.put({ ...self, metadata: { ...self.metadata, deletionTimestamp: "2026-01-01T01:00:00Z" } });
};

const stories: Record<string, Story> = {
  "first deploy": { acts: [], ends: { phase: "stable", pods: 2 } },
  "blue-green roll": { acts: [{ at: 6, act: change("2") }], ends: { phase: "stable", pods: 2 } },
  "roll during creating": {
    acts: [
      { at: 6, act: change("2") },
      { at: 9, act: change("3") },
    ],
    broken: "registry.example/engine:2",
    ends: { phase: "stable", pods: 2 },
  },
  "scale to zero and back": {
    acts: [
      { at: 6, act: replicas(0) },
      { at: 16, act: replicas(2) },
    ],
    ends: { phase: "stable", pods: 2 },
  },
  "scale during creating": {
    acts: [
      { at: 6, act: change("2") },
      { at: 9, act: (cluster) => cluster.patchEngine(name, { spec: { ...image("3"), replicas: 3 } }) },
    ],
    broken: "registry.example/engine:2",
    ends: { phase: "stable", pods: 3 },
  },
  "stop for good": { acts: [{ at: 6, act: replicas(0) }], ends: { phase: "stopped", pods: 0 } },
  "deletion mid-roll": {
    acts: [
      { at: 6, act: change("2") },
      { at: 9, act: remove },
    ],
    ends: { phase: "gone", pods: 0 },
  },
};

/** Runs a story, cut off once: at that pass, after so many of its writes. Gives how many effects each pass had. */
async function run(
  story: Story,
  crash?: { pass: number; after: number },
): Promise<{ cluster: PlayedCluster; effects: number[] }> {
  const cluster = createPlayedCluster();
  seedEngine(cluster, story.spec);
  const effects: number[] = [];
  const isReady = (pod: string) => {
    const set = cluster.get("StatefulSet", pod.replace(/-\d+$/, ""));
    return story.broken === undefined || !JSON.stringify(set?.spec).includes(story.broken);
  };
  const wasReady = new Set<string>();
  let newest = -1;
  for (let at = 0; at < 40 && cluster.get("FireboltEngine", name); at++) {
    story.acts.filter((one) => one.at === at).forEach(({ act }) => act(cluster));
    const before = cluster.all("StatefulSet").map(({ metadata }) => metadata.name);
    const counted = cluster.engine(name).status.currentGeneration;
    const plan = await cluster.pass(name, crash?.pass === at ? crash.after : Infinity);
    effects.push(plan.effects.length);
    if (!isLeaving(plan)) expect(newestDeleted(plan)).toBeLessThan(newestOf(plan, counted));
    for (const gone of before.filter((one) => !cluster.get("StatefulSet", one))) wasReady.delete(gone);
    cluster.playPods(isReady);
    for (const { metadata, spec } of cluster.all("StatefulSet")) {
      const pods = cluster.all("Pod").filter((pod) => pod.metadata.name.startsWith(`${metadata.name}-`));
      if (pods.length === spec?.replicas && pods.every((pod) => isReady(pod.metadata.name)))
        wasReady.add(metadata.name);
    }
    newest = invariants(cluster, wasReady, newest);
    const { from, to } = plan.steps.phase ?? {};
    const idle = from === to && (to === "stable" || to === "stopped") && plan.effects.length === 0;
    if (idle && story.acts.every((one) => one.at < at) && crash?.pass !== at) break;
  }
  return { cluster, effects };
}

const isLeaving = ({ steps }: Plan) => steps.phase?.actions.includes("removeEverything") === true;

/** The newest generation that a plan deletes anything of; what waits for the status is of one that it counts past. */
function newestDeleted({ effects }: Plan): number {
  const numbers = effects.map((effect) =>
    effect.type === "delete" ? Number(/-g(\d+)(-|$)/.exec(effect.target.name)?.[1] ?? -1) : -1,
  );
  return Math.max(-1, ...numbers);
}

function newestOf({ status }: Plan, counted: number): number {
  return Math.max(counted, Number(status?.currentGeneration ?? -1));
}

function invariants(cluster: PlayedCluster, wasReady: ReadonlySet<string>, newestBefore: number): number {
  if (!cluster.get("FireboltEngine", name)) return newestBefore;
  const { metadata, status } = cluster.engine(name);
  const { phase, currentGeneration: current, activeGeneration: active, drainingGeneration: draining } = status;
  if (metadata.deletionTimestamp !== undefined) return newestBefore;
  const sets = cluster.all("StatefulSet").map((object) => object.metadata.name);
  if (phase === "stable" || phase === "stopped") expect(current).toBe(active);
  if (active >= 0) expect(sets).toContain(`${name}-g${active}`);
  if (draining !== undefined) expect(draining).toBeLessThan(current);
  if (phase === "stable" || phase === "stopped" || phase === "creating") expect(draining).toBeUndefined();
  expect(sets.length).toBeLessThanOrEqual(2);
  expect(current).toBeGreaterThanOrEqual(newestBefore);
  const selector = cluster.get("Service", `${name}-service`)?.spec?.selector as Record<string, string> | undefined;
  if (selector) {
    const selected = `${name}-g${selector["firebolt.io/generation"] ?? ""}`;
    expect(sets).toContain(selected);
    expect(wasReady).toContain(selected);
  }
  return Math.max(newestBefore, current);
}

function check({ cluster }: { cluster: PlayedCluster }, { ends }: Story) {
  expect(cluster.all("Pod")).toHaveLength(ends.pods);
  if (ends.phase === "gone") {
    expect(["FireboltEngine", "StatefulSet", "Service", "ConfigMap"].flatMap((kind) => cluster.all(kind))).toEqual([]);
    return;
  }
  const { status } = cluster.engine(name);
  expect(status.phase).toBe(ends.phase);
  const one = status.activeGeneration;
  expect(cluster.all("StatefulSet").map(({ metadata }) => metadata.name)).toEqual([`${name}-g${one}`]);
  expect(cluster.all("ConfigMap").map(({ metadata }) => metadata.name)).toEqual([`${name}-g${one}-config`]);
  // What the pods read names them all: no ConfigMap of a spec that was given up is ever taken for this one's.
  const { data } = cluster.get("ConfigMap", `${name}-g${one}-config`) as unknown as { data: Record<string, string> };
  expect(JSON.parse(data["config.yaml"] ?? "")).toMatchObject({ engine: { nodes: { length: ends.pods } } });
  expect(new Set(cluster.all("Service").map(({ metadata }) => metadata.name))).toEqual(
    new Set([`${name}-g${one}-hl`, `${name}-service`]),
  );
}

describe.each(Object.entries(stories))("%s", (_, story) => {
  test("ends where it should, and holds every invariant on the way", async () => {
    check(await run(story), story);
  });

  test("a crash after any effect of any pass, before and after any status write, ends in the same place", async () => {
    const { effects } = await run(story);
    for (const [pass, count] of effects.entries()) {
      for (let after = 0; after <= count + 1; after++) check(await run(story, { pass, after }), story);
    }
  });
});
