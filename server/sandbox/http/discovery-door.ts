import { type IncomingMessage, type ServerResponse } from "node:http";
import { type Cluster } from "@/server/sandbox/cluster";
import { aggregatedDiscovery, apiGroupList, apiResourceList, coreVersions } from "@/server/sandbox/discovery";
import { openApiDoor } from "@/server/sandbox/http/openapi-door";
import { respondJson, respondText } from "@/server/sandbox/http/respond";

const PLAIN = { "content-type": "text/plain; charset=utf-8" };

/** Paths that name no resource: version, health, discovery, OpenAPI. */
export async function discoveryDoor(
  cluster: Cluster,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  if (plain.startsWith("/openapi/")) return openApiDoor(cluster, plain, request, response);
  if (plain === "/api" || plain === "/apis") {
    const version = aggregatedVersion(request.headers.accept);
    if (version !== null) {
      const document = aggregatedDiscovery(cluster.types, version, plain === "/api" ? "core" : "groups");
      respondJson(response, 200, document, {
        "content-type": `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
        vary: "Accept",
      });
      return;
    }
  }
  const body = healthOf(plain, request.url ?? "") ?? answerOf(cluster, plain);
  if (typeof body === "string") {
    respondText(response, 200, body, PLAIN);
    return;
  }
  if (body === null) {
    respondText(response, 404, "404 page not found\n", PLAIN);
    return;
  }
  respondJson(response, 200, body);
}

/** Which version of aggregated discovery the first clause that we understand asks for; null for the plain form. */
function aggregatedVersion(accept: string | undefined): string | null {
  for (const clause of (accept ?? "").split(",")) {
    if (!/^\s*application\/json/.test(clause)) continue;
    if (!clause.includes("as=APIGroupDiscoveryList")) return null;
    const version = /;\s*v=(?<version>\w+)/.exec(clause)?.groups?.["version"];
    if (version === "v2" || version === "v2beta1") return version;
  }
  return null;
}

const version = {
  major: "1",
  minor: "32",
  gitVersion: "v1.32.0-orrery",
  gitCommit: "sandbox",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "none",
  platform: "linux/amd64",
};

const healthChecks = ["ping", "log", "etcd"];

/** `ok`, or what is looked at for it; one of the checks can be asked for by its name. */
function healthOf(path: string, url: string): string | null {
  const [endpoint = "", check] = path.slice(1).split("/");
  if (endpoint !== "healthz" && endpoint !== "livez" && endpoint !== "readyz") return null;
  if (check !== undefined) return healthChecks.includes(check) ? "ok" : null;
  if (!/[?&]verbose/.test(url)) return "ok";
  return [...healthChecks.map((name) => `[+]${name} ok`), `${endpoint} check passed`, ""].join("\n");
}

function answerOf(cluster: Cluster, path: string): unknown {
  const fixed = Object.hasOwn(fixedPaths, path) ? fixedPaths[path] : undefined;
  if (fixed) return fixed(cluster);
  const [root, group = "", groupVersion = "", ...more] = path.split("/").slice(1);
  if (root === "api" && group !== "" && groupVersion === "") return apiResourceList(cluster.types, "", group);
  if (root !== "apis" || group === "" || more.length > 0) return null;
  if (groupVersion !== "") return apiResourceList(cluster.types, group, groupVersion);
  const found = apiGroupList(cluster.types).groups.find(({ name }) => name === group);
  return found ? { kind: "APIGroup", apiVersion: "v1", ...found } : null;
}

const fixedPaths: Readonly<Record<string, (cluster: Cluster) => unknown>> = {
  "/version": () => version,
  "/api": () => coreVersions(),
  "/apis": (cluster) => apiGroupList(cluster.types),
  "/": (cluster) => ({
    paths: [
      "/api",
      "/api/v1",
      "/apis",
      ...apiGroupList(cluster.types).groups.flatMap(({ name, versions }) => [
        `/apis/${name}`,
        ...versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
      ]),
      "/healthz",
      "/livez",
      "/openapi/v2",
      "/openapi/v3",
      "/readyz",
      "/version",
    ],
  }),
};
