import { crdOf } from "@/machines/crd";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { connectionFrom } from "@/server/kubernetes/connection";
import { isNotFound } from "@/server/kubernetes/errors";
import { apiVersionOf, type KubernetesObject } from "@/server/kubernetes/object";
import { type Bench } from "./bench-group";
import { createBenchlet } from "./benchlet";

export type BenchCluster = Bench & { close(): Promise<void> };

/** Objects written at the same time while a namespace is filled. */
const FILL_AT_ONCE = 16;
const SERVED_TRIES_MAX = 300;

/** The cluster of the kubeconfig with a definition of our own in it, removed again by `close`. */
export async function openBenchCluster(options: {
  kubeconfig: string;
  scale: number;
  say: (line: string) => void;
}): Promise<BenchCluster> {
  const connection = await connectionFrom({ kubeconfig: options.kubeconfig });
  const client = createClient({ connection, clock: systemClock });
  const run = `b${process.pid.toString(36)}${Date.now().toString(36).slice(-5)}`;
  const group = `${run}.bench.orrery.dev`;
  const { api } = createBenchlet(group);
  const undos: (() => unknown)[] = [];
  let closing: Promise<void> | null = null;

  const close = async () => {
    for (const undo of undos.reverse()) {
      try {
        await undo();
      } catch (error) {
        if (!isNotFound(error)) options.say(`could not clean up: ${String(error)}`);
      }
    }
    await client.close();
  };

  // A CRD is an object of the API like any other; its type says more than KubernetesObject asks for.
  const definition = crdOf(createBenchlet(group)) as unknown as KubernetesObject;
  undos.push(() => client.delete(apis.customResourceDefinition, definition.metadata));
  await client.create(apis.customResourceDefinition, definition);
  await untilServed(client, api);

  return {
    client,
    connection,
    group,
    clock: systemClock,
    scale: options.scale,
    say: options.say,
    undo: (undo) => void undos.push(undo),
    namespace: async (purpose) => {
      const name = `orrery-${run}-${purpose}`;
      undos.push(() => client.delete(apis.namespace, { name }));
      await client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
      return name;
    },
    fill: async (namespace, count, make = () => ({})) => {
      let next = 0;
      const writer = async () => {
        for (let index = next++; index < count; index = next++) {
          const base = { apiVersion: apiVersionOf(api), kind: api.kind, metadata: { namespace, name: `o-${index}` } };
          await client.create(api, { ...base, spec: { value: 0 }, ...make(index) });
        }
      };
      await Promise.all(Array.from({ length: FILL_AT_ONCE }, writer));
    },
    close: () => (closing ??= close()),
  };
}

/** A new definition is served a moment after it was accepted. */
async function untilServed(client: KubernetesClient, api: Parameters<KubernetesClient["list"]>[0]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await client.list(api, { limit: 1 });
      return;
    } catch (error) {
      if (!isNotFound(error) || tries >= SERVED_TRIES_MAX) throw error;
      await systemClock.sleep(100);
    }
  }
}
