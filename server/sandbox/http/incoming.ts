import { type KubernetesObject } from "@/server/kubernetes/object";
import { type RequestContext } from "@/server/sandbox/admission-plugin";
import { type Call } from "@/server/sandbox/http/call";
import { decodeBody, objectOf } from "@/server/sandbox/http/decode";
import { readBody } from "@/server/sandbox/http/read-body";
import { cloneUnfrozen } from "@/server/sandbox/json";
import { tableOf } from "@/server/sandbox/schema/builtin-messages";
import { conform, type Findings } from "@/server/sandbox/schema/conform";
import { schemaAt } from "@/server/sandbox/schema/builtin-schema";
import { decodeProtobuf, openEnvelope } from "@/server/sandbox/schema/decode-protobuf";
import { type Schema } from "@/server/sandbox/schema/schema";
import { badRequestError, StatusError } from "@/server/sandbox/status-error";

export const PROTOBUF = "application/vnd.kubernetes.protobuf";

type Kind = { group: string; version: string; kind: string; schema?: Schema };

/** The object in the body of a request, in whatever format it came. */
export async function objectIn({
  request,
  type,
  ctx,
}: Pick<Call, "request" | "ctx"> & { type: Kind }): Promise<KubernetesObject> {
  const body = await readBody(request);
  const object = objectOf(await valueIn(body, request.headers["content-type"]), type);
  return checked(type, object, ctx);
}

/** The JSON value of a body; protobuf is told by its envelope which message it holds. */
export async function valueIn(body: Buffer, contentType: string | undefined): Promise<unknown> {
  if (!contentType?.startsWith(PROTOBUF)) return decodeBody(body, contentType);
  try {
    const envelope = openEnvelope(body);
    if (!envelope) throw new RangeError("provided data does not appear to be a protobuf message, expected prefix");
    const { apiVersion, kind, raw } = envelope;
    return { ...decodeProtobuf(addressOf(apiVersion, kind), raw), apiVersion, kind };
  } catch (error) {
    throw badRequestError(error instanceof Error ? error.message : String(error));
  }
}

function addressOf(apiVersion: string, kind: string): string {
  const slash = apiVersion.indexOf("/");
  const table = tableOf(slash < 0 ? "" : apiVersion.slice(0, slash), apiVersion.slice(slash + 1));
  return kind === "DeleteOptions" ? "meta.DeleteOptions" : `${table ?? ""}.${kind}`;
}

/** The result of a patch shares parts with what is stored, and is copied before anything is dropped from it. */
export function checkedCopy(type: Kind, object: KubernetesObject, ctx: RequestContext): KubernetesObject {
  return checked(type, isBuiltin(type) ? cloneUnfrozen(object) : object, ctx);
}

/** What is applied; a field of no schema can have no owner, however the client wants such fields treated. */
export function checkedConfig(type: Kind, config: KubernetesObject, ctx: RequestContext): KubernetesObject {
  const unknown = isBuiltin(type) ? [] : conform(metadataOnly, { metadata: config.metadata }, { prune: false }).unknown;
  // A custom kind's schema says nothing of the metadata.
  const own = isBuiltin(type) ? config : { ...config, metadata: {} };
  if (type.schema) unknown.push(...conform(type.schema, own, { prune: false }).unknown);
  if (unknown.length > 0) throw untypedError(type, config, unknown);
  return checkedCopy(type, config, ctx);
}

function untypedError({ group, version, kind }: Kind, { metadata }: KubernetesObject, unknown: readonly string[]) {
  const sentences = unknown.map((field) => `.${field}: field not declared in schema`);
  const errors = sentences.length === 1 ? sentences.join() : `errors:\n  ${sentences.join("\n  ")}`;
  const about = `${metadata.namespace ?? ""}/${metadata.name}; ${group ? `${group}/` : ""}${version}, Kind=${kind}`;
  return new StatusError(500, "", `failed to create typed patch object (${about}): ${errors}`);
}

/** Compares with the schema: wrong types are refused, unknown fields dropped, told or refused as the client asked. */
function checked(type: Kind, object: KubernetesObject, ctx: RequestContext): KubernetesObject {
  const builtin = isBuiltin(type);
  // What all kinds share is typed, also where the rest is not.
  const unknown: string[] = [];
  if (!builtin) {
    object = { ...object, metadata: cloneUnfrozen(object.metadata) };
    unknown.push(
      ...refuseMistyped(type, conform(metadataOnly, { metadata: object.metadata }, { prune: true })).unknown,
    );
  }
  if (!type.schema || (!builtin && ctx.fieldValidation === "Ignore")) return object;
  // A custom kind's schema says nothing of the metadata, which was looked at above.
  const own = builtin ? object : { ...object, metadata: {} };
  unknown.push(...refuseMistyped(type, conform(type.schema, own, { prune: builtin })).unknown);
  if (unknown.length === 0 || ctx.fieldValidation === "Ignore") return object;
  const sentences = unknown.map((field) => `unknown field "${field}"`);
  if (ctx.fieldValidation === "Strict") {
    const why = `strict decoding error: ${sentences.join(", ")}`;
    throw badRequestError(
      builtin ? `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: ${why}` : why,
    );
  }
  ctx.warnings?.push(...sentences);
  return object;
}

const metadataOnly: Schema = { type: "object", properties: { metadata: schemaAt("meta.ObjectMeta") } };

function refuseMistyped(type: Kind, findings: Findings): Findings {
  const { mistyped } = findings;
  if (mistyped === null) return findings;
  throw badRequestError(`${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: ${mistyped}`);
}

function isBuiltin({ group, version }: Kind): boolean {
  return tableOf(group, version) !== undefined;
}
