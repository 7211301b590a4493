import { createHash } from "node:crypto";
import { type ObjectRef } from "@/machines/facts";
import { type Clock } from "@/server/kubernetes/clock";
import { type Happening } from "@/server/kubernetes/event-recorder";

/** client-go's correlator: so many different messages of one reason about one object … */
const SIMILAR_MAX = 10;
/** … within this time are combined into one event. */
const SIMILAR_WINDOW_MS = 600_000;
/** At most so many events about one object at once, then one in five minutes: etcd is not a log. */
const SPAM_BURST = 25;
const SPAM_REFILL_MS = 300_000;
/** Objects and messages remembered; the longest untouched go first. */
const REMEMBERED_MAX = 4_096;
/** Namespace of events about objects that are in none: where `kubectl describe` looks for them. */
const DEFAULT_NAMESPACE = "default";

/** `known.name`: the Event that counts this already; null before the first was written. */
export type Occurrence = Happening & {
  known: { namespace: string; name: string | null };
  id: string;
  count: number;
  firstAt: number;
  lastAt: number;
};

type Seen = { known: Occurrence["known"]; id: string; count: number; firstAt: number };
type Similar = { messages: Set<string>; lastAt: number };
type Bucket = { tokens: number; filledAt: number };

/** Decides what an occurrence is: a first one, a repetition, one of a flood, or spam (null). */
export function createEventCorrelator(clock: Pick<Clock, "now" | "monotonic">) {
  const seen = createMemory<Seen>();
  const similar = createMemory<Similar>();
  const buckets = createMemory<Bucket>();

  const isSpam = (object: string): boolean => {
    const now = clock.monotonic();
    const bucket = buckets.take(object, () => ({ tokens: SPAM_BURST, filledAt: now }));
    const refilled = Math.floor((now - bucket.filledAt) / SPAM_REFILL_MS);
    bucket.tokens = Math.min(SPAM_BURST, bucket.tokens + refilled);
    bucket.filledAt += refilled * SPAM_REFILL_MS;
    if (bucket.tokens === 0) return true;
    bucket.tokens--;
    return false;
  };

  const isFlood = (kind: string, message: string): boolean => {
    const now = clock.monotonic();
    const group = similar.take(kind, () => ({ messages: new Set(), lastAt: now }));
    if (now - group.lastAt > SIMILAR_WINDOW_MS) group.messages.clear();
    group.lastAt = now;
    if (group.messages.size < SIMILAR_MAX) group.messages.add(message);
    return group.messages.size >= SIMILAR_MAX;
  };

  return {
    correlate: (happening: Happening): Occurrence | null => {
      const { about, severity, reason } = happening;
      const object = JSON.stringify([about.apiVersion, about.kind, about.namespace, about.name, about.uid]);
      const group = JSON.stringify([object, severity, reason]);
      const flood = isFlood(group, happening.message);
      const message = flood ? `(combined from similar events): ${happening.message}` : happening.message;
      const entry = seen.take(flood ? group : JSON.stringify([group, message]), () => ({
        known: { namespace: about.namespace ?? DEFAULT_NAMESPACE, name: null },
        id: idOf(group, message, clock.now()),
        count: 0,
        firstAt: clock.now(),
      }));
      // Counted even where it is not told: the next one that is tells of all.
      entry.count++;
      if (isSpam(object)) return null;
      const { known, id, count, firstAt } = entry;
      return { ...happening, about: withoutVersion(about), message, known, id, count, firstAt, lastAt: clock.now() };
    },
  };
}

/** Names the Event: the same for every try at writing it, different for every other one. */
function idOf(group: string, message: string, at: number): string {
  return createHash("sha256").update(`${group}\n${message}\n${at}`).digest("hex").slice(0, 16);
}

/** Every look at the object has another version; the event is about the object. */
function withoutVersion({ apiVersion, kind, namespace, name, uid }: ObjectRef): ObjectRef {
  return { apiVersion, kind, namespace, name, uid };
}

function createMemory<Value>() {
  const entries = new Map<string, Value>();
  return {
    take: (key: string, make: () => Value): Value => {
      const value = entries.get(key) ?? make();
      entries.delete(key);
      entries.set(key, value);
      const oldest = entries.keys().next();
      if (entries.size > REMEMBERED_MAX && !oldest.done) entries.delete(oldest.value);
      return value;
    },
  };
}
