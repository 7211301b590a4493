import type { Api, KubernetesObject } from "@/server/kubernetes/object";
import type { Where, World } from "@/server/reconcile/world";

/** Objects that were looked at, by uid. */
export type Remembered = Map<string, KubernetesObject>;

type Listed = { api: Api; namespace: string | undefined; labels: Labels; objects: Promise<KubernetesObject[]> };
type Labels = Record<string, string>;

/**
 * The same world; what is looked at is remembered, so that one read serves the explanation, too. Nothing is asked for that
 * the answer to a wider question holds: every question is a request to the API server, and they are what a read costs.
 */
export function rememberingWorld(world: World): { world: World; remembered: Remembered } {
  const remembered: Remembered = new Map();
  const keep = (object: KubernetesObject) => {
    if (object.metadata.uid) remembered.set(object.metadata.uid, object);
  };
  const lists: Listed[] = [];
  const holding = (api: Api, namespace: string | undefined, labels: Labels) =>
    lists.find((one) => one.api === api && one.namespace === namespace && holds(labels, one.labels));

  const list: World["list"] = async (api, where = {}) => {
    const { namespace, labels = {} } = where;
    let found = holding(api, namespace, labels);
    if (!found) {
      found = { api, namespace, labels, objects: world.list(api, { namespace, labels }) };
      lists.push(found);
    }
    const objects = (await found.objects).filter((object) => matches(object, where));
    objects.forEach(keep);
    return objects;
  };
  const getOnce = once<Parameters<World["get"]>, KubernetesObject | null>((...asked) => world.get(...asked));
  const get: World["get"] = async (api, { namespace, name }) => {
    // Lists that are asked for at the same time are known one turn later.
    await Promise.resolve();
    const found = holding(api, namespace, {});
    const object = found
      ? ((await found.objects).find(({ metadata }) => metadata.name === name) ?? null)
      : await getOnce(api, { namespace, name });
    if (object) keep(object);
    return object;
  };
  const live = {
    ...world.live,
    list: once<Parameters<World["live"]["list"]>, KubernetesObject[]>((...asked) => world.live.list(...asked)),
  };
  return { world: { ...world, get, list, live }, remembered };
}

function matches({ metadata }: KubernetesObject, { labels = {}, ownerUid }: Where): boolean {
  if (ownerUid !== undefined && !metadata.ownerReferences?.some(({ uid }) => uid === ownerUid)) return false;
  return holds(metadata.labels ?? {}, labels);
}

/** Whether labels have all that is asked of them. */
function holds(labels: Labels, asked: Labels): boolean {
  return Object.entries(asked).every(([label, value]) => labels[label] === value);
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
