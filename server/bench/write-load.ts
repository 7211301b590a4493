import { createTransport, type Transport } from "@/server/kubernetes/transport";
import { type Bench } from "./bench-group";

export type LoadResult = {
  writesPerSecond: number;
  jsonBytes: number;
  delivered: number;
  expected: number;
  ordered: boolean;
};

type Load = { objects: number; updates: number; watchers: number; concurrency: number };

/**
 * Fills a namespace with ConfigMaps, then updates them at random while watchers look on. The rate is that of the updates;
 * each watcher must get each event, in the order of the versions.
 */
export async function writeLoad(
  connection: Bench["connection"],
  clock: Bench["clock"],
  namespace: string,
  load: Load,
): Promise<LoadResult> {
  const transport = createTransport(connection, { clock });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const send = async (method: "POST" | "PATCH", at: string, body: unknown) => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const answer = await transport.send({
      method,
      path: at,
      headers: { "content-type": type },
      body: JSON.stringify(body),
    });
    if (answer.status >= 300) throw new Error(`${method} ${at}: ${answer.status} ${answer.text}`);
    return answer.text;
  };
  let jsonBytes = 0;
  await inParallel(load.objects, load.concurrency, async (i) => {
    const text = await send("POST", path, sample(i));
    jsonBytes += text.length;
  });
  const list = await transport.send({ method: "GET", path: `${path}?limit=1`, headers: {} });
  const version = /"resourceVersion":"(\d+)"/.exec(list.text)?.[1] ?? "";
  const watchers = await Promise.all(
    Array.from({ length: load.watchers }, () =>
      openWatcher(transport, `${path}?watch=true&resourceVersion=${version}`, load.updates),
    ),
  );
  const startedMs = performance.now();
  await inParallel(load.updates, load.concurrency, async (i) => {
    await send("PATCH", `${path}/o-${(i * 7_919) % load.objects}`, { data: { count: String(i + 1) } });
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  const results = await Promise.all(watchers.map(({ done }) => done));
  await transport.close();
  return {
    writesPerSecond: load.updates / seconds,
    jsonBytes,
    delivered: results.reduce((sum, { count }) => sum + count, 0),
    expected: load.updates * load.watchers,
    ordered: results.every(({ ordered }) => ordered),
  };
}

/** About a kilobyte. */
function sample(i: number) {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `o-${i}`, labels: { app: "bench", shard: String(i % 10) } },
    data: { count: "0", text: `${i} `.padEnd(600, "lorem ipsum ") },
  };
}

async function inParallel(count: number, concurrency: number, run: (i: number) => Promise<void>) {
  let next = 0;
  const worker = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

const GIVE_UP_MS = 60_000;

/** Counts events by their versions, without parsing them: the reader must not be what is measured. */
async function openWatcher(transport: Transport, path: string, wanted: number) {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), GIVE_UP_MS);
  const seen = { count: 0, ordered: true };
  let [last, rest] = [0, ""];
  const take = (chunk: Buffer) => {
    const lines = (rest + chunk.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const at = line.lastIndexOf('"resourceVersion":"') + 19;
      const version = Number(line.slice(at, line.indexOf('"', at)));
      if (version <= last) seen.ordered = false;
      last = version;
      seen.count += 1;
    }
    if (seen.count >= wanted) ending.abort();
  };
  return await new Promise<{ done: Promise<typeof seen> }>((resolve) => {
    const done = transport
      .stream({ method: "GET", path, signal: ending.signal }, { onStart: () => resolve({ done }), onData: take })
      // Given up: the count tells how much is missing.
      .catch(() => undefined)
      .then(() => {
        clearTimeout(timer);
        return seen;
      });
  });
}
