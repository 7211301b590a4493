import { expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import type { Api, KubernetesObject } from "@/server/kubernetes/object";
import type { Where, World } from "@/server/reconcile/world";
import { rememberingWorld } from "./remembering-world";

const namespace = "shop";
const made = { apis: [apis.service, apis.pod], namespace, labels: { engine: "tea" } };

test("what was made for a resource is asked for once per kind and at once, whoever wants which part of it", async () => {
  const { asked, world } = watched([
    object("Service", "tea-a", { engine: "tea" }),
    object("Service", "tea-b", { engine: "tea" }, "owner"),
    object("Pod", "tea-0", { engine: "tea", generation: "0" }),
    object("Pod", "tea-1", { engine: "tea", generation: "1" }),
  ]);
  const looking = rememberingWorld(world, made);
  expect(asked).toEqual(["list services engine=tea", "list pods engine=tea"]);

  expect((await looking.world.get(apis.service, { namespace, name: "tea-a" }))?.metadata.name).toBe("tea-a");
  expect(await looking.world.get(apis.service, { namespace, name: "tea-c" })).toBeNull();
  expect(namesOf(await looking.world.list(apis.service, { namespace, ownerUid: "owner" }))).toEqual(["tea-b"]);
  const ofOne = await looking.world.list(apis.pod, { namespace, labels: { engine: "tea", generation: "1" } });
  expect(namesOf(ofOne)).toEqual(["tea-1"]);
  expect(asked).toHaveLength(2);
  expect(namesOf([...looking.remembered.values()])).toEqual(["tea-a", "tea-b", "tea-1"]);
});

test("what others have is asked for as before: in other namespaces, of other kinds, with other labels", async () => {
  const { asked, world } = watched([object("Pod", "coffee-0", { engine: "coffee" })]);
  const looking = rememberingWorld(world, made);
  asked.length = 0;
  await looking.world.get(apis.service, { namespace: "other", name: "tea-a" });
  await looking.world.get(apis.configMap, { namespace, name: "tea-a" });
  expect(namesOf(await looking.world.list(apis.pod, { namespace, labels: { engine: "coffee" } }))).toEqual([
    "coffee-0",
  ]);
  expect(asked).toEqual(["get services tea-a", "get configmaps tea-a", "list pods engine=coffee"]);
});

test("a kind that cannot be listed fails only who asks for it", async () => {
  const { world } = watched([object("Pod", "tea-0", { engine: "tea" })]);
  const list: World["list"] = (api, where) =>
    api === apis.service ? Promise.reject(new Error("forbidden")) : world.list(api, where);
  const looking = rememberingWorld({ ...world, list }, made);
  expect((await looking.world.get(apis.pod, { namespace, name: "tea-0" }))?.metadata.name).toBe("tea-0");
  await expect(looking.world.get(apis.service, { namespace, name: "tea-a" })).rejects.toThrow("forbidden");
});

/** A cluster of these objects that notes what it is asked. */
function watched(objects: readonly KubernetesObject[]): { asked: string[]; world: World } {
  const asked: string[] = [];
  const live = { get: never, list: never, fetch: never, proxy: never, lastLine: never };
  const world: World = {
    now: 0,
    live,
    get: async ({ plural }, { name }) => {
      asked.push(`get ${plural} ${name}`);
      return null;
    },
    list: async (api, where = {}) => {
      asked.push(`list ${api.plural} ${labelsIn(where)}`);
      return objects.filter(({ kind, metadata }) => kind === api.kind && hasLabels(metadata.labels, where));
    },
  };
  return { asked, world };
}

function labelsIn({ labels = {} }: Where): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(",");
}

function hasLabels(labels: Record<string, string> = {}, where: Where): boolean {
  return Object.entries(where.labels ?? {}).every(([label, value]) => labels[label] === value);
}

function never(): never {
  throw new Error("not asked here");
}

function object(kind: Api["kind"], name: string, labels: Record<string, string>, owner?: string): KubernetesObject {
  const ownerReferences = owner ? [{ apiVersion: "v1", kind: "Tea", name: owner, uid: owner }] : [];
  return { apiVersion: "v1", kind, metadata: { name, namespace, uid: name, labels, ownerReferences } };
}

function namesOf(objects: readonly KubernetesObject[]): string[] {
  return objects.map(({ metadata }) => metadata.name);
}
