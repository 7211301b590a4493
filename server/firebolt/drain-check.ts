import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Answer, type World } from "@/server/reconcile/world";
import { enginePorts } from "./engine-pod";
import { generationOf } from "./generation-names";

/** What the old pods say. A pod that cannot be asked counts as busy, and its trouble is told. */
export type Drain = { drained: boolean; sentence: string; failures: string[] };

/** How the metrics of a pod are reached. */
export type ScrapeMode = "PodIP" | "ApiserverProxy";

const scrapeMs = 3_000;
const totalMs = 10_000;
const atOnce = 32;
const gauges = ["firebolt_running_queries", "firebolt_suspended_queries"] as const;

/** Asks every running pod of the old generation for its open queries. No running pod means nothing to wait for. */
export async function checkDrain(world: World, pods: readonly KubernetesObject[], mode: ScrapeMode): Promise<Drain> {
  const running = pods.filter((pod) => pod.status?.phase === "Running");
  const counts: PodQueries[] = [];
  // A hung pod costs one scrape, and all hung pods together no more than the whole check may.
  for (let at = 0, leftMs = totalMs; at < running.length; at += atOnce, leftMs -= scrapeMs) {
    const timeoutMs = Math.min(scrapeMs, leftMs);
    if (timeoutMs <= 0) {
      counts.push({ queries: 0, failure: `${running.length - at} pods were not asked within ${totalMs / 1_000} s` });
      break;
    }
    counts.push(...(await Promise.all(running.slice(at, at + atOnce).map((pod) => ask(world, pod, mode, timeoutMs)))));
  }
  const failures = counts.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
  const queries = counts.reduce((sum, pod) => sum + pod.queries, 0);
  return {
    drained: queries === 0 && failures.length === 0,
    sentence: sentenceOf(running.length, queries, failures),
    failures,
  };
}

type PodQueries = { queries: number; failure?: string };

async function ask(world: World, pod: KubernetesObject, mode: ScrapeMode, timeoutMs: number): Promise<PodQueries> {
  try {
    return { queries: openQueries(await scrape(world, pod, mode, timeoutMs)) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const generation = generationOf(pod) ?? "unknown";
    return { queries: 0, failure: `drain probe failed on pod ${pod.metadata.name} (gen ${generation}): ${message}` };
  }
}

async function scrape(world: World, pod: KubernetesObject, mode: ScrapeMode, timeoutMs: number): Promise<Answer> {
  const { namespace = "", name } = pod.metadata;
  if (mode === "ApiserverProxy") {
    return await world.live.proxy({ namespace, name }, enginePorts.metrics, "/metrics", { timeoutMs });
  }
  const address = pod.status?.podIP;
  if (typeof address !== "string" || address === "") throw new Error("it has no address");
  const host = address.includes(":") ? `[${address}]` : address;
  return await world.live.fetch(`http://${host}:${enginePorts.metrics}/metrics`, { timeoutMs });
}

function openQueries({ status, body }: Answer): number {
  // A redirect could make us ask anyone in the cluster: it is an error like any other answer but 200.
  if (status !== 200) throw new Error(`/metrics answered ${status}`);
  // By their size: a gauge that fell below nothing must not make up for another.
  return gauges.map((gauge) => Math.abs(gaugeOf(body, gauge))).reduce((sum, value) => sum + value, 0);
}

function gaugeOf(text: string, name: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  const value = Number(line?.slice(name.length).trim().split(/\s+/)[0]);
  if (line === undefined || !Number.isFinite(value)) throw new Error(`/metrics has no ${name}`);
  return value;
}

function sentenceOf(running: number, queries: number, failures: readonly string[]): string {
  if (failures.length > 0) return failures.join("; ");
  if (running === 0) return "no pod of it is running";
  return `${queries} queries open on ${running} running pods`;
}
