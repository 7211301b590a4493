import { parseArgs } from "node:util";
import { apiSpeed } from "./api-speed";
import { openBenchCluster, type BenchCluster } from "./bench-cluster";
import { type BenchGroup, type Figure, isMet } from "./bench-group";
import { burst } from "./burst";
import { dashboardSpeed } from "./dashboard-speed";
import { failover } from "./failover";
import { felderaPipelines } from "./feldera-pipelines";
import { fireboltEngines } from "./firebolt-engines";
import { heapPerObject } from "./heap-per-object";
import { overtake } from "./overtake";
import { peers } from "./peers";
import { queueCost } from "./queue-cost";
import { sandboxSpeed } from "./sandbox-speed";
import { specToStatus } from "./spec-to-status";
import { sync } from "./sync";
import { writesPerChange } from "./writes-per-change";

/** Everything that is measured, in the order of the table. */
const groups: readonly BenchGroup[] = [
  specToStatus,
  peers,
  burst,
  writesPerChange,
  heapPerObject,
  sync,
  overtake,
  failover,
  queueCost,
  fireboltEngines,
  felderaPipelines,
  apiSpeed,
  dashboardSpeed,
  sandboxSpeed,
];

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      scale: { type: "string", default: "1" },
    },
  });
  const wanted = values.only.flatMap((keys) => keys.split(","));
  const unknown = wanted.filter((key) => !groups.some((group) => group.key === key));
  if (unknown.length > 0) return fail(`there is no ${unknown.join(", ")}; there are ${keysOf(groups)}`);
  const kubeconfig = process.env.KUBECONFIG;
  if (!kubeconfig) return fail("set KUBECONFIG to a cluster that may be filled with thousands of objects");

  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const bench = await openBenchCluster({ kubeconfig, scale: Number(values.scale), say });
  const interrupted = () => void bench.close().then(() => process.exit(130));
  process.on("SIGINT", interrupted).on("SIGTERM", interrupted);
  try {
    const chosen = groups.filter(({ key }) => wanted.length === 0 || wanted.includes(key));
    const figures = await runAll(bench, chosen);
    process.stdout.write(values.json ? `${JSON.stringify(reportOf(figures))}\n` : tableOf(figures));
  } finally {
    await bench.close();
  }
  process.exit(0);
}

async function runAll(bench: BenchCluster, chosen: readonly BenchGroup[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const group of chosen) {
    bench.say(`${group.key}: ${group.title} …`);
    for (const figure of await group.run(bench)) {
      figures.push(figure);
      bench.say(rowOf(figure));
    }
  }
  return figures;
}

function reportOf(figures: readonly Figure[]) {
  return {
    at: new Date().toISOString(),
    figures: Object.fromEntries(figures.map((figure) => [figure.key, { ...figure, met: isMet(figure) }])),
  };
}

function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(rowOf);
  return ["| key | what | measured | goal | | detail |", "|---|---|---|---|---|---|", ...rows, ""].join("\n");
}

function rowOf(figure: Figure): string {
  const goal = "atMost" in figure.goal ? `≤ ${figure.goal.atMost}` : `≥ ${figure.goal.atLeast}`;
  const detail = Object.entries(figure.detail).map(([name, value]) => `${name} ${value}`);
  const cells = [figure.key, figure.what, `${figure.value} ${figure.unit}`, goal, isMet(figure) ? "met" : "missed"];
  return `| ${[...cells, detail.join(", ")].join(" | ")} |`;
}

function keysOf(all: readonly BenchGroup[]): string {
  return all.map(({ key }) => key).join(", ");
}

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
