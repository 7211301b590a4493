import { expect, test } from "vitest";
import { instanceSchema } from "@/machines/firebolt/instance.schema";
import { gatewayConfig } from "./gateway-config";

const instance = instanceSchema.parse({
  apiVersion: "compute.firebolt.io/v1alpha1",
  kind: "FireboltInstance",
  metadata: { name: "main", namespace: "shop" },
  spec: { gateway: { metricsPort: 9191 } },
});

/** Every value under a key of this name, wherever it stands. */
function under(key: string, of: unknown = gatewayConfig(instance)): unknown[] {
  if (typeof of !== "object" || of === null) return [];
  const entries: [string, unknown][] = Object.entries(of);
  return entries.flatMap(([name, value]) => [...(name === key ? [value] : []), ...under(key, value)]);
}

test("a request goes to the Service of the engine that it names, in the instance's own namespace", () => {
  const [script] = under("default_source_code") as { inline_string: string }[];
  expect(script?.inline_string).toContain('"-service.shop.svc.cluster.local:3473"');
  expect(script?.inline_string).toContain("x-firebolt-engine");
  expect(script?.inline_string).toContain("[?&]engine=");
});

test("every pod of an engine takes part: each engine is a cluster of its own, that is forgotten when unused", () => {
  expect(under("sub_clusters_config")).toEqual([{ lb_policy: "ROUND_ROBIN", sub_cluster_ttl: "300s" }]);
  expect(under("sub_cluster_config")).toHaveLength(1);
});

// prettier-ignore
test.each([
  ["num_retries",                 50],
  ["retry_back_off",              { base_interval: "0.025s", max_interval: "0.25s" }],
  ["retriable_headers",           [{ name: "x-firebolt-drained", present_match: true }]],
  ["max_request_bytes",           2_097_152],
  ["max_requests_per_connection", 1],
  ["connect_timeout",             "0.25s"],
  ["thresholds",                  [{ max_connections: 1024, max_pending_requests: 1024, max_requests: 1024, max_retries: 256 }]],
  ["idle_timeout",                "300s"],
])("a request that meets a pod on its way out is sent again to another: %s is %o", (key, value) => {
  expect(under(key)).toEqual([value]);
});

test("an engine that nobody serves is told as such, and worth another try", () => {
  expect(under("local_reply_config")).toHaveLength(1);
  expect(JSON.stringify(under("local_reply_config"))).toContain("engine is not available; retry shortly");
});

test("its metrics are on the port that the instance names", () => {
  expect(under("port_value")).toContain(9191);
});
