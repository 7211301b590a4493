import { z } from "zod";

const count = z.int().min(0);
const some = z.int().min(1);
const megabytes = count.nullish().describe("in MB");

const storageSchema = z
  .looseObject({
    backend: z.looseObject({ name: z.string().default("default") }).prefault({}),
    min_storage_bytes: count.nullish(),
    min_step_storage_bytes: count.nullish(),
    compression: z.string().default("default"),
    cache_mib: count.nullish(),
  })
  .describe("what the pipeline keeps, and where");

const faultToleranceSchema = z
  .looseObject({
    model: z.enum(["none", "at_least_once", "exactly_once"]).default("none"),
    checkpoint_interval_secs: count.nullable().default(60),
  })
  .describe("what is not lost when the process is");

const resourcesSchema = z
  .looseObject({
    cpu_cores_min: z.number().min(0).nullish(),
    cpu_cores_max: z.number().min(0).nullish(),
    memory_mb_min: megabytes,
    memory_mb_max: megabytes,
    storage_mb_max: some.nullish().describe("in MB"),
    storage_class: z.string().nullish(),
    service_account_name: z.string().nullish(),
    namespace: z.string().nullish(),
  })
  .describe("what the process may take of the cluster");

/** What newer versions of Feldera add goes through as it is. */
export const runtimeConfigSchema = z
  .looseObject({
    workers: some.max(1024).default(8).describe("threads that compute"),
    hosts: some.default(1),
    storage: storageSchema.nullish().prefault({}),
    fault_tolerance: faultToleranceSchema.nullish().prefault({}),
    cpu_profiler: z.boolean().default(true),
    tracing: z.boolean().default(false),
    tracing_endpoint_jaeger: z.string().default("127.0.0.1:6831"),
    min_batch_size_records: count.default(0),
    max_buffering_delay_usecs: count.default(0),
    resources: resourcesSchema.nullish().prefault({}),
    clock_resolution_usecs: count.nullable().default(1_000_000),
    pin_cpus: z.array(count).default([]),
    provisioning_timeout_secs: some.nullish().describe("longest time that provisioning may take"),
    max_parallel_connector_init: some.nullish(),
    checkpoint_during_suspend: z.boolean().default(true).describe("has no effect"),
    http_workers: some.nullish(),
    io_workers: some.nullish(),
    datafusion_memory_mb: megabytes,
    max_rss_mb: megabytes,
    dev_tweaks: z.looseObject({}).nullish().prefault({}),
    logging: z.string().nullish(),
    env: z.record(z.string(), z.string()).nullish().prefault({}),
  })
  .describe("how the pipeline runs");
