import { createReconcilers } from "@/server/reconcilers";
import { connectCluster } from "./connect-cluster";
import { ensureNamespace, requireNamespace } from "./ensure-namespace";
import { familyOptions } from "./family-options";
import { fillSandbox } from "./fill-sandbox";
import { installCrds, requireCrds } from "./install-crds";
import { servePages } from "./serve-pages";
import { startDatabase, startReconciling, startServices, startWebhook, type Parts } from "./start-parts";

/** Everything in one process: the cluster (the sandbox unless another is asked for), the worker, the API and the pages. */
export async function startAll(parts: Parts, say: (line: string) => void): Promise<void> {
  const { env, stages, log } = parts;
  const address = { host: env.ORRERY_HOST, port: env.ORRERY_PORT };
  // The port first: nothing else is worth starting when the page cannot be served.
  const pages = await stages.run(
    `listen on port ${env.ORRERY_PORT}`,
    () => servePages(address),
    (served) => served.stop(),
  );
  const database = await startDatabase(parts);
  const cluster = await stages.run(
    env.ORRERY_CLUSTER === "sandbox" ? "start the sandbox cluster" : "reach the cluster",
    () => connectCluster(env),
    (connected) => connected.stop(),
  );
  await stages.run("see to the custom resources", async () => {
    await (cluster.sandbox ? ensureNamespace : requireNamespace)(cluster.client, env.ORRERY_NAMESPACE);
    await (cluster.sandbox ? installCrds : requireCrds)(cluster.client);
  });
  const options = familyOptions(env, log);
  await startWebhook(parts, { cluster, options });
  const shared = { cluster, database, reconcilers: createReconcilers(options) };
  await startServices(parts, shared);
  const { port } = await startReconciling(parts, shared);
  if (cluster.sandbox && env.ORRERY_DEMO) await stages.run("fill the sandbox", () => fillSandbox(cluster.client));
  await stages.run("open the pages", () => pages.ready());
  say(`\n  Orrery is at ${env.ORRERY_PUBLIC_URL ?? pages.url}`);
  say(
    `  cluster: ${cluster.title}${cluster.sandbox ? ` (kubectl --kubeconfig ${cluster.sandbox.kubeconfigPath ?? ""})` : ""}`,
  );
  say(`  metrics: http://${env.ORRERY_HOST}:${port}/metrics\n  Ctrl-C stops it.`);
}
