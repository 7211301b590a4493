import { connect } from "node:net";
import { type WebSocket } from "ws";
import { badRequestError, internalError } from "@/server/sandbox/status-error";
import { acceptWebSocket } from "./accept-web-socket";
import { type UpgradeRequest } from "./connects";
import { podNamed } from "./pod-target";
import { acceptSpdy, createSpdySession, type SpdyCarrier, type SpdySession, type SpdyStream } from "./spdy-session";

const PROTOCOL = "portforward.k8s.io";
const TUNNEL = `SPDY/3.1+${PROTOCOL}`;

/** kubectl port-forward: a pair of streams, data and error, for every connection to a port of the pod. */
export async function forwardPorts(request: UpgradeRequest): Promise<void> {
  const { call, cluster, kubelet } = request;
  const pod = podNamed(cluster, call.namespace, call.name);
  const address = pod.status?.podIP;
  if (!address || !kubelet.podOf(call.namespace, call.name))
    throw internalError("error forwarding port: pod not found");
  const session = await openSession(request);
  const errors = new Map<string, SpdyStream>();
  session.onStream((stream) => {
    const { streamtype, requestid = "", port = "0" } = stream.headers;
    stream.accept();
    if (streamtype === "error") {
      errors.set(requestid, stream);
      return;
    }
    const place = kubelet.locate(address, Number(port));
    const socket = connect(place.port, place.host);
    const fail = (why: string) => {
      errors
        .get(requestid)
        ?.write(
          `an error occurred forwarding ${port} -> ${port}: error forwarding port ${port} to pod ${pod.metadata.uid}, uid : ${why}`,
        );
    };
    const finish = () => {
      stream.end();
      errors.get(requestid)?.end();
      errors.delete(requestid);
    };
    socket.on("data", (chunk) => stream.write(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      fail(error.code === "ECONNREFUSED" ? `dial tcp4 127.0.0.1:${port}: connect: connection refused` : error.message),
    );
    socket.on("close", finish);
    void session.closed.then(() => socket.destroy());
    void pump(stream, (chunk) => socket.write(chunk)).then(() => socket.end());
  });
  await session.closed;
}

async function pump(stream: SpdyStream, write: (chunk: Buffer) => void) {
  for (let chunk = await stream.input.read(); chunk !== null; chunk = await stream.input.read()) write(chunk);
}

/** SPDY on the socket itself, or inside a WebSocket as newer clients do it. */
async function openSession(request: UpgradeRequest): Promise<SpdySession> {
  const upgrade = (request.request.headers.upgrade ?? "").toLowerCase();
  if (upgrade === "spdy/3.1") return acceptSpdy(request, PROTOCOL);
  if (upgrade !== "websocket") throw badRequestError("unable to upgrade: Upgrade header must be SPDY/3.1 or websocket");
  const { socket } = await acceptWebSocket(request, [TUNNEL]);
  return createSpdySession(carrierOver(socket));
}

function carrierOver(socket: WebSocket): SpdyCarrier {
  return {
    write: (frame) => (socket.readyState === socket.OPEN ? socket.send(frame) : undefined),
    onData: (listener) => void socket.on("message", (data: Buffer) => listener(data)),
    onClose: (listener) => void socket.on("close", listener).on("error", listener),
    close: () => socket.close(1_000),
  };
}
