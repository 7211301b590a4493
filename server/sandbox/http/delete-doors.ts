import { type DeleteOptions, deleteObject } from "@/server/sandbox/cluster/delete-object";
import { notSupported } from "@/server/sandbox/field-error";
import { type Call } from "@/server/sandbox/http/call";
import { valueIn } from "@/server/sandbox/http/incoming";
import { respondObject } from "@/server/sandbox/http/outgoing";
import { present } from "@/server/sandbox/http/present";
import { readBody } from "@/server/sandbox/http/read-body";
import { dryRunErrors } from "@/server/sandbox/http/request-context";
import { selectionOf } from "@/server/sandbox/http/selection";
import { respondJson } from "@/server/sandbox/http/respond";
import { storedType } from "@/server/sandbox/http/stored-type";
import { isRecord, listOf, recordOf } from "@/server/sandbox/json";
import { badRequestError, invalidError, StatusError } from "@/server/sandbox/status-error";
import { apiVersionOf } from "@/server/sandbox/type-registry";

/** Kinds whose delete answers with the object even when it is gone at once. */
const RETURNS_OBJECT = new Set([
  "pods",
  "persistentvolumeclaims",
  "persistentvolumes",
  "serviceaccounts",
  "podtemplates",
  "resourcequotas",
  "services",
]);

export async function deleteDoor(call: Call) {
  const { cluster, type, namespace, name = "", response, ctx } = call;
  const options = await deleteOptionsIn(call);
  const { object, gone } = await deleteObject(cluster.writes, storedType(call), { namespace, name }, options, ctx);
  if (!gone || RETURNS_OBJECT.has(type.storageKey)) {
    respondObject(call, 200, object);
    return;
  }
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
  const stored = storedType(call);
  const found = [...cluster.store.all(type.storageKey, namespace)].filter(selectionOf(call));
  for (const { metadata } of found) {
    const at = { namespace: metadata.namespace, name: metadata.name };
    await deleteObject(cluster.writes, stored, at, options, ctx).catch(ignoreNotFound);
  }
  const metadata = { resourceVersion: String(cluster.store.revision()) };
  const items = found.map((object) => present(type, object));
  respondJson(response, 200, { kind: `${type.kind}List`, apiVersion: apiVersionOf(type), metadata, items });
}

function ignoreNotFound(error: unknown) {
  if (!(error instanceof StatusError) || error.code !== 404) throw error;
}

const POLICIES = ["Background", "Foreground", "Orphan"] as const;

async function deleteOptionsIn({ request, query, ctx }: Call): Promise<DeleteOptions> {
  const body = await readBody(request);
  const value = body.length === 0 ? {} : await valueIn(body, request.headers["content-type"]);
  if (!isRecord(value)) throw badRequestError("the body of a delete must be DeleteOptions");
  const preconditions = recordOf(value["preconditions"]);
  const orphans = value["orphanDependents"];
  const policy = value["propagationPolicy"] ?? query.get("propagationPolicy") ?? undefined;
  const grace = value["gracePeriodSeconds"] ?? query.get("gracePeriodSeconds") ?? undefined;
  const propagation = POLICIES.find((known) => known === policy);
  if (policy !== undefined && !propagation) {
    const problem = notSupported("propagationPolicy", policy, ["Background", "Foreground", "Orphan"]);
    throw invalidError({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", [problem]);
  }
  const dryRun = listOf(value["dryRun"]);
  const problems = dryRunErrors(dryRun);
  if (problems.length > 0) throw invalidError({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", problems);
  if (dryRun.length > 0) ctx.dryRun = true;
  return {
    ...(typeof preconditions["uid"] === "string" ? { uid: preconditions["uid"] } : {}),
    ...(typeof preconditions["resourceVersion"] === "string"
      ? { resourceVersion: preconditions["resourceVersion"] }
      : {}),
    ...(propagation
      ? { propagation }
      : typeof orphans === "boolean"
        ? { propagation: orphans ? "Orphan" : "Background" }
        : {}),
    ...(grace === undefined ? {} : { graceSeconds: Number(grace) }),
  };
}
