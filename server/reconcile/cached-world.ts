import { type Api } from "@/server/kubernetes/object";
import { type Caches } from "./caches";
import { type AnyReconciler } from "./reconciler";
import { type LiveWorld, type World } from "./world";

/** What a reconciler sees in the worker: its own kind and what its `watches` name, from the caches. */
export function createCachedWorld(reconciler: AnyReconciler, caches: Caches, live: LiveWorld): (now: number) => World {
  const wants = [{ api: reconciler.kind.api }, ...reconciler.watches];
  const byApi = new Map<string, ReturnType<Caches["of"]>[]>();
  for (const want of wants) {
    const cache = caches.of(want);
    const known = byApi.get(nameOf(want.api)) ?? [];
    if (!known.includes(cache)) byApi.set(nameOf(want.api), [...known, cache]);
  }

  const cachesOf = (api: Api) => {
    const found = byApi.get(nameOf(api));
    if (found) return found;
    throw new Error(
      `${reconciler.id} reads ${nameOf(api)} but does not watch it: name it in "watches" or use world.live`,
    );
  };

  const get: World["get"] = async (api, ref) => {
    for (const { store } of cachesOf(api)) {
      const object = store.get(ref);
      if (object) return object;
    }
    return null;
  };
  const list: World["list"] = async (api, where) => {
    const [first, ...more] = cachesOf(api).map(({ store }) => store.list(where));
    return more.length === 0 ? (first ?? []) : unique([...(first ?? []), ...more.flat()]);
  };
  return (now) => ({ now, get, list, live });
}

function nameOf({ plural, group }: Api): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** An object may match the selectors of two watches. */
function unique<T extends { metadata: { uid?: string } }>(objects: T[]): T[] {
  return [...new Map(objects.map((object) => [object.metadata.uid, object])).values()];
}
