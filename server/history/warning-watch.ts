import type { Kind } from "@/machines/kind";
import type { Database } from "@/server/db/database";
import { apis } from "@/server/kubernetes/apis";
import type { KubernetesClient } from "@/server/kubernetes/client";
import type { Clock } from "@/server/kubernetes/clock";
import { isNotFound } from "@/server/kubernetes/errors";
import {
  apiVersionOf,
  controllerOf,
  type Api,
  type KubernetesObject,
  type OwnerReference,
} from "@/server/kubernetes/object";
import { createReflector } from "@/server/kubernetes/reflector";
import { createStore } from "@/server/kubernetes/store";
import { idOf } from "@/server/resources/ref";
import { warningOf } from "@/server/resources/warnings";
import { z } from "zod";

export type WarningWatchState = {
  /** Warnings that wait for the database, or for the cluster to say whose they are. */
  buffered: number;
  /** Warnings given up because too many waited. */
  dropped: number;
};

/** Nothing is given up for being late: what cannot be stored waits, within bounds, and what goes over them is counted. */
export type WarningWatch = {
  start(): void;
  /** Resolves when every warning that arrived so far is stored, given up or known to be nobody's. */
  settled(): Promise<void>;
  stop(): Promise<void>;
  state(): WarningWatchState;
};

export type WarningWatchOptions = {
  client: KubernetesClient;
  clock: Clock;
  database: Database;
  kinds: Record<string, Kind>;
  /** Warnings that may wait; of each only the newest telling does. */
  bufferMax?: number;
  onError?: (error: unknown) => void;
};

const involvedSchema = z.object({
  involvedObject: z.object({
    apiVersion: z.string().default("v1"),
    kind: z.string(),
    namespace: z.string().default(""),
    name: z.string(),
    uid: z.string().default(""),
  }),
});
type Owner = Pick<OwnerReference, "apiVersion" | "kind" | "name">;
type Involved = z.infer<typeof involvedSchema>["involvedObject"];

/** Answers that are remembered: whose an object is does not change while it lives. */
const OWNERS_MAX = 20_000;
const HOPS_MAX = 5;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 10_000;

/** Keeps the warning events of our resources and of what they own, past the hour that the API server keeps them. */
export function createWarningWatch(options: WarningWatchOptions): WarningWatch {
  const { client, clock, database, kinds, bufferMax = 10_000, onError = () => undefined } = options;
  const store = createStore();
  const reflector = createReflector({ client, clock, api: apis.event, fieldSelector: "type=Warning", store, onError });
  const owners = new Map<string, string | null>();
  const waiting = new Map<string, KubernetesObject>();
  const stopped = new AbortController();
  let work: Promise<void> | null = null;
  let dropped = 0;
  let failures = 0;

  const ownerOf = async (involved: Involved): Promise<string | null> => {
    const found = owners.get(involved.uid);
    if (found !== undefined) return found;
    const owner = await resourceOf({ client, kinds }, involved);
    owners.set(involved.uid, owner);
    const oldest = owners.keys().next();
    if (owners.size > OWNERS_MAX && !oldest.done) owners.delete(oldest.value);
    return owner;
  };

  const keep = async (event: KubernetesObject): Promise<void> => {
    const warning = warningOf(event);
    const involved = involvedSchema.safeParse(event);
    if (!warning || !involved.success) return;
    const resourceId = await ownerOf(involved.data.involvedObject);
    if (resourceId !== null) await insertWarning(database, resourceId, involved.data.involvedObject, warning);
  };

  const accept = (event: KubernetesObject) => {
    const uid = event.metadata.uid ?? event.metadata.name;
    waiting.delete(uid);
    waiting.set(uid, event);
    for (const oldest of waiting.keys()) {
      if (waiting.size <= bufferMax) break;
      waiting.delete(oldest);
      dropped++;
    }
    work ??= keepOn().finally(() => (work = null));
  };

  const keepOn = async () => {
    for (let next = first(waiting); next && !stopped.signal.aborted; next = first(waiting)) {
      const [uid, event] = next;
      try {
        await keep(event);
        failures = 0;
        // What was told meanwhile is newer, and still to be kept.
        if (waiting.get(uid) === event) waiting.delete(uid);
      } catch (error) {
        onError(error);
        // To the end: one that nobody can place must not hold up the others.
        if (waiting.get(uid) === event) {
          waiting.delete(uid);
          waiting.set(uid, event);
        }
        await clock.sleep(Math.min(RETRY_MS_MIN * 2 ** failures++, RETRY_MS_MAX), stopped.signal);
      }
    }
  };

  store.subscribe(({ type, object }) => {
    if (type !== "deleted") accept(object);
  });
  return {
    start: () => reflector.start(),
    settled: async () => {
      while (work) await work;
    },
    stop: async () => {
      stopped.abort();
      await reflector.stop();
      // What still waits is not lost: the API server has it for an hour, and the next start lists it.
      await work;
    },
    state: () => ({ buffered: waiting.size, dropped }),
  };
}

function first<K, V>(map: Map<K, V>): [K, V] | null {
  for (const entry of map) return entry;
  return null;
}

/** The resource that an object belongs to, followed up its owners; null when it is none of ours. */
async function resourceOf(
  { client, kinds }: Pick<WarningWatchOptions, "client" | "kinds">,
  involved: Involved,
): Promise<string | null> {
  const { namespace } = involved;
  let at: Owner | undefined = involved;
  for (let hops = 0; at && hops < HOPS_MAX; hops++) {
    const { apiVersion, kind, name }: Owner = at;
    const own = Object.entries(kinds).find(([, { api }]) => api.kind === kind && apiVersionOf(api) === apiVersion);
    if (own) return idOf({ kind: own[0], namespace: own[1].api.namespaced ? namespace : "", name });
    const api = apiOf(apiVersion, kind);
    const object: KubernetesObject | null = api ? await find(client, api, namespace, name) : null;
    at = object ? (controllerOf(object) ?? object.metadata.ownerReferences?.[0] ?? claimedBy(object)) : undefined;
  }
  return null;
}

/** What may stand between a warning and its resource. Others, such as nodes, belong to nobody, and need not be readable. */
const between: readonly Api[] = [
  apis.pod,
  apis.replicaSet,
  apis.statefulSet,
  apis.deployment,
  apis.job,
  apis.persistentVolumeClaim,
  apis.service,
  apis.configMap,
];

function apiOf(apiVersion: string, kind: string): Api | undefined {
  return between.find((api) => api.kind === kind && apiVersionOf(api) === apiVersion);
}

async function find(
  client: KubernetesClient,
  api: Api,
  namespace: string,
  name: string,
): Promise<KubernetesObject | null> {
  try {
    return await client.get(api, { ...(api.namespaced ? { namespace } : {}), name });
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** A claim of a StatefulSet names no owner; its own name does: <template>-<set>-<ordinal>, the template without a dash. */
function claimedBy({ kind, metadata }: KubernetesObject): Owner | undefined {
  const name = kind === "PersistentVolumeClaim" ? /^[^-]+-(.+)-\d+$/.exec(metadata.name)?.[1] : undefined;
  return name ? { apiVersion: "apps/v1", kind: "StatefulSet", name } : undefined;
}

type Warning = NonNullable<ReturnType<typeof warningOf>>;

async function insertWarning(
  database: Database,
  resourceId: string,
  involved: Involved,
  warning: Warning,
): Promise<void> {
  const { id, reason, message, count, firstSeen, lastSeen, source } = warning;
  await database.query(
    `INSERT INTO "WarningEvent" ("id", "resourceId", "object", "reason", "message", "count", "firstSeen", "lastSeen", "source")
     VALUES ($1, $2, $3::jsonb, $4, $5, $6, $7, $8, $9)
     ON CONFLICT ("id") DO UPDATE SET "message" = excluded."message", "count" = greatest("WarningEvent"."count", excluded."count"),
       "lastSeen" = greatest("WarningEvent"."lastSeen", excluded."lastSeen")`,
    [id, resourceId, JSON.stringify(involved), reason, message, count, firstSeen, lastSeen, source],
  );
}
