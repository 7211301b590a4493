import { isDeepStrictEqual } from "node:util";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";

/** What an edit can change of how a pipeline computes: neither the wishes nor words about it. */
export const coreFields = ["program_code", "udf_rust", "udf_toml", "program_config", "runtime_config"] as const;

/** Parts of `runtime_config` whose meaning the stored data depends on: they cannot change as long as there is any. */
const boundToStorage = [
  "workers",
  "hosts",
  "fault_tolerance",
  "resources.storage_mb_max",
  "resources.namespace",
  "resources.storage_class",
  "clock_timezone_offset",
] as const;

type RuntimeConfig = Pipeline["spec"]["runtime_config"];

/** Why something may not be done to a pipeline now: the code of the REST API, the rule, and the fields that break it. */
export type RuleBroken = { code: string; rule: string; fields: string[] };

/**
 * Why an edit to this name and spec is not allowed in this status; null where it is. Every door asks here: the REST API,
 * the admission webhook, and, for edits that came in where there is no webhook, the reconciler by the same two lists.
 */
export function editRefusal(
  { metadata, spec, status }: Pipeline,
  next: { name: string; spec: Pipeline["spec"] },
): RuleBroken | null {
  const renamed = next.name === metadata.name ? [] : ["name"];
  const changed = [...renamed, ...coreFields.filter((field) => !isDeepStrictEqual(spec[field], next.spec[field]))];
  if (changed.length > 0 && !isFullyStopped(status)) {
    const rule = `can be changed only while the pipeline is stopped; it is ${standing(status)}`;
    return { code: "UpdateRestrictedToStopped", rule, fields: changed };
  }
  if (status.storage_status === "Cleared") return null;
  const bound = boundChanges(storageConfigOf(spec.runtime_config), next.spec.runtime_config);
  // Back to what the storage has is no change of it.
  const kept = boundChanges(status.storage_config ?? storageConfigOf(spec.runtime_config), next.spec.runtime_config);
  const held = [...renamed, ...bound.filter((field) => kept.includes(field))];
  if (held.length === 0) return null;
  const rule = `can be changed only once the storage is cleared; it is ${status.storage_status}`;
  return { code: "EditRestrictedToClearedStorage", rule, fields: held };
}

/** Why a pipeline may not be deleted now: what it has stored goes by a clear, never by the way. */
export function deletionRefusal({ status }: Pipeline): RuleBroken | null {
  if (!isFullyStopped(status)) {
    const rule = `Stop the pipeline first; it is ${standing(status)}`;
    return { code: "DeleteRestrictedToFullyStopped", rule, fields: [] };
  }
  if (status.storage_status === "Cleared") return null;
  const rule = `Clear the storage first; it is ${status.storage_status}`;
  return { code: "DeleteRestrictedToClearedStorage", rule, fields: [] };
}

/** The parts that are bound to the storage, as it was, or would be, taken into use with them. */
export function storageConfigOf(config: RuntimeConfig): Record<string, unknown> {
  return Object.fromEntries(boundToStorage.map((path) => [path, at(config, path)]));
}

/** The fields in which this configuration differs from what the storage was taken into use with. */
export function boundChanges(stored: Record<string, unknown>, config: RuntimeConfig): string[] {
  return boundToStorage
    .filter((path) => !isDeepStrictEqual(stored[path] ?? null, at(config, path)))
    .map((path) => `runtime_config.${path}`);
}

/** The configuration with what is bound to the storage as it was taken into use. */
export function boundConfig(config: RuntimeConfig, stored: Record<string, unknown>): RuntimeConfig {
  const bound = (prefix: string) =>
    Object.fromEntries(
      boundToStorage
        .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes("."))
        .map((path) => [path.slice(prefix.length), stored[path] ?? null]),
    );
  return { ...config, ...bound(""), resources: { ...config.resources, ...bound("resources.") } };
}

export function listed(fields: readonly string[]): string {
  return fields.map(quoted).join(", ");
}

export function quoted(field: string): string {
  return `\`${field}\``;
}

function isFullyStopped(status: Pipeline["status"]): boolean {
  return status.deployment_resources_status === "Stopped" && status.deployment_resources_desired_status === "Stopped";
}

function standing({ deployment_status: now, deployment_desired_status: desired }: Pipeline["status"]): string {
  return now === "Stopped" ? `wanted to be ${desired}` : now;
}

/** Null where there is nothing: absent and null mean the same. */
function at(config: RuntimeConfig, path: string): unknown {
  return (
    path
      .split(".")
      .reduce<unknown>(
        (part, key) => (typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined),
        config,
      ) ?? null
  );
}
