import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { apis } from "@/server/kubernetes/apis";
import { clientOver, type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { serverConnection } from "@/server/kubernetes/connection";
import { type Api, type KubernetesObject, pathOf } from "@/server/kubernetes/object";
import { createTransport, type Send } from "@/server/kubernetes/transport";
import { requestInfoOf } from "@/server/sandbox/http/request-info";
import { type Sandbox } from "@/server/sandbox/sandbox";

/** Where the ServiceAccount of deploy/rbac.yaml lives. */
export const limitedNamespace = "orrery-system";

/** A client of the sandbox that may do what deploy/rbac.yaml grants and nothing else; `used` gathers what it needed. */
export async function createLimitedClient(
  fleet: { client: KubernetesClient; clock: Clock; sandbox: Sandbox },
  used = new Set<string>(),
): Promise<KubernetesClient> {
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
  const transport = createTransport(serverConnection({ server: sandbox.url, token }), { clock });
  const seen = (request: Send) => {
    for (const right of rightsFor(request)) used.add(right);
    return request;
  };
  return clientOver(
    {
      ...transport,
      send: (request) => transport.send(seen(request)),
      stream: (request, sink) => transport.stream(seen(request), sink),
    },
    clock,
  );
}

/** Every right of the roles in deploy/rbac.yaml, as "verb resource.group". */
export function grantedRights(): string[] {
  const rules = documents().flatMap(({ rules = [] }) => rules as Rule[]);
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    verbs.flatMap((verb) => resources.flatMap((name) => apiGroups.map((group) => rightText(verb, name, group)))),
  );
}

type Rule = { apiGroups: string[]; resources: string[]; verbs: string[] };

/** The rights that an API server of any version asks for when it gets this request. */
function rightsFor({ method, path, headers = {} }: Send): string[] {
  const { pathname, searchParams } = new URL(path, "http://server");
  const info = requestInfoOf(pathname);
  if (!info.resource) return [];
  const { name, plural, subresource, group } = info;
  const applies = Object.values(headers).includes("application/apply-patch+yaml");
  // Before a watch could begin with what is there, a list came first; an apply of what is not there creates it.
  const read = searchParams.get("watch") ? ["watch", "list"] : [name === undefined ? "list" : "get"];
  const patch = applies ? ["patch", "create"] : ["patch"];
  const verbs = { GET: read, POST: ["create"], PUT: ["update"], PATCH: patch, DELETE: ["delete"] };
  return verbs[method].map((verb) => rightText(verb, subresource ? `${plural}/${subresource}` : plural, group));
}

function rightText(verb: string, resource: string, group: string): string {
  return `${verb} ${group ? `${resource}.${group}` : resource}`;
}

function documents(): KubernetesObject[] {
  return parseAllDocuments(readFileSync("deploy/rbac.yaml", "utf8")).map(
    (document) => document.toJS() as KubernetesObject,
  );
}
