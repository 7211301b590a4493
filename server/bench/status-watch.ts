import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Api, type KubernetesObject, pathOf } from "@/server/kubernetes/object";

/** Sees every change of the bench's objects, as a user with a watch would. */
export type StatusWatch = {
  /** Resolves with the time (performance.now) at which an object of this name first satisfied the condition. */
  seen(namespace: string, name: string, isIt: (object: KubernetesObject) => boolean): Promise<number>;
  /** Told of every event. */
  onEvent(listener: (object: KubernetesObject) => void): void;
  close(): void;
};

export async function openStatusWatch(client: KubernetesClient, api: Api, namespace?: string): Promise<StatusWatch> {
  type Waiter = { isIt: (object: KubernetesObject) => boolean; resolve: (at: number) => void };
  const waiters = new Map<string, Waiter>();
  const listeners: ((object: KubernetesObject) => void)[] = [];
  const ended = new AbortController();
  const path = pathOf(api, { namespace });

  const take = (object: KubernetesObject) => {
    const at = performance.now();
    for (const listener of listeners) listener(object);
    const id = `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
    const waiter = waiters.get(id);
    if (!waiter?.isIt(object)) return;
    waiters.delete(id);
    waiter.resolve(at);
  };

  /** A busy server cuts off a watcher that is too slow: then everything is looked at again, and one sample is late. */
  const watchOn = async (from: string, onOpen: () => void) => {
    let resourceVersion = from;
    for (;;) {
      const query = { watch: true, resourceVersion, timeoutSeconds: 3_600 };
      const options = { query, signal: ended.signal };
      await client.watchInto(path, options, { onEvent: ({ object }) => take(object), onOpen }).catch(() => undefined);
      if (ended.signal.aborted) return;
      const list = await client.list(api, { namespace });
      list.items.forEach(take);
      ({ resourceVersion } = list);
    }
  };
  const { resourceVersion } = await client.list(api, { namespace, limit: 1 });
  await new Promise<void>((resolve, reject) => void watchOn(resourceVersion, resolve).catch(reject));

  return {
    seen: (inNamespace, name, isIt) =>
      new Promise((resolve) => waiters.set(`${inNamespace}/${name}`, { isIt, resolve })),
    onEvent: (listener) => void listeners.push(listener),
    close: () => ended.abort(),
  };
}
