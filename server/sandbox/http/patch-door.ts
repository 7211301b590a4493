import { type KubernetesObject } from "@/server/kubernetes/object";
import { applyNew, applyOver } from "@/server/sandbox/apply/apply-object";
import { createObject } from "@/server/sandbox/cluster/create-object";
import { updateObject } from "@/server/sandbox/cluster/update-object";
import { timeOf } from "@/server/sandbox/cluster/write";
import { invalid, required } from "@/server/sandbox/field-error";
import { type Call } from "@/server/sandbox/http/call";
import { decodeBody, objectOf, parseJson } from "@/server/sandbox/http/decode";
import { checkedConfig, checkedCopy } from "@/server/sandbox/http/incoming";
import { respondObject } from "@/server/sandbox/http/outgoing";
import { present, toStored } from "@/server/sandbox/http/present";
import { readBody } from "@/server/sandbox/http/read-body";
import { storedType } from "@/server/sandbox/http/stored-type";
import { isRecord } from "@/server/sandbox/json";
import { jsonPatch } from "@/server/sandbox/patch/json-patch";
import { mergePatch } from "@/server/sandbox/patch/merge-patch";
import { strategicPatch } from "@/server/sandbox/patch/strategic-patch";
import { tableOf } from "@/server/sandbox/schema/builtin-messages";
import {
  badRequestError,
  invalidError,
  notFoundError,
  StatusError,
  unsupportedMediaTypeError,
} from "@/server/sandbox/status-error";
import { apiVersionOf, type ResourceType } from "@/server/sandbox/type-registry";

type Patch = (type: ResourceType, target: unknown, patch: unknown) => unknown;

const patches: Readonly<Record<string, Patch>> = {
  "application/json-patch+json": (_type, target, patch) => jsonPatch(target, patch),
  "application/merge-patch+json": (_type, target, patch) => mergePatch(target, patch),
  "application/strategic-merge-patch+json": (type, target, patch) => strategicPatch(type.schema, target, patch),
};

export async function patchDoor(call: Call) {
  const { cluster, type, namespace, name = "", subresource, request, ctx } = call;
  const mediaType = mediaTypeOf(call);
  if (mediaType.startsWith("application/apply-patch+")) return applyDoor(call);
  const apply = patchOf(type, mediaType);
  const patch = parsePatch((await readBody(request)).toString("utf8"));
  const stored = storedType(call);
  const change = (old: KubernetesObject) => {
    const patched = apply(type, present(type, old), patch);
    return toStored(type, stored, sameIdentity(readPatched(call, patched), old));
  };
  respondObject(
    call,
    200,
    await updateObject(cluster.writes, stored, { namespace, name }, change, ctx, { subresource }),
  );
}

/** The patch that a media type stands for. Custom resources have no merge keys, so no strategic merge either. */
export function patchOf(type: ResourceType, mediaType: string): Patch {
  const offered = tableOf(type.group, type.version)
    ? Object.keys(patches)
    : Object.keys(patches).filter((name) => !name.includes("strategic"));
  const apply = offered.includes(mediaType) ? patches[mediaType] : undefined;
  if (!apply) throw unsupportedMediaTypeError([...offered, "application/apply-patch+yaml"]);
  return apply;
}

export function mediaTypeOf({ request }: Pick<Call, "request">): string {
  return (request.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
}

function parsePatch(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw badRequestError("error decoding patch: invalid character in the body of the patch");
  }
}

/** The patched object; what is no object of this kind any more is the patch's fault. */
function readPatched({ type, ctx }: Call, patched: unknown): KubernetesObject {
  try {
    return checkedCopy(type, objectOf(patched, type), ctx);
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "BadRequest") throw error;
    throw invalidError({ group: "", kind: "" }, "", [invalid("patch", JSON.stringify(patched), error.message)]);
  }
}

function sameIdentity(object: KubernetesObject, old: KubernetesObject): KubernetesObject {
  const { name, namespace } = object.metadata;
  if (name !== old.metadata.name) {
    throw badRequestError(`the name of the object (${name}) does not match the name on the URL (${old.metadata.name})`);
  }
  if (namespace !== undefined && namespace !== old.metadata.namespace) {
    throw badRequestError("the namespace of the provided object does not match the namespace sent on the request");
  }
  return object;
}

async function applyDoor(call: Call) {
  const { cluster, type, namespace, name = "", subresource, request, query, ctx } = call;
  const manager = query.get("fieldManager") ?? "";
  const options = { group: "meta.k8s.io", kind: "PatchOptions" };
  if (manager === "") throw invalidError(options, "", [required("fieldManager", "is required for apply patch")]);
  const config = configOf(call, await decodeBody(await readBody(request), "application/yaml"));
  const applied = { manager, force: query.get("force") === "true", time: timeOf(cluster.clock), subresource };
  const stored = storedType(call);

  if (!cluster.store.get(type.storageKey, namespace, name)) {
    if (subresource || config.metadata.uid) throw notFoundError(type, name);
    const created = applyNew(type, config, applied);
    respondObject(
      call,
      201,
      await createObject(cluster.writes, stored, toStored(type, stored, created), ctx, { namespace, applied: true }),
    );
    return;
  }
  const change = (old: KubernetesObject) =>
    toStored(type, stored, checkedCopy(type, applyOver(type, present(type, old), config, applied), ctx));
  respondObject(
    call,
    200,
    await updateObject(cluster.writes, stored, { namespace, name }, change, ctx, { subresource, applied: true }),
  );
}

/** What is applied, without the parts that this door does not take. */
function configOf({ type, name = "", subresource, ctx }: Call, body: unknown): KubernetesObject {
  const { apiVersion: version = "" } = isRecord(body) ? body : {};
  if (version !== apiVersionOf(type)) {
    const expected = `Specified patch version: ${String(version)}, expected: ${apiVersionOf(type)}`;
    throw badRequestError(`Incorrect version specified in apply patch. ${expected}`);
  }
  const config = checkedConfig(type, objectOf(body, type), ctx);
  if (config.metadata.managedFields) throw badRequestError("metadata.managedFields must be nil");
  if (config.metadata.name === "") config.metadata = { ...config.metadata, name };
  if (config.metadata.name !== name) {
    throw badRequestError(
      `the name of the object (${config.metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  if (subresource !== "status") {
    return type.subresources["status"] ? withoutStatus(config) : config;
  }
  const { apiVersion, kind, metadata, status } = config;
  return { apiVersion, kind, metadata: { name: metadata.name }, ...(status === undefined ? {} : { status }) };
}

function withoutStatus(config: KubernetesObject): KubernetesObject {
  const copy = { ...config };
  delete copy.status;
  return copy;
}
