import { type EngineClass } from "@/machines/firebolt/engine-class.schema";
import { type Engine, type Storage } from "@/machines/firebolt/engine.schema";
import { durationMs } from "./duration";
import { customConfig } from "./engine-config";

/** What holds for an engine: its own word, else its class's, else ours. */
export type EngineSettings = {
  uiSidecar: boolean;
  drainCheck: boolean;
  drainIntervalMs: number;
  storage: Storage;
  customConfig: Record<string, unknown>;
};

export function engineSettings({ spec }: Engine, engineClass: EngineClass | null): EngineSettings {
  const shared = engineClass?.spec;
  const rollout = spec.rollout ?? shared?.rollout ?? "graceful";
  return {
    uiSidecar: spec.uiSidecar ?? shared?.uiSidecar ?? false,
    drainCheck: rollout !== "recreate" && (spec.drainCheckEnabled ?? shared?.drainCheckEnabled ?? true),
    // "0s" is a duration, too, and would ask the old pods without a pause.
    drainIntervalMs: Math.max(
      1_000,
      durationMs(spec.drainCheckInterval ?? shared?.drainCheckInterval ?? "5s") ?? 5_000,
    ),
    storage: spec.storage ?? shared?.storage ?? { emptyDir: {} },
    customConfig: customConfig(shared?.customEngineConfig, spec.customEngineConfig),
  };
}
