import { z } from "zod";
import { compilerMessageSchema } from "@/machines/feldera/pipeline.schema";
import type { KubernetesObject } from "@/server/kubernetes/object";

/** What a compiler leaves behind as the termination message of its container. */
const resultSchema = z.object({
  ok: z.boolean(),
  sql_compilation: z.object({ exit_code: z.int(), messages: z.array(compilerMessageSchema) }).optional(),
  rust_compilation: z
    .object({ exit_code: z.int(), stdout: z.string().default(""), stderr: z.string().default("") })
    .optional(),
  program_info: z.looseObject({}).optional(),
});

export type CompileResult = z.infer<typeof resultSchema>;

export type CompileJob =
  | { state: "absent" | "lost" }
  | { state: "running" }
  | { state: "succeeded" | "rejected"; result: CompileResult }
  | { state: "broken"; reason: string };

/** How far a compiler's Job has come, read from the Job and the pods that it made; `known` is the Job once seen. */
export function compileJobOf(
  job: KubernetesObject | null,
  pods: readonly KubernetesObject[],
  known: string | undefined,
): CompileJob {
  if (!job || job.metadata.deletionTimestamp) return { state: known ? "lost" : "absent" };
  const result = pods.map(resultOf).find((found) => found !== null);
  if (result) return { state: result.ok ? "succeeded" : "rejected", result };
  const failed = conditionOf(job, "Failed");
  if (failed) return { state: "broken", reason: failed.message || failed.reason || "the compiler's Job failed" };
  if (conditionOf(job, "Complete")) return { state: "broken", reason: "the compiler ended without a result" };
  return { state: "running" };
}

const podSchema = z.object({
  status: z
    .object({
      containerStatuses: z
        .array(z.object({ state: z.object({ terminated: z.object({ message: z.string().optional() }).optional() }) }))
        .default([]),
    })
    .prefault({}),
});

function resultOf(pod: KubernetesObject): CompileResult | null {
  const messages = podSchema.parse(pod).status.containerStatuses.map(({ state }) => state.terminated?.message);
  for (const message of messages) {
    if (!message) continue;
    const parsed = resultSchema.safeParse(jsonOf(message));
    if (parsed.success) return parsed.data;
  }
  return null;
}

const jobSchema = z.object({
  status: z
    .object({
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().optional(),
            message: z.string().optional(),
          }),
        )
        .default([]),
    })
    .prefault({}),
});

function conditionOf(job: KubernetesObject, type: string) {
  return jobSchema.parse(job).status.conditions.find((one) => one.type === type && one.status === "True");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
