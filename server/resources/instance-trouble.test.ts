import { afterAll, beforeAll, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import type { Api, KubernetesObject } from "@/server/kubernetes/object";
import { createNamespace, podOf } from "./fixtures/firebolt";
import { createStage, type Stage } from "./fixtures/stage";
import { ended, unschedulable, waiting, warn } from "./fixtures/troubles";

/** What is done to an instance that is being provisioned, and the words that only the true cause has. */
type Trouble = { cause: RegExp; make: (at: At) => Promise<unknown> };
type At = { stage: Stage; namespace: string; name: string };

const partOf = (api: Api, part: string) => (at: At) =>
  at.stage.client.get(api, { namespace: at.namespace, name: `${at.name}-${part}` });
const databaseOf = partOf(apis.statefulSet, "metadata-pg");
const gatewayOf = partOf(apis.deployment, "gateway");

const troubles: Record<string, Trouble> = {
  "no node for its database": {
    cause: /Insufficient memory/,
    make: async (at) => {
      const pod = await at.stage.create(await databasePodOf(at));
      await at.stage.setStatus(pod, unschedulable("0/3 nodes are available: 3 Insufficient memory."));
    },
  },
  "a database that crashes": {
    cause: /exit code 1.*data directory has wrong ownership/,
    make: async (at) => {
      const pod = await at.stage.create(await databasePodOf(at));
      await at.stage.setStatus(pod, ended(1, "Error", { message: "data directory has wrong ownership" }));
    },
  },
  "a gateway whose image cannot be pulled": {
    cause: /ImagePullBackOff/,
    make: async (at) => {
      const pod = await at.stage.create(podOf(`${at.name}-gateway-x`, await replicaSetOf(at, await gatewayOf(at))));
      await at.stage.setStatus(pod, waiting("ImagePullBackOff", 'Back-off pulling image "envoy:nope"'));
    },
  },
  "a gateway that the quota has no room for": {
    cause: /exceeded quota: small/,
    make: async (at) => {
      const message = 'Error creating: pods "x" is forbidden: exceeded quota: small, requested: pods=1';
      await warn(at, await replicaSetOf(at, await gatewayOf(at)), "FailedCreate", message);
    },
  },
};

/** As the StatefulSet controller, but for the volume of its claim. */
async function databasePodOf(at: At): Promise<KubernetesObject> {
  const pod = podOf(`${at.name}-metadata-pg-0`, await databaseOf(at));
  return { ...pod, spec: { containers: [{ name: "postgres", image: "postgres:16" }] } };
}

/** As the Deployment controller. */
async function replicaSetOf({ stage }: At, deployment: KubernetesObject): Promise<KubernetesObject> {
  const { name, namespace, uid = "", labels = {} } = deployment.metadata;
  const owner = { apiVersion: "apps/v1", kind: "Deployment", name, uid, controller: true };
  const set = await stage.create({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: `${name}-1`, namespace, labels, ownerReferences: [owner] },
    spec: { ...deployment.spec, strategy: undefined },
  });
  return { ...set, apiVersion: "apps/v1", kind: "ReplicaSet" };
}

let stage: Stage;
beforeAll(async () => {
  stage = await createStage({ reads: "memory" });
});
afterAll(() => stage.stop());

test.each(Object.entries(troubles))("the first line of the explanation names %s", async (title, { cause, make }) => {
  const namespace = `sick-${Object.keys(troubles).indexOf(title)}`;
  const at = { namespace, name: "main" };
  await createNamespace(stage, namespace);
  const apiVersion = "compute.firebolt.io/v1alpha1";
  await stage.create({ apiVersion, kind: "FireboltInstance", metadata: at, spec: { metadata: {}, gateway: {} } });
  for (let pass = 0; pass < 4; pass++) await stage.passOver("firebolt.instance", at);
  await make({ ...at, stage });
  await stage.passOver("firebolt.instance", at);
  await stage.projection.settled();
  const { why, sentence } = await stage.as().resource.explain({ kind: "firebolt.instance", ...at });
  expect(why).toMatch(cause);
  expect(sentence).toContain(why ?? "");
});
