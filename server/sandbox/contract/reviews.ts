import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { until } from "@/server/sandbox/contract/target";
import { account, authorization, pods, untilAllowed } from "@/server/sandbox/contract/tester-account";

export const reviewsContract = topic("reviews, tokens and impersonation", (promises) => {
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

  promises(
    "one may ask who one is",
    async (target) => {
      const { token, user } = await account(target, []);
      const ask = (headers: Record<string, string>, as?: string) =>
        target.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
          body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
          headers,
          ...(as === undefined ? {} : { token: as }),
        });
      expect(await ask({}, token)).toMatchObject({
        status: 201,
        object: { kind: "SelfSubjectReview", status: { userInfo: { username: user } } },
      });
      const other = await ask({ "impersonate-user": "jane", "impersonate-group": "makers" });
      expect(other.object.status).toMatchObject({
        userInfo: { username: "jane", groups: ["makers", "system:authenticated"] },
      });
    },
    { since: 28 },
  );

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
});
