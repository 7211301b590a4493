import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { unique, until } from "@/server/sandbox/contract/target";
import { account, authorization, pods, rbac, untilAllowed } from "@/server/sandbox/contract/tester-account";

export const accessContract = topic("who may do what", (promises) => {
  promises("a token that nobody has is refused with 401", async (target) => {
    const { status, object } = await target.send("GET", "/api/v1/namespaces", { token: "nobody" });
    expect(status).toBe(401);
    expect(object).toMatchObject({
      kind: "Status",
      status: "Failure",
      message: "Unauthorized",
      reason: "Unauthorized",
      code: 401,
    });
  });

  promises("without a token one is anonymous and sees no resource", async (target) => {
    const { status, message } = await target.send("GET", "/api/v1/namespaces", { token: null });
    expect(status).toBe(403);
    expect(message).toBe(
      'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
    );
  });

  promises("a path that is no resource is refused by its name", async (target) => {
    const { status, object } = await target.send("GET", "/metrics", { token: null });
    expect(status).toBe(403);
    expect(object).toMatchObject({
      message: 'forbidden: User "system:anonymous" cannot get path "/metrics"',
      reason: "Forbidden",
      details: {},
      code: 403,
    });
  });

  promises("health and version are open to everybody", async (target) => {
    for (const path of ["/version", "/healthz", "/readyz"])
      expect((await target.send("GET", path, { token: null })).status).toBe(200);
  });

  promises(
    "an account may do what its role says and nothing else, and the refusal says what was missing",
    async (target) => {
      const { namespace, token, user } = await account(target, [pods]);
      const path = `/api/v1/namespaces/${namespace}/pods`;
      await untilAllowed(target, path, token);
      expect((await target.send("GET", path, { token })).status).toBe(200);
      const refusals: [method: "GET" | "DELETE" | "POST" | "PATCH", path: string, said: string][] = [
        [
          "DELETE",
          `${path}/p`,
          `pods "p" is forbidden: User "${user}" cannot delete resource "pods" in API group "" in the namespace "${namespace}"`,
        ],
        [
          "GET",
          `${path}?watch=true`,
          `pods is forbidden: User "${user}" cannot watch resource "pods" in API group "" in the namespace "${namespace}"`,
        ],
        [
          "GET",
          `${path}/p/log`,
          `pods "p" is forbidden: User "${user}" cannot get resource "pods/log" in API group "" in the namespace "${namespace}"`,
        ],
        [
          "GET",
          "/api/v1/pods",
          `pods is forbidden: User "${user}" cannot list resource "pods" in API group "" at the cluster scope`,
        ],
        [
          "GET",
          `/apis/apps/v1/namespaces/${namespace}/deployments/d`,
          `deployments.apps "d" is forbidden: User "${user}" cannot get resource "deployments" in API group "apps" in the namespace "${namespace}"`,
        ],
        [
          "DELETE",
          path,
          `pods is forbidden: User "${user}" cannot deletecollection resource "pods" in API group "" in the namespace "${namespace}"`,
        ],
      ];
      for (const [method, where, said] of refusals) {
        const { status, message, object } = await target.send(method, where, { token });
        expect({ where, status, message }).toEqual({ where, status: 403, message: said });
        expect(object["reason"]).toBe("Forbidden");
      }
    },
  );

  promises("a role may name single objects, subresources and verbs of our own", async (target) => {
    const { namespace, token, user } = await account(target, [
      { apiGroups: [""], resources: ["configmaps"], resourceNames: ["one"], verbs: ["get"] },
      { apiGroups: [""], resources: ["*/log"], verbs: ["get"] },
      { apiGroups: ["example.com"], resources: ["widgets"], verbs: ["start"] },
    ]);
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await untilAllowed(target, `${path}/one`, token);
    expect((await target.send("GET", `${path}/one`, { token })).status).toBe(404);
    expect((await target.send("GET", `${path}/two`, { token })).status).toBe(403);
    const may = async (resourceAttributes: object) => {
      const { object } = await target.send("POST", `${authorization}/subjectaccessreviews`, {
        body: {
          apiVersion: "authorization.k8s.io/v1",
          kind: "SubjectAccessReview",
          spec: { user, groups: ["system:authenticated"], resourceAttributes },
        },
      });
      return object.status?.["allowed"];
    };
    expect(await may({ namespace, verb: "get", resource: "pods", subresource: "log" })).toBe(true);
    expect(await may({ namespace, verb: "get", resource: "pods" })).toBe(false);
    expect(await may({ namespace, verb: "start", group: "example.com", resource: "widgets" })).toBe(true);
    expect(await may({ namespace, verb: "stop", group: "example.com", resource: "widgets" })).toBe(false);
  });
  promises("nobody hands out rights that they do not have", async (target) => {
    const rights = [
      { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: ["create", "get"] },
      pods,
    ];
    const { namespace, token, user } = await account(target, rights);
    const role = (name: string, rules: object[]) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name },
      rules,
    });
    const path = `${rbac}/namespaces/${namespace}/roles`;
    await untilAllowed(target, `${path}/tester`, token);
    const more = await target.send("POST", path, {
      token,
      body: role("more", [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }]),
    });
    expect(more.status).toBe(403);
    expect(more.message).toContain(
      `roles.rbac.authorization.k8s.io "more" is forbidden: user "${user}" (groups=["system:serviceaccounts" "system:serviceaccounts:${namespace}" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
    );
    expect((await target.send("POST", path, { token, body: role("same", [pods]) })).status).toBe(201);
    const binding = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "b" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" }],
    };
    const bound = await target.send("POST", `${rbac}/namespaces/${namespace}/rolebindings`, { token, body: binding });
    expect(bound.status).toBe(403);
    expect(bound.message).toContain("is attempting to grant RBAC permissions not currently held");
  });

  promises("a ClusterRole collects the rules of those that its selector finds", async (target) => {
    const label = unique("aggregate");
    const body = (name: string, more: object) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name, labels: {} },
      ...more,
    });
    const collector = unique("collector");
    const part = unique("part");
    for (const name of [collector, part]) target.cleanUp(`${rbac}/clusterroles/${name}`);
    await target.send("POST", `${rbac}/clusterroles`, {
      body: body(collector, {
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: "true" } }] },
        rules: [],
      }),
    });
    await target.send("POST", `${rbac}/clusterroles`, {
      body: { ...body(part, { rules: [pods] }), metadata: { name: part, labels: { [label]: "true" } } },
    });
    await until("the collected rules", async () => {
      const rules = (await target.send("GET", `${rbac}/clusterroles/${collector}`)).object["rules"];
      return Array.isArray(rules) && rules.length === 1;
    });
  });

  promises("the roles that every cluster has are there", async (target) => {
    for (const name of [
      "cluster-admin",
      "admin",
      "edit",
      "view",
      "system:discovery",
      "system:basic-user",
      "system:auth-delegator",
    ]) {
      expect((await target.send("GET", `${rbac}/clusterroles/${name}`)).status).toBe(200);
    }
    const { object } = await target.send("POST", `${authorization}/subjectaccessreviews`, {
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { user: "root", groups: ["system:masters"], resourceAttributes: { verb: "delete", resource: "nodes" } },
      },
    });
    expect(object.status?.["allowed"]).toBe(true);
  });
});
