import { describe, expect, test } from "vitest";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { bodyOf, createAppliedMemory } from "./applied-memory";

const wanted: KubernetesObject = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "a", namespace: "n", labels: { app: "a" } },
  spec: {
    replicas: 2,
    template: {
      spec: {
        containers: [{ name: "main", image: "i:1", args: ["--x"], resources: { requests: { cpu: "1000m" } } }],
        tolerations: [{ operator: "Exists" }],
      },
    },
  },
};

/** As the API server would give it back: defaults and ids added. */
function stored(change: (object: KubernetesObject) => void = () => undefined): KubernetesObject {
  const object = structuredClone(bodyOf(wanted));
  object.metadata = { ...object.metadata, uid: "u", resourceVersion: "7", creationTimestamp: "2020-01-01T00:00:00Z" };
  object.spec = { ...object.spec, podManagementPolicy: "OrderedReady" };
  change(object);
  return object;
}

type Template = { template: { spec: { containers: Record<string, unknown>[]; tolerations: unknown[] } } };
const podOf = (object: KubernetesObject) => (object.spec as Template).template.spec;

describe("nothing is applied again", () => {
  test("when the server only added its defaults", () => {
    expect(createAppliedMemory().holds(bodyOf(wanted), stored())).toBe(true);
  });

  test("when a sidecar was injected before our container", () => {
    const withSidecar = stored((object) => podOf(object).containers.unshift({ name: "sidecar", image: "s" }));
    expect(createAppliedMemory().holds(bodyOf(wanted), withSidecar)).toBe(true);
  });

  test("when the server words a quantity its own way, once it has answered so", () => {
    const memory = createAppliedMemory();
    const worded = stored(
      (object) =>
        (podOf(object).containers[0] = { ...podOf(object).containers[0], resources: { requests: { cpu: "1" } } }),
    );
    expect(memory.holds(bodyOf(wanted), worded)).toBe(false);
    memory.learn(bodyOf(wanted), worded);
    expect(memory.holds(bodyOf(wanted), worded)).toBe(true);
    memory.forget("u");
    expect(memory.holds(bodyOf(wanted), worded)).toBe(false);
  });
});

describe("it is applied again", () => {
  // prettier-ignore
  test.each<[string, (object: KubernetesObject) => void]>([
    ["a field of ours was changed", (object) => (object.spec = { ...object.spec, replicas: 3 })],
    ["a label of ours was removed", (object) => (object.metadata.labels = {})],
    ["an argument was added to our command line", (object) => (podOf(object).containers[0] = { ...podOf(object).containers[0], args: ["--x", "--y"] })],
    ["an item was added to a list without names", (object) => podOf(object).tolerations.push({ key: "k" })],
    ["our container is gone", (object) => (podOf(object).containers = [{ name: "other" }])],
    ["it was last applied from another body", (object) => (object.metadata.annotations = {})],
  ])("when %s", (_, change) => {
    expect(createAppliedMemory().holds(bodyOf(wanted), stored(change))).toBe(false);
  });

  test("when we no longer want a field that we once set", () => {
    const { replicas, ...spec } = wanted.spec ?? {};
    expect(replicas).toBe(2);
    expect(createAppliedMemory().holds(bodyOf({ ...wanted, spec }), stored())).toBe(false);
  });

  test("when what the server had worded differently has drifted since", () => {
    const memory = createAppliedMemory();
    const worded = (cpu: string) =>
      stored(
        (object) =>
          (podOf(object).containers[0] = { ...podOf(object).containers[0], resources: { requests: { cpu } } }),
      );
    memory.learn(bodyOf(wanted), worded("1"));
    expect(memory.holds(bodyOf(wanted), worded("2"))).toBe(false);
  });
});
