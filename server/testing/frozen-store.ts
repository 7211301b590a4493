import { type KubernetesObject } from "@/server/kubernetes/object";
import { createStore, type StoreOptions } from "@/server/kubernetes/store";

/**
 * A cache whose objects cannot be changed: they are shared by all who read them, and whoever changes one in place fails
 * here, at that very line, instead of making somebody else see what the server never said.
 */
export function createFrozenStore(options?: StoreOptions): ReturnType<typeof createStore> {
  const store = createStore(options);
  const frozen: Pick<typeof store, "apply" | "replace"> = {
    apply: (type, object) => store.apply(type, freeze(object)),
    replace: (objects, ...more) => store.replace(Array.from(objects, freeze), ...more),
  };
  // Its getters must stay getters.
  return Object.defineProperties(Object.create(store) as typeof store, Object.getOwnPropertyDescriptors(frozen));
}

function freeze(object: KubernetesObject): KubernetesObject {
  deepFreeze(object);
  return object;
}

function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
}
