import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { type Target, unique } from "@/server/sandbox/contract/target";

type Resource = {
  name: string;
  singularName: string;
  namespaced: boolean;
  kind: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  group?: string;
};

export const machineryContract = topic("API machinery", (promises) => {
  promises("the version has a major and a minor number", async ({ send }) => {
    const { status, object } = await send("GET", "/version");
    expect(status).toBe(200);
    expect(object).toMatchObject({
      major: "1",
      minor: expect.stringMatching(/^\d+/),
      gitVersion: expect.stringMatching(/^v1\./),
    });
  });

  for (const path of ["/healthz", "/livez", "/readyz"]) {
    promises(`${path} says ok`, async ({ send }) => {
      expect(await send("GET", path)).toMatchObject({ status: 200, text: "ok" });
    });
  }

  promises("health says what was looked at, and can be asked for one check alone", async ({ send }) => {
    const { status, text } = await send("GET", "/readyz?verbose");
    expect(status).toBe(200);
    expect(text).toMatch(/^\[\+\]ping ok\n[^]*\[\+\]etcd ok\n[^]*check passed\n$/);
    expect(await send("GET", "/livez/ping")).toMatchObject({ status: 200, text: "ok" });
    expect((await send("GET", "/livez/nothing")).status).toBe(404);
  });

  promises("/api names v1", async ({ send }) => {
    expect((await send("GET", "/api")).object).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
  });

  promises("/apis lists each group with its preferred version", async ({ send }) => {
    const { object } = await send("GET", "/apis");
    expect(object).toMatchObject({ kind: "APIGroupList", apiVersion: "v1" });
    const groups = object["groups"] as { name: string; preferredVersion: { groupVersion: string } }[];
    expect(groups.map(({ name }) => name)).toEqual(expect.arrayContaining(builtinGroups));
    expect(groups.find(({ name }) => name === "apps")?.preferredVersion).toEqual({
      groupVersion: "apps/v1",
      version: "v1",
    });
  });

  promises("one group can be asked for", async ({ send }) => {
    const { object } = await send("GET", "/apis/apps");
    expect(object).toMatchObject({
      kind: "APIGroup",
      apiVersion: "v1",
      name: "apps",
      versions: [{ groupVersion: "apps/v1", version: "v1" }],
    });
  });

  promises("core resources are discovered with verbs, short names and subresources", async (target) => {
    const resources = await resourcesOf(target, "/api/v1");
    expect(find(resources, "pods")).toMatchObject({
      namespaced: true,
      kind: "Pod",
      shortNames: ["po"],
      categories: ["all"],
    });
    expect([...(find(resources, "pods")?.verbs ?? [])].sort()).toEqual([
      "create",
      "delete",
      "deletecollection",
      "get",
      "list",
      "patch",
      "update",
      "watch",
    ]);
    expect(find(resources, "namespaces")).toMatchObject({ namespaced: false, shortNames: ["ns"] });
    expect(resources.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "pods/status",
        "pods/log",
        "pods/exec",
        "pods/eviction",
        "serviceaccounts/token",
        "services/proxy",
        "namespaces/finalize",
      ]),
    );
    expect(find(resources, "pods/eviction")).toMatchObject({ kind: "Eviction", group: "policy" });
  });

  promises("workloads are discovered with their scale", async (target) => {
    const resources = await resourcesOf(target, "/apis/apps/v1");
    expect(find(resources, "statefulsets")).toMatchObject({
      kind: "StatefulSet",
      shortNames: ["sts"],
      categories: ["all"],
    });
    expect(find(resources, "deployments/scale")).toMatchObject({ kind: "Scale", group: "autoscaling", version: "v1" });
  });

  promises("every group has the kinds that we use", async (target) => {
    for (const [path, plurals] of Object.entries(kindsOfGroups)) {
      const names = (await resourcesOf(target, path)).map(({ name }) => name);
      expect(names, path).toEqual(expect.arrayContaining([...plurals]));
    }
  });

  promises("a group version that does not exist is not found", async ({ send }) => {
    expect((await send("GET", "/apis/nobody.example/v1")).status).toBe(404);
    expect((await send("GET", "/apis/apps/v9")).status).toBe(404);
    expect((await send("GET", "/nowhere")).status).toBe(404);
  });

  promises("a resource that does not exist is not found, in any group", async ({ send }) => {
    expect((await send("GET", "/api/v1/namespaces/default/nothings")).status).toBe(404);
    expect((await send("GET", "/apis/apps/v1/namespaces/default/pods")).status).toBe(404);
  });

  promises(
    "discovery comes in one document for clients that ask so",
    async ({ send }) => {
      const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
      const { object, headers } = await send("GET", "/apis", { headers: { accept } });
      expect(String(headers["content-type"])).toContain("as=APIGroupDiscoveryList");
      expect(object).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" });
      const items = object["items"] as {
        metadata: { name: string };
        versions: { version: string; resources: { resource: string; scope: string }[] }[];
      }[];
      const apps = items.find(({ metadata }) => metadata.name === "apps");
      expect(apps?.versions[0]?.resources).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ resource: "deployments", scope: "Namespaced", singularResource: "deployment" }),
        ]),
      );
    },
    { since: 30 },
  );

  promises("OpenAPI v2 describes kinds with their merge keys", async ({ send }) => {
    const { object } = await send("GET", "/openapi/v2");
    const definitions = object["definitions"] as Record<
      string,
      { properties: Record<string, Record<string, unknown>>; required?: string[] }
    >;
    const podSpec = definitions["io.k8s.api.core.v1.PodSpec"];
    expect(podSpec?.required).toEqual(["containers"]);
    expect(podSpec?.properties["containers"]).toMatchObject({
      type: "array",
      "x-kubernetes-patch-merge-key": "name",
      "x-kubernetes-patch-strategy": "merge",
    });
    expect(definitions["io.k8s.api.apps.v1.RollingUpdateDeployment"]?.properties["maxSurge"]).toMatchObject({
      $ref: "#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    });
    expect(definitions["io.k8s.api.core.v1.ResourceRequirements"]?.properties["limits"]).toMatchObject({
      additionalProperties: { $ref: "#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity" },
    });
    expect(definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).toMatchObject({ type: "string" });
    expect(definitions["io.k8s.api.apps.v1.Deployment"]).toMatchObject({
      "x-kubernetes-group-version-kind": [{ group: "apps", version: "v1", kind: "Deployment" }],
    });
  });

  promises(
    "OpenAPI v3 has a document for each group version",
    async ({ send }) => {
      const { object } = await send("GET", "/openapi/v3");
      const paths = object["paths"] as Record<string, { serverRelativeURL: string }>;
      const url = paths["apis/apps/v1"]?.serverRelativeURL ?? "";
      expect(url).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=/);
      const document = (await send("GET", url)).object as unknown as {
        openapi: string;
        components: { schemas: Record<string, unknown> };
      };
      expect(document.openapi).toMatch(/^3\.0/);
      expect(Object.keys(document.components.schemas)).toContain("io.k8s.api.apps.v1.StatefulSet");
    },
    { since: 24 },
  );

  promises("a method that a resource does not have is not allowed", async ({ send }) => {
    const { status, object } = await send("POST", "/api/v1/namespaces/default", { body: {} });
    expect(status).toBe(405);
    expect(object).toMatchObject({ kind: "Status", reason: "MethodNotAllowed", code: 405 });
  });

  promises("what is created without a namespace in the path is refused", async ({ send }) => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: unique("c"), namespace: "default" } };
    expect((await send("POST", "/api/v1/configmaps", { body })).status).toBe(405);
  });
});

async function resourcesOf({ send }: Target, path: string): Promise<Resource[]> {
  const { object } = await send("GET", path);
  expect(object).toMatchObject({ kind: "APIResourceList" });
  return object["resources"] as Resource[];
}

function find(resources: readonly Resource[], name: string): Resource | undefined {
  return resources.find((resource) => resource.name === name);
}

const builtinGroups = [
  "apps",
  "batch",
  "autoscaling",
  "policy",
  "rbac.authorization.k8s.io",
  "coordination.k8s.io",
  "events.k8s.io",
  "discovery.k8s.io",
  "storage.k8s.io",
  "networking.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
];

const kindsOfGroups: Record<string, readonly string[]> = {
  "/api/v1": [
    "configmaps",
    "endpoints",
    "events",
    "limitranges",
    "nodes",
    "persistentvolumeclaims",
    "persistentvolumes",
    "resourcequotas",
    "secrets",
    "serviceaccounts",
    "services",
  ],
  "/apis/apps/v1": ["controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets"],
  "/apis/batch/v1": ["jobs", "jobs/status"],
  "/apis/rbac.authorization.k8s.io/v1": ["clusterroles", "clusterrolebindings", "roles", "rolebindings"],
  "/apis/coordination.k8s.io/v1": ["leases"],
  "/apis/events.k8s.io/v1": ["events"],
  "/apis/storage.k8s.io/v1": ["storageclasses"],
  "/apis/networking.k8s.io/v1": ["ingresses", "networkpolicies", "ingressclasses"],
  "/apis/authentication.k8s.io/v1": ["tokenreviews"],
  "/apis/authorization.k8s.io/v1": ["subjectaccessreviews", "selfsubjectaccessreviews", "selfsubjectrulesreviews"],
  "/apis/admissionregistration.k8s.io/v1": ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
  "/apis/apiextensions.k8s.io/v1": ["customresourcedefinitions"],
};
