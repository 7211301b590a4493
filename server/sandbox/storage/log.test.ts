import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { openLog } from "@/server/sandbox/storage/log";
import { createStore, type Store } from "@/server/sandbox/storage/store";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orrery-log-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("what was written is there after a process that was killed without a word", () => {
  const store = opened();
  store.put("configmaps", object("a", "1"));
  store.put("configmaps", object("b", "1"));
  store.put("configmaps", object("a", "2"));
  store.remove("configmaps", object("b", "1"));
  const again = opened();
  expect([...again.all("configmaps")].map(({ metadata, data }) => [metadata.name, data])).toEqual([["a", { n: "2" }]]);
  expect(again.revision()).toBe(store.revision());
});

test("a line that was torn by a crash is left out, and writing goes on after it", () => {
  opened().put("configmaps", object("a", "1"));
  appendFileSync(join(folder, "cluster.log"), '+configmaps {"apiVersion":"v1","ki');
  const store = opened();
  store.put("configmaps", object("b", "1"));
  expect([...opened().all("configmaps")].map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
});

test("a watch cannot begin before the restart, and can begin at it", () => {
  const store = opened();
  store.put("configmaps", object("a", "1"));
  const again = opened();
  expect(again.changesSince("configmaps", 1)).toBeNull();
  expect(again.changesSince("configmaps", again.revision())).toEqual([]);
});

function opened(): Store {
  const store = createStore();
  openLog(folder, store).follow(store);
  return store;
}

function object(name: string, n: string): KubernetesObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data: { n } };
}
