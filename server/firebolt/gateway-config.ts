import { type Instance } from "@/machines/firebolt/instance.schema";
import { enginePorts } from "./engine-pod";

/**
 * Envoy's configuration: a request names its engine by header or query parameter and goes to that engine's Service,
 * whose endpoints are the generation that serves.
 */
export function gatewayConfig({ metadata: { namespace }, spec }: Instance): Record<string, unknown> {
  return {
    admin: { address: listenOn(9901, "127.0.0.1") },
    static_resources: {
      listeners: [
        { name: "gateway", address: listenOn(8080), filter_chains: [chain("gateway", routes, filters(namespace))] },
        {
          name: "metrics",
          address: listenOn(spec.gateway.metricsPort),
          filter_chains: [chain("metrics", metricsRoutes, [router])],
        },
      ],
      clusters: [enginesCluster, adminCluster],
    },
  };
}

const dnsCache = { name: "engines", dns_lookup_family: "V4_PREFERRED", host_ttl: "300s" };

const router = {
  name: "envoy.filters.http.router",
  typed_config: { "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router" },
};

function filters(namespace: string) {
  return [
    {
      name: "envoy.filters.http.lua",
      typed_config: {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
        default_source_code: { inline_string: routeScript(namespace) },
      },
    },
    {
      name: "envoy.filters.http.dynamic_forward_proxy",
      typed_config: {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.dynamic_forward_proxy.v3.FilterConfig",
        dns_cache_config: dnsCache,
      },
    },
    router,
  ];
}

/** Names an engine once, as a DNS label, or is refused: the name becomes a host that we ask. */
function routeScript(namespace: string): string {
  return [
    "function envoy_on_request(handle)",
    "  local headers = handle:headers()",
    '  if headers:get(":path") == "/healthz" then return end',
    '  local asked = headers:get("x-firebolt-engine")',
    '  local path = headers:get(":path")',
    '  local inPath = string.match(path, "[?&]engine=([^&]*)")',
    "  if asked and inPath and asked ~= inPath then asked = nil",
    "  else asked = asked or inPath end",
    '  if not asked or #asked > 63 or not string.match(asked, "^[a-z][-a-z0-9]*$") then',
    '    handle:respond({[":status"] = "400"}, "name one engine by X-Firebolt-Engine or ?engine=")',
    "    return",
    "  end",
    '  headers:replace(":path", (string.gsub(path, "([?&])engine=[^&]*&?", "%1")))',
    `  headers:replace(":authority", asked .. "-service.${namespace}.svc.cluster.local:${enginePorts.query}")`,
    "end",
  ].join("\n");
}

const routes = [
  { match: { path: "/healthz" }, direct_response: { status: 200, body: { inline_string: "ok" } } },
  {
    match: { prefix: "/" },
    route: {
      cluster: "engines",
      timeout: "0s",
      idle_timeout: "300s",
      retry_policy: {
        retry_on: "connect-failure,refused-stream,reset,retriable-headers",
        num_retries: 50,
        retriable_headers: [{ name: "x-firebolt-drained", present_match: true }],
        retry_back_off: { base_interval: "0.025s", max_interval: "0.25s" },
      },
    },
  },
];

const metricsRoutes = [
  { match: { path: "/metrics" }, route: { cluster: "admin", prefix_rewrite: "/stats/prometheus" } },
];

function chain(name: string, chainRoutes: unknown[], httpFilters: unknown[]) {
  return {
    filters: [
      {
        name: "envoy.filters.network.http_connection_manager",
        typed_config: {
          "@type":
            "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
          stat_prefix: name,
          route_config: { virtual_hosts: [{ name, domains: ["*"], routes: chainRoutes }] },
          http_filters: httpFilters,
        },
      },
    ],
  };
}

const enginesCluster = {
  name: "engines",
  connect_timeout: "0.25s",
  lb_policy: "CLUSTER_PROVIDED",
  circuit_breakers: {
    thresholds: [{ max_connections: 1024, max_pending_requests: 1024, max_requests: 1024, max_retries: 256 }],
  },
  cluster_type: {
    name: "envoy.clusters.dynamic_forward_proxy",
    typed_config: {
      "@type": "type.googleapis.com/envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig",
      dns_cache_config: dnsCache,
    },
  },
};

const adminCluster = {
  name: "admin",
  type: "STATIC",
  load_assignment: {
    cluster_name: "admin",
    endpoints: [{ lb_endpoints: [{ endpoint: { address: listenOn(9901, "127.0.0.1") } }] }],
  },
};

function listenOn(port: number, address = "0.0.0.0") {
  return { socket_address: { address, port_value: port } };
}
