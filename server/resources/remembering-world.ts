import type { Api, KubernetesObject } from "@/server/kubernetes/object";
import type { Where, World } from "@/server/reconcile/world";

/** Objects that were looked at, by uid. */
export type Remembered = Map<string, KubernetesObject>;

/** Where everything is that was made for one resource, by kind. */
export type MadeHere = { apis: readonly Api[]; namespace: string; labels: Labels };

type Listed = { api: Api; namespace: string | undefined; labels: Labels; objects: Promise<KubernetesObject[]> };
type Labels = Record<string, string>;

/**
 * The same world; what is looked at is remembered, so that one read serves the explanation, too. Nothing is asked for that
 * the answer to a wider question holds: every question is a request to the API server, and they are what a read costs. So
 * what was made for the resource is asked for at once and kind by kind; of these kinds a worker, too, sees only what
 * carries the label.
 */
export function rememberingWorld(world: World, made: MadeHere | null): { world: World; remembered: Remembered } {
  const remembered: Remembered = new Map();
  const keep = (object: KubernetesObject) => {
    if (object.metadata.uid) remembered.set(object.metadata.uid, object);
  };
  const lists: Listed[] = [];
  const ask = (api: Api, namespace: string | undefined, labels: Labels): Listed => {
    const asked = { api, namespace, labels, objects: world.list(api, { namespace, labels }) };
    lists.push(asked);
    return asked;
  };
  const holding = (api: Api, namespace: string | undefined, labels: Labels) =>
    lists.find((one) => one.api === api && one.namespace === namespace && holds(labels, one.labels));
  const ownIn = (api: Api, namespace: string | undefined) =>
    made?.apis.includes(api) && made.namespace === namespace ? holding(api, namespace, made.labels) : undefined;

  const list: World["list"] = async (api, where = {}) => {
    const { namespace, labels = {}, ownerUid } = where;
    const own = ownerUid === undefined ? undefined : ownIn(api, namespace);
    const found = own ?? holding(api, namespace, labels) ?? ask(api, namespace, labels);
    const objects = (await found.objects).filter((object) => matches(object, where));
    objects.forEach(keep);
    return objects;
  };
  const getOnce = once<Parameters<World["get"]>, KubernetesObject | null>((...asked) => world.get(...asked));
  const get: World["get"] = async (api, { namespace, name }) => {
    // Lists that are asked for at the same time are known one turn later.
    await Promise.resolve();
    const found = ownIn(api, namespace) ?? holding(api, namespace, {});
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
  for (const api of made?.apis ?? []) {
    // Whoever wants the answer hears of its failure.
    ask(api, made?.namespace, made?.labels ?? {}).objects.catch(() => undefined);
  }
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
