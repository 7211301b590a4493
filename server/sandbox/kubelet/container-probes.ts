import { type Probe } from "@/server/sandbox/objects/pod";
import { type ContainerContext } from "./container-context";
import { type ActionTarget, carryOutAction } from "./probe";
import { startProbeLoop } from "./probe-loop";

type Run = {
  /** The run is over. */
  signal: AbortSignal;
  target: () => ActionTarget;
  onUp: () => void;
  onReady: (ready: boolean) => void;
  /** A probe found that it must be restarted. */
  onFailed: () => void;
};

/** Looks after one run: it is up when its startup probe says so, then the other two begin. */
export function startProbes(
  { pod, container, role, record }: ContainerContext,
  { signal, target, onUp, onReady, onFailed }: Run,
) {
  const { clock, trouble } = pod;
  const { startupProbe, readinessProbe, livenessProbe } = container;
  let isUp = false;

  function loop(name: string, probe: Probe, onVerdict: (healthy: boolean) => void) {
    void startProbeLoop({
      clock,
      probe,
      signal,
      attempt: (timeoutMs) => pod.underWay(carryOutAction(probe, target(), timeoutMs)),
      onFailure: (message) => record("Warning", "Unhealthy", `${name} probe failed: ${message}`),
      onVerdict: ({ healthy }) => onVerdict(healthy),
    });
  }

  function restart(name: string) {
    record("Normal", "Killing", `Container ${container.name} failed ${name} probe, will be restarted`);
    onFailed();
  }

  async function holdReady() {
    if (trouble.readyDelayMs === Infinity) return;
    if (trouble.readyDelayMs > 0) await clock.sleep(trouble.readyDelayMs, signal);
    if (!signal.aborted) onReady(true);
  }

  function up() {
    isUp = true;
    onUp();
    if (!readinessProbe) void holdReady();
    pod.changed();
    if (readinessProbe) loop("Readiness", readinessProbe, (healthy) => (healthy ? void holdReady() : onReady(false)));
    if (livenessProbe) loop("Liveness", livenessProbe, (healthy) => (healthy ? undefined : restart("liveness")));
  }

  if (!startupProbe || role.list === "initContainers") up();
  else loop("Startup", startupProbe, (healthy) => (healthy ? (isUp ? undefined : up()) : restart("startup")));
}
