import { type Priority } from "./queue";

/**
 * Tells the watch event of our own write from a change by somebody else. After a failure that may pass, the echo of the
 * status that tells of it must not cut the backoff short. After a success it brings the next step, at the pass's own
 * priority; so it does after a failure for good, which nothing else would ever look at again.
 */
export type Echoes = {
  begin(key: string): void;
  /** What the event of this version means for the queue: null is to be ignored. */
  heard(key: string, resourceVersion: string | undefined): Priority | null;
  /** The pass ended, having left the resource at this version (undefined: it wrote nothing). Gives what was heard meanwhile. */
  end(key: string, wrote: string | undefined, onEcho: Priority | null): Priority | null;
  forget(key: string): void;
};

type Underway = { heard: string[] };
type Awaited = { resourceVersion: string; onEcho: Priority | null };

export function createEchoes(): Echoes {
  const underway = new Map<string, Underway>();
  const awaited = new Map<string, Awaited>();

  return {
    begin(key) {
      awaited.delete(key);
      underway.set(key, { heard: [] });
    },
    heard(key, resourceVersion = "") {
      const now = underway.get(key);
      if (now) {
        now.heard.push(resourceVersion);
        return null;
      }
      const own = awaited.get(key);
      if (own?.resourceVersion !== resourceVersion) return "normal";
      awaited.delete(key);
      return own.onEcho;
    },
    end(key, wrote, onEcho) {
      const heard = underway.get(key)?.heard ?? [];
      underway.delete(key);
      if (heard.some((version) => version !== wrote)) return "normal";
      if (heard.length > 0) return onEcho;
      if (wrote !== undefined) awaited.set(key, { resourceVersion: wrote, onEcho });
      return null;
    },
    forget(key) {
      awaited.delete(key);
    },
  };
}
