import { type IncomingMessage, type ServerResponse } from "node:http";
import { type Cluster } from "@/server/sandbox/cluster";
import { apiGroupList, apiResourceList, coreVersions } from "@/server/sandbox/discovery";
import { respondJson, respondText } from "@/server/sandbox/http/respond";

/** Paths that name no resource: version, health, discovery. */
export function discoveryDoor(cluster: Cluster, path: string, _request: IncomingMessage, response: ServerResponse) {
  const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  const body = answerOf(cluster, plain);
  if (typeof body === "string")
    return respondText(response, 200, body, { "content-type": "text/plain; charset=utf-8" });
  if (body === null)
    return respondText(response, 404, "404 page not found\n", { "content-type": "text/plain; charset=utf-8" });
  respondJson(response, 200, body);
}

const version = {
  major: "1",
  minor: "32",
  gitVersion: "v1.32.0-orrery-sandbox",
  gitCommit: "sandbox",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "none",
  platform: "node/any",
};

function answerOf(cluster: Cluster, path: string): unknown {
  const fixed = fixedPaths[path];
  if (fixed) return fixed(cluster);
  const parts = path.split("/").slice(1);
  if (parts[0] === "api" && parts.length === 2) return apiResourceList(cluster.types, "", parts[1] ?? "");
  if (parts[0] === "apis" && parts.length === 3) return apiResourceList(cluster.types, parts[1] ?? "", parts[2] ?? "");
  if (parts[0] === "apis" && parts.length === 2) {
    const group = apiGroupList(cluster.types).groups.find(({ name }) => name === parts[1]);
    return group ? { kind: "APIGroup", apiVersion: "v1", ...group } : null;
  }
  return null;
}

const fixedPaths: Readonly<Record<string, (cluster: Cluster) => unknown>> = {
  "/version": () => version,
  "/healthz": () => "ok",
  "/livez": () => "ok",
  "/readyz": () => "ok",
  "/api": () => coreVersions(),
  "/apis": (cluster) => apiGroupList(cluster.types),
  "/": () => ({
    paths: ["/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"],
  }),
};
