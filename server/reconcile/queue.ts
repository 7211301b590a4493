import { type Clock, type Timer } from "@/server/kubernetes/clock";
import { createDelayHeap } from "./delay-heap";

/** What `low` waits behind: the start-up flood must not hold up a user's change. */
export type Priority = "low" | "normal";

/**
 * Keys waiting to be reconciled. A key is in it once, however often it is added, and with one worker at a time; a key
 * that is added while it is worked on is run once more afterwards.
 */
export type Queue = {
  /** Ready at once, even if the key was delayed. A higher priority wins; a lower one changes nothing. */
  add(key: string, priority?: Priority): void;
  /** Ready after a while, unless it is ready earlier already. Its priority is the one that it last had. */
  addAfter(key: string, delayMs: number): void;
  /** As `addAfter`, counted as a failure; the delay grows with each until `forget`. Gives the delay. */
  retry(key: string, delayOf: (failures: number) => number): number;
  forget(key: string): void;
  /** The resource is gone: forgets all about the key, unless it was added again meanwhile. */
  drop(key: string): void;
  /** The next key of at least this priority, now being worked on; undefined when there is none. */
  take(atLeast?: Priority): string | undefined;
  done(key: string): void;
  /** The priority that a key being worked on was taken with. */
  priorityOf(key: string): Priority;
  ready(priority: Priority): number;
  waiting(): number;
  processing(): number;
  /** Takes nothing in and hands nothing out any more; keys being worked on still end with `done`. */
  close(): void;
};

export type QueueObserver = {
  /** Called when a key has become ready, from within `add`, `done` or a timer. */
  onReady: () => void;
  onAdd?: () => void;
  onRetry?: () => void;
  onTake?: (waitedMs: number) => void;
};

const QUEUED = 1;
const DIRTY = 2;
const PROCESSING = 4;
const DROPPED = 8;
const LOW = 0;
const NORMAL = 1;
const NONE = -1;
/** Longest delay that a timer of Node can hold. */
const TIMER_MS_MAX = 2_147_483_647;

/**
 * Each key has a slot, an index into parallel arrays, until it is dropped: adding, taking and finishing a known key
 * allocates nothing. Each level of priority is a doubly linked list through the slots, first in first out.
 */
export function createQueue({ clock, observer }: { clock: Clock; observer: QueueObserver }): Queue {
  const slots = new Map<string, number>();
  const free: number[] = [];
  const keys: string[] = [];
  const flags: number[] = [];
  const levels: number[] = [];
  const failures: number[] = [];
  const since: number[] = [];
  const next: number[] = [];
  const previous: number[] = [];
  const heads = [NONE, NONE];
  const tails = [NONE, NONE];
  const counts = [0, 0];
  const delays = createDelayHeap();
  let processing = 0;
  let timer: Timer | null = null;
  let timerAt = Infinity;
  let closed = false;

  // Reading the clock costs as much as the rest of an add, so one reading serves a whole turn.
  let stamped = false;
  let stampMs = 0;
  const turn = Promise.resolve();
  const unstamp = () => {
    stamped = false;
  };
  const stamp = () => {
    if (stamped) return stampMs;
    stamped = true;
    void turn.then(unstamp);
    stampMs = clock.monotonic();
    return stampMs;
  };

  const slotOf = (key: string): number => {
    const known = slots.get(key);
    if (known !== undefined) return known;
    const slot = free.pop() ?? keys.length;
    keys[slot] = key;
    flags[slot] = 0;
    levels[slot] = LOW;
    failures[slot] = 0;
    since[slot] = 0;
    next[slot] = NONE;
    previous[slot] = NONE;
    slots.set(key, slot);
    return slot;
  };

  const release = (slot: number, key: string) => {
    slots.delete(key);
    keys[slot] = "";
    free.push(slot);
  };

  const enqueue = (slot: number) => {
    const level = levels[slot] ?? LOW;
    const tail = tails[level] ?? NONE;
    flags[slot] = (flags[slot] ?? 0) | QUEUED;
    since[slot] = stamp();
    next[slot] = NONE;
    previous[slot] = tail;
    if (tail === NONE) heads[level] = slot;
    else next[tail] = slot;
    tails[level] = slot;
    counts[level] = (counts[level] ?? 0) + 1;
  };

  const unlink = (slot: number) => {
    const level = levels[slot] ?? LOW;
    const before = previous[slot] ?? NONE;
    const after = next[slot] ?? NONE;
    if (before === NONE) heads[level] = after;
    else next[before] = after;
    if (after === NONE) tails[level] = before;
    else previous[after] = before;
    flags[slot] = (flags[slot] ?? 0) & ~QUEUED;
    counts[level] = (counts[level] ?? 0) - 1;
  };

  const makeReady = (slot: number) => {
    delays.cancel(slot);
    const flag = flags[slot] ?? 0;
    if ((flag & PROCESSING) !== 0) {
      flags[slot] = flag | DIRTY;
      return;
    }
    if ((flag & QUEUED) !== 0) return;
    enqueue(slot);
    observer.onReady();
  };

  const raise = (slot: number, level: number) => {
    if (level <= (levels[slot] ?? LOW)) return;
    const queued = ((flags[slot] ?? 0) & QUEUED) !== 0;
    if (queued) unlink(slot);
    levels[slot] = level;
    if (queued) enqueue(slot);
  };

  const arm = () => {
    const at = delays.next();
    if (at >= timerAt || closed) return;
    timer?.cancel();
    timerAt = at;
    timer = clock.setTimeout(fire, Math.min(Math.max(0, at - clock.monotonic()), TIMER_MS_MAX));
  };

  const fire = () => {
    timer = null;
    timerAt = Infinity;
    const now = clock.monotonic();
    for (let slot = delays.takeDue(now); slot !== NONE; slot = delays.takeDue(now)) makeReady(slot);
    arm();
  };

  const delay = (slot: number, delayMs: number) => {
    if (((flags[slot] ?? 0) & (QUEUED | DIRTY)) !== 0) return;
    if (delayMs > 0) {
      delays.schedule(slot, clock.monotonic() + delayMs);
      arm();
    } else makeReady(slot);
  };

  return {
    add(key, priority = "normal") {
      if (closed) return;
      observer.onAdd?.();
      const slot = slotOf(key);
      raise(slot, priority === "low" ? LOW : NORMAL);
      makeReady(slot);
    },
    addAfter(key, delayMs) {
      if (closed) return;
      delay(slotOf(key), delayMs);
    },
    retry(key, delayOf) {
      if (closed) return 0;
      observer.onRetry?.();
      const slot = slotOf(key);
      const count = (failures[slot] ?? 0) + 1;
      failures[slot] = count;
      const delayMs = delayOf(count);
      delay(slot, delayMs);
      return delayMs;
    },
    forget(key) {
      const slot = slots.get(key);
      if (slot !== undefined) failures[slot] = 0;
    },
    drop(key) {
      const slot = slots.get(key);
      if (slot === undefined) return;
      failures[slot] = 0;
      delays.cancel(slot);
      if (flags[slot] === 0) release(slot, key);
      else if (flags[slot] === PROCESSING) flags[slot] = PROCESSING | DROPPED;
    },
    take(atLeast = "low") {
      if (closed) return undefined;
      const normal = heads[NORMAL] ?? NONE;
      const slot = normal === NONE && atLeast === "low" ? (heads[LOW] ?? NONE) : normal;
      if (slot === NONE) return undefined;
      unlink(slot);
      flags[slot] = PROCESSING;
      processing += 1;
      observer.onTake?.(stamp() - (since[slot] ?? 0));
      return keys[slot];
    },
    done(key) {
      const slot = slots.get(key);
      if (slot === undefined || ((flags[slot] ?? 0) & PROCESSING) === 0) return;
      processing -= 1;
      const flag = flags[slot] ?? 0;
      flags[slot] = 0;
      // At rest the priority falls back: what woke the key this time says nothing about the next.
      if ((flag & DIRTY) !== 0 && !closed) makeReady(slot);
      else if ((flag & DROPPED) !== 0) release(slot, key);
      else if (failures[slot] === 0 && !delays.has(slot)) levels[slot] = LOW;
    },
    priorityOf: (key) => ((levels[slots.get(key) ?? NONE] ?? NORMAL) === LOW ? "low" : "normal"),
    ready: (priority) => counts[priority === "low" ? LOW : NORMAL] ?? 0,
    waiting: () => delays.size(),
    processing: () => processing,
    close() {
      closed = true;
      timer?.cancel();
      timer = null;
    },
  };
}
