import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { crdOf } from "@/machines/crd";
import { kinds } from "@/machines/families";
import { metaOf } from "@/machines/lifecycle";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { connectionFrom } from "@/server/kubernetes/connection";
import { isAlreadyExists } from "@/server/kubernetes/errors";
import type { KubernetesObject } from "@/server/kubernetes/object";
import type { Identity } from "./identity";
import { createRights } from "./rights";
import { createTokenReviewer } from "./token-review";

const run = promisify(execFile);
const namespace = `orrery-rights-${process.pid}`;
const account = (name: string) => `system:serviceaccount:${namespace}:${name}`;
const apiVersion = "rbac.authorization.k8s.io/v1";

let client: KubernetesClient;
beforeAll(async () => {
  const kubeconfig = process.env.KUBECONFIG;
  if (!kubeconfig) throw new Error("KUBECONFIG must name a cluster that may be written to.");
  client = createClient({ connection: await connectionFrom({ kubeconfig }), clock: systemClock });
  // kubectl asks only about kinds that the cluster knows.
  const crd = crdOf(kinds["firebolt.engine"]) as unknown as KubernetesObject;
  await client.create(apis.customResourceDefinition, crd).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  await client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  for (const name of ["viewer", "operator"]) {
    await client.create(apis.serviceAccount, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name, namespace },
    });
  }
  await bind("viewer", ["get", "list"]);
  await bind("operator", ["get", "list", "start", "stop"]);
});
afterAll(async () => {
  await client.delete(apis.namespace, { name: namespace });
  await client.close();
});

async function bind(name: string, verbs: string[]): Promise<void> {
  const rules = [{ apiGroups: ["compute.firebolt.io"], resources: ["fireboltengines"], verbs }];
  await client.create(apis.role, { apiVersion, kind: "Role", metadata: { name, namespace }, rules });
  await client.create(apis.roleBinding, {
    apiVersion,
    kind: "RoleBinding",
    metadata: { name, namespace },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  });
}

async function identityOf(name: string): Promise<Identity> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const { body } = await client.request("POST", path, {
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  });
  const { token } = (body as { status: { token: string } }).status;
  const identity = await createTokenReviewer({ client, clock: systemClock })(token);
  if (!identity) throw new Error("the cluster does not know the token that it gave");
  return { ...identity, by: "bearer" };
}

/** What `kubectl auth can-i` says; it ends with 1 for no. */
async function canI(name: string, verb: string, where: string): Promise<boolean> {
  const args = ["auth", "can-i", verb, "fireboltengines.compute.firebolt.io", "-n", where, "--as", account(name), "-q"];
  return run("kubectl", args).then(
    () => true,
    () => false,
  );
}

test.each(["viewer", "operator"])("a %s may what kubectl says that it may, verb by verb, and no more", async (name) => {
  const identity = await identityOf(name);
  expect(identity.name).toBe(account(name));
  const rights = createRights({ client, clock: systemClock });
  const { api, lifecycles } = kinds["firebolt.engine"];
  const commands = Object.values(lifecycles).flatMap(({ machine }) => Object.keys(metaOf(machine).commands));
  for (const where of [namespace, "default"])
    for (const verb of ["get", "list", "patch", ...commands]) {
      const verdict = await rights.may(identity, { verb, api, namespace: where });
      expect(verdict.allowed, `${verb} in ${where}`).toBe(await canI(name, verb, where));
    }
});

test("a token that the cluster does not know is nobody's", async () => {
  expect(await createTokenReviewer({ client, clock: systemClock })("not-a-token")).toBeNull();
});
