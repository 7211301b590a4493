import { z } from "zod";
import { compilerMessageSchema } from "@/machines/feldera/pipeline.schema";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { COMPILER } from "./pipeline-names";

/** What a compiler leaves behind: as the termination message of its container, or as the last line of its log. */
const resultSchema = z.object({
  ok: z.boolean(),
  sql_compilation: z.object({ exit_code: z.int(), messages: z.array(compilerMessageSchema) }).optional(),
  rust_compilation: z
    .object({ exit_code: z.int(), stdout: z.string().default(""), stderr: z.string().default("") })
    .optional(),
  program_info: z.looseObject({}).optional(),
});

export type CompileResult = z.infer<typeof resultSchema>;

/** Kubernetes keeps 4 kB of a termination message: a result that does not fit is the log's last line, which this says. */
const inLogSchema = z.object({ result: z.literal("log") });

/** Beside a program as large as may be, this still fits into one object of the API server. */
const LOGGED_BYTES_MAX = 512 * 1_024;

export type CompileJob =
  | { state: "absent" | "lost" }
  | { state: "running" }
  | { state: "succeeded" | "rejected"; result: CompileResult }
  | { state: "broken"; reason: string };

/** The last line of the log of a pod's compiler, up to so many bytes. */
type LastLine = (pod: string, options: { container: string; bytesMax: number }) => Promise<string>;

/** How far a compiler's Job has come, read from the Job and the pods that it made; `known` is the Job once seen. */
export async function compileJobOf(
  job: KubernetesObject | null,
  pods: readonly KubernetesObject[],
  known: string | undefined,
  lastLine: LastLine,
): Promise<CompileJob> {
  if (!job || job.metadata.deletionTimestamp) return { state: known ? "lost" : "absent" };
  for (const pod of pods) {
    const message = messageOf(pod);
    if (inLogSchema.safeParse(message).success) return loggedResult(pod.metadata.name, lastLine);
    const result = resultSchema.safeParse(message);
    if (result.success) return endedWith(result.data);
  }
  const failed = conditionOf(job, "Failed");
  if (failed) return { state: "broken", reason: failed.message || failed.reason || "the compiler's Job failed" };
  if (conditionOf(job, "Complete")) return { state: "broken", reason: "the compiler ended without a result" };
  return { state: "running" };
}

function endedWith(result: CompileResult): CompileJob {
  return { state: result.ok ? "succeeded" : "rejected", result };
}

async function loggedResult(pod: string, lastLine: LastLine): Promise<CompileJob> {
  const line = await lastLine(pod, { container: COMPILER, bytesMax: LOGGED_BYTES_MAX });
  const result = resultSchema.safeParse(jsonOf(line));
  if (result.success) return endedWith(result.data);
  const isCut = Buffer.byteLength(line) >= LOGGED_BYTES_MAX;
  const reason = isCut ? `is longer than ${LOGGED_BYTES_MAX} bytes` : "cannot be read from its log";
  return { state: "broken", reason: `the compiler's result ${reason}` };
}

const podSchema = z.object({
  status: z
    .object({
      containerStatuses: z
        .array(
          z.object({
            name: z.string(),
            state: z.object({ terminated: z.object({ message: z.string().optional() }).optional() }),
          }),
        )
        .default([]),
    })
    .prefault({}),
});

/** What the compiler said at its end; null while it runs, or when it was killed. */
function messageOf(pod: KubernetesObject): unknown {
  const { containerStatuses } = podSchema.parse(pod).status;
  return jsonOf(containerStatuses.find(({ name }) => name === COMPILER)?.state.terminated?.message ?? "");
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
