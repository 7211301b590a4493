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

export type WarningWatch = {
  start(): void;
  /** Resolves when every warning that arrived so far is stored or known to be nobody's. */
  settled(): Promise<void>;
  stop(): Promise<void>;
};

export type WarningWatchOptions = {
  client: KubernetesClient;
  clock: Clock;
  database: Database;
  kinds: Record<string, Kind>;
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
const TRIES_MAX = 5;
const RETRY_MS = 2_000;

/** Keeps the warning events of our resources and of what they own, past the hour that the API server keeps them. */
export function createWarningWatch(options: WarningWatchOptions): WarningWatch {
  const { client, clock, database, kinds, onError = () => undefined } = options;
  const store = createStore();
  const reflector = createReflector({ client, clock, api: apis.event, fieldSelector: "type=Warning", store, onError });
  const owners = new Map<string, string | null>();
  const stopped = new AbortController();
  let work: Promise<void> = Promise.resolve();

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
    for (let tries = 1; !stopped.signal.aborted; tries++) {
      try {
        const resourceId = await ownerOf(involved.data.involvedObject);
        if (resourceId === null) return;
        await insertWarning(database, resourceId, involved.data.involvedObject, warning);
        return;
      } catch (error) {
        onError(error);
        if (tries >= TRIES_MAX) return;
        await clock.sleep(RETRY_MS, stopped.signal);
      }
    }
  };

  store.subscribe(({ type, object }) => {
    if (type !== "deleted") work = work.then(() => keep(object));
  });
  return {
    start: () => reflector.start(),
    settled: () => work,
    stop: async () => {
      stopped.abort();
      await reflector.stop();
      await work;
    },
  };
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

function apiOf(apiVersion: string, kind: string): Api | undefined {
  return Object.values(apis).find((api) => api.kind === kind && apiVersionOf(api) === apiVersion);
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
