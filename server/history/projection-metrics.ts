import type { Metrics } from "@/server/observability/metrics";
import type { Projection } from "./projection";
import type { WarningWatch } from "./warning-watch";

/** How far history lies behind the cluster, for whoever watches the watcher. */
export function measureProjection(metrics: Metrics, projection: Pick<Projection, "state">): void {
  const lag = metrics.gauge("orrery_history_lag_seconds", "Age of the oldest pass that is not stored yet");
  const buffered = metrics.gauge("orrery_history_buffered", "Rows and transitions that wait for the database");
  const dropped = metrics.gauge("orrery_history_dropped_total", "Transitions given up while the database was away");
  const fenced = metrics.gauge("orrery_history_fenced_total", "Entries of a lease that had passed on");
  const failing = metrics.gauge("orrery_history_failing", "1 while nothing can be stored");
  metrics.onScrape(() => {
    const state = projection.state();
    lag.of().set(state.lagMs / 1_000);
    buffered.of().set(state.buffered);
    dropped.of().set(state.dropped);
    fenced.of().set(state.fenced);
    failing.of().set(state.failing === null ? 0 : 1);
  });
}

export function measureWarnings(metrics: Metrics, warnings: Pick<WarningWatch, "state">): void {
  const buffered = metrics.gauge("orrery_warning_events_buffered", "Warning events that wait to be stored");
  const dropped = metrics.gauge("orrery_warning_events_dropped_total", "Warning events given up, too many waited");
  metrics.onScrape(() => {
    const state = warnings.state();
    buffered.of().set(state.buffered);
    dropped.of().set(state.dropped);
  });
}
