import { expect } from "vitest";
import { type Target, until } from "@/server/sandbox/contract/target";

export const rbac = "/apis/rbac.authorization.k8s.io/v1";
export const authorization = "/apis/authorization.k8s.io/v1";
export const pods = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };

/** An account that may do what the rules say in its namespace, and a token of it. */
export async function account(
  target: Target,
  rules: readonly object[],
): Promise<{ namespace: string; name: string; token: string; user: string }> {
  const namespace = await target.namespace();
  const name = "tester";
  await target.send("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, {
    body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } },
  });
  await grant(target, namespace, name, rules);
  const { status, object } = await target.send(
    "POST",
    `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    {
      body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } },
    },
  );
  expect(status).toBe(201);
  return {
    namespace,
    name,
    token: String(object.status?.["token"]),
    user: `system:serviceaccount:${namespace}:${name}`,
  };
}
async function grant(target: Target, namespace: string, name: string, rules: readonly object[]): Promise<void> {
  await target.send("POST", `${rbac}/namespaces/${namespace}/roles`, {
    body: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name }, rules },
  });
  const binding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  };
  const { status } = await target.send("POST", `${rbac}/namespaces/${namespace}/rolebindings`, { body: binding });
  expect(status).toBe(201);
}
/** Rights take a moment to reach the authorizer of a real server. */
export async function untilAllowed(target: Target, path: string, token: string): Promise<void> {
  await until(`the right to read ${path}`, async () => (await target.send("GET", path, { token })).status !== 403);
}
