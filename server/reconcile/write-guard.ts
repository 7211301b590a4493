import { type Lease } from "@/server/kubernetes/lease";
import { NotLeading } from "./not-leading";

/** The right to write, which lasts as long as the lease. */
export type WriteGuard = {
  mayWrite(): boolean;
  /** Throws when the lease may have passed on. The signal ends with the right: a write that still waits then is not sent. */
  check(): AbortSignal;
  /** For good: this process writes nothing more. */
  close(): void;
};

export function createWriteGuard(
  lease: Pick<Lease, "isHeld" | "onChange">,
  onRefused: () => void = () => undefined,
): WriteGuard {
  let term = new AbortController();
  let closed = false;
  const mayWrite = () => !closed && lease.isHeld();
  const end = () => term.abort(new NotLeading());
  const unsubscribe = lease.onChange((held) => {
    if (held) term = new AbortController();
    else end();
  });

  return {
    mayWrite,
    check: () => {
      if (mayWrite()) return term.signal;
      onRefused();
      throw new NotLeading();
    },
    close: () => {
      closed = true;
      unsubscribe();
      end();
    },
  };
}
