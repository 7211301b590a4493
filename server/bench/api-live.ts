import { get, type ClientRequest } from "node:http";
import { kinds } from "@/machines/families";
import type { KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { apiVersionOf } from "@/server/kubernetes/object";
import type { Figure } from "./bench-group";
import { percentile, round } from "./sample";

const SUBSCRIBERS = 200;
const CHANGES = 200;
const CHANGING = 20;
const EVERY_MS = 50;
const SETTLE_MS = 2_000;
const KIND = "firebolt.engineClass";
const namespace = "default";

/**
 * From before a label is written to the cluster until each of the subscribers has read it off its stream: the watch, the
 * worker's pass, the database, the news and the stream are all in it.
 */
export async function liveFigures(
  url: string,
  home: string,
  { client, scale }: { client: KubernetesClient; scale: number },
): Promise<Figure[]> {
  const { api } = kinds[KIND];
  // Each home has its own: what was deleted in the other may still be held by its finalizer.
  const names = Array.from({ length: CHANGING }, (_, at) => `live-${home}-${at}`);
  for (const name of names) {
    const base = { apiVersion: apiVersionOf(api), kind: api.kind, metadata: { namespace, name } };
    await client.create(api, { ...base, spec: { template: {} } });
  }
  const writtenMs: number[] = [];
  const times: number[] = [];
  const streams = await Promise.all(
    Array.from({ length: SUBSCRIBERS }, () =>
      subscribe(
        url,
        names.map((name) => `${KIND}/${namespace}/${name}`),
        (change) => times.push(performance.now() - (writtenMs[change] ?? Infinity)),
      ),
    ),
  );
  await systemClock.sleep(SETTLE_MS);
  const changes = Math.ceil(CHANGES / scale);
  for (let change = 0; change < changes; change++) {
    const name = names[change % names.length] ?? "";
    writtenMs[change] = performance.now();
    const body = { metadata: { labels: { change: String(change) } } };
    await client.patch(api, { namespace, name }, body, { type: "merge" });
    await systemClock.sleep(EVERY_MS);
  }
  await systemClock.sleep(SETTLE_MS);
  for (const stream of streams) stream.destroy();
  for (const name of names) await client.delete(api, { namespace, name });
  const expected = changes * SUBSCRIBERS;
  const detail = { deliveries: times.length, of: expected, subscribers: SUBSCRIBERS, upstream: "sandbox process" };
  const figure = (part: number, goalMs: number): Figure => ({
    key: `api-live-p${part * 100}-${home}`,
    what: `cluster change → subscriber, p${part * 100}, ${SUBSCRIBERS} subscribers`,
    // A change that did not arrive is no fast one.
    value: times.length < expected ? Infinity : round(percentile(times, part), 1),
    unit: "ms",
    goal: { atMost: goalMs },
    detail: { ...detail, worstMs: round(Math.max(...times), 1) },
  });
  return [figure(0.5, 50), figure(0.99, 150)];
}

/** One page's stream. Resolves when it is open; each change is told once. */
function subscribe(url: string, ids: string[], onChange: (change: number) => void): Promise<ClientRequest> {
  const input = encodeURIComponent(JSON.stringify({ filter: {}, ids }));
  return new Promise((resolve, reject) => {
    const seen = new Set<string>();
    const request = get(`${url}/api/v1/fleet.changes?input=${input}`, { agent: false }, (response) => {
      let rest = "";
      response.on("data", (chunk: Buffer) => {
        const events = (rest + chunk.toString()).split("\n\n");
        rest = events.pop() ?? "";
        for (const event of events)
          for (const [, change = ""] of event.matchAll(/"change":"(\d+)"/g)) {
            if (seen.has(change)) continue;
            seen.add(change);
            onChange(Number(change));
          }
      });
      response.on("error", () => undefined);
      resolve(request);
    });
    request.on("error", reject);
  });
}
