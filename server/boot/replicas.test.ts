import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "@/machines/families";
import { installCrds } from "@/server/boot/install-crds";
import { demoFleet } from "@/server/demo";
import { startPostgres, type PostgresServer } from "@/server/db/fixtures/postgres-server";
import { openDatabase } from "@/server/db/open-database";
import { replay } from "@/server/history/replay";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { recordOf } from "@/server/kubernetes/lease-record";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";
import { startOrrery, type OrreryProcess } from "@/server/testing/orrery-process";
import { until } from "@/server/testing/until";

const namespace = "orrery-system";
const leaseAt = { namespace, name: "orrery-worker" };
const folder = mkdtempSync(join(tmpdir(), "orrery-replicas-"));
const processes: OrreryProcess[] = [];
let sandbox: Sandbox;
let client: KubernetesClient;
let postgres: PostgresServer;
let url: string;
/** Everybody who was seen to hold the lease, in order; "" when it was given up. */
const holders: string[] = [];
const watching = new AbortController();

beforeAll(async () => {
  sandbox = await createSandbox({ controllers: false });
  client = createClient({ connection: sandbox.connection(), clock: systemClock });
  writeFileSync(join(folder, "kubeconfig"), sandbox.kubeconfig());
  await client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await installCrds(client);
  for (const { api, object } of demoFleet().filter(({ api: of }) => of.kind === "Namespace"))
    await client.create(api, object);
  postgres = await startPostgres();
  url = await postgres.createDatabase();
  await writeFence();
  void followLease();
});

afterAll(async () => {
  watching.abort();
  for (const { child } of processes) child.kill("SIGKILL");
  await Promise.all(processes.map((started) => started.ended()));
  await client.close();
  await sandbox.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The database has served a cluster before this one, whose lease had changed hands more often than this one's will. */
const FENCE = 7;

async function writeFence(): Promise<void> {
  const database = await openDatabase({ url, dataDir: null });
  await database.query(
    `INSERT INTO "Projection" ("name", "fence", "lagMs", "buffered", "dropped", "at") VALUES ('worker', $1, 0, 0, 0, now())`,
    [FENCE],
  );
  await database.close();
}

async function followLease(): Promise<void> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  for await (const { object } of client.watch(path, { signal: watching.signal })) {
    const { holder } = recordOf(object);
    if (holders.at(-1) !== holder) holders.push(holder);
  }
}

async function startReplica() {
  const started = startOrrery("worker", ["--kubeconfig", join(folder, "kubeconfig")], { env: { DATABASE_URL: url } });
  processes.push(started);
  const [, health = ""] = await started.says(/health and metrics: (http:\S+)/);
  await until("its caches are full", async () => (await fetch(`${health}/readyz`)).status === 200);
  return {
    ...started,
    leads: async () => ((await (await fetch(`${health}/readyz`)).json()) as { leading: boolean }).leading,
    /** Writes that reached the cluster. */
    writes: async () => {
      const text = await (await fetch(`${health}/metrics`)).text();
      return [...text.matchAll(/^orrery_effects_total\{.*outcome="done"\} (\d+)$/gm)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      );
    },
  };
}

const unused = demoFleet().filter(({ api }) => Object.values(kinds).some((kind) => kind.api === api));

/** A resource that is new: whoever leads gives it its first status. */
async function lookedAfter(): Promise<void> {
  const [next] = unused.splice(0, 1);
  if (!next) throw new Error("the demo has no more resources");
  await client.create(next.api, next.object);
  const { name } = next.object.metadata;
  await until(
    `${name} has a status`,
    async () => (await client.get(next.api, next.object.metadata)).status !== undefined,
  );
}

test("of several workers one writes; a clean stop and kill -9 both pass the work on, and to one alone", async () => {
  const [first, second, third] = await Promise.all([startReplica(), startReplica(), startReplica()]);
  await lookedAfter();
  const leaderOf = async (replicas: (typeof first)[]) => {
    const leads = await Promise.all(replicas.map((replica) => replica.leads()));
    expect(leads.filter(Boolean)).toHaveLength(1);
    return replicas[leads.indexOf(true)] ?? first;
  };
  const all = [first, second, third];
  const leader = await leaderOf(all);
  const standbys = all.filter((replica) => replica !== leader);
  expect(await leader.writes()).toBeGreaterThan(0);
  expect(await Promise.all(standbys.map((replica) => replica.writes()))).toEqual([0, 0]);

  leader.child.kill("SIGTERM");
  expect(await leader.ended()).toEqual({ code: 0, signal: null });
  await lookedAfter();
  const next = await leaderOf(standbys);
  const [last = next] = standbys.filter((replica) => replica !== next);
  expect(await last.writes()).toBe(0);

  next.child.kill("SIGKILL");
  expect(await next.ended()).toEqual({ code: null, signal: "SIGKILL" });
  await lookedAfter();
  expect(await last.leads()).toBe(true);

  const names = holders.filter((holder) => holder !== "");
  expect(new Set(names).size).toBe(3);
  // Given up by the one that stopped, and run out under the one that was killed.
  expect(holders).toEqual([names[0], "", names[1], names[2]]);
  expect(recordOf(await client.get(apis.lease, leaseAt)).transitions).toBe(FENCE + 3);

  // Three lives wrote the history, one of them cut off: it folds to the states that it tells.
  const database = await openDatabase({ url, dataDir: null });
  const { replayed, divergences } = await replay(database, kinds).finally(() => database.close());
  expect(divergences).toEqual([]);
  expect(replayed).toBeGreaterThan(0);
});
