import { expect, test } from "vitest";
import { createStore } from "@/server/kubernetes/store";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { createExpectations } from "./expectations";

function pod(resourceVersion: string, more: Partial<KubernetesObject["metadata"]> = {}): KubernetesObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { namespace: "n", name: "p", uid: "u", resourceVersion, ...more } };
}

test("a key waits until the cache shows what was written for it, and only that key", () => {
  const store = createStore();
  store.replace([pod("5")], "5");
  const expectations = createExpectations();
  expectations.wrote("n/a", store, pod("9"));
  expect([expectations.met("n/a"), expectations.met("n/b")]).toEqual([false, true]);
  store.apply("MODIFIED", pod("8"));
  expect(expectations.met("n/a")).toBe(false);
  store.apply("MODIFIED", pod("9"));
  expect(expectations.met("n/a")).toBe(true);
});

test("a bookmark shows it too, and so does a newer list", () => {
  const store = createStore();
  store.replace([], "5");
  const expectations = createExpectations();
  expectations.wrote("k", store, pod("9"));
  store.bookmark("12");
  expect(expectations.met("k")).toBe(true);
  expectations.wrote("k", store, pod("20"));
  store.replace([pod("20")], "21");
  expect(expectations.met("k")).toBe(true);
});

test("of two writes both must be shown", () => {
  const [pods, services] = [createStore(), createStore()];
  pods.replace([], "5");
  services.replace([], "5");
  const expectations = createExpectations();
  expectations.wrote("k", pods, pod("9"));
  expectations.wrote("k", services, pod("10"));
  pods.bookmark("30");
  expect(expectations.met("k")).toBe(false);
  services.bookmark("10");
  expect(expectations.met("k")).toBe(true);
});

test("a deletion is shown when the object is gone, on its way out, or another one by the same name", () => {
  const expectations = createExpectations();
  const gone = createStore();
  gone.replace([pod("5")], "5");
  for (const change of [
    () => gone.apply("DELETED", pod("6")),
    () => gone.apply("MODIFIED", pod("9", { deletionTimestamp: "2020-01-01T00:00:00Z" })),
    () => gone.apply("MODIFIED", pod("12", { uid: "other" })),
  ]) {
    expectations.deleted("k", gone, { namespace: "n", name: "p", uid: "u" });
    expect(expectations.met("k")).toBe(false);
    change();
    expect(expectations.met("k")).toBe(true);
    gone.replace([pod(String(Number(gone.resourceVersion) + 1))], String(Number(gone.resourceVersion) + 1));
  }
});

test("a server whose versions are no numbers is not waited for", () => {
  const store = createStore();
  store.replace([], "abc");
  const expectations = createExpectations();
  expectations.wrote("k", store, pod("xyz"));
  expect(expectations.met("k")).toBe(true);
});

test("nothing is expected of what was forgotten", () => {
  const store = createStore();
  store.replace([], "5");
  const expectations = createExpectations();
  expectations.wrote("k", store, pod("9"));
  expectations.forget("k");
  expect(expectations.met("k")).toBe(true);
});

test("an object that nothing holds any more is shown as gone only when it has left the cache", () => {
  const leaving = { deletionTimestamp: "2020-01-01T00:00:00Z" };
  const store = createStore();
  store.replace([pod("5", leaving)], "5");
  const expectations = createExpectations();
  expectations.deleted("k", store, { namespace: "n", name: "p", uid: "u", entirely: true });
  expect(expectations.met("k")).toBe(false);
  store.apply("DELETED", pod("6", leaving));
  expect(expectations.met("k")).toBe(true);
});
