import { setMaxListeners } from "node:events";
import { type Lease } from "@/server/kubernetes/lease";
import { NotLeading } from "./not-leading";

/** The right to write, which lasts as long as the lease. */
export type WriteGuard = {
  mayWrite(): boolean;
  /** Throws when the lease may have passed on. The signal ends with the right: a write that still waits then is not sent. */
  check(): AbortSignal;
  /** Ends when the lease that is held now is lost; one that is won again is another term. */
  term(): AbortSignal;
  /** For good: this process writes nothing more. */
  close(): void;
};

export function createWriteGuard(
  lease: Pick<Lease, "isHeld" | "onChange">,
  onRefused: () => void = () => undefined,
): WriteGuard {
  let term = newTerm();
  let closed = false;
  const mayWrite = () => !closed && lease.isHeld();
  const end = () => term.abort(new NotLeading());
  const unsubscribe = lease.onChange((held) => {
    if (held) term = newTerm();
    else end();
  });

  return {
    mayWrite,
    check: () => {
      if (mayWrite()) return term.signal;
      onRefused();
      throw new NotLeading();
    },
    term: () => term.signal,
    close: () => {
      closed = true;
      unsubscribe();
      end();
    },
  };
}

/** Every write that is under way listens for the end of the term: many at once are no leak. */
function newTerm(): AbortController {
  const term = new AbortController();
  setMaxListeners(0, term.signal);
  return term;
}
