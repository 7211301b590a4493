import { type Clock } from "@/server/kubernetes/clock";
import { type Api } from "@/server/kubernetes/object";
import { type Cluster } from "@/server/sandbox/cluster";
import { controllerOf, type Kept, keyOf, type LabelSelector } from "@/server/sandbox/objects/meta";
import { selects } from "@/server/sandbox/objects/label-selector";
import { createControlLoop, type Reconcile } from "./control-loop";
import { createEventRecorder, type EventRecorder } from "./event-recorder";
import { type Change, createShelves, type Shelf, type Shelves } from "./shelves";

export type ControllerContext = { cluster: Cluster; shelves: Shelves; clock: Clock; record: EventRecorder };

/** What a controller does with a key, and whose changes put which keys into its queue. */
export type Controller = { reconcile: Reconcile; watches: readonly Watch[] };
export type Watch = { api: Api; keysOf: (change: Change<Kept>) => readonly string[] };

/** Something that works on its own until it is stopped; idle when only timers can set it going. */
export type Running = { idle(): boolean; stop(): Promise<void> };

/** Starts one controller; `component` is its name in events and the account that it writes as. */
export function startController(
  cluster: Cluster,
  component: string,
  define: (context: ControllerContext) => Controller,
): Running {
  const { clock } = cluster;
  const shelves = createShelves(cluster, systemUser(component));
  const record = createEventRecorder({ shelves, clock, component });
  const { reconcile, watches } = define({ cluster, shelves, clock, record });
  const loop = createControlLoop({ clock, reconcile });
  const unwatch = watches.map(({ api, keysOf }) => {
    const shelf = shelves.of<Kept>(api);
    const stop = shelf.watch((change) => keysOf(change).forEach((key) => loop.add(key)));
    for (const object of shelf.list()) keysOf({ type: "ADDED", object }).forEach((key) => loop.add(key));
    return stop;
  });
  return {
    idle: loop.idle,
    stop: async () => {
      unwatch.forEach((stop) => stop());
      await loop.stop();
    },
  };
}

function systemUser(component: string) {
  return {
    username: `system:serviceaccount:kube-system:${component}`,
    groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated", "system:masters"],
  };
}

/** The object itself is the key. */
export function watchItself(api: Api): Watch {
  return { api, keysOf: ({ object }) => [keyOf(object)] };
}

type Selecting = Kept & { spec: { selector?: LabelSelector } };

/** Pods and the like: the controller among their owners; for orphans, everything in the namespace that selects them. */
export function watchControlled(api: Api, ownerKind: string, owners: Shelf<Selecting>): Watch {
  return {
    api,
    keysOf: ({ object, old }) => {
      const keys = [object, ...(old ? [old] : [])].flatMap((version) => {
        const controller = controllerOf(version);
        return controller?.kind === ownerKind ? [`${version.metadata.namespace ?? ""}/${controller.name}`] : [];
      });
      if (controllerOf(object)) return keys;
      const selecting = owners
        .list({ namespace: object.metadata.namespace })
        .filter((owner) => selects(owner.spec.selector, object.metadata.labels))
        .map(keyOf);
      return [...keys, ...selecting];
    },
  };
}
