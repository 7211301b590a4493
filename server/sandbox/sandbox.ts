import { randomBytes } from "node:crypto";
import { type Socket } from "node:net";
import { type Clock, systemClock } from "@/server/kubernetes/clock";
import { type Connection, serverConnection } from "@/server/kubernetes/connection";
import { createAdmission } from "@/server/sandbox/admission/admission";
import { createAuth } from "@/server/sandbox/auth/auth";
import { evictPod } from "@/server/sandbox/admission/eviction";
import { seedPolicy } from "@/server/sandbox/auth/bootstrap-policy";
import { bindPod } from "@/server/sandbox/cluster/bind-pod";
import { type Cluster, createCluster } from "@/server/sandbox/cluster";
import { createConnects } from "@/server/sandbox/connect/connects";
import { resolveService } from "@/server/sandbox/connect/proxy";
import { startControllers } from "@/server/sandbox/controllers/start-controllers";
import { startCrds } from "@/server/sandbox/crd/crd-registrar";
import { type Certificate, makeCertificate } from "@/server/sandbox/http/certificate";
import { createDoorkeeper, type SubresourceCreate } from "@/server/sandbox/http/door";
import { listen } from "@/server/sandbox/http/listen";
import { kubeconfigOf } from "@/server/sandbox/kubeconfig";
import { createKubelet, type Kubelet, type KubeletOptions } from "@/server/sandbox/kubelet/kubelet";
import { seedCluster } from "@/server/sandbox/seed-cluster";
import { clearHome, openHome } from "@/server/sandbox/storage/home";
import { openLog } from "@/server/sandbox/storage/log";
import { createStore } from "@/server/sandbox/storage/store";
import { createTypeRegistry } from "@/server/sandbox/type-registry";
import { builtinTypes } from "@/server/sandbox/types/builtin-types";
import { serviceAddresses } from "@/server/sandbox/types/service-strategy";
import { createWatchHub } from "@/server/sandbox/watch/watch-hub";

export type SandboxOptions = {
  port?: number;
  host?: string;
  /** Where state is kept between runs. Absent or null: nowhere. */
  dataDir?: string | null;
  /** Start from an empty cluster, whatever the folder holds. */
  reset?: boolean;
  clock?: Clock;
  /** Requests without a credential are the administrator's. */
  anonymousAdmin?: boolean;
  /** False: an API server alone, nobody acts on its objects. */
  controllers?: boolean;
  /** False: pods are stored but nobody plays them. */
  kubelet?: Omit<KubeletOptions, "dataDir"> | false;
};

export type Sandbox = {
  /** Plain HTTP; the same port speaks HTTPS. */
  url: string;
  adminToken: string;
  cluster: Cluster;
  /** Who plays the pods; null when nobody does. */
  kubelet: Kubelet | null;
  /** Written when there is a folder to write it to. */
  kubeconfigPath: string | null;
  kubeconfig(): string;
  connection(): Connection;
  /** Its open connections. */
  sockets(): Iterable<Socket>;
  /** Nothing is being handled, and no event waits to be sent. */
  idle(): boolean;
  stop(): Promise<void>;
};

/** A Kubernetes cluster in this process, its API on one loopback port. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = "127.0.0.1", clock = systemClock, anonymousAdmin = false, dataDir = null } = options;
  if (dataDir !== null && options.reset) clearHome(dataDir);
  const home = dataDir === null ? null : openHome(dataDir);
  const store = createStore();
  const log = dataDir === null ? null : openLog(dataDir, store);
  log?.follow(store);

  const types = createTypeRegistry();
  const cluster = createCluster({ clock, types, store });
  const adminToken = home?.adminToken ?? randomBytes(24).toString("base64url");
  const certificate = once((): Certificate => home?.certificate() ?? makeCertificate());
  const auth = createAuth({ cluster, adminToken, anonymousAdmin, caBundle: () => certificate().cert });
  types.add(...builtinTypes(auth.answers));
  const crds = startCrds(cluster);
  let kubelet: Kubelet | null = null;
  const admission = createAdmission({
    cluster,
    // Webhooks are called long after this, when the kubelet is there.
    resolveService: (service) => (kubelet ? resolveService(cluster, kubelet, service) : "nobody plays pods here"),
  });
  for (const plugin of [auth.plugin, crds.plugin, serviceAddresses(cluster), ...admission.plugins]) cluster.use(plugin);
  await seedCluster(cluster);
  await seedPolicy(cluster);
  const stopAuth = auth.start();
  const controllers = options.controllers === false ? null : startControllers(cluster);
  const plays = options.controllers !== false && options.kubelet !== false;
  kubelet = plays ? await createKubelet(cluster, { ...(options.kubelet || {}), dataDir }) : null;

  const hub = createWatchHub(store);
  const connects = kubelet && createConnects(cluster, kubelet);
  const creates: Record<string, SubresourceCreate> = {
    "serviceaccounts/token": async (at, body) => auth.requestToken(at, body),
    "pods/eviction": (at, body, ctx) => evictPod(cluster, at, body, ctx),
    "pods/binding": (at, body, ctx) => bindPod(cluster, at, body, ctx),
  };
  const door = createDoorkeeper({ cluster, hub, access: auth.access, connects: () => connects, creates });
  const { onRequest, onUpgrade } = door;
  const listening = await listen({ host, port, preferredPort: home?.port ?? 0, onRequest, onUpgrade, certificate });
  home?.writePort(listening.port);
  const url = `http://${host}:${listening.port}`;
  const kubeconfig = () =>
    kubeconfigOf({ server: url.replace("http:", "https:"), token: adminToken, cert: certificate().cert });
  home?.writeKubeconfig(kubeconfig());

  return {
    url,
    adminToken,
    cluster,
    kubelet,
    kubeconfigPath: home?.kubeconfigPath ?? null,
    kubeconfig,
    connection: () => serverConnection({ server: url, token: adminToken }),
    sockets: () => listening.sockets,
    idle: () => door.busy() === 0 && hub.idle() && (controllers?.idle() ?? true) && (kubelet?.idle() ?? true),
    async stop() {
      await kubelet?.stop();
      await controllers?.stop();
      stopAuth();
      admission.stop();
      crds.stop();
      await listening.stop();
      log?.close();
      home?.release();
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
