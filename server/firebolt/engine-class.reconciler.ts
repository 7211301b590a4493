import { setCondition } from "@/machines/conditions";
import { type Known } from "@/machines/facts";
import { engineClassMachine, type EngineClassFacts } from "@/machines/firebolt/engine-class.machine";
import { type EngineClass } from "@/machines/firebolt/engine-class.schema";
import { engineClassState, firebolt } from "@/machines/firebolt/family";
import { type Event, step } from "@/machines/lifecycle";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Effect, type Plan } from "@/server/reconcile/plan";
import { defineReconciler, type Key } from "@/server/reconcile/reconciler";
import { type World } from "@/server/reconcile/world";
import { classSpecFaults } from "./engine-verdict";
import { faultText } from "./field-rule";
import { finalizers } from "./generation-names";

const { engine, engineClass } = firebolt.kinds;

type EngineClassSeen = { engineClass: EngineClass; bound: string[]; faults: string };

export function createEngineClassReconciler() {
  return defineReconciler({
    id: "firebolt.engineClass",
    kind: engineClass,
    watches: [{ api: engine.api, keysOf: namedClass }],
    read,
    known: (seen) => ({ ready: known(seen) }),
    compute: computeEngineClass,
  });
}

function namedClass({ metadata, spec }: KubernetesObject): Key[] {
  const name = spec?.engineClassRef;
  return typeof name === "string" ? [{ namespace: metadata.namespace ?? "", name }] : [];
}

async function read(resource: EngineClass, world: World): Promise<EngineClassSeen> {
  const { name, namespace, deletionTimestamp } = resource.metadata;
  // Who lets a class go asks the cluster itself whether an engine names it: a cache may not know the newest one.
  const engines =
    deletionTimestamp === undefined
      ? await world.list(engine.api, { namespace })
      : await world.live.list(engine.api, { namespace });
  return {
    engineClass: resource,
    bound: engines.filter(({ spec }) => spec?.engineClassRef === name).map(({ metadata }) => metadata.name),
    faults: faultText(classSpecFaults(resource)),
  };
}

function known({ engineClass: { metadata }, bound, faults }: EngineClassSeen): Known<EngineClassFacts> {
  return {
    facts: {
      deleting: metadata.deletionTimestamp !== undefined,
      guarded: metadata.finalizers.includes(finalizers.engineClass),
      bound: bound.length > 0,
      templateAdmissible: faults === "",
    },
    evidence: {
      bound: { sentence: bound.length > 0 ? `named by ${boundText(bound)}` : "no engine of the namespace names it" },
      templateAdmissible: { sentence: faults || "every rule is kept" },
    },
  };
}

export function computeEngineClass(seen: EngineClassSeen, event: Event, now: number): Plan {
  const { metadata, status } = seen.engineClass;
  const from = engineClassState(seen.engineClass);
  const { state, actions } = step(engineClassMachine, { state: from, facts: known(seen).facts }, event);
  const said = conditions[state]?.(seen);
  const ready = said && { type: "Ready", ...said, reason: state, observedGeneration: metadata.generation };
  return {
    steps: { ready: { from, to: state, event: event.type, actions } },
    effects: actions.flatMap((action) => effects[action] ?? []),
    // The last write of a class that goes is that of its finalizer.
    status: actions.includes("release")
      ? null
      : {
          ...status,
          observedGeneration: metadata.generation,
          boundEngines: seen.bound.length,
          conditions: ready ? setCondition(status.conditions, ready, now) : status.conditions,
        },
    requeueAfterMs: actions.length > 0 ? null : 30_000,
  };
}

const effects: Record<string, Effect[]> = {
  guard: [{ type: "addFinalizer", finalizer: finalizers.engineClass }],
  release: [{ type: "removeFinalizer", finalizer: finalizers.engineClass }],
};

const conditions: Record<string, (seen: EngineClassSeen) => { status: "True" | "False"; message: string }> = {
  Admissible: () => ({ status: "True", message: "The template may be used by engines" }),
  OperatorOwnedFieldSet: ({ faults }) => ({ status: "False", message: faults }),
  DeletionBlocked: ({ bound }) => ({ status: "False", message: `still named by ${boundText(bound)}` }),
};

const namesShown = 5;

function boundText(names: readonly string[]): string {
  const more = names.length - namesShown;
  return `${names.slice(0, namesShown).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
