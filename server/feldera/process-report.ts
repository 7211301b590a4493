import { z } from "zod";
import {
  runtimeDesiredStatuses,
  runtimeStatuses,
  type RuntimeDesiredStatus,
  type RuntimeStatus,
} from "@/machines/feldera/runtime.machine";
import type { Answer } from "@/server/reconcile/world";

/** What asking the process came to. */
export type ProcessReport =
  | { kind: "told"; runtime: RuntimeStatus; desired: RuntimeDesiredStatus; storage: Record<string, unknown> | null }
  | { kind: "silent"; reason: string }
  | { kind: "failed"; error: PipelineError };

export type PipelineError = { message: string; error_code: string; details?: Record<string, unknown> | null };

/** The runner's own limit for an answer of the status endpoint. */
export const STATUS_TIMEOUT_MS = 5_000;

const statusSchema = z.object({
  runtime_status: z.enum(runtimeStatuses),
  runtime_desired_status: z.enum(runtimeDesiredStatuses),
  storage_status_details: z.looseObject({}).nullish(),
});

const errorSchema = z.object({
  message: z.string(),
  error_code: z.string(),
  details: z.looseObject({}).nullish(),
});

const UNAVAILABLE = 503;

/** Asks the process how it is. Not being answered is no failure: it is said as such, and asked again. */
export async function askProcess(ask: () => Promise<Answer>): Promise<ProcessReport> {
  try {
    return reportOf(await ask());
  } catch (error) {
    return { kind: "silent", reason: error instanceof Error ? error.message : String(error) };
  }
}

export function reportOf({ status, body }: Answer): ProcessReport {
  const content = jsonOf(body);
  if (status === 200) {
    const told = statusSchema.safeParse(content);
    if (!told.success) return { kind: "silent", reason: "its status could not be read" };
    const { runtime_status, runtime_desired_status, storage_status_details } = told.data;
    return {
      kind: "told",
      runtime: runtime_status,
      desired: runtime_desired_status,
      storage: storage_status_details ?? null,
    };
  }
  if (status === UNAVAILABLE) return { kind: "silent", reason: "it answered 503 Service Unavailable" };
  const error = errorSchema.safeParse(content);
  if (error.success) return { kind: "failed", error: error.data };
  return {
    kind: "failed",
    error: { message: `the pipeline process answered ${status}`, error_code: "RuntimeError" },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
