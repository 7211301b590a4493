import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { connectionFrom } from "@/server/kubernetes/connection";
import { createCaches } from "@/server/reconcile/caches";
import { createBenchlet } from "../benchlet";
import { contestantTask } from "../contestant";

/** Fills a cache and nothing else, and tells how much the heap has grown. */
setFlagsFromString("--expose-gc");
// The flag makes the function visible in contexts that are created after it.
const collect = runInNewContext("gc") as () => void;
const { group, namespace } = contestantTask();
const connection = await connectionFrom({ kubeconfig: process.env.KUBECONFIG ?? "" });
const client = createClient({ connection, clock: systemClock });
const { api } = createBenchlet(group);
const caches = createCaches({ client, clock: systemClock, wants: [{ api }], namespace, onError: () => undefined });
// The first request brings the transport's own memory in, which is not the cache's.
await client.list(api, { namespace, limit: 10 });

const used = async () => {
  for (let round = 0; round < 5; round++) {
    collect();
    await systemClock.sleep(20);
  }
  return process.memoryUsage().heapUsed;
};
const before = await used();
caches.start();
await caches.synced();
const after = await used();
process.send?.({ heapBytes: after - before, objects: caches.all[0]?.store.size ?? 0 });
await caches.stop();
await client.close();
process.disconnect();
