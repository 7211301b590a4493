import { UsageError, type Env } from "@/server/env";

/** The halves run as processes of their own: what they share has to be somewhere that both can reach. */
export function requireCluster(env: Env): void {
  if (env.ORRERY_CLUSTER === "sandbox") {
    throw new UsageError(
      "Name the cluster with --kubeconfig FILE, or with --cluster in-cluster; the sandbox is for `npm start` and `npm run sandbox`.",
    );
  }
  if (!env.DATABASE_URL) {
    throw new UsageError("Name a PostgreSQL server with DATABASE_URL: the embedded database serves one process alone.");
  }
}
