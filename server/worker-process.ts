import { type Log } from "@/server/observability/log";
import { startHealthServer } from "@/server/observability/health-server";
import { createWorker, type Worker, type WorkerOptions } from "@/server/worker";

export type WorkerProcess = { worker: Worker; port: number; stop(): Promise<void> };

/** A worker with /healthz, /readyz and /metrics: what `npm run worker` runs. */
export async function startWorkerProcess(
  options: WorkerOptions & { log: Log; health: { host?: string; port: number } },
): Promise<WorkerProcess> {
  const worker = createWorker(options);
  const health = await startHealthServer({
    ...options.health,
    health: () => worker.health(),
    metrics: () => worker.metrics.text(),
  });
  worker.start();
  options.log.info("the worker runs", { identity: options.identity, port: health.port });
  return {
    worker,
    port: health.port,
    stop: async () => {
      await worker.stop();
      await health.close();
      options.log.info("the worker has stopped", { identity: options.identity });
    },
  };
}
