import { causesOf, messageOf, type FieldError } from "@/server/sandbox/field-error";

/** What Kubernetes answers when a request fails (metav1.Status). */
export type Status = {
  kind: "Status";
  apiVersion: "v1";
  metadata: Record<string, never>;
  status: "Failure";
  message: string;
  reason?: string;
  details?: StatusDetails;
  code: number;
};

export type StatusDetails = {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: { reason?: string; message?: string; field?: string }[];
  retryAfterSeconds?: number;
};

/** Which resource an error speaks of: `deployments.apps`. */
export type GroupResource = { group: string; plural: string };

/** An error that has a Status. Everything the sandbox refuses is thrown as one of these. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.name = "StatusError";
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

export function statusOf(error: StatusError): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: error.message,
    ...(error.reason ? { reason: error.reason } : {}),
    ...(error.details ? { details: error.details } : {}),
    code: error.code,
  };
}

export function qualified({ group, plural }: GroupResource): string {
  return group === "" ? plural : `${plural}.${group}`;
}

export function notFoundError(resource: GroupResource, name: string): StatusError {
  return new StatusError(404, "NotFound", `${qualified(resource)} "${name}" not found`, detailsOf(resource, name));
}

export function alreadyExistsError(resource: GroupResource, name: string): StatusError {
  return new StatusError(
    409,
    "AlreadyExists",
    `${qualified(resource)} "${name}" already exists`,
    detailsOf(resource, name),
  );
}

export function conflictError(resource: GroupResource, name: string, why: string = staleObject): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`;
  return new StatusError(409, "Conflict", message, detailsOf(resource, name));
}

const staleObject = "the object has been modified; please apply your changes to the latest version and try again";

export function invalidError(
  { group, kind }: { group: string; kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const subject = group === "" ? kind : `${kind}.${group}`;
  const details = {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    ...(kind === "" ? {} : { kind }),
    causes: causesOf(errors),
  };
  return new StatusError(422, "Invalid", `${subject} "${name}" is invalid: ${messageOf(errors)}`, details);
}

export function forbiddenError(resource: GroupResource, name: string, why: string): StatusError {
  const subject = name === "" ? `${qualified(resource)} is forbidden` : `${qualified(resource)} "${name}" is forbidden`;
  return new StatusError(403, "Forbidden", `${subject}: ${why}`, detailsOf(resource, name));
}

export function unauthorizedError(): StatusError {
  return new StatusError(401, "Unauthorized", "Unauthorized");
}

export function badRequestError(message: string): StatusError {
  return new StatusError(400, "BadRequest", message);
}

export function methodNotAllowedError(): StatusError {
  const message = "the server does not allow this method on the requested resource";
  return new StatusError(405, "MethodNotAllowed", message, {});
}

/** What clients may send. */
export const mediaTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

export function notAcceptableError(offered: readonly string[]): StatusError {
  return new StatusError(406, "NotAcceptable", `only the following media types are accepted: ${offered.join(", ")}`);
}

export function unsupportedMediaTypeError(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return new StatusError(415, "UnsupportedMediaType", message);
}

export function entityTooLargeError(why: string): StatusError {
  return new StatusError(413, "RequestEntityTooLarge", `Request entity too large: ${why}`);
}

export function expiredError(message: string): StatusError {
  return new StatusError(410, "Expired", message);
}

export function internalError(message: string): StatusError {
  return new StatusError(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}

function detailsOf({ group, plural }: GroupResource, name: string): StatusDetails {
  return { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: plural };
}
