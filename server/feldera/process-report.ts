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
  | { kind: "silent"; reason: string; means: Silence }
  | { kind: "failed"; error: PipelineError };

/** What it means that no status was told; a process that may be coming up is given time after it was provisioned. */
type Silence = "coming up" | "perhaps coming up" | "unavailable";

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
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: "silent", reason, means: "perhaps coming up" };
  }
}

export function reportOf({ status, body }: Answer): ProcessReport {
  const content = jsonOf(body);
  // Such words are not the process's own, but of something in front of it, or of nothing yet.
  if (content === undefined) {
    return { kind: "silent", reason: `it answered ${status} with what is not JSON`, means: "perhaps coming up" };
  }
  if (status === 200) return toldBy(content);
  const error = errorSchema.safeParse(content);
  if (status === UNAVAILABLE) return unavailable(error.data?.error_code);
  if (error.success) return { kind: "failed", error: error.data };
  const message = `the pipeline process answered ${status}`;
  return { kind: "failed", error: { message, error_code: "RuntimeError", details: { body: content } } };
}

function toldBy(content: unknown): ProcessReport {
  const told = statusSchema.safeParse(content);
  if (!told.success) return { kind: "silent", reason: "its status could not be read", means: "unavailable" };
  const { runtime_status, runtime_desired_status, storage_status_details } = told.data;
  return {
    kind: "told",
    runtime: runtime_status,
    desired: runtime_desired_status,
    storage: storage_status_details ?? null,
  };
}

/** Older processes say so of two statuses that newer ones tell with 200. */
function unavailable(code: string | undefined): ProcessReport {
  if (code === "Suspended") return { kind: "told", runtime: "Suspended", desired: "Suspended", storage: null };
  const means = code === "Initializing" ? "coming up" : "unavailable";
  return { kind: "silent", reason: "it answered 503 Service Unavailable", means };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
