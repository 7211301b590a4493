import type { KubernetesObject } from "@/server/kubernetes/object";
import type { World } from "@/server/reconcile/world";

/** Objects that were looked at, by uid. */
export type Remembered = Map<string, KubernetesObject>;

/** The same world; what is looked at is remembered and no question is asked twice, so that one read serves the explanation, too. */
export function rememberingWorld(world: World): { world: World; remembered: Remembered } {
  const remembered: Remembered = new Map();
  const keep = (object: KubernetesObject) => {
    if (object.metadata.uid) remembered.set(object.metadata.uid, object);
  };
  const get: World["get"] = async (api, ref) => {
    const object = await world.get(api, ref);
    if (object) keep(object);
    return object;
  };
  const list: World["list"] = async (api, where) => {
    const objects = await world.list(api, where);
    objects.forEach(keep);
    return objects;
  };
  const live = {
    ...world.live,
    list: once<Parameters<World["live"]["list"]>, KubernetesObject[]>((...asked) => world.live.list(...asked)),
  };
  return { world: { ...world, get, list: once(list), live }, remembered };
}

function once<Asked extends unknown[], Answer>(ask: (...asked: Asked) => Promise<Answer>) {
  const answers = new Map<string, Promise<Answer>>();
  return (...asked: Asked): Promise<Answer> => {
    const key = JSON.stringify(asked);
    const answer = answers.get(key) ?? ask(...asked);
    answers.set(key, answer);
    return answer;
  };
}
