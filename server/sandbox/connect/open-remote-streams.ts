import { createPipe } from "@/server/sandbox/programs/pipe";
import { badRequestError, StatusError } from "@/server/sandbox/status-error";
import { acceptWebSocket, chooseProtocol } from "./accept-web-socket";
import { type UpgradeRequest } from "./connects";
import { type ExecStatus, type RemoteStreams } from "./remote-streams";
import { acceptSpdy, type SpdyStream } from "./spdy-session";

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const CLOSE = 255;
const protocols = [
  "v5.channel.k8s.io",
  "v4.channel.k8s.io",
  "v3.channel.k8s.io",
  "v2.channel.k8s.io",
  "channel.k8s.io",
];

/** Takes the connection over by the protocol that the client speaks. */
export async function openRemoteStreams(request: UpgradeRequest): Promise<RemoteStreams> {
  const upgrade = (request.request.headers.upgrade ?? "").toLowerCase();
  if (upgrade === "websocket") return overWebSocket(request);
  if (upgrade === "spdy/3.1") return overSpdy(request);
  throw badRequestError(`unable to upgrade: unexpected Upgrade header "${upgrade}"`);
}

async function overWebSocket(request: UpgradeRequest): Promise<RemoteStreams> {
  const { socket, protocol } = await acceptWebSocket(request, protocols);
  const stdin = createPipe();
  socket.on("message", (data: Buffer) => {
    const [channel, ...rest] = [data[0], data[1]];
    if (channel === STDIN) stdin.write(data.subarray(1));
    if (channel === CLOSE && rest[0] === STDIN) stdin.end();
  });
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("error", () => socket.terminate());
  void closed.then(() => stdin.end());
  const send = (channel: number, chunk: Buffer | string) => {
    if (socket.readyState === socket.OPEN && chunk.length > 0)
      socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(chunk)]));
  };
  return {
    stdin: request.call.query.get("stdin") === "true" ? stdin : ended(stdin),
    stdout: (chunk) => send(STDOUT, chunk),
    stderr: (chunk) => send(STDERR, chunk),
    finish: (status) => {
      send(ERROR, outcome(status, protocol));
      socket.close(1_000);
    },
    closed,
  };
}

function ended(pipe: RemoteStreams["stdin"]): RemoteStreams["stdin"] {
  pipe.end();
  return pipe;
}

/** Protocols before the fourth know only text, and none when all went well. */
function outcome(status: ExecStatus, protocol: string): string {
  if (/^v[45]\./.test(protocol)) return JSON.stringify(status);
  return status.status === "Success" ? "" : (status.message ?? "");
}

async function overSpdy(request: UpgradeRequest): Promise<RemoteStreams> {
  const { query } = request.call;
  const protocol = chooseProtocol(request.request.headers["x-stream-protocol-version"], protocols.slice(1));
  if (!protocol) throw new StatusError(403, "Forbidden", "unable to upgrade: unable to negotiate protocol");
  const expected = ["error", ...["stdin", "stdout", "stderr"].filter((name) => query.get(name) === "true")];
  const streams = new Map<string, SpdyStream>();
  const session = acceptSpdy(request, protocol);
  await new Promise<void>((resolve, reject) => {
    void session.closed.then(() => reject(new Error("the client left before it opened its streams")));
    session.onStream((stream) => {
      stream.accept();
      streams.set(stream.headers.streamtype ?? "", stream);
      if (expected.every((name) => streams.has(name))) resolve();
    });
  });
  const stdin = streams.get("stdin")?.input ?? ended(createPipe());
  return {
    stdin,
    stdout: (chunk) => streams.get("stdout")?.write(chunk),
    stderr: (chunk) => streams.get("stderr")?.write(chunk),
    finish: (status) => {
      streams.get("error")?.write(outcome(status, protocol));
      streams.forEach((stream) => stream.end());
      session.closeWhenQuiet();
    },
    closed: session.closed,
  };
}
