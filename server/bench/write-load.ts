import { type Connection } from "@/server/kubernetes/connection";
import { type BareLine, openBareLine } from "./bare-line";
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
export async function writeLoad(connection: Connection, namespace: string, load: Load): Promise<LoadResult> {
  const open = (count: number) => Promise.all(Array.from({ length: count }, () => openBareLine(connection)));
  const [lines, watching] = [await open(load.concurrency), await open(load.watchers)];
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  let jsonBytes = 0;
  await inParallel(load.objects, lines, async (line, i) => {
    const text = await write(line, "POST", path, sample(i));
    jsonBytes += text.length;
  });
  const list = await lines[0]?.send({ method: "GET", path: `${path}?limit=1` });
  const version = /"resourceVersion":"(\d+)"/.exec(list?.text ?? "")?.[1] ?? "";
  const events = createSharedStream();
  const watch = `${path}?watch=true&resourceVersion=${version}`;
  const watchers = await Promise.all(watching.map((line) => openWatcher(line, watch, events.reader(), load.updates)));
  const startedMs = performance.now();
  await inParallel(load.updates, lines, async (line, i) => {
    await write(line, "PATCH", `${path}/o-${(i * 7_919) % load.objects}`, { data: { count: String(i + 1) } });
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  const readers = await Promise.all(watchers.map(({ done }) => done));
  for (const line of [...lines, ...watching]) line.close();
  return {
    writesPerSecond: load.updates / seconds,
    jsonBytes,
    delivered: readers.reduce((sum, reader) => sum + reader.count(), 0),
    expected: load.updates * load.watchers,
    ordered: isRising(events.versions()) && readers.every((reader) => reader.agrees()),
  };
}

const types = { POST: "application/json", PATCH: "application/merge-patch+json" };

async function write(line: BareLine, method: "POST" | "PATCH", path: string, body: unknown): Promise<string> {
  const { status, text } = await line.send({ method, path, type: types[method], body: JSON.stringify(body) });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return text;
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

/** Each line has one request under way until all are done. */
async function inParallel(
  count: number,
  lines: readonly BareLine[],
  run: (line: BareLine, i: number) => Promise<void>,
) {
  let next = 0;
  const work = async (line: BareLine) => {
    while (next < count) await run(line, next++);
  };
  await Promise.all(lines.map(work));
}

const GIVE_UP_MS = 60_000;

/** Takes what comes without parsing it: the reader must not be what is measured. */
async function openWatcher(line: BareLine, path: string, reader: Reader, wanted: number) {
  let finish: () => void = () => undefined;
  const done = new Promise<Reader>((resolve) => (finish = () => resolve(reader)));
  await line.stream(path, (bytes) => {
    reader.take(bytes);
    if (reader.count() >= wanted) finish();
  });
  // Given up: the count tells how much is missing.
  setTimeout(finish, GIVE_UP_MS).unref();
  return { done };
}
