import { inClusterConnection } from "@/server/kubernetes/in-cluster";
import { kubeconfigConnection } from "@/server/kubernetes/kubeconfig";

/** How to reach one API server, and as whom. */
export type Connection = {
  server: string;
  /** Asked before every request: cheap, and fresh when a file or a plugin's credential has changed. */
  credentials(): Promise<Credentials>;
  /** The server refused what we sent: the next call must not answer from memory. */
  forget(): void;
};

export type Credentials = {
  headers: Readonly<Record<string, string>>;
  /** Compared by `version`: a change opens new connections. */
  tls: Tls;
  version: string;
};

export type Tls = { ca?: string; cert?: string; key?: string; serverName?: string; insecure?: boolean };

export type ConnectionSource =
  | { kubeconfig: string; context?: string }
  | { inCluster: true }
  | { server: string; token?: string; ca?: string; insecure?: boolean };

/** Fails with one sentence when the source cannot be used; no request is made. */
export async function connectionFrom(source: ConnectionSource): Promise<Connection> {
  if ("kubeconfig" in source) return kubeconfigConnection(source.kubeconfig, source.context);
  if ("inCluster" in source) return inClusterConnection();
  return serverConnection(source);
}

export function serverConnection(source: {
  server: string;
  token?: string;
  ca?: string;
  insecure?: boolean;
}): Connection {
  const credentials: Credentials = {
    headers: source.token ? { authorization: `Bearer ${source.token}` } : {},
    tls: { ca: source.ca, insecure: source.insecure },
    version: "fixed",
  };
  return { server: source.server.replace(/\/$/, ""), credentials: async () => credentials, forget: () => undefined };
}
