import { randomBytes } from "node:crypto";
import { type Socket } from "node:net";
import { type Clock, systemClock } from "@/server/kubernetes/clock";
import { type Connection, serverConnection } from "@/server/kubernetes/connection";
import { type Cluster, createCluster } from "@/server/sandbox/cluster";
import { type Access } from "@/server/sandbox/http/access";
import { type Certificate, makeCertificate } from "@/server/sandbox/http/certificate";
import { type Connects, createDoorkeeper } from "@/server/sandbox/http/door";
import { listen } from "@/server/sandbox/http/listen";
import { kubeconfigOf } from "@/server/sandbox/kubeconfig";
import { seedCluster } from "@/server/sandbox/seed-cluster";
import { createTypeRegistry } from "@/server/sandbox/type-registry";
import { builtinTypes } from "@/server/sandbox/types/builtin-types";
import { createWatchHub } from "@/server/sandbox/watch/watch-hub";

export type SandboxOptions = {
  port?: number;
  host?: string;
  /** Null: nothing is kept. */
  dataDir?: string | null;
  clock?: Clock;
  /** Requests without a credential are the administrator's. */
  anonymousAdmin?: boolean;
};

export type Sandbox = {
  /** Plain HTTP; the same port speaks HTTPS. */
  url: string;
  adminToken: string;
  cluster: Cluster;
  kubeconfigPath: string | null;
  kubeconfig(): string;
  connection(): Connection;
  /** Its open connections. */
  sockets(): Iterable<Socket>;
  /** Nothing is being handled, and no event waits to be sent. */
  idle(): boolean;
  stop(): Promise<void>;
};

/** A Kubernetes API in this process, on one loopback port. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = "127.0.0.1", clock = systemClock, anonymousAdmin = false } = options;
  const types = createTypeRegistry();
  for (const type of builtinTypes()) types.add(type);
  const cluster = createCluster({ clock, types });
  const hub = createWatchHub(cluster.store);
  const adminToken = randomBytes(24).toString("base64url");
  const connects: Connects | null = null;
  await seedCluster(cluster);
  const door = createDoorkeeper({
    cluster,
    hub,
    access: openAccess(adminToken, anonymousAdmin),
    connects: () => connects,
  });
  let certificate: Certificate | null = null;
  const certificateOnce = () => (certificate ??= makeCertificate());
  const listening = await listen({
    host,
    port,
    onRequest: door.onRequest,
    onUpgrade: door.onUpgrade,
    certificate: certificateOnce,
  });
  const url = `http://${host}:${listening.port}`;

  return {
    url,
    adminToken,
    cluster,
    kubeconfigPath: null,
    kubeconfig: () =>
      kubeconfigOf({ server: url.replace("http:", "https:"), token: adminToken, cert: certificateOnce().cert }),
    connection: () => serverConnection({ server: url, token: adminToken }),
    sockets: () => listening.sockets,
    idle: () => door.busy() === 0 && hub.idle(),
    stop: () => listening.stop(),
  };
}

const admin = { username: "admin", groups: ["system:masters", "system:authenticated"] };

function openAccess(_adminToken: string, _anonymousAdmin: boolean): Access {
  return { authenticate: () => admin, authorize: () => undefined };
}
