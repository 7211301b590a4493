import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { KubernetesError } from "@/server/kubernetes/errors";
import { type Scope } from "@/server/kubernetes/lister";
import { type KubernetesObject, pathOf } from "@/server/kubernetes/object";
import { type ReflectorState } from "@/server/kubernetes/reflector";
import { type createStallGuard } from "@/server/kubernetes/stall-guard";
import { type Store, type StoreWriter } from "@/server/kubernetes/store";
import { type WatchEvent } from "@/server/kubernetes/watch";

/** A watch ends itself after a random time in this range, so that the watchers of a server spread over its replicas again. */
const WATCH_SECONDS_MIN = 300;
const WATCH_SECONDS_SPREAD = 300;
/** A watch that ends sooner than this without one event was refused in all but name: it counts as a failure. */
const SHORT_WATCH_MS = 1_000;
/** On the bookmark that ends the initial events. */
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

type WatchOnce = Scope & {
  client: KubernetesClient;
  clock: Clock;
  store: Store & StoreWriter;
  /** "initialEvents": the whole world first, as events; the store takes it in one step. */
  from: "version" | "initialEvents";
  slim: (object: KubernetesObject) => KubernetesObject;
  stall: ReturnType<typeof createStallGuard>;
  state: ReflectorState;
  random: () => number;
  signal: AbortSignal;
  onReplaced: () => void;
};

/** One watch into the store. Resolves when the next watch may follow at once; throws when it must wait, or list. */
export async function watchOnce(options: WatchOnce): Promise<void> {
  const { client, clock, state, signal, stall } = options;
  const ended = new AbortController();
  const end = () => ended.abort();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const openedAt = clock.monotonic();
  const take = takerOf(options);
  let events = 0;
  // Initial events that do not come to their end are as good as none.
  const wasHealthy = () => state.phase === "watching" && (events > 0 || clock.monotonic() - openedAt >= SHORT_WATCH_MS);
  const silence = stall.over(() => {
    state.stalls++;
    end();
  });
  state.phase = options.from === "version" ? "watching" : "listing";
  try {
    await client.watchInto(
      pathOf(options.api, { namespace: options.namespace }),
      { query: queryOf(options), signal: ended.signal },
      {
        onEvent: (event) => {
          events++;
          state.events++;
          silence.heard();
          take(event);
        },
      },
    );
    if (ended.signal.aborted) return;
  } catch (error) {
    // A line that broke after it had worked is opened again at once; all else waits.
    const isBroken = error instanceof KubernetesError && error.kind === "network";
    if (!isBroken || !wasHealthy()) throw error;
  } finally {
    silence.end();
    signal.removeEventListener("abort", end);
  }
  if (!wasHealthy()) throw shortWatchError(options.api.plural);
}

/** A server that does not stream lists says so in one of these ways. */
export function isRefusedWatchList(error: unknown): boolean {
  return error instanceof KubernetesError && (error.kind === "invalid" || error.kind === "badRequest");
}

function queryOf({ from, store, labelSelector, fieldSelector, random }: WatchOnce) {
  return {
    watch: true,
    allowWatchBookmarks: true,
    timeoutSeconds: WATCH_SECONDS_MIN + Math.floor(random() * WATCH_SECONDS_SPREAD),
    resourceVersion: store.resourceVersion || undefined,
    labelSelector,
    fieldSelector,
    ...(from === "initialEvents" ? { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" } : {}),
  };
}

function takerOf({ from, store, state, slim, onReplaced }: WatchOnce): (event: WatchEvent) => void {
  // While the initial events come, in no order of versions, the old world stays on view.
  let world: Map<string, KubernetesObject> | null = from === "initialEvents" ? new Map() : null;

  const takeInitial = (into: Map<string, KubernetesObject>, { type, object }: WatchEvent) => {
    const { namespace = "", name, annotations, resourceVersion = "" } = object.metadata;
    if (type === "DELETED") into.delete(`${namespace}/${name}`);
    else if (type !== "BOOKMARK") into.set(`${namespace}/${name}`, slim(object));
    else if (annotations?.[INITIAL_EVENTS_END] === "true") {
      world = null;
      state.phase = "watching";
      if (store.replace(into.values(), resourceVersion)) onReplaced();
      else throw oldViewError(resourceVersion, store.resourceVersion);
    }
  };

  return (event) => {
    if (world) {
      takeInitial(world, event);
      return;
    }
    if (event.type === "BOOKMARK") store.bookmark(event.object.metadata.resourceVersion ?? "");
    else if (!store.apply(event.type, slim(event.object))) state.refused++;
  };
}

export function oldViewError(found: string, known: string): KubernetesError {
  const message = `the server shows version ${found}, and ${known} was seen already: an old view is not taken`;
  return new KubernetesError({ kind: "unavailable", code: 0, reason: "OldView", message, outcome: "refused" });
}

function shortWatchError(plural: string): KubernetesError {
  const message = `the watch of ${plural} ended at once without an event`;
  return new KubernetesError({ kind: "unavailable", code: 0, reason: "VeryShortWatch", message, outcome: "refused" });
}
