import { describe, expect, test } from "vitest";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Change } from "@/server/kubernetes/store";
import { type World } from "@/server/reconcile/world";
import { ofItsClass, ofItsParts, onItsInstance, whileDraining } from "./engine-wakes";
import { generationLabels } from "./generation-names";

const key = { namespace: "shop", name: "e" };
const unused = () => Promise.reject(new Error("not asked for"));

type Cached = { phase?: string; current?: number; replicas?: number; pods?: number } | null;

/** What the caches show: one engine, and so many pods of its generation. */
function shows(cached: Cached): World {
  const { phase = "creating", current = 0, replicas = 1, pods = 0 } = cached ?? {};
  const engine = object("FireboltEngine", "e", {
    spec: { replicas },
    status: { phase, currentGeneration: current },
  });
  return {
    now: 0,
    get: async () => (cached ? engine : null),
    list: async () => Array.from({ length: pods }, (_, index) => object("Pod", `e-g${current}-${index}`)),
    live: { get: unused, list: unused, fetch: unused, proxy: unused, lastLine: unused },
  };
}

function object(kind: string, name: string, over: Partial<KubernetesObject> = {}): KubernetesObject {
  const metadata = { namespace: "shop", name, uid: name, generation: 1, labels: generationLabels("e", 0) };
  return { apiVersion: "v1", kind, metadata, ...over };
}

const set = object("StatefulSet", "e-g0", { spec: { replicas: 1 }, status: { replicas: 0 } });
const added = (one: KubernetesObject): Change => ({ type: "added", object: one, initial: false });
const gone = (object: KubernetesObject): Change => ({ type: "deleted", object });
const updated = (old: KubernetesObject, to: Partial<KubernetesObject>): Change => ({
  type: "updated",
  old,
  object: { ...old, ...to },
});
const woken = (change: Change, cached: Cached = {}) => ofItsParts(change.object, shows(cached), change);
const withMeta = (over: Partial<KubernetesObject["metadata"]>) => ({ metadata: { ...set.metadata, ...over } });

describe("a change of a StatefulSet wakes its engine", () => {
  // prettier-ignore
  test.each([
    ["when its spec was changed",          updated(set, withMeta({ generation: 2 }))],
    ["when another took its name",         updated(set, withMeta({ uid: "other" }))],
    ["when it is on its way out",          updated(set, withMeta({ deletionTimestamp: "2026-01-01T00:00:00Z" }))],
    ["when a hash of its content changed", updated(set, withMeta({ annotations: { "firebolt.io/engine-class-hash": "1" } }))],
    ["when its labels were changed",       updated(set, withMeta({ labels: { ...set.metadata.labels, team: "a" } }))],
    ["when somebody holds it back",        updated(set, withMeta({ finalizers: ["example.com/keep"] }))],
    ["when it is nobody's any more",       updated(set, withMeta({ ownerReferences: [] }))],
    ["when spec and status changed while the watch was cut", updated(set, { ...withMeta({ generation: 2 }), status: { replicas: 1 } })],
    ["when it is gone, even before the first pod",           gone(set)],
  ])("%s", async (_, change) => {
    expect(await woken(change)).toContainEqual(key);
  });

  test("but not when nothing except its status was changed, since pods are counted", async () => {
    expect(await woken(updated(set, { status: { replicas: 1, readyReplicas: 1 } }), { phase: "stable" })).toEqual([]);
  });
});

test("an object that does not count the changes of its spec wakes with every one of them", async () => {
  const config = object("ConfigMap", "e-g0-config", { metadata: { ...set.metadata, generation: undefined } });
  expect(await woken(updated(config, { data: { "config.yaml": "{}" } }))).toEqual([key]);
});

describe("a part that has just come wakes its engine", () => {
  // prettier-ignore
  test.each<[string, KubernetesObject, Cached]>([
    ["when no pods are wanted, so that it is complete",   set, { replicas: 0 }],
    ["when pods were seen before it",                     set, { pods: 1 }],
    ["when it is of a generation that was given up",      set, { current: 1 }],
    ["when the engine is past creating",                  set, { phase: "stable" }],
    ["when the engine is not known yet",                  set, null],
    ["when it is the Service that all generations share", object("Service", "e-service"), {}],
  ])("%s", async (_, part, cached) => {
    expect(await woken(added(part), cached)).toEqual([key]);
  });

  test("but not while the engine waits for the first pod of that very generation", async () => {
    const parts = [set, object("Service", "e-g0-hl"), object("ConfigMap", "e-g0-config")];
    expect(await Promise.all(parts.map((part) => woken(added(part))))).toEqual([[], [], []]);
  });
});

test("endpoints wake an engine only while it drains", async () => {
  const endpoints = object("Endpoints", "e-service");
  expect(await whileDraining(endpoints, shows({ phase: "draining" }))).toEqual([key]);
  expect(await whileDraining(endpoints, shows({ phase: "switching" }))).toEqual([]);
  expect(await whileDraining(endpoints, shows(null))).toEqual([]);
});

describe("an instance or a class wakes the engines that depend on it, and no other", () => {
  const engines = [
    object("FireboltEngine", "new", { spec: { instanceRef: "a", engineClassRef: "a" } }),
    object("FireboltEngine", "other", { spec: { instanceRef: "b" }, status: { observedInstance: "b" } }),
    object("FireboltEngine", "moved", { spec: { instanceRef: "b" }, status: { observedInstance: "a" } }),
  ];
  const world: World = { ...shows(null), list: async () => engines };
  const names = (keys: { name: string }[]) => keys.map(({ name }) => name);

  test("an instance those that were made for it, even where the spec names another since", async () => {
    expect(names(await onItsInstance(object("FireboltInstance", "a"), world))).toEqual(["new", "moved"]);
  });

  test("a class those that name it", async () => {
    expect(names(await ofItsClass(object("FireboltEngineClass", "a"), world))).toEqual(["new"]);
  });
});
