import { apis } from "@/server/kubernetes/apis";
import { type CallOptions, type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock, type Timer } from "@/server/kubernetes/clock";
import { isAlreadyExists, isConflict, isNotFound } from "@/server/kubernetes/errors";
import { leaseObject, type LeaseRecord, recordOf } from "@/server/kubernetes/lease-record";
import { compareResourceVersions, type KubernetesObject } from "@/server/kubernetes/object";
import { createReflector } from "@/server/kubernetes/reflector";
import { createStore } from "@/server/kubernetes/store";

/** Kubernetes' own numbers: a leader that is silent for this long has lost it … */
const LEASE_DURATION_MS = 15_000;
/** … and stops writing this long after its last renewal, 5 s before anybody else may start … */
const RENEW_DEADLINE_MS = 10_000;
/** … renewing often enough that two lost requests do no harm. */
const RETRY_MS = 2_000;
/** One hung request must not cost the lease. */
const REQUEST_TIMEOUT_MS = Math.max(1_000, RENEW_DEADLINE_MS / 2);
/** Standbys wait a little differently for a silent leader. client-go spreads over 2.4 s; a lost race is a mere 409. */
const EXPIRY_JITTER_MS = 500;
const RELEASE_TRIES_MAX = 3;

export type Lease = {
  start(): void;
  /** Gives the lease back when it is held: call it when all guarded work has ended. `abandon` leaves it to expire, as a crash would. */
  stop(options?: { abandon?: boolean }): Promise<void>;
  /** May this process write at this very moment? Asked before each write: it turns false by the mere passing of time. */
  isHeld(): boolean;
  /** Grows with every holder: who has seen a larger one must refuse the writes of a smaller. */
  readonly token: number;
  /** Told when the lease is won and when it is lost. */
  onChange(listener: (held: boolean) => void): () => void;
  holder(): string;
};

export type LeaseOptions = {
  /** With connections of its own, so that a flood of passes cannot delay a renewal. */
  client: KubernetesClient;
  clock: Clock;
  namespace: string;
  name: string;
  /** Unique for each process, not for each host. */
  identity: string;
  /** The largest token that somebody is known to have written with: a lease that was deleted, or is of another cluster, counts on from it. */
  tokenAfter?: number;
  random?: () => number;
  onError?: (error: unknown) => void;
};

/**
 * Leadership by a Lease, watched: a release is seen when it happens, and a standby makes no requests. Only the local time at which
 * the record was seen to change counts, never the times written in it, so that clocks may differ.
 */
export function createLease(options: LeaseOptions): Lease {
  const { client, clock, namespace, name, identity, random = Math.random, onError = () => undefined } = options;
  const at = { namespace, name };
  const listeners = new Set<(held: boolean) => void>();
  const store = createStore();
  const reflector = createReflector({
    client,
    clock,
    store,
    random,
    onError,
    api: apis.lease,
    namespace,
    fieldSelector: `metadata.name=${name}`,
  });
  const stopped = new AbortController();
  // A renewal under way ends with the stop; the release that follows does not.
  let call: CallOptions = { timeoutMs: REQUEST_TIMEOUT_MS, signal: stopped.signal };
  let record: LeaseRecord | null = null;
  let seenAt = 0;
  let renewedAt: number | null = null;
  let deadline: Timer | null = null;
  let token = 0;
  let largest = options.tokenAfter ?? -1;
  let nap = new AbortController();
  let running: Promise<void> | null = null;

  const isHeld = () => renewedAt !== null && clock.monotonic() - renewedAt <= RENEW_DEADLINE_MS;

  const see = (object: KubernetesObject | null) => {
    const found = object && recordOf(object);
    const order = compareResourceVersions(found?.resourceVersion ?? "", record?.resourceVersion ?? "");
    if (found && order !== null && order <= 0) return;
    record = found;
    largest = Math.max(largest, found?.transitions ?? -1);
    seenAt = clock.monotonic();
    if (found?.holder !== identity) lose();
  };

  const tell = (held: boolean) => {
    for (const listener of listeners) listener(held);
  };

  const lose = () => {
    deadline?.cancel();
    if (renewedAt === null) return;
    renewedAt = null;
    tell(false);
  };

  /** Writes the record; counted from before the request, since it may have taken effect at any moment of it. */
  const write = async (next: LeaseRecord): Promise<void> => {
    const sentAt = clock.monotonic();
    const body = leaseObject(at, next, clock.now());
    const answer = next.resourceVersion
      ? await client.replace(apis.lease, body, call)
      : await client.create(apis.lease, body, call);
    record = recordOf(answer);
    largest = Math.max(largest, record.transitions);
    seenAt = clock.monotonic();
    if (next.holder !== identity || stopped.signal.aborted) return;
    const isNew = renewedAt === null;
    renewedAt = sentAt;
    token = next.transitions;
    deadline?.cancel();
    // One millisecond later than the last moment at which it still is.
    deadline = clock.setTimeout(lose, sentAt + RENEW_DEADLINE_MS + 1 - clock.monotonic());
    if (isNew) tell(true);
  };

  const look = async () => {
    try {
      see(await client.get(apis.lease, at, call));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      see(null);
    }
  };

  /** One renewal or one try to win it; answers how long to wait for the next. */
  const step = async (): Promise<number> => {
    if (isHeld() && record) {
      await write({ ...record, holder: identity, durationMs: LEASE_DURATION_MS });
      return RETRY_MS;
    }
    lose();
    // Nobody tells us of changes: ask.
    if (reflector.state().phase !== "watching") await look();
    const expiresInMs =
      record?.holder && record.holder !== identity ? seenAt + record.durationMs - clock.monotonic() : 0;
    if (expiresInMs > 0) {
      const watched = reflector.state().phase === "watching";
      return watched ? expiresInMs + random() * EXPIRY_JITTER_MS : Math.min(expiresInMs, RETRY_MS);
    }
    await write({
      holder: identity,
      durationMs: LEASE_DURATION_MS,
      transitions: largest + 1,
      acquireTime: undefined,
      resourceVersion: record?.resourceVersion,
    });
    return RETRY_MS;
  };

  const run = async () => {
    while (!stopped.signal.aborted) {
      nap = new AbortController();
      const waitMs = await step().catch(async (error: unknown) => {
        // Somebody else wrote, or an answer of ours was lost: what is there now decides.
        if (stopped.signal.aborted) return 0;
        const isRace = isConflict(error) || isAlreadyExists(error) || isNotFound(error);
        if (!isRace) onError(error);
        if (isRace && (await look().then(() => true, onError))) return 0;
        return RETRY_MS;
      });
      if (waitMs > 0) await clock.sleep(waitMs, nap.signal);
    }
  };

  return {
    isHeld,
    get token() {
      return token;
    },
    holder: () => record?.holder ?? "",
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    start: () => {
      store.subscribe(({ type, object }) => {
        see(type === "deleted" ? null : object);
        // While it is held the news can only be our own renewals: woken by those, it would renew for ever.
        if (!isHeld()) nap.abort();
      });
      reflector.start();
      running ??= run();
    },
    stop: async ({ abandon = false } = {}) => {
      const mustRelease = isHeld() && !abandon;
      stopped.abort();
      nap.abort();
      lose();
      await Promise.all([running, reflector.stop()]);
      if (mustRelease) await release().catch(onError);
    },
  };

  async function release() {
    call = { timeoutMs: REQUEST_TIMEOUT_MS };
    for (let tries = 1; record?.holder === identity; tries++) {
      try {
        // The shortest duration that the server takes: who cannot see the empty holder waits for one second.
        await write({ ...record, holder: "", durationMs: 1_000 });
      } catch (error) {
        if (!isConflict(error) || tries >= RELEASE_TRIES_MAX) throw error;
        await look();
      }
    }
  }
}
