import { Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";

export type Place = { host: string; port: number };

/** The addresses of a node's pods. Each is a loopback address of its own, so that two pods may listen on one port. */
export type AddressPool = {
  cidr: string;
  nodeAddress: string;
  /** A free address; the wanted one if it belongs to this pool and is free. */
  take: (wanted?: string) => string;
  release: (address: string) => void;
  /** Makes a server listen on a pod's port; the result closes it. */
  bind: (server: Server, address: string, port: number) => Promise<() => void>;
  /** Where a pod's port really listens. */
  locate: (address: string, port: number) => Place;
  close(): void;
};

// A port that nobody listens on for all addresses, which would look as if every range were taken.
const CLAIM_PORT = 41_927;
const TRIES = 64;
// 16 times 253 addresses: more than the pods that one node is allowed.
const BLOCK = 16;
const FIRST = 2;
const LAST = 254;
const ROW = LAST - FIRST + 1;
const SIZE = BLOCK * ROW;

/**
 * Claims a range of 127.0.0.0/8 that no other sandbox on this machine uses, by listening on its first address.
 * Where only 127.0.0.1 exists (macOS), pods listen on any free port there and `locate` knows which.
 */
export async function createAddressPool(wantedCidr?: string): Promise<AddressPool> {
  const { prefix, claim } = await claimRange(wantedCidr);
  const taken = new Set<string>();
  const elsewhere = new Map<string, Place>();
  let next = 0;

  return {
    cidr: `127.${prefix.second}.${prefix.third}.0/20`,
    nodeAddress: `127.${prefix.second}.${prefix.third}.1`,
    take: (wanted) => {
      if (wanted !== undefined && isIn(prefix, wanted) && !taken.has(wanted)) {
        taken.add(wanted);
        return wanted;
      }
      // The next one after the last, so that an address is not reused at once.
      for (let tries = 0; tries < SIZE; tries += 1) {
        const address = addressAt(prefix, next++ % SIZE);
        if (taken.has(address)) continue;
        taken.add(address);
        return address;
      }
      throw new Error("the node has no free pod address left");
    },
    release: (address) => void taken.delete(address),
    bind: async (server, address, port) => {
      const place = await listenOn(server, address, port);
      if (place.host !== address || place.port !== port) elsewhere.set(`${address}:${port}`, place);
      return () => {
        elsewhere.delete(`${address}:${port}`);
        server.close();
        // A pod that is gone leaves no connection behind.
        if (server instanceof HttpServer) server.closeAllConnections();
      };
    },
    locate: (address, port) => elsewhere.get(`${address}:${port}`) ?? { host: address, port },
    close: () => void claim?.close(),
  };
}

type Prefix = { second: number; third: number };

async function claimRange(wantedCidr: string | undefined): Promise<{ prefix: Prefix; claim: Server | null }> {
  const wanted = /^127\.([0-9]+)\.([0-9]+)\.0\/20$/.exec(wantedCidr ?? "");
  for (let tries = 0; tries < TRIES; tries += 1) {
    const prefix =
      wanted && tries === 0
        ? { second: Number(wanted[1]), third: Number(wanted[2]) }
        : { second: 1 + Math.floor(Math.random() * 254), third: Math.floor(Math.random() * (256 / BLOCK)) * BLOCK };
    const claim = createServer((socket) => socket.destroy()).unref();
    const failure = await tryListen(claim, `127.${prefix.second}.${prefix.third}.1`, CLAIM_PORT);
    if (failure === null) return { prefix, claim };
    if (failure !== "EADDRINUSE") return { prefix, claim: null };
  }
  throw new Error("no free range of loopback addresses for pods was found");
}

function addressAt({ second, third }: Prefix, index: number): string {
  return `127.${second}.${third + Math.floor(index / ROW)}.${FIRST + (index % ROW)}`;
}

function isIn({ second, third }: Prefix, address: string): boolean {
  const [first, own, row = -1, last = -1, ...more] = address.split(".").map(Number);
  const isHere = first === 127 && own === second && row >= third && row < third + BLOCK;
  return isHere && last >= FIRST && last <= LAST && more.length === 0;
}

async function listenOn(server: Server, address: string, port: number): Promise<Place> {
  if ((await tryListen(server, address, port)) === null) return { host: address, port };
  // Somebody holds the port on all addresses, or the address cannot be had at all.
  const failure = await tryListen(server, "127.0.0.1", 0);
  if (failure !== null) throw new Error(`listen on ${address}:${port}: ${failure}`);
  // A server that listens on TCP has an address of this shape.
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

function tryListen(server: Server, host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message);
    server.once("error", failed);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", failed);
      resolve(null);
    });
  });
}
