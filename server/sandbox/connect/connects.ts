import { type IncomingMessage, type ServerResponse } from "node:http";
import { type Duplex } from "node:stream";
import { type Cluster } from "@/server/sandbox/cluster";
import { type ConnectCall, type Connects } from "@/server/sandbox/http/door";
import { type Kubelet } from "@/server/sandbox/kubelet/kubelet";
import { badRequestError, StatusError } from "@/server/sandbox/status-error";
import { attachTo, execIn } from "./exec";
import { serveLog } from "./pod-log";
import { forwardPorts } from "./port-forward";
import { proxyRequest, proxyUpgrade } from "./proxy";

type Request = { call: ConnectCall; cluster: Cluster; kubelet: Kubelet; request: IncomingMessage };
export type ServeRequest = Request & { response: ServerResponse };
export type UpgradeRequest = Request & { socket: Duplex; head: Buffer };

const served: Record<string, (request: ServeRequest) => Promise<void>> = { log: serveLog, proxy: proxyRequest };
const upgraded: Record<string, (request: UpgradeRequest) => Promise<void>> = {
  exec: execIn,
  attach: attachTo,
  portforward: forwardPorts,
  proxy: proxyUpgrade,
};

/** What lies behind pods and services: logs, commands, streams and ports. */
export function createConnects(cluster: Cluster, kubelet: Kubelet): Connects {
  return {
    serve: async (call, request, response) => {
      const serve = served[call.subresource];
      if (!serve) throw badRequestError("Upgrade request required");
      await serve({ call, cluster, kubelet, request, response });
    },
    upgrade: async (call, request, socket, head) => {
      const upgrade = upgraded[call.subresource];
      if (!upgrade) throw new StatusError(404, "NotFound", "the server could not find the requested resource");
      await upgrade({ call, cluster, kubelet, request, socket, head });
    },
  };
}
