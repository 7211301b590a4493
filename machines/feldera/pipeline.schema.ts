import { z } from "zod";
import { conditionsSchema } from "../conditions";
import { runtimeConfigSchema } from "./runtime-config.schema";
import { runtimeDesiredStatuses, runtimeStatuses } from "./runtime.machine";

export const resourcesStatuses = ["Stopped", "Provisioning", "Provisioned", "Stopping"] as const;
export const resourcesDesiredStatuses = ["Stopped", "Provisioned"] as const;
export const storageStatuses = ["Cleared", "InUse", "Clearing"] as const;
export const programStatuses = [
  "Pending",
  "CompilingSql",
  "SqlCompiled",
  "CompilingRust",
  "Success",
  "SqlError",
  "RustError",
  "SystemError",
] as const;
export const initialStatuses = ["Running", "Paused", "Standby"] as const;
export const combinedStatuses = ["Stopped", "Provisioning", ...runtimeStatuses, "Stopping"] as const;
export const combinedDesiredStatuses = ["Stopped", ...runtimeDesiredStatuses] as const;

const count = z.int().min(0);

export const programConfigSchema = z
  .looseObject({
    profile: z.enum(["dev", "unoptimized", "optimized", "optimized_symbols"]).nullish(),
    cache: z.boolean().default(true),
    runtime_version: z.string().nullish(),
    use_platform_compiler: z.boolean().default(false),
  })
  .describe("how the program is compiled");

const deploymentSchema = z
  .object({
    desired: z.enum(resourcesDesiredStatuses).default("Stopped").describe("whether it is to have compute"),
    initial: z.enum(initialStatuses).default("Running").describe("what the process becomes first"),
    runtime: z.enum(["Running", "Paused", "Suspended"]).nullish().describe("what the process is to become now"),
    attempt: count.default(0).describe("raise it to ask again for what an error undid"),
    request: count.default(0).describe("raise it to ask the process again for what it left since"),
    dismiss: count.default(0).describe("raise it to dismiss the error of the last run"),
  })
  .describe("what is wanted of the deployment");

export const pipelineSpecSchema = z.object({
  description: z.string().max(300).default("").describe("words about it; may change at any time"),
  tags: z
    .array(
      z
        .string()
        .min(1)
        .max(50)
        .regex(/^[A-Za-z0-9 ._/|\\:=-]+$/),
    )
    .max(50)
    .default([])
    .describe("words to find it by"),
  program_code: z.string().default("").describe("the tables and views, in SQL"),
  udf_rust: z.string().default("").describe("functions of the user's own, in Rust"),
  udf_toml: z.string().default("").describe("dependencies of those functions, as in a Cargo.toml"),
  program_config: programConfigSchema.prefault({}),
  runtime_config: runtimeConfigSchema.prefault({}),
  deployment: deploymentSchema.prefault({}),
  clear: count.default(0).describe("raise it to clear the storage, while stopped"),
});

const time = z.iso.datetime();
// An empty text is stored as an absent one.
const errorSchema = z.object({
  message: z.string().default(""),
  error_code: z.string().default(""),
  details: z.looseObject({}).nullish(),
});

export const compilerMessageSchema = z.object({
  start_line_number: z.int(),
  start_column: z.int(),
  end_line_number: z.int(),
  end_column: z.int(),
  warning: z.boolean(),
  error_type: z.string().default(""),
  message: z.string().default(""),
  snippet: z.string().nullish(),
});

const programErrorSchema = z.object({
  sql_compilation: z.object({ exit_code: z.int(), messages: z.array(compilerMessageSchema) }).nullish(),
  rust_compilation: z
    .object({ exit_code: z.int(), stdout: z.string().default(""), stderr: z.string().default("") })
    .nullish(),
  system_error: z.string().nullish(),
});

export const pipelineStatusSchema = z.object({
  observedGeneration: z.int().optional(),
  conditions: conditionsSchema.default([]),
  id: z.string().optional().describe("by which it is known since before it was renamed; else that of its object"),
  version: z.int().default(1).describe("raised by every edit"),
  program_version: z.int().default(1).describe("raised by every edit of the program"),
  refresh_version: z.int().default(1).describe("raised by whatever a client would want to read again"),
  platform_version: z.string().default("").describe("of the compilers that the program was given to"),
  program_status: z
    .enum(programStatuses)
    .default("Pending")
    .describe("whether the program is being, or has been, compiled"),
  program_status_since: time.optional(),
  program_error: programErrorSchema.nullish().describe("what the compilers said; kept until the next edit"),
  program_info: z.looseObject({}).nullish().describe("what the SQL compiler found: schema and connectors"),
  storage_status: z
    .enum(storageStatuses)
    .default("Cleared")
    .describe("whether its storage is in use or is being cleared"),
  storage_status_since: time.optional(),
  storage_status_details: z.looseObject({}).nullish().describe("the checkpoints, as the process told them last"),
  storage_config: z
    .looseObject({})
    .nullish()
    .describe("the parts of runtime_config that the stored data depends on, as it was taken into use with them"),
  deployment_id: z.string().nullish().describe("another one after every start"),
  deployment_config: z.looseObject({}).nullish().describe("what the process was given at its start"),
  deployment_error: errorSchema.nullish().describe("why the last run ended, unless it was asked to"),
  deployment_initial: z.enum(initialStatuses).nullish().describe("what the process becomes first"),
  deployment_location: z.string().nullish().describe("where the process answers"),
  deployment_status: z
    .enum(combinedStatuses)
    .default("Stopped")
    .describe("the resources status; while that is Provisioned, the runtime status"),
  deployment_status_since: time.optional(),
  deployment_desired_status: z.enum(combinedDesiredStatuses).default("Stopped").describe("what it is wanted to become"),
  deployment_desired_status_since: time.optional(),
  deployment_resources_status: z
    .enum(resourcesStatuses)
    .default("Stopped")
    .describe("whether there is compute to run it"),
  deployment_resources_status_since: time.optional(),
  deployment_resources_desired_status: z
    .enum(resourcesDesiredStatuses)
    .default("Stopped")
    .describe("whether there is to be compute"),
  deployment_resources_desired_status_since: time.optional(),
  deployment_runtime_status: z
    .enum(runtimeStatuses)
    .nullish()
    .describe("what the process says it is doing; absent without one"),
  deployment_runtime_status_since: time.nullish(),
  deployment_runtime_desired_status: z
    .enum(runtimeDesiredStatuses)
    .nullish()
    .describe("what the process says it is to become"),
  deployment_runtime_desired_status_since: time.nullish(),
  /** What of `spec` was acted on: a difference is a request, and an error undoes the wish without touching the spec. */
  handled: z
    .object({
      desired: z.enum(resourcesDesiredStatuses).default("Stopped"),
      initial: z.enum(initialStatuses).default("Running"),
      runtime: z.enum(["Running", "Paused", "Suspended"]).nullish(),
      attempt: count.default(0),
      request: count.default(0),
      dismiss: count.default(0),
      clear: count.default(0),
      /** Hashes of the edited fields, so that an edit is noticed by what it changed. */
      program: z.string().default(""),
      core: z.string().default(""),
    })
    .prefault({}),
  /** Why what is made for it does not come: the API server refused it to the last pass, or a compiler does not start. */
  held_up: z.object({ message: z.string().default(""), for_good: z.boolean() }).optional(),
  /** The Job of the stage under way, once it was seen: without it, its absence means that the compiler went down. */
  compiler_job: z.string().optional(),
  /** Once it was to be Paused or Running it can be Standby no more, until the storage is cleared. */
  activated: z.boolean().default(false),
});

export const pipelineSchema = z.object({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    uid: z.string().default(""),
    generation: z.int().default(1),
    creationTimestamp: z.string().default(""),
    deletionTimestamp: z.string().optional(),
    finalizers: z.array(z.string()).default([]),
    annotations: z.record(z.string(), z.string()).default({}),
    labels: z.record(z.string(), z.string()).default({}),
  }),
  spec: pipelineSpecSchema,
  status: pipelineStatusSchema.prefault({}),
});

export type Pipeline = z.infer<typeof pipelineSchema>;
export type PipelineStatus = Pipeline["status"];
