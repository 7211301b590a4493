import { afterAll, beforeAll, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { connectionFrom } from "@/server/kubernetes/connection";
import { createLease } from "@/server/kubernetes/lease";
import { createReflector } from "@/server/kubernetes/reflector";
import { createStore } from "@/server/kubernetes/store";
import { until } from "@/server/testing/until";

const namespace = `orrery-runtime-${process.pid}`;
let client: KubernetesClient;

beforeAll(async () => {
  const { KUBECONFIG } = process.env;
  if (!KUBECONFIG) throw new Error("KUBECONFIG must name a disposable cluster");
  client = createClient({ connection: await connectionFrom({ kubeconfig: KUBECONFIG }), clock: systemClock });
  await client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
});

afterAll(async () => {
  await client.delete(apis.namespace, { name: namespace });
  await client.close();
});

const map = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace, name, labels: { app: "runtime" } },
  data: {},
});

test("a reflector follows creates, changes and deletes, in pages and in order", async () => {
  for (let turn = 0; turn < 3; turn++) await client.create(apis.configMap, map(`before-${turn}`));
  const store = createStore();
  const reflector = createReflector({
    client,
    clock: systemClock,
    store,
    api: apis.configMap,
    namespace,
    labelSelector: "app=runtime",
  });
  reflector.start();
  await reflector.synced();
  expect(store.size).toBe(3);
  const { metadata } = await client.create(apis.configMap, map("after"));
  await until("the cache covers the write", () => store.covers(metadata.resourceVersion ?? ""));
  expect(store.get({ namespace, name: "after" })?.metadata.managedFields).toBeUndefined();
  await client.delete(
    apis.configMap,
    { namespace, name: "before-0" },
    { uid: store.get({ namespace, name: "before-0" })?.metadata.uid },
  );
  await until("the delete is seen", () => store.size === 3);
  await expect(client.delete(apis.configMap, { namespace, name: "after" }, { uid: "another" })).rejects.toMatchObject({
    kind: "conflict",
  });
  await reflector.stop();
});

test("a lease is created, refused to a second holder, and handed over by a clean stop", async () => {
  const leaseOf = (identity: string) =>
    createLease({ client, clock: systemClock, namespace, name: "worker", identity });
  const [first, second] = [leaseOf("first"), leaseOf("second")];
  first.start();
  await until("the first holds it", () => first.isHeld());
  second.start();
  await until("the second sees the holder", () => second.holder() === "first");
  expect(second.isHeld()).toBe(false);
  await first.stop();
  await until("the second holds it", () => second.isHeld());
  expect([first.isHeld(), second.token]).toEqual([false, first.token + 1]);
  await second.stop();
  const { spec } = await client.get(apis.lease, { namespace, name: "worker" });
  expect(spec?.holderIdentity).toBe("");
});
