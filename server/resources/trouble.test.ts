import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "@/machines/families";
import { apis } from "@/server/kubernetes/apis";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { createEngine, createNamespace, createReadyInstance, podOf, settleEngine } from "./fixtures/firebolt";
import { createStage, type Stage } from "./fixtures/stage";
import { ended, unschedulable, waiting, warn } from "./fixtures/troubles";

/** What is done to the engine `sick` in its own namespace, and the words that only the true cause has. */
type Trouble = { spec?: Record<string, unknown>; cause: RegExp; make: (at: At) => Promise<unknown> };
type At = { namespace: string; name: string; stage: Stage };

const engineApi = kinds["firebolt.engine"].api;
const instanceApi = kinds["firebolt.instance"].api;

async function setOf({ stage, namespace }: At): Promise<KubernetesObject> {
  const [set] = (await stage.client.list(apis.statefulSet, { namespace })).items;
  if (!set) throw new Error("the engine has no StatefulSet");
  return set;
}

async function podWith(at: At, status: Record<string, unknown>): Promise<KubernetesObject> {
  const set = await setOf(at);
  const pod = await at.stage.create(podOf(`${set.metadata.name}-0`, set));
  await at.stage.setStatus(pod, status);
  return pod;
}

const failedCreate = (message: string) => async (at: At) => warn(at, await setOf(at), "FailedCreate", message);

async function claimOf(at: At, status: Record<string, unknown>): Promise<KubernetesObject> {
  const set = await setOf(at);
  const claim = await at.stage.create({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: `data-${set.metadata.name}-0`,
      namespace: at.namespace,
      labels: podOf("x", set).metadata.labels ?? {},
    },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" },
  });
  await at.stage.setStatus(claim, status);
  return claim;
}

const troubles: Record<string, Trouble> = {
  "a missing ServiceAccount": {
    cause: /serviceaccount "runner" not found/,
    make: failedCreate(
      'create Pod sick-g0-0 failed error: pods "sick-g0-0" is forbidden: error looking up service account: serviceaccount "runner" not found',
    ),
  },
  "a quota that is used up": {
    cause: /exceeded quota: small/,
    make: failedCreate(
      'create Pod sick-g0-0 failed error: pods "sick-g0-0" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2',
    ),
  },
  "a webhook's denial": {
    cause: /admission webhook "policy.example.com" denied/,
    make: failedCreate(
      'create Pod sick-g0-0 failed error: admission webhook "policy.example.com" denied the request: no',
    ),
  },
  "a limit range": {
    cause: /maximum cpu usage per Container is 1/,
    make: failedCreate("create Pod sick-g0-0 failed error: maximum cpu usage per Container is 1, but limit is 4"),
  },
  "no node with room": {
    cause: /Insufficient memory/,
    make: (at) => podWith(at, unschedulable("0/3 nodes are available: 3 Insufficient memory.")),
  },
  "no node that fits": {
    cause: /node selector/,
    make: (at) => podWith(at, unschedulable("0/3 nodes are available: 3 node(s) didn't match node selector.")),
  },
  "a taint": {
    cause: /taint/,
    make: (at) => podWith(at, unschedulable("0/1 nodes are available: 1 node(s) had taint {gpu: true}.")),
  },
  "an image that does not exist": {
    cause: /ErrImagePull.*not found/,
    make: (at) => podWith(at, waiting("ErrImagePull", 'rpc error: image "engine:nope" not found')),
  },
  "an image that cannot be pulled": {
    cause: /ImagePullBackOff/,
    make: (at) => podWith(at, waiting("ImagePullBackOff", 'Back-off pulling image "engine:nope"')),
  },
  "an image name that is none": {
    cause: /InvalidImageName/,
    make: (at) => podWith(at, waiting("InvalidImageName", "couldn't parse image reference")),
  },
  "a ConfigMap that is missing": {
    cause: /configmap "extra" not found/,
    make: (at) => podWith(at, waiting("CreateContainerConfigError", 'configmap "extra" not found')),
  },
  "a command that does not exist": {
    cause: /no such file/,
    make: (at) => podWith(at, waiting("RunContainerError", "exec: no such file or directory")),
  },
  "a crash loop": {
    cause: /exit code 1.*restarted 7 times.*cannot open the catalogue/,
    make: (at) => podWith(at, ended(1, "Error", { message: "cannot open the catalogue" })),
  },
  "memory that runs out": {
    cause: /exit code 137.*OOMKilled/,
    make: (at) => podWith(at, ended(137, "OOMKilled")),
  },
  "an evicted pod": {
    cause: /low on resource: ephemeral-storage/,
    make: (at) =>
      podWith(at, {
        phase: "Failed",
        reason: "Evicted",
        message: "The node was low on resource: ephemeral-storage.",
      }),
  },
  "a claim without a storage class": {
    cause: /storageclass.storage.k8s.io "fast" not found/,
    make: async (at) => {
      const claim = await claimOf(at, { phase: "Pending" });
      await warn(at, claim, "ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found');
      await podWith(at, unschedulable("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims."));
    },
  },
  "a claim that stays pending": {
    cause: /PersistentVolumeClaim data-sick-g0-0 is not bound/,
    make: async (at) => {
      await claimOf(at, { phase: "Pending" });
      await podWith(at, unschedulable("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims."));
    },
  },
  "a volume that is lost": {
    cause: /has lost its volume/,
    make: (at) => claimOf(at, { phase: "Lost" }),
  },
  "a volume that cannot be mounted": {
    cause: /FailedMount.*timed out waiting/,
    make: async (at) =>
      warn(
        at,
        await podWith(at, waiting("ContainerCreating", "")),
        "FailedMount",
        "timed out waiting for the condition",
      ),
  },
  "a probe that fails": {
    cause: /Unhealthy.*Readiness probe failed.*503/,
    make: async (at) => {
      const ready = {
        type: "Ready",
        status: "False",
        reason: "ContainersNotReady",
        message: "containers with unready status: [engine]",
      };
      const pod = await podWith(at, { phase: "Running", conditions: [ready] });
      await warn(at, pod, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503");
    },
  },
  "an instance that was deleted": {
    cause: /FireboltInstance "main" does not exist/,
    make: ({ stage, namespace }) => stage.client.delete(instanceApi, { namespace, name: "main" }),
  },
  "an instance that is not ready": {
    cause: /FireboltInstance "main".*no metadata endpoint/,
    make: async ({ stage, namespace }) => {
      const instance = await stage.client.get(instanceApi, { namespace, name: "main" });
      await stage.setStatus(instance, { metadataEndpoint: null, phase: "Provisioning" });
    },
  },
  "a class that does not exist": { spec: { engineClassRef: "large" }, cause: /large/, make: async () => undefined },
  "a drain that never ends": {
    cause: /generation 0.*drain probe failed on pod sick-g0-0/,
    make: async (at) => {
      await settleEngine(at.stage, at);
      await at.stage.client.patch(engineApi, at, { spec: { replicas: 2 } }, { type: "merge" });
      await settleEngine(at.stage, at);
    },
  },
  "a finalizer that holds an old object": {
    cause: /held by the finalizer example.com\/hold/,
    make: async (at) => {
      const set = await setOf(at);
      await at.stage.client.patch(
        apis.statefulSet,
        set.metadata,
        { metadata: { finalizers: ["example.com/hold"] } },
        { type: "merge" },
      );
      await at.stage.client.delete(apis.statefulSet, set.metadata);
      await at.stage.clock.advance(120_000);
    },
  },
};

let stage: Stage;
beforeAll(async () => {
  stage = await createStage({ reads: "memory" });
});
afterAll(() => stage.stop());

const missed: string[] = [];

test.each(Object.entries(troubles))(
  "the first line of the explanation names %s",
  async (title, { spec, cause, make }) => {
    const namespace = `sick-${Object.keys(troubles).indexOf(title)}`;
    const at = { namespace, name: "sick" };
    await createNamespace(stage, namespace);
    await createReadyInstance(stage, namespace);
    await createEngine(stage, at, spec);
    for (let pass = 0; pass < 2; pass++) await stage.passOver("firebolt.engine", at);
    await make({ ...at, stage });
    // Nothing is stuck in its first moments.
    await stage.clock.advance(5_000);
    await stage.passOver("firebolt.engine", at);
    await stage.projection.settled();
    const { why, sentence } = await stage.as().resource.explain({ kind: "firebolt.engine", ...at });
    expect(await stage.client.get(engineApi, at)).toBeDefined();
    if (!cause.test(why ?? "")) missed.push(`${title}: ${why ?? "nothing"}`);
    // The cause follows the state, and is told once.
    expect(sentence.split(why ?? "nothing")).toHaveLength(2);
  },
);

test("all of them are named, and there are more than twenty", () => {
  expect(Object.keys(troubles).length).toBeGreaterThanOrEqual(20);
  expect(missed).toEqual([]);
});

test("an engine that waits in vain is listed among what wants attention, before it is late", async () => {
  const namespace = `sick-${Object.keys(troubles).indexOf("a missing ServiceAccount")}`;
  const { rows } = await stage.as().fleet.page({ namespaces: [namespace], tones: ["warn"] });
  expect(rows).toMatchObject([{ name: "sick", state: "creating" }]);
});

test("what a stuck engine's pass asked about warnings serves its explanation, too", async () => {
  const { world } = stage.services;
  const asked: unknown[] = [];
  stage.services.world = (now) => {
    const { live, ...cached } = world(now);
    const list: typeof live.list = (api, where) => {
      asked.push([api.kind, where?.fieldSelector]);
      return live.list(api, where);
    };
    return { ...cached, live: { ...live, list } };
  };
  const namespace = `sick-${Object.keys(troubles).indexOf("a missing ServiceAccount")}`;
  const { causes } = await stage.as().resource.explain({ kind: "firebolt.engine", namespace, name: "sick" });
  stage.services.world = world;
  const [set] = (await stage.client.list(apis.statefulSet, { namespace })).items;
  expect(causes).toMatchObject([{ reason: "FailedCreate" }]);
  expect(asked).toEqual([["Event", `involvedObject.uid=${set?.metadata.uid ?? ""},type=Warning`]]);
});

test("a healthy engine has no cause to tell of, and what repeats another cause is left out", async () => {
  const at = { namespace: "well", name: "well" };
  await createNamespace(stage, "well");
  await createReadyInstance(stage, "well");
  await createEngine(stage, at);
  await settleEngine(stage, at);
  await stage.projection.settled();
  const well = await stage.as().resource.explain({ kind: "firebolt.engine", ...at });
  expect([well.why, well.causes, well.unknown, well.source]).toEqual([null, [], [], "live"]);
  for (const { guard } of well.lifecycles.flatMap(({ waysOut }) => waysOut))
    if (guard) expect(foldOf(guard)).toBe(guard.value);
});

type Guard = NonNullable<
  Awaited<ReturnType<ReturnType<Stage["as"]>["resource"]["explain"]>>["lifecycles"][number]["waysOut"][number]["guard"]
>;

function foldOf(guard: Guard): boolean {
  if (guard.op === "is") return guard.value;
  const parts = guard.of.map(foldOf);
  return { and: parts.every(Boolean), or: parts.some(Boolean), not: !parts[0] }[guard.op];
}
