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
  const { resourceVersion } = await client.list(api, { namespace, limit: 1 });

  await new Promise<void>((resolve, reject) => {
    const query = { watch: true, resourceVersion, timeoutSeconds: 3_600 };
    const onEvent = ({ object }: { object: KubernetesObject }) => {
      const at = performance.now();
      for (const listener of listeners) listener(object);
      const id = `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
      const waiter = waiters.get(id);
      if (!waiter?.isIt(object)) return;
      waiters.delete(id);
      waiter.resolve(at);
    };
    const options = { query, signal: ended.signal };
    client.watchInto(pathOf(api, { namespace }), options, { onEvent, onOpen: resolve }).catch(reject);
  });

  return {
    seen: (inNamespace, name, isIt) =>
      new Promise((resolve) => waiters.set(`${inNamespace}/${name}`, { isIt, resolve })),
    onEvent: (listener) => void listeners.push(listener),
    close: () => ended.abort(),
  };
}
