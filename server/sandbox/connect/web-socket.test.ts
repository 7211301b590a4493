import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type Duplex } from "node:stream";
import { constants, createDeflate } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { at, make, running, seen } from "@/server/sandbox/contract/scene";
import { openTarget, type Target } from "@/server/sandbox/contract/target";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";
import { spdyDictionary } from "./spdy-dictionary";

// What kubectl speaks since 1.31, by hand: an older one on this machine would never ask for it.
let sandbox: Sandbox;
let target: Target;
let pod: string;

beforeAll(async () => {
  sandbox = await createSandbox();
  target = await openTarget(sandbox.connection());
  const scene = { target, namespace: await target.namespace() };
  const script = "mkdir /www; echo served > /www/index.html; exec httpd -f -p 8080 -h /www";
  const readinessProbe = { httpGet: { path: "/index.html", port: 8080 }, periodSeconds: 1 };
  await make(scene, { kind: "Pod", metadata: { name: "web" }, spec: running(script, { readinessProbe }) });
  type Ready = { status: { containerStatuses?: { ready: boolean }[] } };
  await seen<Ready>(scene, "Pod", "web", ({ status }) => status.containerStatuses?.[0]?.ready === true);
  pod = at(scene, "Pod", "web");
});

afterAll(async () => {
  await target.close();
  await sandbox.stop();
});

test.each([
  // Only the fifth version can end the input.
  ["v5.channel.k8s.io", "cat", [255, 0]],
  ["v4.channel.k8s.io", "head -c 3", null],
] as const)("a command over %s has its streams and its end", async (protocol, reader, ending) => {
  const { socket, channels } = openExec(["sh", "-c", `${reader}; echo warned >&2; exit 4`], [protocol]);
  await once(socket, "open");
  expect(socket.protocol).toBe(protocol);
  socket.send(Buffer.from("\0fed"));
  if (ending) socket.send(Buffer.from(ending));
  await once(socket, "close");
  expect([channels[1], channels[2]]).toEqual(["fed", "warned\n"]);
  expect(JSON.parse(channels[3] ?? "")).toMatchObject({ status: "Failure", reason: "NonZeroExitCode" });
});

test("a client that offers several protocols gets the newest; one whose protocols nobody knows is refused", async () => {
  const { socket } = openExec(["true"], ["channel.k8s.io", "v4.channel.k8s.io", "v5.channel.k8s.io"]);
  await once(socket, "close");
  expect(socket.protocol).toBe("v5.channel.k8s.io");
  const [answer] = await upgraded(`${pod}/exec?command=true`, "v9.channel.k8s.io");
  expect(answer.statusCode).toBe(400);
});

test("a port is forwarded by SPDY inside a WebSocket", async () => {
  const [answer, connection] = await upgraded(`${pod}/portforward`, "SPDY/3.1+portforward.k8s.io");
  expect([answer.statusCode, answer.headers["sec-websocket-protocol"]]).toEqual([101, "SPDY/3.1+portforward.k8s.io"]);
  const said = saidOn(connection, 3);
  const compress = await compressor();
  const headers = { port: "8080", requestid: "0" };
  connection.write(masked(await synStream(compress, 1, { ...headers, streamtype: "error" })));
  connection.write(masked(await synStream(compress, 3, { ...headers, streamtype: "data" })));
  connection.write(masked(spdyData(3, "GET /index.html HTTP/1.0\r\n\r\n")));
  expect(await said).toMatch(/^HTTP\/1\.[01] 200 OK[\s\S]*served\n$/);
  connection.destroy();
});

function openExec(command: readonly string[], protocols: string[]) {
  const query = new URLSearchParams([
    ...command.map((word) => ["command", word]),
    ...["stdin", "stdout", "stderr"].map((name) => [name, "true"]),
  ]);
  const url = `${sandbox.url.replace("http", "ws")}${pod}/exec?${query.toString()}`;
  const socket = new WebSocket(url, protocols, { headers: { authorization: `Bearer ${sandbox.adminToken}` } });
  const channels: string[] = ["", "", "", ""];
  socket.on("message", (data: Buffer) => {
    const channel = data[0] ?? 0;
    channels[channel] = `${channels[channel] ?? ""}${data.subarray(1).toString()}`;
  });
  return { socket, channels };
}

/** A WebSocket's beginning; the rest is bytes, since the library knows no protocol with a slash in its name. */
async function upgraded(path: string, protocol: string): Promise<[IncomingMessage, Duplex]> {
  const call = request(`${sandbox.url}${path}`, {
    headers: {
      authorization: `Bearer ${sandbox.adminToken}`,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      "sec-websocket-protocol": protocol,
    },
  });
  call.end();
  return new Promise((resolve, reject) => {
    call.on("upgrade", (answer, socket) => resolve([answer, socket]));
    call.on("response", (answer) => resolve([answer, answer.socket]));
    call.on("error", reject);
  });
}

/** One binary message as a client sends it; a mask of zeros leaves it readable. */
function masked(payload: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt8(0x82, 0);
  head.writeUInt8(0x80 | 126, 1);
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** What comes on a SPDY stream inside the messages, until it ends. */
function saidOn(connection: Duplex, stream: number): Promise<string> {
  let messages = Buffer.alloc(0);
  let frames = Buffer.alloc(0);
  let said = "";
  return new Promise((resolve, reject) => {
    connection.on("close", () => reject(new Error(`the connection ended after: ${said}`)));
    connection.on("data", (chunk: Buffer) => {
      messages = Buffer.concat([messages, chunk]);
      while (messages.length >= 4) {
        const short = (messages[1] ?? 0) & 0x7f;
        const [start, length] = short < 126 ? [2, short] : [4, messages.readUInt16BE(2)];
        if (messages.length < start + length) break;
        frames = Buffer.concat([frames, messages.subarray(start, start + length)]);
        messages = messages.subarray(start + length);
      }
      while (frames.length >= 8 && frames.length >= 8 + frames.readUIntBE(5, 3)) {
        const length = frames.readUIntBE(5, 3);
        if (frames.readUInt32BE(0) === stream) {
          said += frames.subarray(8, 8 + length).toString();
          if (frames.readUInt8(4) === 1) resolve(said);
        }
        frames = frames.subarray(8 + length);
      }
    });
  });
}

async function compressor() {
  const deflate = createDeflate({ dictionary: spdyDictionary });
  let chunks: Buffer[] = [];
  deflate.on("data", (chunk: Buffer) => void chunks.push(chunk));
  return (input: Buffer) =>
    new Promise<Buffer>((resolve) => {
      chunks = [];
      deflate.write(input);
      deflate.flush(constants.Z_SYNC_FLUSH, () => resolve(Buffer.concat(chunks)));
    });
}

async function synStream(
  compress: (input: Buffer) => Promise<Buffer>,
  id: number,
  headers: Record<string, string>,
): Promise<Buffer> {
  const texts = Object.entries(headers).flat();
  const block = await compress(
    Buffer.concat([uint32(texts.length / 2), ...texts.flatMap((text) => [uint32(text.length), Buffer.from(text)])]),
  );
  const body = Buffer.concat([uint32(id), uint32(0), Buffer.alloc(2), block]);
  return Buffer.concat([uint32(0x80030001), uint32(body.length), body]);
}

function spdyData(id: number, text: string): Buffer {
  return Buffer.concat([uint32(id), uint32(text.length), Buffer.from(text)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
