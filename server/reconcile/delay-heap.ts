/** Which slot is due when: a binary heap over small integers, without an object for each entry. */
export type DelayHeap = {
  /** The earlier time wins when the slot waits already. */
  schedule(slot: number, at: number): void;
  cancel(slot: number): void;
  has(slot: number): boolean;
  /** The earliest time; Infinity when nothing waits. */
  next(): number;
  /** Takes the earliest slot that is due, or -1. */
  takeDue(now: number): number;
  size(): number;
};

export function createDelayHeap(): DelayHeap {
  const heap: number[] = [];
  /** By slot: its time, and its place in the heap plus one, so that 0 means "does not wait". */
  const times: number[] = [];
  const places: number[] = [];

  const timeAt = (index: number) => times[heap[index] ?? -1] ?? Infinity;
  const put = (slot: number, index: number) => {
    heap[index] = slot;
    places[slot] = index + 1;
  };

  const siftUp = (slot: number, from: number) => {
    const time = times[slot] ?? Infinity;
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (timeAt(parent) <= time) break;
      put(heap[parent] ?? -1, index);
      index = parent;
    }
    put(slot, index);
  };

  const siftDown = (slot: number, from: number) => {
    const time = times[slot] ?? Infinity;
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= heap.length) break;
      const child = left + 1 < heap.length && timeAt(left + 1) < timeAt(left) ? left + 1 : left;
      if (timeAt(child) >= time) break;
      put(heap[child] ?? -1, index);
      index = child;
    }
    put(slot, index);
  };

  const cancel = (slot: number) => {
    const index = (places[slot] ?? 0) - 1;
    if (index < 0) return;
    places[slot] = 0;
    const last = heap.pop();
    if (last === undefined || last === slot) return;
    if (index > 0 && timeAt((index - 1) >> 1) > (times[last] ?? Infinity)) siftUp(last, index);
    else siftDown(last, index);
  };

  return {
    schedule(slot, at) {
      const index = (places[slot] ?? 0) - 1;
      if (index >= 0 && at >= (times[slot] ?? Infinity)) return;
      fill(times, slot);
      fill(places, slot);
      times[slot] = at;
      siftUp(slot, index >= 0 ? index : heap.length);
    },
    cancel,
    has: (slot) => (places[slot] ?? 0) > 0,
    next: () => timeAt(0),
    takeDue(now) {
      const slot = heap[0];
      if (slot === undefined || timeAt(0) > now) return -1;
      cancel(slot);
      return slot;
    },
    size: () => heap.length,
  };
}

/** Keeps the array without holes, which would make every later access slow. */
function fill(array: number[], slot: number): void {
  while (array.length <= slot) array.push(0);
}
