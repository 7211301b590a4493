import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Connection } from "@/server/kubernetes/connection";
import { type AnswerSink, createAnswerReader } from "./answer-reader";

/** One connection to an API server, which carries one request at a time. */
export type BareLine = {
  send(request: Request): Promise<{ status: number; text: string }>;
  /** Resolves when the answer begins; `onData` gets a view of its bytes, good until it returns. */
  stream(path: string, onData: (bytes: Buffer) => void): Promise<void>;
  close(): void;
};

type Request = { method: "GET" | "POST" | "PATCH"; path: string; type?: string; body?: string };

/** One for all lines: what is read is looked at before the next read. */
const readBuffer = Buffer.alloc(256 * 1_024);

/**
 * As little HTTP as a load needs: it shares the machine with the server that it measures, and whatever it takes for
 * itself is missing there.
 */
export async function openBareLine(connection: Connection): Promise<BareLine> {
  const { headers, tls } = await connection.credentials();
  const { hostname, host, port, protocol } = new URL(connection.server);
  const fixed = Object.entries({ host, accept: "application/json", "user-agent": "orrery", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  let sink: AnswerSink | null = null;
  let fail: (error: Error) => void = () => undefined;
  const take = createAnswerReader({
    onStart: (status) => sink?.onStart(status),
    onData: (bytes) => sink?.onData(bytes),
    onEnd: () => sink?.onEnd(),
  });
  const onread = {
    buffer: readBuffer,
    callback: (length: number, buffer: Uint8Array) => {
      take(Buffer.from(buffer.buffer, buffer.byteOffset, length));
      return true;
    },
  };
  const socket = await opened((done) => {
    const to = { host: hostname, port: Number(port), onread, noDelay: true };
    if (protocol !== "https:") return connectTcp(to, done);
    const { ca, cert, key, serverName, insecure } = tls;
    return connectTls({ ...to, ca, cert, key, servername: serverName, rejectUnauthorized: !insecure }, done);
  });
  socket.on("error", (error) => fail(error));
  socket.on("close", () => fail(new Error("the server closed the connection")));

  const write = ({ method, path, type, body = "" }: Request) => {
    const about = type ? `content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` : "";
    socket.write(`${method} ${path} HTTP/1.1\r\n${fixed}${about}\r\n${body}`);
  };

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        let [status, text] = [0, ""];
        fail = reject;
        sink = {
          onStart: (given) => (status = given),
          onData: (bytes) => (text += bytes.toString()),
          onEnd: () => resolve({ status, text }),
        };
        write(request);
      }),
    stream: (path, onData) =>
      new Promise((resolve, reject) => {
        fail = reject;
        sink = { onStart: () => resolve(), onData, onEnd: () => undefined };
        write({ method: "GET", path });
      }),
    close: () => socket.destroy(),
  };
}

function opened(open: (done: () => void) => Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = open(() => resolve(socket)).once("error", reject);
  });
}
