import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { serverConnection } from "@/server/kubernetes/connection";
import { type Api, type KubernetesObject, pathOf } from "@/server/kubernetes/object";
import { type Sandbox } from "@/server/sandbox/sandbox";

/** Where the ServiceAccount of deploy/rbac.yaml lives. */
export const limitedNamespace = "orrery-system";

/** A client of the sandbox that may do what deploy/rbac.yaml grants and nothing else. */
export async function createLimitedClient(fleet: {
  client: KubernetesClient;
  clock: Clock;
  sandbox: Sandbox;
}): Promise<KubernetesClient> {
  const { client: admin, clock, sandbox } = fleet;
  const metadata = { name: limitedNamespace };
  await admin.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata });
  for (const object of documents()) {
    const api = Object.values<Api>(apis).find(({ kind }) => kind === object.kind);
    if (api) await admin.create(api, object);
  }
  const path = pathOf(apis.serviceAccount, { namespace: limitedNamespace, name: "orrery", subresource: "token" });
  const { body } = await admin.request("POST", path, {
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 864_000 } },
  });
  const { token } = (body as { status: { token: string } }).status; // what a TokenRequest answers
  return createClient({ connection: serverConnection({ server: sandbox.url, token }), clock });
}

function documents(): KubernetesObject[] {
  return parseAllDocuments(readFileSync("deploy/rbac.yaml", "utf8")).map(
    (document) => document.toJS() as KubernetesObject,
  );
}
