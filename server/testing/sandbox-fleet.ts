import { crdOf } from "@/machines/crd";
import type { Kind } from "@/machines/kind";
import { apis } from "@/server/kubernetes/apis";
import { clientOver, createClient } from "@/server/kubernetes/client";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { isNotFound } from "@/server/kubernetes/errors";
import { apiVersionOf, type Api, type KubernetesObject } from "@/server/kubernetes/object";
import { createTransport, type Send } from "@/server/kubernetes/transport";
import type { PassOutcome } from "@/server/reconcile/pass";
import type { AnyReconciler } from "@/server/reconcile/reconciler";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";
import { repeatedWrites } from "@/server/testing/repeated-writes";
import { createFrozenStore } from "@/server/testing/frozen-store";
import { createReplayCheck } from "@/server/testing/replay-check";
import { createWorker } from "@/server/worker";

const stepMs = 500;
/** Virtual time that anything here may take; it ends what hangs. */
const limitMs = 600_000;
const quietTurns = 6;

export type FleetOptions = {
  kinds: readonly Kind[];
  reconcilers: Record<string, AnyReconciler>;
  namespace: string;
};

/** The sandbox and a worker over real HTTP, on a clock that moves only while somebody waits. */
export async function createSandboxFleet({ kinds, reconcilers, namespace }: FleetOptions) {
  const running: { sandbox?: Sandbox; worker?: ReturnType<typeof createWorker> } = {};
  const quiet = async () => {
    for (let calm = 0; calm < quietTurns;) {
      await new Promise((resolve) => void setImmediate(resolve));
      calm = (running.sandbox?.idle() ?? true) && (running.worker?.idle() ?? true) ? calm + 1 : 0;
    }
  };
  const clock = createVirtualClock({ quiet });
  const sandbox = await createSandbox({ clock });
  running.sandbox = sandbox;
  const client = createClient({ connection: sandbox.connection(), clock });
  for (const kind of kinds) await client.create(apis.customResourceDefinition, crdOf(kind));
  await client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });

  const passes: PassOutcome[] = [];
  /** What the workers have sent; watches are not in it. */
  const sent: Pick<Send, "method" | "path">[] = [];
  const history = createReplayCheck(reconcilers);
  const startWorker = () => {
    const transport = createTransport(sandbox.connection(), { clock });
    const send = (request: Send) => {
      sent.push({ method: request.method, path: request.path });
      return transport.send(request);
    };
    const worker = createWorker({
      client: clientOver({ ...transport, send }, clock),
      clock,
      reconcilers,
      identity: "test",
      leaseNamespace: "default",
      parts: { createStore: createFrozenStore },
      onPass: (outcome) => {
        passes.push(outcome);
        history.onPass(outcome);
      },
    });
    running.worker = worker;
    worker.start();
    return worker;
  };
  let worker = startWorker();

  /** Time goes on in small steps until there is something to see. */
  const until = async <T>(what: string, look: () => Promise<T | null | false>): Promise<T> => {
    for (let waitedMs = 0; waitedMs <= limitMs; waitedMs += stepMs) {
      const found = await look();
      if (found !== null && found !== false) return found;
      await clock.advance(stepMs);
    }
    throw new Error(`waited ${limitMs / 1_000} virtual seconds in vain until ${what}`);
  };

  return {
    clock,
    client,
    sandbox,
    passes,
    sent,
    until,
    find: async (api: Api, name: string): Promise<KubernetesObject | null> => {
      try {
        return await client.get(api, { namespace, name });
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },
    create: (api: Api, object: Record<string, unknown> & { metadata: { name: string } }) =>
      client.create(api, {
        apiVersion: apiVersionOf(api),
        kind: api.kind,
        ...object,
        metadata: { namespace, ...object.metadata },
      }),
    patch: (api: Api, name: string, body: Record<string, unknown>) =>
      client.patch(api, { namespace, name }, body, { type: "merge" }),
    /** As a crash: nothing is finished and nothing given up. */
    stopWorker: () => worker.stop({ abandon: true }),
    restartWorker: async () => {
      await worker.stop({ abandon: true });
      worker = startWorker();
    },
    async stop() {
      await worker.stop({ abandon: true });
      await client.close();
      await sandbox.stop();
      history.mustReplay();
      const repeated = repeatedWrites(passes);
      if (repeated.length > 0) throw new Error(`Nothing had changed: ${repeated.join("; ")}`);
    },
  };
}

export type SandboxFleet = Awaited<ReturnType<typeof createSandboxFleet>>;
