import type { Pipeline } from "@/machines/feldera/pipeline.schema";

type RuntimeConfig = Pipeline["spec"]["runtime_config"];

/** A field of `runtime_config`, and why no process can be given what it holds. */
export type ConfigFault = { field: string; message: string };

/** These names belong to the process and to Kubernetes. */
const RESERVED_ENV = /^(FELDERA_|KUBERNETES_|TOKIO_|RUST_LOG$)/;
const ENV_NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const OBJECT_NAME = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;

/**
 * What is wrong with a configuration although every field by itself fits the schema. The REST API and the admission
 * webhook refuse it; where it came in all the same, the next start fails with it.
 */
export function configFaults({ env, resources }: RuntimeConfig): ConfigFault[] {
  return [
    ...Object.keys(env ?? {}).flatMap(envFaults),
    ...(["cpu_cores", "memory_mb"] as const).flatMap((what) => boundFaults(resources, what)),
    ...(["storage_class", "service_account_name"] as const).flatMap((field) => nameFaults(resources, field)),
  ];
}

function envFaults(name: string): ConfigFault[] {
  if (RESERVED_ENV.test(name)) {
    const message = `"${name}" is taken: names that begin with FELDERA_, KUBERNETES_, TOKIO_ or RUST_LOG are reserved`;
    return [{ field: "env", message }];
  }
  const message = `"${name}" is no name of a variable: letters, digits, "-", "_" and "." only, and no digit first`;
  return ENV_NAME.test(name) ? [] : [{ field: "env", message }];
}

function boundFaults(resources: RuntimeConfig["resources"], what: "cpu_cores" | "memory_mb"): ConfigFault[] {
  const min = resources?.[`${what}_min`] ?? 0;
  const max = resources?.[`${what}_max`] ?? Infinity;
  return min <= max ? [] : [{ field: `resources.${what}_min`, message: `${min} is more than ${what}_max, ${max}` }];
}

function nameFaults(
  resources: RuntimeConfig["resources"],
  field: "storage_class" | "service_account_name",
): ConfigFault[] {
  const name = resources?.[field];
  if (!name || OBJECT_NAME.test(name)) return [];
  return [{ field: `resources.${field}`, message: `"${name}" cannot be the name of a Kubernetes object` }];
}
