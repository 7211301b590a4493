import { type KubernetesObject } from "@/server/kubernetes/object";
import { createObject } from "@/server/sandbox/cluster/create-object";
import { updateObject } from "@/server/sandbox/cluster/update-object";
import { type Call } from "@/server/sandbox/http/call";
import { objectIn } from "@/server/sandbox/http/incoming";
import { respondObject } from "@/server/sandbox/http/outgoing";
import { toStored } from "@/server/sandbox/http/present";
import { respondJson } from "@/server/sandbox/http/respond";
import { storedType } from "@/server/sandbox/http/stored-type";
import { badRequestError, methodNotAllowedError } from "@/server/sandbox/status-error";
import { type ResourceType } from "@/server/sandbox/type-registry";

export async function createDoor(call: Call) {
  const { cluster, type, namespace, response, ctx } = call;
  const object = await objectIn(call);
  checkNamespace(type, object, namespace);
  if (type.strategy.answer) {
    respondJson(response, 201, await type.strategy.answer(object, namespace, ctx.user));
    return;
  }
  const stored = storedType(call);
  respondObject(
    call,
    201,
    await createObject(cluster.writes, stored, toStored(type, stored, object), ctx, { namespace }),
  );
}

export async function updateDoor(call: Call) {
  const { cluster, type, namespace, name = "", subresource, ctx } = call;
  const object = await objectIn(call);
  checkNamespace(type, object, namespace);
  if (object.metadata.name !== name) {
    const given = object.metadata.name;
    throw badRequestError(
      given === ""
        ? "name must be provided"
        : `the name of the object (${given}) does not match the name on the URL (${name})`,
    );
  }
  const stored = storedType(call);
  const next = toStored(type, stored, object);
  if (type.strategy.createOnUpdate && !subresource && !cluster.store.get(type.storageKey, namespace, name)) {
    respondObject(call, 201, await createObject(cluster.writes, stored, next, ctx, { namespace }));
    return;
  }
  const at = { namespace, name };
  respondObject(
    call,
    200,
    await updateObject(cluster.writes, stored, at, () => next, ctx, { subresource, replaces: true }),
  );
}

function checkNamespace(type: ResourceType, object: KubernetesObject, namespace: string | undefined) {
  if (!type.namespaced) return;
  if (namespace === undefined) throw methodNotAllowedError();
  const own = object.metadata.namespace;
  if (own && own !== namespace) {
    throw badRequestError("the namespace of the provided object does not match the namespace sent on the request");
  }
}
