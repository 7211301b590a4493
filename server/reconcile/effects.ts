import { type KubernetesClient } from "@/server/kubernetes/client";
import { isConflict, isNotFound, KubernetesError } from "@/server/kubernetes/errors";
import { type Api, type KubernetesObject, type ObjectKey } from "@/server/kubernetes/object";
import { bodyOf } from "./applied-memory";
import { type Work } from "./apply";
import { callProcess } from "./live-world";
import { type Effect } from "./plan";
import { redactError } from "./redact";

/** The field manager of everything that we write. One is enough: a status is patched, never applied, so applying drops none of it. */
export const FIELD_MANAGER = "orrery";

type Done = Promise<"done" | "unchanged">;
type CarryOut = { [T in Effect["type"]]: (work: Work, effect: Extract<Effect, { type: T }>) => Done };

/** Carries out one effect. "unchanged": the cluster was so already, and nothing was sent. */
export function carryOut(work: Work, effect: Effect): Done {
  // The table is keyed by the effect's own type; TypeScript does not relate the two.
  return (effects[effect.type] as (work: Work, effect: Effect) => Done)(work, effect);
}

const effects: CarryOut = {
  ensure: async (work, { object, uid }) => {
    const api = work.apiOf(object.apiVersion, object.kind);
    const body = bodyOf(object);
    const cache = work.cacheOf(api, object);
    const cached = cache?.get(object.metadata);
    if (uid !== undefined && cache && cached?.metadata.uid !== uid) return "unchanged";
    // An object on its way out keeps its fields; applying to it again would change nothing that lasts.
    if (cached && (cached.metadata.deletionTimestamp || work.applied.holds(body, cached))) return "unchanged";
    const options = { type: "apply", fieldManager: FIELD_MANAGER, force: true } as const;
    try {
      const answer = await work.client.patch(api, object.metadata, body, options);
      work.applied.learn(body, answer);
      work.onWrote(api, answer);
      return answer.metadata.resourceVersion === cached?.metadata.resourceVersion ? "unchanged" : "done";
    } catch (error) {
      const { namespace, name } = object.metadata;
      throw redactError(error, object, namespace ? `${namespace}/${name}` : name);
    }
  },

  delete: async (work, { target, propagation = "Background" }) => {
    const api = work.apiOf(target.apiVersion, target.kind);
    const cache = work.cacheOf(api, target);
    const cached = cache?.get(target);
    const uid = target.uid ?? cached?.metadata.uid;
    const isLeaving = cached?.metadata.uid === uid && cached?.metadata.deletionTimestamp !== undefined;
    // Before a finalizer goes, the server itself must say that there is nothing left.
    const isLast = work.plan.effects.some((effect) => effect.type === "removeFinalizer");
    if (cache && !isLast && (!cached || isLeaving || cached.metadata.uid !== uid)) return "unchanged";
    await confirm(work);
    try {
      // The uid alone: its own controllers write an object's status all the time, and none of that makes it worth keeping.
      const answer = await work.client.delete(api, target, { uid, propagation });
      if (answer.metadata.resourceVersion) work.onWrote(api, answer);
      else if (uid) work.onDeleted(api, { namespace: target.namespace, name: target.name, uid });
      return "done";
    } catch (error) {
      if (isNotFound(error)) return "unchanged";
      // Refused for a namesake that came later and is none of ours, or for any other race: what is there now decides.
      if (!isConflict(error) || uid === undefined) throw error;
      const live = await readOrNull(work, api, target);
      if (live?.metadata.uid === uid) throw error;
      return "unchanged";
    }
  },

  patchSpec: async (work, { patch }) => {
    if (!work.current) return "unchanged";
    work.current = await mergePatchSelf(work.client, work.api, work.current, patch);
    work.onWrote(work.api, work.current);
    return "done";
  },

  addFinalizer: (work, { finalizer }) =>
    patchFinalizers(work, (present) => (present.includes(finalizer) ? present : [...present, finalizer])),

  removeFinalizer: (work, { finalizer }) =>
    patchFinalizers(work, (present) =>
      present.includes(finalizer) ? present.filter((other) => other !== finalizer) : present,
    ),

  emit: async (work, effect) => {
    work.emit(work.current ?? work.before, effect);
    return "done";
  },

  request: async (work, { method, url, body, timeoutMs }) => {
    const right = work.check();
    const { status } = await callProcess(work.clock, { method, url, body, timeoutMs, right });
    if (status >= 200 && status < 300) return "done";
    throw new Error(`${method} ${url} answered ${status}`);
  },
};

/** Merge patch of the resource itself, refused when it is no longer as we saw it. */
export function mergePatchSelf(
  client: KubernetesClient,
  api: Api,
  object: KubernetesObject,
  patch: Record<string, unknown>,
): Promise<KubernetesObject> {
  const { metadata = {}, ...rest } = patch as { metadata?: Record<string, unknown> };
  const foreign = [
    ...Object.keys(rest).filter((field) => field !== "spec"),
    ...Object.keys(metadata).filter((field) => field !== "annotations"),
  ];
  if (foreign.length > 0) throw new Error(`patchSpec may set spec and metadata.annotations, not ${foreign.join(", ")}`);
  const { resourceVersion } = object.metadata;
  const body = { ...rest, metadata: { ...metadata, resourceVersion } };
  return client.patch(api, object.metadata, body, { type: "merge", fieldManager: FIELD_MANAGER });
}

async function patchFinalizers(work: Work, change: (present: string[]) => string[]): Done {
  const { current, api } = work;
  const present = current?.metadata.finalizers ?? [];
  const wanted = change(present);
  if (!current || wanted === present) return "unchanged";
  const body = { metadata: { finalizers: wanted, resourceVersion: current.metadata.resourceVersion } };
  try {
    const answer = await work.client.patch(api, current.metadata, body, { type: "merge", fieldManager: FIELD_MANAGER });
    const isGone = wanted.length === 0 && answer.metadata.deletionTimestamp !== undefined;
    work.current = isGone ? null : answer;
    if (isGone) noteGone(work, current);
    else work.onWrote(api, answer);
    return "done";
  } catch (error) {
    if (!isNotFound(error)) throw error;
    work.current = null;
    return "unchanged";
  }
}

/**
 * Before the first destructive act of a pass the server is asked whether the resource is still the one that the plan
 * was computed from: a cache may be behind, and what is deleted does not come back.
 */
async function confirm(work: Work): Promise<void> {
  if (work.confirmed || !work.current) return;
  const { current } = work;
  const live = await readOrNull(work, work.api, current.metadata);
  const isSame = live?.metadata.uid === current.metadata.uid;
  if (live && isSame && live.metadata.resourceVersion === current.metadata.resourceVersion) {
    work.confirmed = true;
    return;
  }
  if (live && isSame) work.onWrote(work.api, live);
  else noteGone(work, current);
  throw staleError(`${current.kind} ${current.metadata.name} is no longer as it was read; nothing was deleted`);
}

async function readOrNull(work: Work, api: Api, key: ObjectKey): Promise<KubernetesObject | null> {
  try {
    return await work.client.get(api, key);
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

function noteGone(work: Work, { metadata: { namespace, name, uid = "" } }: KubernetesObject): void {
  work.onDeleted(work.api, { namespace, name, uid, entirely: true });
}

function staleError(message: string): KubernetesError {
  return new KubernetesError({ kind: "conflict", code: 409, reason: "Conflict", message, outcome: "refused" });
}
