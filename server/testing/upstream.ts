import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type Socket } from "node:net";
import { type Connection } from "@/server/kubernetes/connection";

/** The proxy's side towards the API server. It knows its sockets, so that bytes on their way can be counted. */
export function createUpstream(connection: Connection) {
  const isPlain = connection.server.startsWith("http:");
  const agent = isPlain ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ keepAlive: true });
  const sockets = new Set<Socket>();

  const track = (socket: Socket) => {
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };

  return {
    /** Resolves with the head of the answer; its body is still to be read. */
    send: async (
      method: string,
      path: string,
      headers: Record<string, string>,
      body: string,
    ): Promise<IncomingMessage> => {
      const { headers: credentials, tls } = await connection.credentials();
      const options = {
        agent,
        method,
        headers: { ...headers, ...credentials, "content-length": String(Buffer.byteLength(body)) },
        ...(isPlain ? {} : { ca: tls.ca, cert: tls.cert, key: tls.key, rejectUnauthorized: !tls.insecure }),
      };
      return new Promise((resolve, reject) => {
        const request = (isPlain ? httpRequest : httpsRequest)(connection.server + path, options, resolve);
        request.on("socket", track);
        request.on("error", reject);
        request.end(body);
      });
    },
    /** Bytes that have arrived, by our port of each connection. */
    bytesRead: (): Map<number, number> =>
      new Map([...sockets].flatMap((socket) => (socket.localPort ? [[socket.localPort, socket.bytesRead]] : []))),
    stop: () => agent.destroy(),
  };
}

export async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer); // no encoding is set
  return Buffer.concat(chunks).toString("utf8");
}
