import { afterAll, beforeAll, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { createLiveWorld } from "@/server/reconcile/live-world";
import type { World } from "@/server/reconcile/world";
import { createPipelines, testOptions, type Pipelines } from "./fixtures/pipelines";
import { createFelderaReconcilers } from "./reconcilers";

let pipelines: Pipelines;
beforeAll(async () => void (pipelines = await createPipelines()));
afterAll(() => pipelines.stop());

const { "feldera.pipeline": reconciler } = createFelderaReconcilers(testOptions);
const job = (name: string) => pipelines.object(apis.job, `pl-${name}-sql-1`);

/** A compiler whose Job is over, and no worker that has seen it. */
async function compiledUnseen(name: string): Promise<void> {
  await pipelines.create(name, { program_code: "-- compile_ms=5000\nCREATE TABLE t (id INT);" });
  await pipelines.untilStatus(name, "compiling", ({ compiler_job }) => Boolean(compiler_job));
  await pipelines.stopWorker();
  await pipelines.eventually("its Job is over", async () => {
    const { conditions = [] } = ((await job(name))?.status ?? {}) as { conditions?: { type: string }[] }; // of a Job
    return conditions.some(({ type }) => type === "Complete");
  });
}

/** The caches of a worker which have heard of everything but how the pods are. */
function withLatePods(world: World): World {
  return {
    ...world,
    list: async (api, where) => {
      const found = await world.list(api, where);
      return api.kind === "Pod" ? found.map((pod) => ({ ...pod, status: { phase: "Running" } })) : found;
    },
  };
}

test("a result is not lost when the end of the Job is seen before the end of its pod", async () => {
  await compiledUnseen("late");
  const world = createLiveWorld({ client: pipelines.client, clock: pipelines.clock });
  const { job: seen } = await reconciler.read(await pipelines.pipeline("late"), withLatePods(world));
  expect(seen).toMatchObject({ state: "succeeded", result: { program_info: { schema: { inputs: [{ name: "t" }] } } } });
});
