import { initTRPC, TRPCError } from "@trpc/server";
import { ZodError } from "zod";
import type { Identity } from "@/server/identity/identity";
import { KubernetesError } from "@/server/kubernetes/errors";
import type { BulkJobs } from "@/server/resources/bulk-jobs";
import type { Context } from "@/server/resources/context";
import { Refused, type Refusal } from "@/server/resources/refusal";
import type { AboutHere } from "@/server/resources/whoami";

/** What a request brings: the services of this process, and who asks. null: nobody that we know. */
export type RequestContext = {
  services: Context & { bulk: BulkJobs; about: AboutHere };
  identity: Identity | null;
  /** Asked again and again while a stream is open. */
  stillKnown?: () => Promise<boolean>;
  /** Takes one from what the caller may ask per time; throws when there is none left. */
  spend?: (identity: Identity, kind: "query" | "mutation" | "subscription") => void;
  /** Faults of our own go to the log, never to the caller. */
  onFault?: (error: unknown, path: string) => void;
};

export type ProcedureMeta = { description: string };

const t = initTRPC
  .context<RequestContext>()
  .meta<ProcedureMeta>()
  .create({
    sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
    errorFormatter: ({ shape, error }) => {
      const refusal = refusalIn(error);
      // Nothing of the fault itself: neither stack nor message, which may quote what it was about.
      const { code, httpStatus, path } = shape.data;
      return { ...shape, message: refusal.sentence, data: { code, httpStatus, path, refusal } };
    },
  });

export const { router, createCallerFactory } = t;

/** The one seam where what was thrown becomes an answer. */
const guarded = t.procedure.use(async ({ ctx, next, path, type, getRawInput }) => {
  const { identity } = ctx;
  if (!identity) throw new TRPCError({ code: "UNAUTHORIZED", message: "Sign in first." });
  ctx.spend?.(identity, type);
  if (!isText(await getRawInput()))
    throw answerable(new TRPCError({ code: "BAD_REQUEST", cause: notText() }), () => undefined);
  const result = await next({ ctx: { ...ctx, asked: { ...ctx.services, identity, stillKnown: ctx.stillKnown } } });
  if (result.ok) return result;
  throw answerable(result.error, (fault) => ctx.onFault?.(fault, path));
});

export const procedure = guarded;

/** PostgreSQL holds neither the character NUL nor half a surrogate pair, so no text with them gets past the door. */
function isText(value: unknown): boolean {
  if (typeof value === "string") return !unstorable.test(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, part]) => !unstorable.test(key) && isText(part));
}

const unstorable = /\u0000|\p{Surrogate}/u;

function notText(): Refused {
  return new Refused("invalid", "The input holds characters that are no text.");
}

const codes: Record<Refusal["code"], TRPCError["code"]> = {
  state: "PRECONDITION_FAILED",
  permission: "FORBIDDEN",
  "check failed": "SERVICE_UNAVAILABLE",
  conflict: "CONFLICT",
  busy: "CONFLICT",
  invalid: "BAD_REQUEST",
  "not found": "NOT_FOUND",
  unauthenticated: "UNAUTHORIZED",
  unavailable: "SERVICE_UNAVAILABLE",
  "too many requests": "TOO_MANY_REQUESTS",
};

export function answerable(error: TRPCError, onFault: (error: unknown) => void): TRPCError {
  const { cause } = error;
  if (cause instanceof Refused)
    return new TRPCError({ code: codes[cause.refusal.code], message: cause.message, cause });
  if (error.code !== "INTERNAL_SERVER_ERROR") return error;
  if (cause instanceof KubernetesError) {
    const refused = new Refused("unavailable", "The cluster does not answer as it should; try again.", cause.reason);
    return new TRPCError({ code: "SERVICE_UNAVAILABLE", message: refused.message, cause: refused });
  }
  onFault(cause ?? error);
  return error;
}

const refusalOfCode: Partial<Record<TRPCError["code"], Refusal["code"]>> = {
  UNAUTHORIZED: "unauthenticated",
  FORBIDDEN: "permission",
  NOT_FOUND: "not found",
  BAD_REQUEST: "invalid",
  PARSE_ERROR: "invalid",
  METHOD_NOT_SUPPORTED: "invalid",
  PAYLOAD_TOO_LARGE: "invalid",
  UNSUPPORTED_MEDIA_TYPE: "invalid",
  TOO_MANY_REQUESTS: "too many requests",
  CONFLICT: "conflict",
};

export function refusalIn(error: TRPCError): Refusal {
  const { cause, code } = error;
  if (cause instanceof Refused) return cause.refusal;
  const refused = refusalOfCode[code] ?? "unavailable";
  if (cause instanceof ZodError && code === "BAD_REQUEST") {
    const sentences = cause.issues.slice(0, 5).map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`);
    return { code: "invalid", sentence: `The input is not as it should be: ${sentences.join("; ")}.`, reason: null };
  }
  return { code: refused, sentence: ourWords.has(code) ? error.message : sentences[refused], reason: null };
}

/** Errors of these codes are thrown by ourselves: what they say is meant for the caller. */
const ourWords = new Set<TRPCError["code"]>(["UNAUTHORIZED", "TOO_MANY_REQUESTS", "FORBIDDEN", "PAYLOAD_TOO_LARGE"]);

const sentences: Record<Refusal["code"], string> = {
  state: "The state does not allow it.",
  permission: "You may not do that.",
  "check failed": "It could not be checked; try again.",
  conflict: "Something changed meanwhile; look again.",
  busy: "Something else is under way; try again.",
  invalid: "The request is not as it should be.",
  "not found": "There is no such thing.",
  unauthenticated: "Sign in first.",
  unavailable: "Orrery cannot answer this now; try again.",
  "too many requests": "Too many requests; slow down.",
};
