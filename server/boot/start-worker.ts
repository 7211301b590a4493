import { createReconcilers } from "@/server/reconcilers";
import { connectCluster } from "./connect-cluster";
import { requireNamespace } from "./ensure-namespace";
import { familyOptions } from "./family-options";
import { requireCrds } from "./install-crds";
import { requireCluster } from "./require-cluster";
import { startDatabase, startReconciling, startWebhook, type Parts } from "./start-parts";

/** One replica of the worker; of several, the one that holds the lease writes. */
export async function startWorker(parts: Parts, say: (line: string) => void): Promise<void> {
  const { env, stages, log } = parts;
  requireCluster(env);
  const cluster = await stages.run(
    "reach the cluster",
    () => connectCluster(env),
    (connected) => connected.stop(),
  );
  await stages.run("see to the custom resources", async () => {
    await requireNamespace(cluster.client, env.ORRERY_NAMESPACE);
    await requireCrds(cluster.client);
  });
  const options = familyOptions(env, log);
  await startWebhook(parts, { cluster, options });
  const database = await startDatabase(parts);
  const { port } = await startReconciling(parts, {
    cluster,
    database,
    reconcilers: createReconcilers(options),
  });
  say(`\n  The worker looks after ${cluster.title}\n  health and metrics: http://${env.ORRERY_HOST}:${port}`);
}
