import { type Condition, setCondition, timestamp } from "@/machines/conditions";
import { type EngineAction, engineMachine } from "@/machines/firebolt/engine.machine";
import { type EngineStatus, instanceNameOf } from "@/machines/firebolt/engine.schema";
import { type Event, observed, step } from "@/machines/lifecycle";
import { factsOfEngine } from "./engine.facts";
import { type EngineSeen } from "./engine.read";
import { labels } from "./generation-names";
import { nextGeneration } from "./generation-sweep";

/** What the machine says to an event now. */
export function engineStep(seen: EngineSeen, event: Event): EngineStep {
  return step(engineMachine, { state: seen.engine.status.phase, facts: factsOfEngine(seen) }, event);
}

export type EngineStep = { state: EngineStatus["phase"]; actions: EngineAction[] };

/** The whole status after a step: phase, generations and conditions, blocked or not, in this one place. */
export function statusAfter(seen: EngineSeen, { state, actions }: EngineStep, now: number): EngineStatus {
  const { metadata, spec, status } = seen.engine;
  const generations = actions.reduce<Generations>(
    (all, action) => ({ ...all, ...statusChanges[action]?.(status) }),
    {},
  );
  const facts = factsOfEngine(seen);
  const accepted = resting.has(state) && facts.generation === "matching" && facts.specAdmitted;
  const next: EngineStatus = {
    ...status,
    ...generations,
    phase: state,
    phaseSince: state === status.phase && status.phaseSince !== undefined ? status.phaseSince : timestamp(now),
    observedGeneration: accepted ? metadata.generation : status.observedGeneration,
    observedInstance: instanceNameOf(seen.engine),
    lastReplicas: spec.replicas > 0 ? spec.replicas : status.lastReplicas,
    selector: `${labels.engine}=${metadata.name}`,
  };
  next.readyReplicas = (next.activeGeneration === status.currentGeneration ? seen.pods : seen.activePods).ready;
  const conditions = [instanceCondition(seen), readyCondition(seen, next, actions)].map((condition) => ({
    ...condition,
    observedGeneration: metadata.generation,
  }));
  next.conditions = [
    ...conditions.reduce<readonly Condition[]>((list, one) => setCondition(list, one, now), status.conditions),
  ];
  return next;
}

/** Whether the pass that is about to be computed ends in a Ready reason so general that an event may say more. */
export function mayBeRefined(seen: EngineSeen): boolean {
  const { status } = seen.engine;
  const next = engineStep(seen, observed);
  const { reason } = readyCondition(seen, { ...status, phase: next.state }, next.actions);
  return refinable.has(reason);
}

type Verdict = Omit<Condition, "lastTransitionTime">;
type Generations = Partial<Pick<EngineStatus, "currentGeneration" | "activeGeneration" | "drainingGeneration">>;

const resting = new Set<string>(["stable", "stopped"]);
const refinable = new Set(["Rolling", "PodsNotReady"]);

const statusChanges: Partial<Record<EngineAction, (status: EngineStatus) => Generations>> = {
  beginGeneration: (status) => ({ currentGeneration: nextGeneration(status) }),
  activateGeneration: ({ currentGeneration, activeGeneration }) => ({
    activeGeneration: currentGeneration,
    drainingGeneration: activeGeneration >= 0 && activeGeneration !== currentGeneration ? activeGeneration : undefined,
  }),
  dropOldGeneration: () => ({ drainingGeneration: undefined }),
};

function instanceCondition({ gate }: EngineSeen): Verdict {
  return gate.open
    ? {
        type: "InstanceReady",
        status: "True",
        reason: "InstanceReady",
        message: "Referenced FireboltInstance is ready",
      }
    : { type: "InstanceReady", status: "False", reason: "InstanceNotReady", message: gate.message };
}

function readyCondition(seen: EngineSeen, status: EngineStatus, actions: readonly EngineAction[]): Verdict {
  const found = readyRows.find(({ when }) => when(seen, status, actions));
  const { reason, message } = found?.say(seen, status) ?? serving(status);
  const base: Verdict = { type: "Ready", status: found ? "False" : "True", reason, message };
  if (!seen.warning || !refinable.has(reason)) return base;
  return { ...base, reason: seen.warning.reason, message: seen.warning.sentence };
}

type ReadyRow = {
  when: (seen: EngineSeen, status: EngineStatus, actions: readonly EngineAction[]) => boolean;
  say: (seen: EngineSeen, status: EngineStatus) => { reason: string; message: string };
};

/** Why an engine is not ready, the first that holds; none of them means that it serves. */
const readyRows: readonly ReadyRow[] = [
  {
    when: (_, __, actions) => actions.includes("register"),
    say: () => ({ reason: "Initializing", message: "Engine status has not yet been populated" }),
  },
  {
    when: ({ engine, owned }) => engine.metadata.deletionTimestamp !== undefined && foreignFinalizers(owned).length > 0,
    say: ({ owned }) => ({ reason: "ExternalFinalizer", message: foreignFinalizers(owned).join("; ") }),
  },
  {
    when: ({ gate }) => !gate.open,
    say: () => ({ reason: "InstanceNotReady", message: "Referenced FireboltInstance is not ready" }),
  },
  {
    when: (_, __, actions) => actions.includes("refuseSpec"),
    say: ({ verdict }) => (verdict.admitted ? { reason: "Refused", message: "" } : verdict),
  },
  {
    when: (_, { phase }) => phase === "stopped",
    say: () => ({ reason: "Stopped", message: "Engine is stopped (spec.replicas is 0)" }),
  },
  {
    when: ({ drain }, { phase }) => phase === "draining" && drain !== null && drain.failures.length > 0,
    say: ({ drain }) => ({ reason: "DrainCheckFailing", message: (drain?.failures ?? []).join("; ") }),
  },
  {
    when: (_, { phase }) => !resting.has(phase),
    say: (_, { phase }) => ({ reason: "Rolling", message: `Engine is in ${phase} phase` }),
  },
  {
    when: ({ engine, pods }) => pods.ready < engine.spec.replicas || pods.ready < pods.total,
    say: ({ engine, pods }, { activeGeneration }) => ({
      reason: "PodsNotReady",
      message: `generation ${activeGeneration} has ${pods.ready} of ${Math.max(pods.total, engine.spec.replicas)} pod(s) ready`,
    }),
  },
];

function serving({ activeGeneration }: EngineStatus) {
  return { reason: "EngineReady", message: `Engine is serving traffic on generation ${activeGeneration}` };
}

/** Of our own objects those that somebody else holds back. */
export function foreignFinalizers(owned: EngineSeen["owned"]): string[] {
  return owned.flatMap(({ kind, metadata }) => {
    const foreign = (metadata.finalizers ?? []).filter((one) => !standardFinalizers.has(one));
    return foreign.length > 0 ? [`${kind} ${metadata.name} is held by ${foreign.join(", ")}`] : [];
  });
}

const standardFinalizers = new Set(["foregroundDeletion", "orphan", "kubernetes.io/pvc-protection"]);
