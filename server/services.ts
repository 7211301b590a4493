import type { Kind } from "@/machines/kind";
import type { Database } from "@/server/db/database";
import { createDoor, type Door, type DoorOptions } from "@/server/identity/door";
import { createRights } from "@/server/identity/rights";
import type { KubernetesClient } from "@/server/kubernetes/client";
import type { Clock } from "@/server/kubernetes/clock";
import { createEventRecorder } from "@/server/kubernetes/event-recorder";
import { createHub } from "@/server/live/hub";
import { createLiveWorld } from "@/server/reconcile/live-world";
import { refOf } from "@/server/reconcile/planned-write";
import type { AnyReconciler } from "@/server/reconcile/reconciler";
import { createBulkJobs, type BulkJobs } from "@/server/resources/bulk-jobs";
import type { Context } from "@/server/resources/context";
import type { AboutHere } from "@/server/resources/whoami";

/** What the web process has one of. */
export type Services = Context & {
  bulk: BulkJobs;
  about: AboutHere;
  /** What a REST request speaks of that names no namespace. */
  restNamespace: string;
  door: Door;
  onFault: (error: unknown, path: string) => void;
  stop(): Promise<void>;
};

export type ServiceOptions = {
  database: Database;
  client: KubernetesClient;
  clock: Clock;
  kinds: Record<string, Kind>;
  reconcilers: Record<string, AnyReconciler>;
  about: AboutHere;
  restNamespace: string;
  door: Omit<DoorOptions, "client" | "clock" | "mode">;
  onFault: (error: unknown, path: string) => void;
};

export async function createServices(options: ServiceOptions): Promise<Services> {
  const { database, client, clock, about, onFault } = options;
  const hub = createHub({ database, clock });
  const events = createEventRecorder({ client, clock, component: "orrery", instance: "web" });
  const bulk = createBulkJobs({ onError: (error) => onFault(error, "bulk") });
  const world = createLiveWorld({ client, clock });
  const services: Services = {
    ...options,
    rights: createRights({ client, clock }),
    world: (now) => ({ ...world, now }),
    record: (object, event) => events.record({ about: refOf(object), ...event }),
    hub,
    bulk,
    door: createDoor({ ...options.door, client, clock, mode: about.identity }),
    stop: async () => {
      await bulk.stop();
      await hub.stop();
      await events.stop();
    },
  };
  await hub.start();
  await bulk.start(services);
  return services;
}

// Next bundles its own copies of server modules, so what must exist once hangs on the one thing that they share.
const place: { [key: symbol]: Services | undefined } = globalThis;
const SERVICES = Symbol.for("orrery.services");

export function services(): Services {
  const found = place[SERVICES];
  if (!found) throw new Error("The services are not started.");
  return found;
}

/** Makes them everybody's in this process; null takes them away again. */
export function provideServices(given: Services | null): void {
  if (given && place[SERVICES]) throw new Error("The services are started already.");
  place[SERVICES] = given ?? undefined;
}
