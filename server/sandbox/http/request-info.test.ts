import { expect, test } from "vitest";
import { requestInfoOf } from "./request-info";

const core = { resource: true, group: "", version: "v1", rest: "", watchPrefix: false };
const apps = { ...core, group: "apps" };

test.each([
  ["/api/v1/pods", { ...core, plural: "pods" }],
  ["/api/v1/namespaces", { ...core, plural: "namespaces" }],
  ["/api/v1/namespaces/a", { ...core, plural: "namespaces", name: "a" }],
  ["/api/v1/namespaces/a/status", { ...core, plural: "namespaces", name: "a", subresource: "status" }],
  ["/api/v1/namespaces/a/pods", { ...core, plural: "pods", namespace: "a" }],
  ["/api/v1/namespaces/a/pods/status", { ...core, plural: "pods", namespace: "a", name: "status" }],
  [
    "/apis/apps/v1/namespaces/a/deployments/b/scale",
    { ...apps, plural: "deployments", namespace: "a", name: "b", subresource: "scale" },
  ],
  [
    "/api/v1/namespaces/a/pods/b:80/proxy/x/y/",
    { ...core, plural: "pods", namespace: "a", name: "b:80", subresource: "proxy", rest: "/x/y/" },
  ],
  [
    "/api/v1/namespaces/a/pods/b/proxy/",
    { ...core, plural: "pods", namespace: "a", name: "b", subresource: "proxy", rest: "/" },
  ],
  ["/api/v1/watch/namespaces/a/pods", { ...core, plural: "pods", namespace: "a", watchPrefix: true }],
  ["//apis//apps/v1/deployments", { ...apps, plural: "deployments" }],
  ["/api/v1/namespaces/a/secrets/b%2Fc", { ...core, plural: "secrets", namespace: "a", name: "b/c" }],
  ["/api/v1/namespaces/a/secrets/%zz", { ...core, plural: "secrets", namespace: "a", name: "%zz" }],
])("%s asks for a resource", (path, info) => {
  expect(requestInfoOf(path)).toEqual(info);
});

test.each(["/", "/version", "/api", "/api/v1", "/api/v1/", "/apis/apps", "/apis/apps/v1", "/api/v1/watch"])(
  "%s asks for none",
  (path) => {
    expect(requestInfoOf(path)).toEqual({ resource: false, path });
  },
);
