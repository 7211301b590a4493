import { type KubernetesObject, type ObjectKey } from "@/server/kubernetes/object";
import { type Store } from "@/server/kubernetes/store";

/** What of a cache the gate needs. */
export type Shown = Pick<Store, "get" | "covers">;

/**
 * Read your own writes: remembers, per key, what was written while it was worked on, and says whether the caches show
 * it yet. A pass on an older cache would do the same work twice, or undo it.
 */
export type Expectations = {
  wrote(key: string, cache: Shown, object: KubernetesObject): void;
  deleted(key: string, cache: Shown, target: Deleted): void;
  /** True when the caches show everything that was written for the key; what is shown is forgotten. */
  met(key: string): boolean;
  forget(key: string): void;
};

/** `entirely`: nothing holds it any more, so an object that is merely on its way out is the old view. */
export type Deleted = ObjectKey & { uid: string; entirely?: boolean };

type Expected = { cache: Shown; resourceVersion: string } | { cache: Shown; gone: Deleted };

export function createExpectations(): Expectations {
  const byKey = new Map<string, Expected[]>();

  const expect = (key: string, expected: Expected) => {
    const list = byKey.get(key);
    if (list) list.push(expected);
    else byKey.set(key, [expected]);
  };

  return {
    wrote(key, cache, object) {
      const { resourceVersion } = object.metadata;
      if (resourceVersion !== undefined && !cache.covers(resourceVersion)) expect(key, { cache, resourceVersion });
    },
    deleted(key, cache, gone) {
      expect(key, { cache, gone });
    },
    met(key) {
      const list = byKey.get(key);
      if (!list) return true;
      const open = list.filter((expected) => !isShown(expected));
      if (open.length > 0) byKey.set(key, open);
      else byKey.delete(key);
      return open.length === 0;
    },
    forget: (key) => void byKey.delete(key),
  };
}

function isShown(expected: Expected): boolean {
  if ("resourceVersion" in expected) return expected.cache.covers(expected.resourceVersion);
  const { gone, cache } = expected;
  const found = cache.get(gone);
  if (found?.metadata.uid !== gone.uid) return true;
  return !gone.entirely && found.metadata.deletionTimestamp !== undefined;
}
