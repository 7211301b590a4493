import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { kinds } from "@/machines/families";
import { familyOptions } from "@/server/boot/family-options";
import type { Database } from "@/server/db/database";
import { openDatabase } from "@/server/db/open-database";
import { parseEnv } from "@/server/env";
import { createProjection } from "@/server/history/projection";
import { handlePlain } from "@/server/http/plain-handler";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { connectionFrom, type Connection } from "@/server/kubernetes/connection";
import { silentLog } from "@/server/observability/log";
import { createReconcilers } from "@/server/reconcilers";
import { createServices } from "@/server/services";
import { createWorker } from "@/server/worker";
import { seedFleet } from "./fleet-rows";

/** What a process of the API bench is: the worker, the web half, or both, as the embedded database wants it. */
export const apiProcessSchema = z.object({
  kubeconfig: z.string(),
  database: z.union([z.object({ url: z.string() }), z.object({ folder: z.string() })]),
  /** null: somebody else has filled the database. */
  fill: z.object({ resources: z.int(), transitions: z.int() }).nullable(),
  web: z.boolean(),
  worker: z.boolean(),
});
export type ApiProcessOptions = z.infer<typeof apiProcessSchema>;
export type ApiProcessReport = { url: string | null; fillMs: number; heapBytes: number };

const options = apiProcessSchema.parse(JSON.parse(process.env.ORRERY_BENCH_API ?? "{}"));
const database = await openDatabase(
  "url" in options.database
    ? { dataDir: null, url: options.database.url }
    : { dataDir: options.database.folder, url: undefined },
);
const startedMs = performance.now();
if (options.fill) await seedFleet(database, options.fill.resources, options.fill.transitions);
const fillMs = performance.now() - startedMs;
const connection = await connectionFrom({ kubeconfig: options.kubeconfig });
const client = createClient({ connection, clock: systemClock });
const reconcilers = createReconcilers(familyOptions(parseEnv({}), silentLog));
if (options.worker) await startWorker(database, connection, client);
const url = options.web ? await startWeb(database, client) : null;
report();
process.on("message", report);
process.once("disconnect", () => process.exit());

function report(): void {
  // Given with --expose-gc, so that only what is held is counted.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const message: ApiProcessReport = { url, fillMs, heapBytes: heapUsed + external };
  process.send?.(message);
}

async function startWorker(stored: Database, upstream: Connection, watching: KubernetesClient): Promise<void> {
  const projection = createProjection({ database: stored, clock: systemClock, kinds });
  await projection.start();
  const worker = createWorker({
    client: watching,
    leaseClient: createClient({ connection: upstream, clock: systemClock }),
    clock: systemClock,
    reconcilers,
    identity: `bench-${process.pid}`,
    leaseNamespace: "default",
    onPass: (outcome) => projection.accept(outcome),
  });
  worker.start();
  await worker.synced();
}

/** The API without the pages. All who ask here are one user, so nobody is held to one user's share. */
async function startWeb(stored: Database, asking: KubernetesClient): Promise<string> {
  const services = await createServices({
    database: stored,
    client: asking,
    clock: systemClock,
    kinds,
    reconcilers,
    about: { cluster: "bench", sandbox: true, identity: "none", version: "bench" },
    restNamespace: "default",
    door: { secret: "only for the bench, which signs nobody in", publicUrl: null },
    onFault: (error) => void process.stderr.write(`${String(error)}\n`),
  });
  const unlimited = { ...services, door: { ...services.door, spend: () => undefined } };
  const server = createServer((incoming, outgoing) => {
    const request = requestOf(incoming, outgoing);
    void handlePlain(unlimited, request)
      .then((answer) => send(answer, outgoing))
      // A reader that has left.
      .catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is never a string.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const ended = new AbortController();
  outgoing.once("close", () => ended.abort());
  // The bench only asks; nothing that it sends has a body or a header twice.
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Request(`http://${incoming.headers.host ?? ""}${incoming.url ?? "/"}`, { headers, signal: ended.signal });
}

async function send(answer: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (!answer.body) return void outgoing.end();
  // Node's type of a stream of the web is its own.
  await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), outgoing);
}
