import { type Metrics } from "./metrics";

/** The numbers that operators know from controller-runtime, under its names, plus those of the lease and of our writes. */
export function createWorkerMetrics(metrics: Metrics) {
  const counter = (name: string, help: string) => metrics.counter(name, help);
  const gauge = (name: string, help: string) => metrics.gauge(name, help);
  const total = (name: string, help: string) => metrics.total(name, help);
  const histogram = (name: string, help: string) => metrics.histogram(name, help);
  return {
    queueDepth: gauge("workqueue_depth", "Keys that are ready, by priority"),
    queueWaiting: gauge("workqueue_waiting", "Keys that wait for their time"),
    queueAdds: counter("workqueue_adds_total", "Keys added"),
    queueRetries: counter("workqueue_retries_total", "Keys added again after a failure"),
    queueDuration: histogram("workqueue_queue_duration_seconds", "Time from ready to taken"),
    workDuration: histogram("workqueue_work_duration_seconds", "Time from taken to done"),
    unfinished: gauge("workqueue_unfinished_work_seconds", "Sum of the ages of the passes under way"),
    longest: gauge("workqueue_longest_running_processor_seconds", "Age of the oldest pass under way"),
    reconciles: counter("controller_runtime_reconcile_total", "Passes by result"),
    errors: counter("controller_runtime_reconcile_errors_total", "Passes that failed"),
    terminal: counter(
      "controller_runtime_terminal_reconcile_errors_total",
      "Passes that failed and are not tried again",
    ),
    panics: counter("controller_runtime_reconcile_panics_total", "Passes that ended in an exception of our own"),
    timeouts: counter("controller_runtime_reconcile_timeouts_total", "Passes given up because their time was over"),
    reconcileTime: histogram("controller_runtime_reconcile_time_seconds", "Duration of a pass"),
    concurrency: gauge("controller_runtime_max_concurrent_reconciles", "Passes that may run at the same time"),
    active: gauge("controller_runtime_active_workers", "Passes under way"),
    parked: counter(
      "orrery_stale_cache_passes_total",
      "Passes put back because the cache did not show our own writes yet",
    ),
    effects: counter("orrery_effects_total", "Writes by verb and outcome"),
    effectTime: histogram("orrery_effect_duration_seconds", "Duration of a write"),
    cacheObjects: gauge("orrery_cache_objects", "Objects in a cache"),
    cacheSynced: gauge("orrery_cache_synced", "1 when the first list of a cache is in"),
    cacheLate: counter("orrery_cache_sync_timeouts_total", "Caches whose first list was not in within its time"),
    lists: total("orrery_watch_lists_total", "Lists done to fill a cache"),
    watches: total("orrery_watch_opened_total", "Watches opened"),
    watchEvents: total("orrery_watch_events_total", "Events received"),
    watchRefused: total("orrery_watch_events_refused_total", "Events left out because they were older than the cache"),
    watchStalls: total("orrery_watch_stalls_total", "Watches ended because nothing was heard for too long"),
    recorded: total("orrery_recorded_events_total", "Kubernetes Events by what became of them"),
    leading: gauge("leader_election_master_status", "1 while this worker holds the lease"),
    leaseToken: gauge("orrery_lease_transitions", "How often the lease has changed hands: the fencing token"),
    /** Runs before every scrape. */
    onScrape: (update: () => void) => metrics.onScrape(update),
    refusedWrites: counter("orrery_writes_without_lease_total", "Writes stopped because the lease may have passed on"),
  };
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;
