import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kinds } from "@/machines/families";
import { startAdmission } from "@/server/admission/admission";
import type { Database } from "@/server/db/database";
import { openDatabase } from "@/server/db/open-database";
import { UsageError, type Env } from "@/server/env";
import { createProjection } from "@/server/history/projection";
import { measureProjection, measureWarnings } from "@/server/history/projection-metrics";
import { startRetention } from "@/server/history/retention";
import { storedFence } from "@/server/history/stored-fence";
import { wakeKnown } from "@/server/history/wake-known";
import { createWarningWatch } from "@/server/history/warning-watch";
import { createClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import type { Log } from "@/server/observability/log";
import type { AnyReconciler } from "@/server/reconcile/reconciler";
import type { FamilyOptions } from "@/server/reconcilers";
import { createServices, provideServices, type Services } from "@/server/services";
import { startWorkerProcess } from "@/server/worker-process";
import type { ConnectedCluster } from "./connect-cluster";
import { makeFolder } from "./make-folder";
import { portRefusal } from "./port-refusal";
import type { Stages } from "./stages";

/** `giveUp`: what runs already cannot go on; everything is stopped, and the process ends as after a failed start. */
export type Parts = { env: Env; log: Log; stages: Stages; giveUp: (error: unknown) => void };

export function startDatabase({ env, stages }: Parts): Promise<Database> {
  const title = env.DATABASE_URL ? "reach the database and bring its tables up to date" : "open the embedded database";
  return stages.run(
    title,
    async () => {
      try {
        if (!env.DATABASE_URL) makeFolder(env.ORRERY_DATA);
        return await openDatabase({ url: env.DATABASE_URL, dataDir: env.ORRERY_DATA });
      } catch (error) {
        throw new UsageError(databaseRefusal(env, error));
      }
    },
    (database) => database.close(),
  );
}

/** The worker with what it leaves behind: rows, history and metrics. */
export async function startReconciling(
  { env, log, stages, giveUp }: Parts,
  {
    cluster,
    database,
    reconcilers,
  }: { cluster: ConnectedCluster; database: Database; reconcilers: Record<string, AnyReconciler> },
) {
  const projection = createProjection({
    database,
    clock: systemClock,
    kinds,
    onError: (error) => log.warn("history cannot be stored just now", { error }),
  });
  const tokenAfter = await stages.run(
    "write down what happens",
    async () => {
      await projection.start();
      return storedFence(database);
    },
    () => projection.stop(),
  );
  await stages.run(
    "keep history within its bounds",
    async () =>
      startRetention({
        database,
        clock: systemClock,
        retention: { keepDays: env.ORRERY_KEEP_DAYS, keepPerResource: env.ORRERY_KEEP_PER_RESOURCE },
        onError: (error) => log.warn("old history cannot be forgotten just now", { error }),
      }),
    async (retention) => retention.stop(),
  );
  const warnings = createWarningWatch({
    client: cluster.client,
    clock: systemClock,
    database,
    kinds,
    onError: (error) => log.warn("warning events cannot be kept just now", { error }),
  });
  await stages.run(
    "keep warning events",
    async () => warnings.start(),
    () => warnings.stop(),
  );
  const leaseClient = createClient({ connection: cluster.connection, clock: systemClock });
  const started = await stages.run(
    "start the worker",
    () =>
      startWorkerProcess({
        client: cluster.client,
        leaseClient,
        clock: systemClock,
        reconcilers,
        identity: `${hostname()}_${randomUUID().slice(0, 8)}`,
        leaseNamespace: env.ORRERY_NAMESPACE,
        tokenAfter,
        concurrency: env.ORRERY_WORKERS,
        onPass: (outcome) => projection.accept(outcome),
        onUseless: (sentence) => giveUp(new UsageError(sentence)),
        log,
        health: { host: env.ORRERY_HOST, port: env.ORRERY_HEALTH_PORT },
      }).catch((error: unknown) => {
        const at = { host: env.ORRERY_HOST, port: env.ORRERY_HEALTH_PORT, option: "--health-port" };
        throw portRefusal(error, at);
      }),
    async (process) => {
      await process.stop();
      await leaseClient.close();
    },
  );
  measureProjection(started.worker.metrics, projection);
  measureWarnings(started.worker.metrics, warnings);
  // What was deleted while nobody looked is found to be gone.
  void started.worker
    .synced()
    .then(() => wakeKnown(database, (kind, key) => started.worker.wake(kind, key)))
    .catch((error: unknown) => log.warn("stored resources could not be looked at again", { error }));
  return started;
}

/** The admission webhook: asked for, or in the sandbox, where nothing stands between it and the API server. */
export async function startWebhook(
  { env, log, stages }: Parts,
  { cluster, options }: { cluster: ConnectedCluster; options: FamilyOptions },
): Promise<void> {
  if (!env.ORRERY_WEBHOOK && !cluster.sandbox) return;
  const inSandbox = cluster.sandbox && !env.ORRERY_WEBHOOK;
  await stages.run(
    "serve the admission webhook",
    () =>
      startAdmission({
        client: cluster.client,
        clock: systemClock,
        log,
        bounds: options.firebolt.bounds ?? {},
        namespace: env.ORRERY_NAMESPACE,
        host: inSandbox ? "127.0.0.1" : env.ORRERY_HOST,
        port: inSandbox ? 0 : env.ORRERY_WEBHOOK_PORT,
        url: inSandbox ? "https://127.0.0.1:{port}" : env.ORRERY_WEBHOOK_URL,
      }).catch((error: unknown) => {
        const at = { host: env.ORRERY_HOST, port: env.ORRERY_WEBHOOK_PORT, option: "--webhook-port" };
        throw portRefusal(error, at);
      }),
    (admission) => admission.stop(),
  );
}

/** What the pages and the API answer from, put where every bundle of this process finds it. */
export function startServices(
  { env, log, stages }: Parts,
  {
    cluster,
    database,
    reconcilers,
  }: { cluster: ConnectedCluster; database: Database; reconcilers: Record<string, AnyReconciler> },
): Promise<Services> {
  requireSafeIdentity(env);
  return stages.run(
    "open the API",
    async () => {
      const services = await createServices({
        database,
        client: cluster.client,
        clock: systemClock,
        kinds,
        reconcilers,
        about: {
          cluster: cluster.title,
          sandbox: cluster.sandbox !== null,
          identity: env.ORRERY_IDENTITY,
          version: cluster.version,
        },
        restNamespace: env.FELDERA_NAMESPACE,
        door: {
          secret: env.ORRERY_SESSION_SECRET ?? keptSecret(env),
          publicUrl: env.ORRERY_PUBLIC_URL ?? null,
          ...oidcOf(env),
        },
        onFault: (error, path) => log.error("a request failed for a fault of our own", { error, path }),
      });
      provideServices(services);
      return services;
    },
    async (services) => {
      provideServices(null);
      await services.stop();
    },
  );
}

const loopback = /^(127(\.\d+){3}|::1|localhost)$/;

/** Without identity everybody is the administrator: then nobody but this machine may ask. */
function requireSafeIdentity(env: Env): void {
  if (env.ORRERY_IDENTITY !== "none") return;
  if (!loopback.test(env.ORRERY_HOST)) {
    throw new UsageError(
      `Without identity Orrery listens on this machine alone, not on ${env.ORRERY_HOST}: choose --identity token or oidc, or leave --host away.`,
    );
  }
  if (env.ORRERY_CLUSTER === "in-cluster") {
    throw new UsageError("In a cluster, identity is needed: choose --identity token or oidc.");
  }
}

function oidcOf(env: Env) {
  if (env.ORRERY_IDENTITY !== "oidc") return {};
  const { ORRERY_OIDC_ISSUER: issuer, ORRERY_OIDC_CLIENT_ID: clientId, ORRERY_PUBLIC_URL: publicUrl } = env;
  if (!issuer || !clientId || !publicUrl) {
    throw new UsageError("--identity oidc also needs --oidc-issuer, --oidc-client-id and --public-url.");
  }
  return {
    oidc: {
      issuer,
      clientId,
      clientSecret: env.ORRERY_OIDC_CLIENT_SECRET ?? null,
      userClaim: env.ORRERY_OIDC_USER_CLAIM,
      groupsClaim: env.ORRERY_OIDC_GROUPS_CLAIM,
    },
  };
}

/** Sessions outlive a restart: the key is made once and kept where only this user can read it. */
function keptSecret(env: Env): string {
  const file = join(env.ORRERY_DATA, "session.key");
  try {
    makeFolder(env.ORRERY_DATA);
    if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" });
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(folderRefusal(env, error));
  }
}

function databaseRefusal(env: Env, error: unknown): string {
  if (!env.DATABASE_URL) return folderRefusal(env, error);
  return `${reasonOf(error)}; check DATABASE_URL and that the server runs.`;
}

function folderRefusal(env: Env, error: unknown): string {
  return `The data folder ${env.ORRERY_DATA} cannot be used: ${reasonOf(error)}; choose another one with --data.`;
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}
