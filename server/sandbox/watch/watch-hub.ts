import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Change, type ChangeType, type Store } from "@/server/sandbox/storage/store";

/** What a watcher sees of a write: nothing, or an event. An object that leaves the selection looks deleted. */
export type Selection = {
  /** Watchers with the same key share filter, bytes and batches. */
  key: string;
  storageKey: string;
  matches: (object: KubernetesObject) => boolean;
  encode: (type: ChangeType, object: KubernetesObject) => string;
};

export type WatchHub = {
  /** From the current revision on. `write` gets whole events, in order, several at a time. */
  join(selection: Selection, write: Writer): () => void;
  /** Sends out what is waiting. Before a bookmark, so that it cannot overtake an event. */
  flush(): void;
  /** Nothing waits to be sent. */
  idle(): boolean;
};

/** Events as bytes; `chunk` is the same within the frame of a chunked HTTP body, so that watchers can share it too. */
type Batch = { events: Buffer; chunk: Buffer };
type Writer = (batch: Batch) => void;
type Group = { selection: Selection; pending: string[]; writers: Set<Writer>; leave: () => void };

/** Between rounds, this many times as long as the last one took: the busier the hub, the larger the batches… */
const REST = 9;
/** …but nobody waits longer than this for the next. */
const REST_MAX_MS = 25;

/** Serialises each event once per selection, and writes once per watcher and tick; less often when a round takes long. */
export function createWatchHub(store: Store): WatchHub {
  const groups = new Map<string, Group>();
  const dirty = new Set<Group>();
  let scheduled = false;
  let notBeforeMs = 0;

  function flush() {
    scheduled = false;
    const startedMs = performance.now();
    for (const group of dirty) send(group);
    dirty.clear();
    const endedMs = performance.now();
    notBeforeMs = endedMs + Math.min((endedMs - startedMs) * REST, REST_MAX_MS);
  }

  function schedule() {
    if (scheduled) return;
    scheduled = true;
    const waitMs = notBeforeMs - performance.now();
    if (waitMs < 1) setImmediate(flush);
    else setTimeout(flush, waitMs);
  }

  function send(group: Group) {
    if (group.pending.length === 0) return;
    const batch = batchOf(group.pending.join(""));
    group.pending = [];
    for (const write of group.writers) write(batch);
  }

  function groupOf(selection: Selection): Group {
    const found = groups.get(selection.key);
    if (found) return found;
    const group: Group = { selection, pending: [], writers: new Set(), leave: () => undefined };
    group.leave = store.subscribe(selection.storageKey, (change) => {
      const event = eventOf(change, selection.matches);
      if (!event) return;
      group.pending.push(selection.encode(event.type, event.object));
      dirty.add(group);
      schedule();
    });
    groups.set(selection.key, group);
    return group;
  }

  return {
    flush,
    idle: () => dirty.size === 0,
    join(selection, write) {
      const group = groupOf(selection);
      // What is pending happened before this watcher came.
      send(group);
      group.writers.add(write);
      return () => {
        group.writers.delete(write);
        if (group.writers.size > 0) return;
        group.leave();
        groups.delete(selection.key);
        dirty.delete(group);
      };
    },
  };
}

function batchOf(text: string): Batch {
  const length = Buffer.byteLength(text);
  const head = `${length.toString(16)}\r\n`;
  const chunk = Buffer.from(`${head}${text}\r\n`);
  return { chunk, events: chunk.subarray(head.length, head.length + length) };
}

export function eventOf(
  change: Change,
  matches: (object: KubernetesObject) => boolean,
): { type: ChangeType; object: KubernetesObject } | null {
  const before = change.old !== undefined && matches(change.old);
  if (change.type === "DELETED") return before ? { type: "DELETED", object: change.object } : null;
  const after = matches(change.object);
  if (after) return { type: before ? "MODIFIED" : "ADDED", object: change.object };
  return before && change.old ? { type: "DELETED", object: atRevision(change.old, change.revision) } : null;
}

function atRevision(object: KubernetesObject, revision: number): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
