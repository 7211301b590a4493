import { createClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { connectionFrom } from "@/server/kubernetes/connection";
import { createLog } from "@/server/observability/log";
import { createWorker } from "@/server/worker";
import { createBenchletReconciler } from "../benchlet";
import { contestantTask } from "../contestant";

const { group, namespace, identity = "bench" } = contestantTask();
const connection = await connectionFrom({ kubeconfig: process.env.KUBECONFIG ?? "" });
const reconciler = createBenchletReconciler(group, identity);
const worker = createWorker({
  client: createClient({ connection, clock: systemClock }),
  leaseClient: createClient({ connection, clock: systemClock }),
  clock: systemClock,
  reconcilers: { [reconciler.id]: reconciler },
  identity,
  leaseNamespace: namespace,
  namespace,
  log: createLog({ level: "warn" }),
});
process.once("SIGTERM", () => void worker.stop().then(() => process.exit(0)));
worker.start();
await worker.synced();
process.send?.("ready");
