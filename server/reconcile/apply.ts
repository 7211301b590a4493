import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { type Api, type KubernetesObject, type ObjectKey } from "@/server/kubernetes/object";
import { type AppliedMemory } from "./applied-memory";
import { carryOut, mergePatchSelf } from "./effects";
import { type Deleted, type Shown } from "./expectations";
import { type Effect, type Plan, turnsOf } from "./plan";
import { type PlannedWrite, statusWriteOf, writeOf } from "./planned-write";
import { writeStatus } from "./status-write";

/** One write as it went. */
export type Write = PlannedWrite & { outcome: WriteOutcome; ms: number };
type WriteOutcome = "done" | "unchanged" | `failed: ${string}`;

export type Applied = {
  writes: Write[];
  /** The resource after the writes; null when it is gone. */
  object: KubernetesObject | null;
  failures: unknown[];
};

/** What writing needs. The client refuses every write once the lease may have passed on. */
export type ApplyDeps = {
  client: KubernetesClient;
  /** Throws when the lease may have passed on, and gives the signal of its end: for what does not go through the client. */
  check(): AbortSignal | undefined;
  clock: Clock;
  /** Where a kind is served; throws for one that nobody declared. */
  apiOf(apiVersion: string, kind: string): Api;
  /** The cache that would hold this object; undefined when there is none, and then only the server knows. */
  cacheOf(api: Api, object: KubernetesObject | ObjectKey): Shown | undefined;
  applied: AppliedMemory;
  onWrote(api: Api, object: KubernetesObject): void;
  onDeleted(api: Api, target: Deleted): void;
  emit(object: KubernetesObject, effect: Extract<Effect, { type: "emit" }>): void;
};

/** What one plan is carried out with, and on. */
export type Work = ApplyDeps & {
  api: Api;
  /** The resource as the plan was computed from it. */
  before: KubernetesObject;
  /** The resource as we last left it; null when it is gone. */
  current: KubernetesObject | null;
  /** Whether the server was asked, in this pass, if the resource is still the one that the plan is about. */
  confirmed: boolean;
  plan: Plan;
};

/**
 * Carries out a plan, and is the only thing that writes: effects in their order, then the status, then what waits for it,
 * finalizers last.
 * The first failure ends it, save that deletes in a row are independent of each other and all tried.
 */
export async function applyPlan(
  deps: ApplyDeps,
  target: { api: Api; object: KubernetesObject },
  plan: Plan,
): Promise<Applied> {
  const work: Work = {
    ...deps,
    api: target.api,
    before: target.object,
    current: target.object,
    confirmed: false,
    plan,
  };
  const writes: Write[] = [];
  const failures: unknown[] = [];
  /** What came before a delete may be what makes it safe; other deletes never are. */
  const unsafe = { toDelete: false };

  const attempt = async (planned: PlannedWrite, run: () => Promise<"done" | "unchanged">) => {
    const startedMs = deps.clock.monotonic();
    const end = (outcome: WriteOutcome) =>
      void writes.push({ ...planned, outcome, ms: deps.clock.monotonic() - startedMs });
    try {
      end(await run());
    } catch (error) {
      failures.push(error);
      if (planned.verb !== "delete") unsafe.toDelete = true;
      end(`failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

  const attemptAll = async (effects: readonly Effect[]) => {
    for (const effect of effects) {
      if (failures.length > 0 && (unsafe.toDelete || effect.type !== "delete")) break;
      await attempt(writeOf(effect, target.object), () => carryOut(work, effect));
    }
  };

  const { beforeStatus, afterStatus } = turnsOf(plan);
  await attemptAll(beforeStatus);
  const { status } = plan;
  if (failures.length === 0 && status) {
    for (const planned of statusWriteOf(plan, target.object)) await attempt(planned, () => writeStatus(work, status));
  }
  if (failures.length === 0) await attemptAll(afterStatus);
  return { writes, object: work.current, failures };
}

/** What a command does: patches the resource, and only if it is still as the command's guards saw it. */
export async function applyCommand(command: {
  client: KubernetesClient;
  kind: { api: Api };
  object: KubernetesObject;
  plan: Plan;
}): Promise<KubernetesObject> {
  let object = command.object;
  for (const effect of command.plan.effects) {
    if (effect.type !== "patchSpec") throw new Error(`a command may only patch the spec, not ${effect.type}`);
    object = await mergePatchSelf(command.client, command.kind.api, object, effect.patch);
  }
  return object;
}
