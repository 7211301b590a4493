import { type WebSocket, WebSocketServer } from "ws";
import { badRequestError } from "@/server/sandbox/status-error";
import { type UpgradeRequest } from "./connects";

/** Answers the upgrade with the first of our protocols that the client offers; a client that names none speaks the last. */
export function acceptWebSocket(
  { request, socket, head }: UpgradeRequest,
  ours: readonly string[],
): Promise<{ socket: WebSocket; protocol: string }> {
  const { "sec-websocket-protocol": offered, ...headers } = request.headers;
  const protocol = offered === undefined ? "" : chooseProtocol(offered, ours);
  if (protocol === undefined)
    throw badRequestError(`unable to upgrade: unable to negotiate protocol: ${offered ?? ""}`);
  const server = new WebSocketServer({ noServer: true });
  // The names of Kubernetes' protocols hold a slash, which the parser of this header refuses: it is answered here.
  request.headers = headers;
  if (protocol !== "") server.on("headers", (lines) => lines.push(`Sec-WebSocket-Protocol: ${protocol}`));
  return new Promise((resolve) => {
    server.handleUpgrade(request, socket, head, (opened) => resolve({ socket: opened, protocol }));
  });
}

/** The protocol that both speak: the first of ours that the client's header offers. */
export function chooseProtocol(offered: string | string[] | undefined, ours: readonly string[]): string | undefined {
  const names = [offered ?? []].flat().flatMap((value) => value.split(","));
  const known = new Set(names.map((name) => name.trim()));
  return ours.find((name) => known.has(name));
}
