import { gzipSync } from "node:zlib";
import { z } from "zod";
import type { Figure } from "./bench-group";
import { percentile, round } from "./sample";

/** Any procedure over plain HTTP, as a tool calls it. */
export async function ask(url: string, path: string, input: object = {}): Promise<string> {
  const answer = await fetch(`${url}/api/v1/${path}?input=${encodeURIComponent(JSON.stringify(input))}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} was refused: ${text}`);
  return text;
}

const sorts = ["attention", "name", "namespace", "kind", "state", "since"] as const;
/** Each filter alone, the usual ones together, and what matches everything, little and nothing. */
const filters: readonly object[] = [
  {},
  { family: "firebolt" },
  { kinds: ["feldera.pipeline"] },
  { namespaces: ["ns-7"] },
  { namespaces: ["ns-1", "ns-2", "ns-3", "ns-4"] },
  { states: ["stable"] },
  { states: ["runtime=Running"] },
  { tones: ["bad", "warn"] },
  { labels: { team: "t-3" } },
  { text: "fleet-99" },
  { text: "pods ready" },
  { text: "nothing has this" },
  { kinds: ["firebolt.engine"], tones: ["busy"], labels: { app: "tea" }, text: "generation" },
];
const pageSchema = z.object({ nextCursor: z.string().nullable(), rows: z.array(z.unknown()) });

export type PageTimes = { times: number[]; bytes: number; slowest: string };

/** Every filter with every sort in both directions, the first two pages of each. */
export async function askPages(url: string): Promise<PageTimes> {
  const found: PageTimes & { worst: number } = { times: [], bytes: 0, slowest: "", worst: 0 };
  const timed = async (input: object) => {
    const startedMs = performance.now();
    const text = await ask(url, "fleet.page", input);
    const ms = performance.now() - startedMs;
    found.times.push(ms);
    found.bytes = Math.max(found.bytes, gzipSync(text).length);
    if (ms > found.worst) Object.assign(found, { worst: ms, slowest: JSON.stringify(input).replaceAll("|", " ") });
    return pageSchema.parse(JSON.parse(text));
  };
  for (const filter of filters)
    for (const sort of sorts)
      for (const direction of ["asc", "desc"]) {
        const { nextCursor } = await timed({ ...filter, sort, direction });
        if (nextCursor) await timed({ ...filter, sort, direction, cursor: nextCursor });
      }
  return found;
}

export function pageFigures({ times, bytes, slowest }: PageTimes, home: string): Figure[] {
  return [
    millis(`api-page-${home}`, "fleet.page, p95 over every filter × sort × direction", times, 150, { slowest }),
    {
      key: `api-bytes-${home}`,
      what: "the largest page of 50 rows, gzipped",
      value: round(bytes / 1_024),
      unit: "KB",
      goal: { atMost: 30 },
      detail: {},
    },
  ];
}

/** Everything that is counted of a machine: in each state, how long, on each edge, and the rates of the last day. */
export async function countsFigure(url: string, home: string, machines: readonly Machine[]): Promise<Figure> {
  const calls = [
    ["machines.list", {}] as const,
    ...machines.flatMap((machine) => [["machines.get", machine] as const, ["machines.flow", machine] as const]),
  ];
  const { times, slowest } = await timesOf(url, calls, 10);
  return millis(`api-counts-${home}`, "counts, stays and rates of every machine, p95", times, 100, { slowest });
}
export type Machine = { kind: string; lifecycle: string };

export type Resource = { kind: string; namespace: string; name: string };

export async function explainFigure(url: string, home: string, resources: readonly Resource[]): Promise<Figure> {
  const calls = resources.map((resource) => ["resource.explain", resource] as const);
  const { times, slowest } = await timesOf(url, calls, 20);
  const detail = { resources: resources.length, slowest };
  return millis(
    `api-explain-${home}`,
    "resource.explain of the demo fleet, live reads included, p95",
    times,
    20,
    detail,
  );
}

async function timesOf(url: string, calls: readonly (readonly [string, object])[], rounds: number) {
  const times: number[] = [];
  let [slowest, worst] = ["", 0];
  // All of it once without the watch, as with the pages: first calls draw layouts and ask for rights, which are kept, and
  // the engine has yet to compile what they run.
  for (let done = 0; done < rounds; done++) for (const [path, input] of calls) await ask(url, path, input);
  for (let done = 0; done < rounds; done++)
    for (const [path, input] of calls) {
      const startedMs = performance.now();
      await ask(url, path, input);
      const ms = performance.now() - startedMs;
      times.push(ms);
      if (ms > worst) [slowest, worst] = [`${path} ${JSON.stringify(input)}`, ms];
    }
  return { times, slowest };
}

function millis(key: string, what: string, times: number[], goalMs: number, detail: Figure["detail"]): Figure {
  const value = round(percentile(times, 0.95), 1);
  const sizes = { p50Ms: round(percentile(times, 0.5), 1), worstMs: round(Math.max(...times), 1), asked: times.length };
  return { key, what, value, unit: "ms", goal: { atMost: goalMs }, detail: { ...sizes, ...detail } };
}
