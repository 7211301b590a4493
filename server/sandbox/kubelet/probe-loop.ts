import { type Clock } from "@/server/kubernetes/clock";
import { type Probe } from "@/server/sandbox/objects/pod";
import { type Outcome } from "./probe";

// A program binds its ports a moment after it starts. A probe in that moment is no verdict.
const SETTLING_MS = 1_000;
const SETTLING_PERIOD_MS = 100;

type Verdict = { healthy: boolean };
type Options = {
  clock: Clock;
  probe: Probe;
  signal: AbortSignal;
  attempt: (timeoutMs: number) => Promise<Outcome>;
  /** The outcome of each attempt that counts. */
  onFailure: (message: string) => void;
  /** Called when enough attempts in a row agree and that is news. */
  onVerdict: (verdict: Verdict) => void;
};

/** Probes one container from its start until the signal. */
export async function startProbeLoop({ clock, probe, signal, attempt, onFailure, onVerdict }: Options): Promise<void> {
  const startedMs = clock.monotonic();
  const periodMs = (probe.periodSeconds ?? 10) * 1_000;
  const initialMs = (probe.initialDelaySeconds ?? 0) * 1_000;
  let successes = 0;
  let failures = 0;
  let verdict: boolean | null = null;

  await clock.sleep(initialMs, signal);
  while (!signal.aborted) {
    const { ok, message } = await attempt((probe.timeoutSeconds ?? 1) * 1_000);
    if (isOver(signal)) return;
    if (!ok && verdict === null && clock.monotonic() - startedMs < SETTLING_MS) {
      await clock.sleep(Math.min(SETTLING_PERIOD_MS, periodMs), signal);
      continue;
    }
    successes = ok ? successes + 1 : 0;
    failures = ok ? 0 : failures + 1;
    if (!ok) onFailure(message);
    if (ok && verdict !== true && successes >= (probe.successThreshold ?? 1)) onVerdict({ healthy: (verdict = true) });
    if (!ok && verdict !== false && failures >= (probe.failureThreshold ?? 3))
      onVerdict({ healthy: (verdict = false) });
    await clock.sleep(periodMs, signal);
  }
}

/** Asked again after an await, which the compiler takes for unchanged. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
