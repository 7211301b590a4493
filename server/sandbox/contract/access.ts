import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { type Target, unique, until } from "@/server/sandbox/contract/target";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const authorization = "/apis/authorization.k8s.io/v1";
const pods = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };

/** An account that may do what the rules say in its namespace, and a token of it. */
async function account(
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
async function untilAllowed(target: Target, path: string, token: string): Promise<void> {
  await until(`the right to read ${path}`, async () => (await target.send("GET", path, { token })).status !== 403);
}

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

  promises("a SubjectAccessReview says who granted it", async (target) => {
    const { namespace, name, token, user } = await account(target, [pods]);
    await untilAllowed(target, `/api/v1/namespaces/${namespace}/pods`, token);
    const { status, object } = await target.send("POST", `${authorization}/subjectaccessreviews`, {
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { user, resourceAttributes: { namespace, verb: "list", resource: "pods" } },
      },
    });
    expect(status).toBe(201);
    expect(object.status).toEqual({
      allowed: true,
      reason: `RBAC: allowed by RoleBinding "${name}/${namespace}" of Role "${name}" to ServiceAccount "${name}/${namespace}"`,
    });
  });

  promises("a SubjectAccessReview about nobody, or about nothing, is refused", async (target) => {
    const said = async (spec: object) =>
      target.send("POST", `${authorization}/subjectaccessreviews`, {
        body: { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec },
      });
    const nobody = await said({ resourceAttributes: { verb: "get", resource: "pods" } });
    expect(nobody.status).toBe(422);
    expect(nobody.message).toContain('spec.user: Invalid value: "": at least one of user or group must be specified');
    const nothing = await said({ user: "u" });
    expect(nothing.status).toBe(422);
    expect(nothing.message).toContain("exactly one of nonResourceAttributes or resourceAttributes must be specified");
  });

  promises("one may ask about oneself, and see the list of one's rules", async (target) => {
    const { namespace, token } = await account(target, [pods]);
    await untilAllowed(target, `/api/v1/namespaces/${namespace}/pods`, token);
    const self = async (resourceAttributes: object) => {
      const { object } = await target.send("POST", `${authorization}/selfsubjectaccessreviews`, {
        token,
        body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes } },
      });
      return object.status?.["allowed"];
    };
    expect(await self({ namespace, verb: "get", resource: "pods" })).toBe(true);
    expect(await self({ namespace, verb: "delete", resource: "pods" })).toBe(false);
    const { object } = await target.send("POST", `${authorization}/selfsubjectrulesreviews`, {
      token,
      body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace } },
    });
    expect(object.status).toMatchObject({ incomplete: false });
    expect(object.status?.["resourceRules"]).toContainEqual({
      verbs: ["get", "list"],
      apiGroups: [""],
      resources: ["pods"],
    });
    expect(object.status?.["resourceRules"]).toContainEqual({
      verbs: ["create"],
      apiGroups: ["authorization.k8s.io"],
      resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
    });
  });

  promises("a LocalSubjectAccessReview speaks of its own namespace only", async (target) => {
    const namespace = await target.namespace();
    const { status, message } = await target.send(
      "POST",
      `${authorization}/namespaces/${namespace}/localsubjectaccessreviews`,
      {
        body: {
          apiVersion: "authorization.k8s.io/v1",
          kind: "LocalSubjectAccessReview",
          metadata: { namespace },
          spec: { user: "u", resourceAttributes: { namespace: "other", verb: "get", resource: "pods" } },
        },
      },
    );
    expect(status).toBe(422);
    expect(message).toContain(
      'spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace',
    );
  });

  promises("a TokenReview tells whose token it is, with its groups", async (target) => {
    const { namespace, token, user } = await account(target, []);
    const review = async (of: string, audiences?: string[]) => {
      const spec = { token: of, ...(audiences ? { audiences } : {}) };
      return target.send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
        body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec },
      });
    };
    const good = await review(token);
    expect(good.status).toBe(201);
    expect(good.object.status).toMatchObject({
      authenticated: true,
      user: {
        username: user,
        groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
      },
    });
    const bad = await review("nobody");
    expect(bad.object.status?.["authenticated"] ?? false).toBe(false);
    expect(bad.object.status?.["error"]).toContain("invalid bearer token");
    const elsewhere = await review(token, ["https://elsewhere.example.com"]);
    expect(elsewhere.object.status?.["authenticated"] ?? false).toBe(false);
  });

  promises("a token ends with its ServiceAccount", async (target) => {
    const { namespace, name, token } = await account(target, []);
    expect((await target.send("GET", "/api", { token })).status).toBe(200);
    await target.send("DELETE", `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`);
    await until("the end of the token", async () => (await target.send("GET", "/api", { token })).status === 401);
  });

  promises("a token is asked for at least ten minutes and of an account that exists", async (target) => {
    const namespace = await target.namespace();
    const ask = (name: string, spec: object) =>
      target.send("POST", `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
        body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec },
      });
    const short = await ask("default", { expirationSeconds: 60 });
    expect(short.status).toBe(422);
    expect(short.message).toContain(
      "spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes",
    );
    expect((await ask("missing", {})).status).toBe(404);
    const given = await ask("default", { audiences: ["a.example.com"], expirationSeconds: 900 });
    expect(given.object).toMatchObject({
      kind: "TokenRequest",
      spec: { audiences: ["a.example.com"], expirationSeconds: 900 },
      status: { token: expect.any(String), expirationTimestamp: expect.any(String) },
    });
    expect((await target.send("GET", "/api", { token: String(given.object.status?.["token"]) })).status).toBe(401);
  });

  promises("an administrator may act as somebody else, and then has that one's rights", async (target) => {
    const { namespace, token, user } = await account(target, [pods]);
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await untilAllowed(target, path, token);
    const headers = { "impersonate-user": user };
    expect((await target.send("GET", path, { headers })).status).toBe(200);
    expect((await target.send("GET", `/api/v1/namespaces/${namespace}/secrets`, { headers })).message).toContain(
      `User "${user}" cannot list resource "secrets"`,
    );
    const group = await target.send("GET", "/api/v1/namespaces", {
      headers: { "impersonate-user": "jane", "impersonate-group": "system:masters" },
    });
    expect(group.status).toBe(200);
  });

  promises("who may not impersonate is told whom", async (target) => {
    const { token, user } = await account(target, []);
    const said = async (headers: Record<string, string>) =>
      target.send("GET", "/api/v1/namespaces", { token, headers });
    const refused = await said({ "impersonate-user": "jane" });
    expect(refused.status).toBe(403);
    expect(refused.message).toBe(
      `users "jane" is forbidden: User "${user}" cannot impersonate resource "users" in API group "" at the cluster scope`,
    );
    const service = await said({ "impersonate-user": "system:serviceaccount:default:robot" });
    expect(service.message).toBe(
      `serviceaccounts "robot" is forbidden: User "${user}" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "default"`,
    );
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
