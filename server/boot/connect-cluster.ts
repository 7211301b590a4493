import { homedir } from "node:os";
import { join } from "node:path";
import { UsageError, type Env } from "@/server/env";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { connectionFrom, type Connection, type ConnectionSource } from "@/server/kubernetes/connection";
import { isUnauthorized } from "@/server/kubernetes/errors";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";
import { makeFolder } from "./make-folder";

export type ConnectedCluster = {
  connection: Connection;
  client: KubernetesClient;
  sandbox: Sandbox | null;
  /** What the page calls it. */
  title: string;
  version: string;
  stop(): Promise<void>;
};

/** Long enough for a far cluster; an address that does not answer is told by then. */
const REACH_TIMEOUT_MS = 10_000;

/** The sandbox, unless another cluster is asked for by name; never one that merely happens to be configured. */
export function connectCluster(env: Env): Promise<ConnectedCluster> {
  return env.ORRERY_CLUSTER === "sandbox" ? startSandbox(env) : reachCluster(env);
}

async function startSandbox(env: Env): Promise<ConnectedCluster> {
  const sandbox = await openSandbox(env);
  const connection = sandbox.connection();
  const client = createClient({ connection, clock: systemClock });
  return {
    connection,
    client,
    sandbox,
    title: "sandbox cluster",
    version: await versionOf(client),
    stop: async () => {
      await client.close();
      await sandbox.stop();
    },
  };
}

export async function openSandbox(env: Env): Promise<Sandbox> {
  const dataDir = join(env.ORRERY_DATA, "sandbox");
  try {
    makeFolder(env.ORRERY_DATA);
    return await createSandbox({ port: env.ORRERY_SANDBOX_PORT, dataDir, reset: env.ORRERY_RESET });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `The sandbox cluster cannot start: ${reason}; choose another folder with --data, or another port with --sandbox-port.`,
    );
  }
}

async function reachCluster(env: Env): Promise<ConnectedCluster> {
  const path = env.ORRERY_KUBECONFIG ?? process.env.KUBECONFIG ?? join(homedir(), ".kube", "config");
  const source =
    env.ORRERY_CLUSTER === "in-cluster"
      ? ({ inCluster: true } as const)
      : { kubeconfig: path, ...(env.ORRERY_CONTEXT && { context: env.ORRERY_CONTEXT }) };
  const connection = await usableConnection(source).catch((error: unknown) => {
    throw new UsageError(
      `The cluster cannot be used: ${sentenceOf(error)}; name another one with --kubeconfig and --context.`,
    );
  });
  const client = createClient({ connection, clock: systemClock });
  const version = await versionOf(client).catch(async (error: unknown) => {
    await client.close();
    throw isUnauthorized(error) ? strangerTo(connection) : unreachable(connection, error);
  });
  return { connection, client, sandbox: null, title: connection.server, version, stop: async () => client.close() };
}

/** With its files and its plugin tried: what they lack is no fault of the cluster. */
async function usableConnection(source: ConnectionSource): Promise<Connection> {
  const connection = await connectionFrom(source);
  await connection.credentials();
  return connection;
}

async function versionOf(client: KubernetesClient): Promise<string> {
  const { body } = await client.request("GET", "/version", { timeoutMs: REACH_TIMEOUT_MS });
  const { gitVersion } = body as { gitVersion?: unknown };
  return typeof gitVersion === "string" ? gitVersion : "unknown";
}

function unreachable({ server }: Connection, error: unknown): UsageError {
  return new UsageError(
    `The cluster at ${server} cannot be reached: ${sentenceOf(error)}; check that it runs, or name another one with --kubeconfig.`,
  );
}

function strangerTo({ server }: Connection): UsageError {
  return new UsageError(
    `The cluster at ${server} does not accept the credentials that it was sent; renew them in the kubeconfig, or name another user's context with --context.`,
  );
}

function sentenceOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}
