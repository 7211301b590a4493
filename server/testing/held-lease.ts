import { type Lease } from "@/server/kubernetes/lease";

/** A lease that nobody contests: for runs whose subject is not leadership, where renewals would only cost time. */
export function heldLease(token: number): Lease {
  const listeners = new Set<(held: boolean) => void>();
  let isHeld = false;
  const turn = (held: boolean) => {
    isHeld = held;
    for (const listener of listeners) listener(held);
  };
  return {
    token,
    isHeld: () => isHeld,
    holder: () => "",
    start: () => turn(true),
    stop: async () => turn(false),
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
