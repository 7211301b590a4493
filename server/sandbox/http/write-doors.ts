import { type KubernetesObject } from "@/server/kubernetes/object";
import { createObject } from "@/server/sandbox/cluster/create-object";
import { type DeleteOptions, deleteObject } from "@/server/sandbox/cluster/delete-object";
import { updateObject } from "@/server/sandbox/cluster/update-object";
import { type Call } from "@/server/sandbox/http/call";
import { decodeBody, objectOf, parseJson } from "@/server/sandbox/http/decode";
import { present, toStored } from "@/server/sandbox/http/present";
import { readBody } from "@/server/sandbox/http/read-body";
import { selectionOf } from "@/server/sandbox/http/read-doors";
import { respondJson } from "@/server/sandbox/http/respond";
import { isRecord, recordOf } from "@/server/sandbox/json";
import { jsonPatch } from "@/server/sandbox/patch/json-patch";
import { mergePatch } from "@/server/sandbox/patch/merge-patch";
import { badRequestError, StatusError, unsupportedMediaTypeError } from "@/server/sandbox/status-error";
import { type ResourceType } from "@/server/sandbox/type-registry";

export async function createDoor(call: Call) {
  const { cluster, type, namespace, response, ctx } = call;
  const object = await objectIn(call);
  checkNamespace(type, object, namespace);
  if (type.strategy.answer) return respondJson(response, 201, await type.strategy.answer(object, namespace, ctx.user));
  const stored = cluster.types.of(hubOf(call));
  const created = await createObject(cluster.writes, stored, toStored(type, stored, object), ctx, { namespace });
  respondJson(response, 201, present(type, created));
}

export async function updateDoor(call: Call) {
  const { cluster, type, namespace, name = "", subresource, response, ctx } = call;
  const object = await objectIn(call);
  checkNamespace(type, object, namespace);
  if (object.metadata.name !== name) {
    if (object.metadata.name !== "") {
      throw badRequestError(
        `the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`,
      );
    }
    object.metadata.name = name;
  }
  const stored = cluster.types.of(hubOf(call));
  const next = toStored(type, stored, object);
  const updated = await updateObject(cluster.writes, stored, { namespace, name }, () => next, ctx, {
    subresource,
    replaces: true,
  });
  respondJson(response, 200, present(type, updated));
}

type Patch = (target: unknown, patch: unknown) => unknown;
const patches: Readonly<Record<string, Patch>> = {
  "application/json-patch+json": jsonPatch,
  "application/merge-patch+json": mergePatch,
  "application/strategic-merge-patch+json": mergePatch,
};

export async function patchDoor(call: Call) {
  const { cluster, type, namespace, name = "", subresource, request, response, ctx } = call;
  const mediaType = (request.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
  const apply = Object.hasOwn(patches, mediaType) ? patches[mediaType] : undefined;
  if (!apply) throw unsupportedMediaTypeError([...Object.keys(patches), "application/apply-patch+yaml"]);
  const patch = parseJson((await readBody(request)).toString("utf8"));
  const stored = cluster.types.of(hubOf(call));
  const change = (old: KubernetesObject) => {
    const target = withoutVersion(present(type, old));
    return toStored(type, stored, objectOf(apply(target, patch), type));
  };
  const updated = await updateObject(cluster.writes, stored, { namespace, name }, change, ctx, { subresource });
  respondJson(response, 200, present(type, updated));
}

/** A patch without a resourceVersion applies to whatever is there. */
function withoutVersion(object: KubernetesObject): KubernetesObject {
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata;
  return { ...object, metadata };
}

export async function deleteDoor(call: Call) {
  const { cluster, type, namespace, name = "", response, ctx } = call;
  const options = await deleteOptionsIn(call);
  const { object, gone } = await deleteObject(
    cluster.writes,
    cluster.types.of(hubOf(call)),
    { namespace, name },
    options,
    ctx,
  );
  if (!gone) return respondJson(response, 200, present(type, object));
  const details = {
    name,
    ...(type.group === "" ? {} : { group: type.group }),
    kind: type.plural,
    uid: object.metadata.uid,
  };
  respondJson(response, 200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details });
}

export async function deleteCollectionDoor(call: Call) {
  const { cluster, type, namespace, response, ctx } = call;
  const options = await deleteOptionsIn(call);
  const matches = selectionOf(call);
  const stored = cluster.types.of(hubOf(call));
  const found = [...cluster.store.all(type.storageKey, namespace)].filter(matches);
  for (const { metadata } of found) {
    await deleteObject(
      cluster.writes,
      stored,
      { namespace: metadata.namespace, name: metadata.name },
      options,
      ctx,
    ).catch(ignoreNotFound);
  }
  const metadata = { resourceVersion: String(cluster.store.revision()) };
  respondJson(response, 200, {
    kind: `${type.kind}List`,
    apiVersion: present(type, { apiVersion: "", kind: "", metadata: { name: "" } }).apiVersion,
    metadata,
    items: found.map((object) => present(type, object)),
  });
}

function ignoreNotFound(error: unknown) {
  if (!(error instanceof StatusError) || error.code !== 404) throw error;
}

function hubOf({ type }: Call) {
  const dot = type.storageKey.indexOf(".");
  return dot < 0
    ? { group: "", plural: type.storageKey }
    : { group: type.storageKey.slice(dot + 1), plural: type.storageKey.slice(0, dot) };
}

async function objectIn({ request, type }: Call): Promise<KubernetesObject> {
  const body = await readBody(request);
  return objectOf(await decodeBody(body, request.headers["content-type"]), type);
}

function checkNamespace(type: ResourceType, object: KubernetesObject, namespace: string | undefined) {
  if (!type.namespaced) return;
  if (namespace === undefined)
    throw new StatusError(
      405,
      "MethodNotAllowed",
      "the server does not allow this method on the requested resource",
      {},
    );
  const own = object.metadata.namespace;
  if (own && own !== namespace) {
    throw badRequestError("the namespace of the provided object does not match the namespace sent on the request");
  }
}

async function deleteOptionsIn({ request, query, ctx }: Call): Promise<DeleteOptions> {
  const body = await readBody(request);
  const value = body.length === 0 ? {} : await decodeBody(body, request.headers["content-type"]);
  if (!isRecord(value)) throw badRequestError("the body of a delete must be DeleteOptions");
  const preconditions = recordOf(value["preconditions"]);
  const propagation = value["propagationPolicy"] ?? query.get("propagationPolicy") ?? undefined;
  const grace = value["gracePeriodSeconds"] ?? query.get("gracePeriodSeconds") ?? undefined;
  if (Array.isArray(value["dryRun"]) && value["dryRun"].length > 0) ctx.dryRun = true;
  return {
    ...(typeof preconditions["uid"] === "string" ? { uid: preconditions["uid"] } : {}),
    ...(typeof preconditions["resourceVersion"] === "string"
      ? { resourceVersion: preconditions["resourceVersion"] }
      : {}),
    ...(propagation === "Background" || propagation === "Foreground" || propagation === "Orphan"
      ? { propagation }
      : {}),
    ...(grace === undefined || grace === null ? {} : { graceSeconds: Number(grace) }),
  };
}
