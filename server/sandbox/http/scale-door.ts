import { type KubernetesObject } from "@/server/kubernetes/object";
import { updateObject } from "@/server/sandbox/cluster/update-object";
import { invalid } from "@/server/sandbox/field-error";
import { type Call } from "@/server/sandbox/http/call";
import { objectOf, parseJson } from "@/server/sandbox/http/decode";
import { objectIn } from "@/server/sandbox/http/incoming";
import { mediaTypeOf, patchOf } from "@/server/sandbox/http/patch-door";
import { present, toStored } from "@/server/sandbox/http/present";
import { readBody } from "@/server/sandbox/http/read-body";
import { respondJson } from "@/server/sandbox/http/respond";
import { storedType } from "@/server/sandbox/http/stored-type";
import { isRecord, recordOf, textOf } from "@/server/sandbox/json";
import { type LabelSelector } from "@/server/sandbox/selector/label-selector";
import { tableOf } from "@/server/sandbox/schema/builtin-messages";
import { invalidError, notFoundError } from "@/server/sandbox/status-error";
import { type ResourceType, type Subresource } from "@/server/sandbox/type-registry";

type Paths = NonNullable<Subresource["scale"]>;
const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };

/** get, update and patch of the number of replicas alone, whatever kind it stands in. */
export async function scaleDoor(call: Call, paths: Paths) {
  const { cluster, type, namespace, name = "", request, response, ctx } = call;
  const found = cluster.store.get(type.storageKey, namespace, name);
  if (!found) throw notFoundError(request.method === "GET" ? namedScale(type) : type, name);
  if (request.method === "GET") {
    respondJson(response, 200, scaleOf(present(type, found), paths));
    return;
  }
  const asked = await askedScale(call, paths);
  const stored = storedType(call);
  const change = (old: KubernetesObject) => {
    const scale = asked(present(type, old));
    const replicas = recordOf(scale.spec)["replicas"] ?? 0;
    if (typeof replicas !== "number" || replicas < 0) {
      const problem = invalid("spec.replicas", replicas, "must be greater than or equal to 0");
      throw invalidError(scaleKind, name, [problem]);
    }
    const next = withValue(present(type, old), paths.specReplicasPath, replicas);
    const { resourceVersion = "" } = scale.metadata;
    return toStored(type, stored, { ...next, metadata: { ...old.metadata, resourceVersion } });
  };
  const updated = await updateObject(cluster.writes, stored, { namespace, name }, change, ctx);
  respondJson(response, 200, scaleOf(present(type, updated), paths));
}

/** What a read of a scale calls a missing object: built-in kinds name the door that was knocked at. */
function namedScale({ group, version, plural }: ResourceType) {
  return { group, plural: tableOf(group, version) ? `${plural}/scale` : plural };
}

async function askedScale(call: Call, paths: Paths): Promise<(old: KubernetesObject) => KubernetesObject> {
  if (call.request.method === "PUT") {
    const scale = await objectIn({ ...call, type: scaleKind });
    return () => scale;
  }
  const apply = patchOf(call.type, mediaTypeOf(call));
  const patch = parseJson((await readBody(call.request)).toString("utf8"));
  return (old) => objectOf(apply(call.type, scaleOf(old, paths), patch), scaleKind);
}

function scaleOf(
  object: KubernetesObject,
  { specReplicasPath, statusReplicasPath, labelSelectorPath }: Paths,
): KubernetesObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = labelSelectorPath ? shownSelector(valueAt(object, labelSelectorPath)) : "";
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: { replicas: valueAt(object, specReplicasPath) ?? 0 },
    status: { replicas: valueAt(object, statusReplicasPath) ?? 0, ...(selector === "" ? {} : { selector }) },
  };
}

/** A selector as it stands on a command line: `app=web,tier in (a,b)`. */
function shownSelector(selector: unknown): string {
  if (!isRecord(selector)) return textOf(selector);
  // A built-in kind's selector was validated; a ReplicationController's is a plain map.
  const { matchLabels, matchExpressions = [] } =
    "matchLabels" in selector || "matchExpressions" in selector
      ? (selector as LabelSelector)
      : { matchLabels: selector };
  const terms = Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${String(value)}`);
  const shown: Readonly<Record<string, (key: string, values: readonly string[]) => string>> = {
    In: (key, values) => `${key} in (${values.join(",")})`,
    NotIn: (key, values) => `${key} notin (${values.join(",")})`,
    Exists: (key) => key,
    DoesNotExist: (key) => `!${key}`,
  };
  return [
    ...terms,
    ...matchExpressions.map(({ key, operator, values = [] }) => shown[operator]?.(key, values) ?? ""),
  ].join(",");
}

function valueAt(object: unknown, path: string): unknown {
  return keysOf(path).reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), object);
}

function withValue(object: KubernetesObject, path: string, value: unknown): KubernetesObject {
  const [first = "", ...rest] = keysOf(path);
  return { ...object, [first]: set(object[first], rest, value) };
}

function set(target: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  return key === undefined ? value : { ...recordOf(target), [key]: set(recordOf(target)[key], rest, value) };
}

function keysOf(path: string): string[] {
  return path.split(".").filter((key) => key !== "");
}
