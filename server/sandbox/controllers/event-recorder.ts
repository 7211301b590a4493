import { type Clock } from "@/server/kubernetes/clock";
import { apis } from "@/server/kubernetes/apis";
import { type Kept, microTimestampOf, timestampOf } from "@/server/sandbox/objects/meta";
import { type Shelves } from "./shelves";

type EventType = "Normal" | "Warning";
export type EventRecorder = (about: Kept, type: EventType, reason: string, message: string, fieldPath?: string) => void;

type RecordedEvent = Kept & { message: string; count?: number; firstTimestamp?: string; lastTimestamp?: string };
type Known = { namespace: string; name: string; count: number };
type Similar = { messages: Set<string>; lastMs: number };
type Bucket = { tokens: number; refilledMs: number };

// The numbers of client-go's event correlator.
const SIMILAR_MOST = 10;
const SIMILAR_FOR_MS = 600_000;
const BURST = 25;
const REFILL_MS = 300_000;

/**
 * Records events as client-go's recorder does: the same one again raises its count by a patch, many that differ only in
 * their message are combined, and one object cannot flood the namespace.
 */
export function createEventRecorder(options: {
  shelves: Shelves;
  clock: Clock;
  component: string;
  host?: string;
}): EventRecorder {
  const { shelves, clock, component, host } = options;
  const events = shelves.of<RecordedEvent>(apis.event);
  const known = new Map<string, Known>();
  const similar = new Map<string, Similar>();
  const buckets = new Map<string, Bucket>();
  let last = Promise.resolve();

  function allowed(about: Kept): boolean {
    const bucket = buckets.get(about.metadata.uid) ?? { tokens: BURST, refilledMs: clock.now() };
    const refill = Math.floor((clock.now() - bucket.refilledMs) / REFILL_MS);
    bucket.tokens = Math.min(BURST, bucket.tokens + refill);
    bucket.refilledMs += refill * REFILL_MS;
    buckets.set(about.metadata.uid, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** The key and the message under which the event is stored, combined with its like when they are too many. */
  function aggregate(base: string, message: string): { key: string; message: string } {
    const now = clock.now();
    const group = similar.get(base);
    const fresh: Similar = group && now - group.lastMs <= SIMILAR_FOR_MS ? group : { messages: new Set(), lastMs: now };
    fresh.messages.add(message);
    fresh.lastMs = now;
    similar.set(base, fresh);
    if (fresh.messages.size < SIMILAR_MOST) return { key: `${base}|${message}`, message };
    return { key: base, message: `(combined from similar events): ${message}` };
  }

  async function write(about: Kept, event: { type: EventType; reason: string; message: string; fieldPath?: string }) {
    if (!allowed(about)) return;
    const base = [about.metadata.uid, event.fieldPath ?? "", event.type, event.reason].join("|");
    const { key, message } = aggregate(base, event.message);
    const now = clock.now();
    const before = known.get(key);
    if (before && events.get(before.namespace, before.name)) {
      before.count += 1;
      await events.patch(before.namespace, before.name, {
        count: before.count,
        lastTimestamp: timestampOf(now),
        message,
      });
      return;
    }
    const namespace = about.metadata.namespace ?? "default";
    const name = eventName(about, now);
    known.set(key, { namespace, name, count: 1 });
    await events.create({
      ...eventBody(about, event.fieldPath, { component, host }),
      metadata: { name, namespace },
      type: event.type,
      reason: event.reason,
      message,
      count: 1,
      firstTimestamp: timestampOf(now),
      lastTimestamp: timestampOf(now),
      eventTime: null,
    });
  }

  return (about, type, reason, message, fieldPath) => {
    // One after the other, so that a repeat finds the event it repeats. A lost event is not worth failing for: the
    // namespace may be going away.
    last = last.then(() => write(about, { type, reason, message, fieldPath }).catch(() => undefined));
  };
}

export type SchedulingEvent = { type: EventType; reason: string; action: string; message: string };
type SeriesEvent = Kept & { series?: { count: number; lastObservedTime: string } };

/** Records events in the newer form, as the scheduler does: an event time, an action, and a series for repeats. */
export function createSeriesRecorder(options: {
  shelves: Shelves;
  clock: Clock;
  component: string;
  instance: string;
}): (about: Kept, event: SchedulingEvent) => void {
  const { shelves, clock, component, instance } = options;
  const events = shelves.of<SeriesEvent>(apis.event);
  const known = new Map<string, Known>();
  let last = Promise.resolve();

  async function write(about: Kept, event: SchedulingEvent) {
    const key = [about.metadata.uid, event.reason, event.message].join("|");
    const before = known.get(key);
    if (before && events.get(before.namespace, before.name)) {
      before.count += 1;
      await events.patch(before.namespace, before.name, {
        series: { count: before.count, lastObservedTime: microTimestampOf(clock.now()) },
      });
      return;
    }
    const namespace = about.metadata.namespace ?? "default";
    const name = eventName(about, clock.now());
    known.set(key, { namespace, name, count: 1 });
    await events.create({
      ...eventBody(about, undefined, {}),
      metadata: { name, namespace },
      ...event,
      eventTime: microTimestampOf(clock.now()),
      reportingComponent: component,
      reportingInstance: instance,
      firstTimestamp: null,
      lastTimestamp: null,
    });
  }

  return (about, event) => {
    last = last.then(() => write(about, event).catch(() => undefined));
  };
}

function eventBody(about: Kept, fieldPath: string | undefined, from: { component?: string; host?: string }) {
  const { namespace, name, uid, resourceVersion } = about.metadata;
  return {
    apiVersion: "v1",
    kind: "Event",
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      namespace,
      name,
      uid,
      resourceVersion,
      fieldPath,
    },
    source: from.component ? { component: from.component, host: from.host } : {},
    reportingComponent: from.component ?? "",
    reportingInstance: from.host ?? "",
  };
}

let lastNanos = 0n;

/** The object's name and the time in nanoseconds, which no two events share. */
function eventName(about: Kept, nowMs: number): string {
  const nanos = BigInt(Math.floor(nowMs)) * 1_000_000n;
  lastNanos = nanos > lastNanos ? nanos : lastNanos + 1n;
  return `${about.metadata.name}.${lastNanos.toString(16)}`;
}
