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
        {
          name: "gateway",
          address: listenOn(8080),
          filter_chains: [chain("gateway", routes, filters(namespace), { local_reply_config: unavailable })],
        },
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
        sub_cluster_config: { cluster_init_timeout: "5s" },
      },
    },
    {
      // Only a request that is kept can be sent again.
      name: "envoy.filters.http.buffer",
      typed_config: {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.buffer.v3.Buffer",
        max_request_bytes: 2 * 1024 * 1024,
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
        // Another pod each time, as long as there is one.
        retry_host_predicate: [
          {
            name: "envoy.retry_host_predicates.previous_hosts",
            typed_config: {
              "@type": "type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate",
            },
          },
        ],
        host_selection_retry_max_attempts: 5,
      },
    },
  },
];

const metricsRoutes = [
  { match: { path: "/metrics" }, route: { cluster: "admin", prefix_rewrite: "/stats/prometheus" } },
];

/** What our own 503 says: the engine has no pod that could be asked. */
const unavailable = {
  mappers: [
    {
      filter: {
        status_code_filter: {
          comparison: { op: "EQ", value: { default_value: 503, runtime_key: "gateway.unavailable" } },
        },
      },
      body: { inline_string: "engine is not available; retry shortly\n" },
    },
  ],
};

function chain(name: string, chainRoutes: unknown[], httpFilters: unknown[], more: Record<string, unknown> = {}) {
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
          ...more,
        },
      },
    ],
  };
}

/**
 * A cluster of its own for each engine that is asked for, so that all addresses of its headless Service take part; one
 * request for each connection, so that none is held to a pod that is on its way out.
 */
const enginesCluster = {
  name: "engines",
  connect_timeout: "0.25s",
  dns_lookup_family: "V4_PREFERRED",
  lb_policy: "CLUSTER_PROVIDED",
  circuit_breakers: {
    thresholds: [{ max_connections: 1024, max_pending_requests: 1024, max_requests: 1024, max_retries: 256 }],
  },
  cluster_type: {
    name: "envoy.clusters.dynamic_forward_proxy",
    typed_config: {
      "@type": "type.googleapis.com/envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig",
      sub_clusters_config: { lb_policy: "ROUND_ROBIN", sub_cluster_ttl: "300s" },
    },
  },
  typed_extension_protocol_options: {
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
      "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
      common_http_protocol_options: { max_requests_per_connection: 1 },
      explicit_http_config: { http_protocol_options: {} },
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
