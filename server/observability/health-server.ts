import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";

/** What a process says about itself. `ready` may be false while it is `alive`: a cache is still being filled. */
export type Health = { alive: boolean; ready: boolean; detail: Record<string, unknown> };

export type HealthServer = { port: number; close(): Promise<void> };

/** /healthz, /readyz and /metrics, for kubelet and Prometheus. */
export async function startHealthServer(options: {
  host?: string;
  port: number;
  health: () => Health;
  metrics: () => string;
}): Promise<HealthServer> {
  const routes: Record<string, (response: ServerResponse) => void> = {
    "/healthz": (response) => answer(response, options.health(), "alive"),
    "/readyz": (response) => answer(response, options.health(), "ready"),
    "/metrics": (response) => {
      response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(options.metrics());
    },
  };
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const route = request.method === "GET" && Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (route) route(response);
    else response.writeHead(404, { "content-type": "text/plain" }).end("there are /healthz, /readyz and /metrics\n");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host ?? "0.0.0.0", resolve);
  });
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, health: Health, aspect: "alive" | "ready"): void {
  const body = JSON.stringify({ [aspect]: health[aspect], ...health.detail });
  response.writeHead(health[aspect] ? 200 : 503, { "content-type": "application/json" }).end(body + "\n");
}
