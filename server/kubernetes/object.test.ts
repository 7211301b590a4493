import { expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { compareResourceVersions, pathOf } from "@/server/kubernetes/object";

test.each([
  ["5", "5", 0],
  ["9", "10", -1],
  ["10", "9", 1],
  ["18446744073709551616", "18446744073709551615", 1],
  ["abc", "5", null],
  ["5", "", null],
  ["05", "5", null],
  ["abc", "abc", 0],
] as const)("versions %s and %s compare as %s", (a, b, order) => {
  const found = compareResourceVersions(a, b);
  expect(found === null ? null : Math.sign(found)).toBe(order);
});

test.each([
  [apis.pod, {}, "/api/v1/pods"],
  [apis.pod, { namespace: "a", name: "b", subresource: "log" }, "/api/v1/namespaces/a/pods/b/log"],
  [apis.statefulSet, { namespace: "a" }, "/apis/apps/v1/namespaces/a/statefulsets"],
  [apis.node, { namespace: "a", name: "n" }, "/api/v1/nodes/n"],
  [apis.clusterRole, { name: "system:x/y" }, "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Ax%2Fy"],
] as const)("%o at %o is %s", (api, at, path) => {
  expect(pathOf(api, at)).toBe(path);
});
