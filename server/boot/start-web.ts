import { createReconcilers } from "@/server/reconcilers";
import { connectCluster } from "./connect-cluster";
import { familyOptions } from "./family-options";
import { requireCluster } from "./require-cluster";
import { servePages } from "./serve-pages";
import { startDatabase, startServices, type Parts } from "./start-parts";

/** The pages and the API alone; workers run elsewhere, and the database is where they meet. */
export async function startWeb(parts: Parts, say: (line: string) => void): Promise<void> {
  const { env, stages, log } = parts;
  requireCluster(env);
  const address = { host: env.ORRERY_HOST, port: env.ORRERY_PORT };
  const pages = await stages.run(
    `listen on port ${env.ORRERY_PORT}`,
    () => servePages(address),
    (served) => served.stop(),
  );
  const database = await startDatabase(parts);
  const cluster = await stages.run(
    "reach the cluster",
    () => connectCluster(env),
    (connected) => connected.stop(),
  );
  await startServices(parts, { cluster, database, reconcilers: createReconcilers(familyOptions(env, log)) });
  await stages.run("open the pages", () => pages.ready());
  say(`\n  Orrery is at ${env.ORRERY_PUBLIC_URL ?? pages.url}\n  cluster: ${cluster.title}`);
}
