import { type BenchGroup, type Figure } from "./bench-group";
import { createBenchWorker } from "./bench-worker";
import { createBenchlet } from "./benchlet";
import { round } from "./sample";
import { openStatusWatch } from "./status-watch";

const CHANGES = 20;
const BURSTS = 5;
const OBJECTS = 200;
const QUIET_MS = 60_000;

/** Quick changes of one object, and a minute in which nothing changes. */
export const writesPerChange: BenchGroup = {
  key: "writesPerChange",
  title: "writes per converged generation, and writes while nothing changes",
  run: async (bench) => {
    const { api } = createBenchlet(bench.group);
    const namespace = await bench.namespace("changes");
    await bench.fill(namespace, OBJECTS);
    const watch = await openStatusWatch(bench.client, api, namespace);
    const converged = Promise.all(
      Array.from({ length: OBJECTS }, (_, index) =>
        watch.seen(namespace, `o-${index}`, (object) => object.status?.value === 0),
      ),
    );
    const { worker, sent } = createBenchWorker(bench, namespace);
    worker.start();
    await converged;

    const generations = new Set<unknown>();
    let writes = 0;
    let last: unknown = JSON.stringify({});
    watch.onEvent(({ metadata, status }) => {
      const now = JSON.stringify(status);
      if (metadata.name !== "o-0" || now === last) return;
      last = now;
      writes += 1;
      generations.add(status?.observedGeneration);
    });
    const sentBefore = sent.status;
    for (let burst = 0; burst < BURSTS; burst++) {
      const final = (burst + 1) * CHANGES;
      const seen = watch.seen(namespace, "o-0", (object) => object.status?.value === final);
      for (let value = burst * CHANGES + 1; value <= final; value++) {
        await bench.client.patch(api, { namespace, name: "o-0" }, { spec: { value } }, { type: "merge" });
      }
      await seen;
    }
    const sentInBursts = sent.status - sentBefore;

    const quietMs = QUIET_MS / bench.scale;
    const before = { ...sent };
    await bench.clock.sleep(quietMs);
    const noops = sent.status - before.status + sent.other - before.other;
    watch.close();
    const figures: Figure[] = [
      {
        key: "writesPerChange",
        what: `status writes per converged generation, ${BURSTS} bursts of ${CHANGES} quick changes`,
        value: round(writes / generations.size),
        unit: "writes",
        goal: { atMost: 1.1 },
        detail: {
          changes: BURSTS * CHANGES,
          converged: generations.size,
          writes,
          sentWithRefused: sentInBursts,
        },
      },
      {
        key: "noopWrites",
        what: `writes in ${quietMs / 1_000} quiet seconds with ${OBJECTS} objects`,
        value: noops,
        unit: "writes",
        goal: { atMost: 0 },
        detail: {},
      },
    ];
    return figures;
  },
};
