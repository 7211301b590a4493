import { type Clock } from "@/server/kubernetes/clock";
import { type Counter } from "@/server/observability/metrics";
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
  const byResult = childrenBy((result) => all.reconciles.of({ ...labels, result }));
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
      byResult(isTimed ? "requeue_after" : results[verdict.type]).add();
      if (results[verdict.type] === "error") all.errors.of(labels).add();
      if (verdict.type === "permanent") all.terminal.of(labels).add();
      for (const write of outcome.writes) count(write);
    },
    park: () => all.parked.of(labels).add(),
    panic: () => all.panics.of(labels).add(),
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

function childrenBy(make: (value: string) => Counter): (value: string) => Counter {
  const children = new Map<string, Counter>();
  return (value) => {
    const known = children.get(value);
    if (known) return known;
    const child = make(value);
    children.set(value, child);
    return child;
  };
}
