import { expect, test } from "vitest";
import { configMap } from "@/server/kubernetes/fixtures/stub-server";
import { createStore } from "@/server/kubernetes/store";

const owned = (name: string, version: number, uid: string, labels: Record<string, string>) =>
  configMap(name, version, { ownerReferences: [{ apiVersion: "v1", kind: "Widget", name: "w", uid }], labels });

function filled() {
  const store = createStore();
  store.replace(
    [
      owned("a", 1, "u1", { app: "x", tier: "web" }),
      owned("b", 2, "u2", { app: "x", tier: "db" }),
      owned("c", 3, "u1", { app: "y", tier: "web" }),
      {
        ...owned("a", 4, "u2", { app: "y" }),
        metadata: { ...owned("a", 4, "u2", { app: "y" }).metadata, namespace: "other" },
      },
    ],
    "4",
  );
  return store;
}

const names = (store: ReturnType<typeof createStore>, where: Parameters<typeof store.list>[0]) =>
  store.list(where).map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name}`);

test.each([
  [{}, ["default/a", "default/b", "default/c", "other/a"]],
  [{ namespace: "other" }, ["other/a"]],
  [{ namespace: "nowhere" }, []],
  [{ ownerUid: "u1" }, ["default/a", "default/c"]],
  [{ ownerUid: "u2", namespace: "default" }, ["default/b"]],
  [{ labels: { app: "x" } }, ["default/a", "default/b"]],
  [{ labels: { app: "x", tier: "web" } }, ["default/a"]],
  [{ labels: { app: "x", nothing: "here" } }, []],
  [{ labels: {} }, ["default/a", "default/b", "default/c", "other/a"]],
] as const)("%o finds %o", (where, found) => {
  expect(names(filled(), where)).toEqual(found);
});

test("the indexes follow changes, deletes and relists", () => {
  const store = filled();
  expect(names(store, { labels: { app: "x" } })).toEqual(["default/a", "default/b"]);
  expect(names(store, { ownerUid: "u1" })).toEqual(["default/a", "default/c"]);
  store.apply("MODIFIED", owned("a", 5, "u2", { app: "z" }));
  store.apply("DELETED", owned("b", 6, "u2", { app: "x" }));
  expect(names(store, { labels: { app: "x" } })).toEqual([]);
  expect(names(store, { labels: { app: "z" } })).toEqual(["default/a"]);
  expect(names(store, { ownerUid: "u1" })).toEqual(["default/c"]);
  store.replace([owned("n", 9, "u1", { app: "x" })], "9");
  expect(names(store, { ownerUid: "u1" })).toEqual(["default/n"]);
  expect(names(store, { labels: { app: "x" } })).toEqual(["default/n"]);
});

test("a cache covers the versions that it has seen, bookmarks included, and claims nothing of those it cannot compare", () => {
  const store = filled();
  expect([store.covers("4"), store.covers("5"), store.covers("10")]).toEqual([true, false, false]);
  store.bookmark("10");
  expect([store.covers("9"), store.covers("10"), store.covers("11"), store.covers("0xff")]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  store.bookmark("7");
  expect(store.resourceVersion).toBe("10");
});

test("a relist with the same version of an object tells nobody and keeps the object that is there", () => {
  const store = filled();
  const before = store.get({ namespace: "default", name: "c" });
  const told: string[] = [];
  store.subscribe(({ type, object }) => told.push(`${type} ${object.metadata.name}`));
  store.replace([owned("c", 3, "u1", { app: "y", tier: "web" })], "8");
  expect(told).toEqual(["deleted a", "deleted b", "deleted a"]);
  expect(store.get({ namespace: "default", name: "c" })).toBe(before);
});

test("an add that comes after the first list is nobody's start-up", () => {
  const store = filled();
  const initial: boolean[] = [];
  store.subscribe((change) => {
    if (change.type === "added") initial.push(change.initial);
  });
  store.apply("ADDED", configMap("d", 5));
  store.replace([configMap("e", 6)], "7");
  expect(initial).toEqual([false, false]);
});
