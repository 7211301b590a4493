import { type ObjectRef } from "@/machines/facts";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { mergePatchOf } from "./merge-patch";
import { type Effect, type Plan, turnsOf } from "./plan";
import { redactObject } from "./redact";

/** One write as a plan announces it. It never holds the data of a Secret. */
export type PlannedWrite = {
  verb: "apply" | "delete" | "patch" | "status" | "event" | "request" | "finalizer";
  sentence: string;
  object?: ObjectRef;
  /** The body, for who wants to see it. */
  detail?: unknown;
};

/** What carrying out the plan would write, in order. Pure, so that a preview shows what a pass does. */
export function writesOf(plan: Plan, object: KubernetesObject): PlannedWrite[] {
  const { beforeStatus, afterStatus } = turnsOf(plan);
  return [
    ...beforeStatus.map((effect) => writeOf(effect, object)),
    ...statusWriteOf(plan, object),
    ...afterStatus.map((effect) => writeOf(effect, object)),
  ];
}

export function writeOf(effect: Effect, object: KubernetesObject): PlannedWrite {
  // The table is keyed by the effect's own type; TypeScript does not relate the two.
  return (describe[effect.type] as (effect: Effect, object: KubernetesObject) => PlannedWrite)(effect, object);
}

export function statusWriteOf(plan: Pick<Plan, "status">, object: KubernetesObject): PlannedWrite[] {
  const patch = plan.status ? mergePatchOf(object.status ?? {}, plan.status) : null;
  if (!patch) return [];
  const fields = Object.keys(patch).join(", ");
  return [
    { verb: "status", sentence: `set ${fields} in the status`, object: refOf(object), detail: { status: patch } },
  ];
}

export function refOf({ apiVersion, kind, metadata }: KubernetesObject): ObjectRef {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}

type Describe = {
  [T in Effect["type"]]: (effect: Extract<Effect, { type: T }>, self: KubernetesObject) => PlannedWrite;
};

const describe: Describe = {
  ensure: ({ object }) => ({
    verb: "apply",
    sentence: `apply ${titleOf(object.kind, object.metadata)}`,
    object: refOf(object),
    detail: redactObject(object),
  }),
  delete: ({ target, propagation }) => ({
    verb: "delete",
    sentence: `delete ${titleOf(target.kind, target)}`,
    object: target,
    ...(propagation ? { detail: { propagation } } : {}),
  }),
  patchSpec: ({ patch }, self) => ({
    verb: "patch",
    sentence: `patch ${titleOf(self.kind, self.metadata)}: ${JSON.stringify(patch.spec ?? patch)}`,
    object: refOf(self),
    detail: patch,
  }),
  addFinalizer: ({ finalizer }, self) => ({
    verb: "finalizer",
    sentence: `add the finalizer ${finalizer}`,
    object: refOf(self),
  }),
  removeFinalizer: ({ finalizer }, self) => ({
    verb: "finalizer",
    sentence: `remove the finalizer ${finalizer}`,
    object: refOf(self),
  }),
  emit: ({ severity, reason, message }, self) => ({
    verb: "event",
    sentence: `record the event ${reason}: ${message}`,
    object: refOf(self),
    detail: { severity },
  }),
  request: ({ method, url }) => ({ verb: "request", sentence: `${method} ${url}` }),
};

function titleOf(kind: string, { namespace, name }: { namespace?: string; name: string }): string {
  return `${kind} ${namespace ? `${namespace}/` : ""}${name}`;
}
