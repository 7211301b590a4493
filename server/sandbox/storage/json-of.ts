import { type KubernetesObject } from "@/server/kubernetes/object";

const REMEMBERED_MAX = 256;
const remembered = new Map<KubernetesObject, string>();

/**
 * A stored object as JSON. The log, the watchers and the answer all want it within a moment of the write, so the
 * latest ones are remembered; keeping all of them would double the memory.
 */
export function jsonOf(object: KubernetesObject): string {
  const known = remembered.get(object);
  if (known !== undefined) return known;
  const json = JSON.stringify(object);
  if (!Object.isFrozen(object)) return json;
  remembered.set(object, json);
  if (remembered.size > REMEMBERED_MAX) {
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest);
      if (remembered.size <= REMEMBERED_MAX / 2) break;
    }
  }
  return json;
}
