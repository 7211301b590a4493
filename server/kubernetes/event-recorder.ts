import { type ObjectRef } from "@/machines/facts";
import { apis } from "@/server/kubernetes/apis";
import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { classify, isAlreadyExists, isNotFound } from "@/server/kubernetes/errors";
import { createEventCorrelator, type Occurrence } from "@/server/kubernetes/event-correlator";

/** Waiting for the server; more means that it is away, and news of the past is worth less than the worker's memory. */
const QUEUE_MAX = 1_000;
/** client-go's numbers: two minutes of trying, in which a server comes back from a restart. */
const TRIES_MAX = 12;
const RETRY_MS = 10_000;

export type Happening = { about: ObjectRef; severity: "Normal" | "Warning"; reason: string; message: string };

export type EventRecorder = {
  /** Never waits and never throws: an event is news, not state. */
  record(happening: Happening): void;
  /** Resolves when all that was recorded is written or given up. */
  drain(): Promise<void>;
  /** Gives up what is still waiting. */
  stop(): Promise<void>;
  state(): Readonly<EventRecorderState>;
};

export type EventRecorderState = { written: number; dropped: number; spam: number; waiting: number };

/**
 * Records Kubernetes Events: repetitions are counted, floods of similar ones combined, spam left out. Events of core/v1,
 * whose count every kubectl shows; the series of events.k8s.io say the same with one more clock to keep.
 */
export function createEventRecorder(options: {
  client: KubernetesClient;
  clock: Clock;
  /** Who reports, as `kubectl describe` shows it. */
  component: string;
  instance: string;
  onError?: (error: unknown) => void;
}): EventRecorder {
  const { client, clock, component, instance, onError = () => undefined } = options;
  const correlator = createEventCorrelator(clock);
  const stopped = new AbortController();
  const waiting: Happening[] = [];
  const state: EventRecorderState = { written: 0, dropped: 0, spam: 0, waiting: 0 };
  let writing: Promise<void> | null = null;

  const write = async (occurrence: Occurrence): Promise<void> => {
    const { known, count, lastAt } = occurrence;
    const lastTimestamp = seconds(lastAt);
    if (known.name !== null) {
      try {
        const key = { namespace: known.namespace, name: known.name };
        await client.patch(
          apis.event,
          key,
          { count, lastTimestamp, message: occurrence.message },
          { type: "merge", signal: stopped.signal },
        );
        return;
      } catch (error) {
        // The server forgets events after an hour: it is told anew.
        if (!isNotFound(error)) throw error;
      }
    }
    const name = `${occurrence.about.name}.${occurrence.id}`;
    const body = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { namespace: known.namespace, name },
      involvedObject: occurrence.about,
      type: occurrence.severity,
      reason: occurrence.reason,
      message: occurrence.message,
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
      firstTimestamp: seconds(occurrence.firstAt),
      lastTimestamp,
      count,
    };
    await client.create(apis.event, body, { signal: stopped.signal }).catch((error: unknown) => {
      // An earlier try was answered by nobody, and had worked.
      if (!isAlreadyExists(error)) throw error;
    });
    known.name = name;
  };

  const deliver = async (happening: Happening): Promise<void> => {
    const occurrence = correlator.correlate(happening);
    if (!occurrence) {
      state.spam++;
      return;
    }
    for (let tries = 1; !stopped.signal.aborted; tries++) {
      try {
        await write(occurrence);
        state.written++;
        return;
      } catch (error) {
        // The namespace is going, or the event is not valid: nothing that time would mend.
        if (tries >= TRIES_MAX || classify(error) === "permanent" || isNotFound(error)) {
          onError(error);
          break;
        }
        await clock.sleep(RETRY_MS, stopped.signal);
      }
    }
    state.dropped++;
  };

  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await deliver(next);
    writing = null;
  };

  return {
    record: (happening) => {
      if (stopped.signal.aborted || waiting.length >= QUEUE_MAX) {
        state.dropped++;
        return;
      }
      waiting.push(happening);
      writing ??= work();
    },
    drain: async () => {
      while (writing) await writing;
    },
    stop: async () => {
      state.dropped += waiting.length;
      waiting.length = 0;
      stopped.abort();
      await writing;
    },
    state: () => ({ ...state, waiting: waiting.length }),
  };
}

function seconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
