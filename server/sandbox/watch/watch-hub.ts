import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Change, type ChangeType, type Store } from "@/server/sandbox/storage/store";

/** What a watcher sees of a write: nothing, or an event. An object that leaves the selection looks deleted. */
export type Selection = {
  /** Watchers with the same key share filter, bytes and batches. */
  key: string;
  storageKey: string;
  matches: (object: KubernetesObject) => boolean;
  encode: (type: ChangeType, object: KubernetesObject) => Buffer;
};

export type WatchHub = {
  /** From the current revision on. `write` gets whole events, in order, several at a time. */
  join(selection: Selection, write: (chunk: Buffer) => void): () => void;
  /** Sends out what is waiting. Before a bookmark, so that it cannot overtake an event. */
  flush(): void;
  /** Nothing waits to be sent. */
  idle(): boolean;
};

type Group = { selection: Selection; pending: Buffer[]; writers: Set<(chunk: Buffer) => void>; leave: () => void };

/** Serialises each event once per selection, and writes once per watcher and tick. */
export function createWatchHub(store: Store): WatchHub {
  const groups = new Map<string, Group>();
  const dirty = new Set<Group>();
  let scheduled = false;

  function flush() {
    scheduled = false;
    for (const group of dirty) send(group);
    dirty.clear();
  }

  function send(group: Group) {
    if (group.pending.length === 0) return;
    const [only] = group.pending;
    const chunk = group.pending.length === 1 && only ? only : Buffer.concat(group.pending);
    group.pending = [];
    for (const write of group.writers) write(chunk);
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
      if (scheduled) return;
      scheduled = true;
      setImmediate(flush);
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
