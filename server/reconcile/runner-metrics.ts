import { type Clock } from "@/server/kubernetes/clock";
import { type WorkerMetrics } from "@/server/observability/worker-metrics";
import { type Write } from "./apply";
import { type PassOutcome, type Verdict } from "./pass";
import { type Queue, type QueueObserver } from "./queue";

/** controller-runtime's names for how a pass ended. */
const results: Record<Verdict["type"], string> = {
  settled: "success",
  gone: "success",
  conflict: "requeue",
  transient: "error",
  permanent: "error",
  abandoned: "requeue",
};

export type RunnerMetrics = ReturnType<typeof createRunnerMetrics>;

/** The numbers of one kind. */
export function createRunnerMetrics(all: WorkerMetrics, kind: string, concurrency: number, clock: Clock) {
  const labels = { controller: kind };
  const adds = all.queueAdds.of(labels);
  const retries = all.queueRetries.of(labels);
  const waited = all.queueDuration.of(labels);
  const worked = all.workDuration.of(labels);
  const passTime = all.reconcileTime.of(labels);
  // All there from the start: the first of its kind is a rise from zero then, which an alert sees.
  const byResult = Object.fromEntries(
    [...new Set([...Object.values(results), "requeue_after"])].map((result) => [
      result,
      all.reconciles.of({ ...labels, result }),
    ]),
  );
  const errors = all.errors.of(labels);
  const terminal = all.terminal.of(labels);
  const parked = all.parked.of(labels);
  const panics = all.panics.of(labels);
  all.timeouts.of(labels);
  const began = new Map<string, number>();
  all.concurrency.of(labels).set(concurrency);

  const observer: Omit<QueueObserver, "onReady"> = {
    onAdd: () => adds.add(),
    onRetry: () => retries.add(),
    onTake: (waitedMs) => waited.observe(waitedMs / 1_000),
  };

  return {
    observer,
    begin(id: string): number {
      const startedMs = clock.monotonic();
      began.set(id, startedMs);
      return startedMs;
    },
    end(id: string, startedMs: number): void {
      began.delete(id);
      worked.observe((clock.monotonic() - startedMs) / 1_000);
    },
    passed({ outcome, verdict }: { outcome: PassOutcome; verdict: Verdict }, ms: number): void {
      passTime.observe(ms / 1_000);
      const isTimed = verdict.type === "settled" && verdict.againInMs !== null;
      byResult[isTimed ? "requeue_after" : results[verdict.type]]?.add();
      if (results[verdict.type] === "error") errors.add();
      if (verdict.type === "permanent") terminal.add();
      for (const write of outcome.writes) count(write);
    },
    park: () => parked.add(),
    panic: () => panics.add(),
    onScrape(queue: Queue): void {
      all.onScrape(() => {
        for (const priority of ["low", "normal"] as const) {
          all.queueDepth.of({ ...labels, priority }).set(queue.ready(priority));
        }
        all.queueWaiting.of(labels).set(queue.waiting());
        all.active.of(labels).set(began.size);
        const ages = [...began.values()].map((startedMs) => (clock.monotonic() - startedMs) / 1_000);
        all.unfinished.of(labels).set(ages.reduce((sum, age) => sum + age, 0));
        all.longest.of(labels).set(Math.max(0, ...ages));
      });
    },
  };

  function count({ verb, outcome, ms }: Write): void {
    const word = outcome === "done" || outcome === "unchanged" ? outcome : "failed";
    all.effects.of({ ...labels, verb, outcome: word }).add();
    all.effectTime.of({ ...labels, verb }).observe(ms / 1_000);
  }
}
