import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from "node:http";
import { createServer as createNetServer, type AddressInfo, type Socket } from "node:net";
import { type Duplex } from "node:stream";
import { type IncomingMessage } from "node:http";

export type Listening = { port: number; sockets: ReadonlySet<Socket>; stop(): Promise<void> };

export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Connections are kept however long they are idle: on loopback they cost nothing, and a timer for each answer does. */
const kept = { keepAliveTimeout: 0 };
const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);
const TLS_HANDSHAKE = 0x16;

type Options = {
  host: string;
  port: number;
  /** Where to listen if any port will do, and this one is free: whoever has the address keeps it. */
  preferredPort?: number;
  onRequest: RequestListener;
  onUpgrade: Upgrade;
  /** Asked for once, at the first TLS connection. */
  certificate: () => { key: string; cert: string };
};

/**
 * One loopback port for plain HTTP and for HTTPS, told apart by the first byte: kubectl sends tokens only over TLS,
 * and our own client has no use for its cost.
 */
export async function listen(options: Options): Promise<Listening> {
  const { host, port, preferredPort = 0, onRequest, onUpgrade, certificate } = options;
  if (!LOOPBACK.has(host)) throw new Error(`The sandbox listens on loopback only, and ${host} is not: use 127.0.0.1`);
  const plain = createHttpServer(kept, onRequest).on("upgrade", onUpgrade);
  plain.requestTimeout = 0;
  let secure: Promise<HttpServer> | null = null;
  const sockets = new Set<Socket>();

  async function secureServer() {
    const { createServer } = await import("node:https");
    const server = createServer({ ...certificate(), ...kept }, onRequest).on("upgrade", onUpgrade);
    server.requestTimeout = 0;
    return server;
  }

  const server = createNetServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.once("data", (first) => {
      socket.pause();
      socket.unshift(first);
      if (first[0] !== TLS_HANDSHAKE) {
        plain.emit("connection", socket);
        socket.resume();
        return;
      }
      secure ??= secureServer();
      secure.then(
        (https) => {
          https.emit("connection", socket);
          socket.resume();
        },
        () => socket.destroy(),
      );
    });
  });
  const listenOn = (wanted: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(wanted, host, () => {
        server.off("error", reject);
        resolve();
      });
    });
  if (port === 0 && preferredPort !== 0) await listenOn(preferredPort).catch(() => listenOn(0));
  else await listenOn(port);
  // The server listens on a TCP port, so its address is no pipe and not null.
  const address = server.address() as AddressInfo;

  return {
    port: address.port,
    sockets,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
