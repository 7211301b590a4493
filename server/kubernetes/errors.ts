import { ownError } from "@/server/own-error";

/** What went wrong with a request. The only file that knows the shapes of errors. */
export type ErrorKind =
  | "badRequest"
  | "unauthorized"
  | "forbidden"
  | "notFound"
  | "methodNotAllowed"
  | "conflict"
  | "alreadyExists"
  | "gone"
  | "tooLarge"
  | "invalid"
  | "tooManyRequests"
  | "timeout"
  | "unavailable"
  | "internal"
  | "network"
  | "aborted"
  | "malformed";

export type ErrorCause = { reason?: string; message?: string; field?: string };

/** "refused": the server did nothing. "unknown": a write may have been applied although no good answer came. */
export type Outcome = "refused" | "unknown";

export class KubernetesError extends ownError("KubernetesError") {
  readonly kind: ErrorKind;
  /** HTTP status, or 0 when there was no answer. */
  readonly code: number;
  readonly reason: string;
  readonly outcome: Outcome;
  readonly retryAfterMs: number | null;
  readonly causes: readonly ErrorCause[];

  constructor(fields: {
    kind: ErrorKind;
    code: number;
    reason: string;
    message: string;
    outcome: Outcome;
    retryAfterMs?: number | null;
    causes?: readonly ErrorCause[];
    cause?: unknown;
  }) {
    super(fields.message, { cause: fields.cause });
    this.kind = fields.kind;
    this.code = fields.code;
    this.reason = fields.reason;
    this.outcome = fields.outcome;
    this.retryAfterMs = fields.retryAfterMs ?? null;
    this.causes = fields.causes ?? [];
  }
}

const kindOfReason: Record<string, ErrorKind> = {
  BadRequest: "badRequest",
  Unauthorized: "unauthorized",
  Forbidden: "forbidden",
  NotFound: "notFound",
  MethodNotAllowed: "methodNotAllowed",
  Conflict: "conflict",
  AlreadyExists: "alreadyExists",
  Gone: "gone",
  Expired: "gone",
  RequestEntityTooLarge: "tooLarge",
  Invalid: "invalid",
  TooManyRequests: "tooManyRequests",
  Timeout: "timeout",
  ServerTimeout: "timeout",
  ServiceUnavailable: "unavailable",
  InternalError: "internal",
};

const kindOfCode: Record<number, ErrorKind> = {
  400: "badRequest",
  401: "unauthorized",
  403: "forbidden",
  404: "notFound",
  405: "methodNotAllowed",
  408: "timeout",
  409: "conflict",
  410: "gone",
  413: "tooLarge",
  422: "invalid",
  429: "tooManyRequests",
  500: "internal",
  502: "unavailable",
  503: "unavailable",
  504: "timeout",
};

/** What a server-side apply of an unknown field, or of a value of the wrong type, is answered with: a 500 without a reason. */
const NO_SCHEMA = "failed to create typed patch object";

/** An answer that is not 2xx, or the Status object of an ERROR event on a watch. */
export function errorOfStatus(code: number, body: unknown, retryAfterHeader?: string): KubernetesError {
  const status = isRecord(body) ? body : {};
  const details = isRecord(status.details) ? status.details : {};
  const message = typeof status.message === "string" && status.message !== "" ? status.message : textOf(body, code);
  const isOfNoSchema = message.startsWith(NO_SCHEMA);
  const reason = isOfNoSchema ? "Invalid" : typeof status.reason === "string" ? status.reason : "";
  const kind = kindOfReason[reason] ?? kindOfCode[code] ?? (code >= 500 ? "internal" : "badRequest");
  return new KubernetesError({
    kind,
    code,
    reason: reason || kind,
    message,
    // A server or a proxy that fails may have passed the write on; every 4xx is a refusal.
    outcome: code >= 500 && !isOfNoSchema ? "unknown" : "refused",
    retryAfterMs: retryAfterOf(retryAfterHeader, details.retryAfterSeconds),
    causes: Array.isArray(details.causes) ? details.causes.filter(isRecord) : [],
  });
}

/** The same error with nothing of what the server said but its reason. */
export function withoutQuotes(error: KubernetesError): KubernetesError {
  const { kind, code, reason, outcome, retryAfterMs } = error;
  return new KubernetesError({ kind, code, reason, message: `${code} ${reason}`, outcome, retryAfterMs });
}

/** Codes of Node and undici that mean the request never left: the write cannot have happened. */
const neverSent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);
const timeoutCodes = new Set([
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "ETIMEDOUT",
]);

/** A request without an answer. `what` names it ("PATCH /api/…") for the sentence. */
export function errorOfTransport(error: unknown, what: string): KubernetesError {
  if (error instanceof KubernetesError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const outcome: Outcome = neverSent.has(code) ? "refused" : "unknown";
  if (code === "UND_ERR_ABORTED" || code === "ABORT_ERR" || (error instanceof Error && error.name === "AbortError")) {
    return abortedError(what, error);
  }
  const kind: ErrorKind = timeoutCodes.has(code) ? "timeout" : "network";
  const reason = code || kind;
  return new KubernetesError({
    kind,
    code: 0,
    reason,
    message: `${what} got no answer: ${message}`,
    outcome,
    cause: error,
  });
}

/** The caller gave up. */
export function abortedError(what: string, cause?: unknown): KubernetesError {
  const message = `${what} was aborted`;
  return new KubernetesError({ kind: "aborted", code: 0, reason: "Aborted", message, outcome: "unknown", cause });
}

/** No answer within the time the caller gave. */
export function timeoutError(what: string, timeoutMs: number): KubernetesError {
  const message = `${what} got no answer within ${timeoutMs / 1_000} s`;
  return new KubernetesError({ kind: "timeout", code: 0, reason: "RequestTimeout", message, outcome: "unknown" });
}

/** An answer that is no JSON where JSON must be. */
export function malformedError(what: string, text: string): KubernetesError {
  const message = `${what} answered with something that is no JSON: ${text.slice(0, 200)}`;
  return new KubernetesError({ kind: "malformed", code: 0, reason: "Malformed", message, outcome: "unknown" });
}

export const isNotFound = is("notFound");
export const isConflict = is("conflict");
export const isAlreadyExists = is("alreadyExists");
export const isGone = is("gone");
export const isUnauthorized = is("unauthorized");
export const isForbidden = is("forbidden");

/** The relist asked for a version that the server has not reached: it must be asked for its newest instead. */
export function isTooLargeResourceVersion(error: unknown): boolean {
  if (!(error instanceof KubernetesError) || error.kind !== "timeout") return false;
  return (
    error.causes.some((cause) => cause.reason === "ResourceVersionTooLarge") ||
    error.message.includes("Too large resource version")
  );
}

export type ErrorClass = "transient" | "permanent" | "conflict";

const classOfKind: Record<ErrorKind, ErrorClass> = {
  badRequest: "permanent",
  methodNotAllowed: "permanent",
  tooLarge: "permanent",
  invalid: "permanent",
  conflict: "conflict",
  alreadyExists: "conflict",
  // Rights, quotas and the namespace's end all answer 403, and an administrator changes them without touching the spec.
  forbidden: "transient",
  unauthorized: "transient",
  // A kind that is not served yet, or a parent that is still to come.
  notFound: "transient",
  gone: "transient",
  tooManyRequests: "transient",
  timeout: "transient",
  unavailable: "transient",
  internal: "transient",
  network: "transient",
  aborted: "transient",
  malformed: "transient",
};

/** Which way out a failure takes. What is no KubernetesError is a fault of ours or of a peer: tried again. */
export function classify(error: unknown): ErrorClass {
  return error instanceof KubernetesError ? classOfKind[error.kind] : "transient";
}

function is(kind: ErrorKind): (error: unknown) => error is KubernetesError {
  return (error): error is KubernetesError => error instanceof KubernetesError && error.kind === kind;
}

function retryAfterOf(header: string | undefined, seconds: unknown): number | null {
  if (header !== undefined && /^\d+$/.test(header)) return Number(header) * 1_000;
  return typeof seconds === "number" && seconds > 0 ? seconds * 1_000 : null;
}

function textOf(body: unknown, code: number): string {
  const text = typeof body === "string" ? body.trim().slice(0, 500) : "";
  return text === "" ? `the server answered ${code}` : text;
}

function codeOf(error: unknown): string {
  if (!isRecord(error)) return "";
  if (typeof error.code === "string") return error.code;
  return "cause" in error ? codeOf(error.cause) : "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
