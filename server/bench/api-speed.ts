import { kinds } from "@/machines/families";
import { fillSandbox } from "@/server/boot/fill-sandbox";
import { startPostgres } from "@/server/db/fixtures/postgres-server";
import { demoFleet } from "@/server/demo";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { connectionFrom } from "@/server/kubernetes/connection";
import { askPages, countsFigure, explainFigure, pageFigures, type Resource } from "./api-asking";
import { liveFigures } from "./api-live";
import type { ApiProcessOptions } from "./api-process";
import { startApiProcess, startSandboxCluster, temporaryFolder, type ApiProcess } from "./api-processes";
import type { Bench, BenchGroup, Figure } from "./bench-group";
import { round } from "./sample";

const RESOURCES = 10_000;
const TRANSITIONS = 1_000_000;

/** Every figure over HTTP against processes of their own; their cluster is a sandbox in a process of its own. */
export const apiSpeed: BenchGroup = {
  key: "api",
  title: "pages, counts, explanations and live updates at 10,000 resources and 1,000,000 transitions",
  run: async (bench) => {
    const kubeconfig = await startSandboxCluster(bench);
    const client = createClient({ connection: await connectionFrom({ kubeconfig }), clock: bench.clock });
    bench.undo(() => client.close());
    await fillSandbox(client);
    const server = await startPostgres();
    bench.undo(() => server.stop());
    const resources = Math.ceil(RESOURCES / bench.scale);
    const fill = { resources, transitions: Math.ceil(TRANSITIONS / bench.scale / resources) * resources };
    const url = await server.createDatabase();

    bench.say("  embedded: filling");
    const both = await startApiProcess(bench, {
      kubeconfig,
      database: { folder: temporaryFolder(bench) },
      fill,
      web: true,
      worker: true,
    });
    const embedded = await measured(bench, both, { client, home: "embedded" });
    await both.end();

    bench.say("  server: filling");
    const worker = await startApiProcess(bench, { kubeconfig, database: { url }, fill, web: false, worker: true });
    const web = await startApiProcess(bench, { kubeconfig, database: { url }, fill: null, web: true, worker: false });
    const served = await measured(bench, web, { client, home: "server", fillMs: worker.first.fillMs });
    await worker.end();
    await web.end();
    const few = { resources: Math.ceil(resources / 10), transitions: 0 };
    const small = await heapAfterPages(bench, { kubeconfig, url: await server.createDatabase(), fill: few });
    const large = await heapAfterPages(bench, { kubeconfig, url, fill: null });
    return [...embedded, ...served, memoryFigure({ large, small })];
  },
};

async function measured(
  bench: Bench,
  { first }: ApiProcess,
  { client, home, fillMs = first.fillMs }: { client: KubernetesClient; home: string; fillMs?: number },
): Promise<Figure[]> {
  const url = first.url ?? "";
  bench.say(`  ${home}: filled in ${round(fillMs / 1_000, 1)} s`);
  const machines = Object.entries(kinds).flatMap(([kind, { lifecycles }]) =>
    Object.keys(lifecycles).map((lifecycle) => ({ kind, lifecycle })),
  );
  await askPages(url);
  const pages = pageFigures(await askPages(url), home);
  return [
    ...pages,
    await countsFigure(url, home, machines),
    await explainFigure(url, home, demoResources()),
    ...(await liveFigures(url, home, { client, scale: bench.scale })),
  ];
}

/** Unlike the rest of the fleet, these are in the cluster. */
function demoResources(): Resource[] {
  return demoFleet().flatMap(({ api, object: { metadata } }) => {
    const [kind] = Object.entries(kinds).find(([, known]) => known.api === api) ?? [];
    return kind ? [{ kind, namespace: metadata.namespace ?? "", name: metadata.name }] : [];
  });
}

/** What a fresh web process holds after the same questions. */
async function heapAfterPages(
  bench: Bench,
  { kubeconfig, url, fill }: { kubeconfig: string; url: string; fill: ApiProcessOptions["fill"] },
): Promise<number> {
  const web = await startApiProcess(bench, { kubeconfig, database: { url }, fill, web: true, worker: false });
  for (let rounds = 0; rounds < 2; rounds++) await askPages(web.first.url ?? "");
  const { heapBytes } = await web.ask();
  await web.end();
  return heapBytes;
}

function memoryFigure({ large, small }: { large: number; small: number }): Figure {
  return {
    key: "api-memory",
    what: "heap of the web process at 10,000 resources by that at 1,000",
    value: round(large / small, 3),
    unit: "ratio",
    goal: { atMost: 1.1 },
    detail: { mbAt10k: round(large / 1e6, 1), mbAt1k: round(small / 1e6, 1) },
  };
}
