import { createTransport, type Transport } from "@/server/kubernetes/transport";
import { type Bench } from "./bench-group";
import { createSharedStream, type Reader } from "./shared-stream";

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
  const events = createSharedStream();
  const watch = `${path}?watch=true&resourceVersion=${version}`;
  const watchers = await Promise.all(
    Array.from({ length: load.watchers }, () => openWatcher(transport, watch, events.reader(), load.updates)),
  );
  const startedMs = performance.now();
  await inParallel(load.updates, load.concurrency, async (i) => {
    await send("PATCH", `${path}/o-${(i * 7_919) % load.objects}`, { data: { count: String(i + 1) } });
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  const readers = await Promise.all(watchers.map(({ done }) => done));
  await transport.close();
  return {
    writesPerSecond: load.updates / seconds,
    jsonBytes,
    delivered: readers.reduce((sum, reader) => sum + reader.count(), 0),
    expected: load.updates * load.watchers,
    ordered: isRising(events.versions()) && readers.every((reader) => reader.agrees()),
  };
}

function isRising(versions: readonly number[]): boolean {
  return versions.every((version, i) => i === 0 || version > (versions[i - 1] ?? Infinity));
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

/** Takes what comes without parsing it: the reader must not be what is measured. */
async function openWatcher(transport: Transport, path: string, reader: Reader, wanted: number) {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), GIVE_UP_MS);
  const take = (chunk: Buffer) => {
    reader.take(chunk);
    if (reader.count() >= wanted) ending.abort();
  };
  return await new Promise<{ done: Promise<Reader> }>((resolve) => {
    const done = transport
      .stream({ method: "GET", path, signal: ending.signal }, { onStart: () => resolve({ done }), onData: take })
      // Given up: the count tells how much is missing.
      .catch(() => undefined)
      .then(() => {
        clearTimeout(timer);
        return reader;
      });
  });
}
