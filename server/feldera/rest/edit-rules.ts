import { isDeepStrictEqual } from "node:util";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";
import { RestError } from "./rest-error";

type Edited = { name: string; spec: Pipeline["spec"] };

const coreFields = ["program_code", "udf_rust", "udf_toml", "program_config", "runtime_config"] as const;

/** Fields whose meaning the stored data depends on: they cannot change as long as there is any. */
const boundToStorage = [
  "workers",
  "hosts",
  "fault_tolerance",
  "resources.storage_mb_max",
  "resources.namespace",
  "resources.storage_class",
  "clock_timezone_offset",
] as const;

/** Throws unless an edit to this name and spec is allowed in this status; names the fields that are not. */
export function requireEditable({ metadata, spec, status }: Pipeline, { name, spec: next }: Edited): void {
  const renamed = name === metadata.name ? [] : ["name"];
  const changed = [...renamed, ...coreFields.filter((field) => !isDeepStrictEqual(spec[field], next[field]))];
  if (changed.length === 0) return;
  const stopped =
    status.deployment_resources_status === "Stopped" && status.deployment_resources_desired_status === "Stopped";
  if (!stopped) {
    throw new RestError(
      400,
      "UpdateRestrictedToStopped",
      `The pipeline can be edited only while it is stopped; it is ${status.deployment_status}. Not allowed: ${changed.map(quoted).join(", ")}.`,
      { not_allowed: changed.map(quoted) },
    );
  }
  if (status.storage_status === "Cleared") return;
  const bound = boundToStorage
    .filter((path) => !isDeepStrictEqual(at(spec.runtime_config, path), at(next.runtime_config, path)))
    .map((path) => `runtime_config.${path}`);
  const held = [...renamed, ...bound];
  if (held.length === 0) return;
  throw new RestError(
    400,
    "EditRestrictedToClearedStorage",
    `These fields can be changed only once the storage is cleared: ${held.map(quoted).join(", ")}.`,
    { not_allowed: held.map(quoted) },
  );
}

function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (part, key) => (typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined),
      value,
    );
}

function quoted(field: string): string {
  return `\`${field}\``;
}
