import { type EngineAction } from "@/machines/firebolt/engine.machine";
import { findCondition } from "@/machines/conditions";
import { type Event, observed } from "@/machines/lifecycle";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Effect, type Plan } from "@/server/reconcile/plan";
import { clusterService, engineConfigMap, headlessService } from "./engine-objects";
import { selectedGeneration } from "./engine.facts";
import { type EngineSeen } from "./engine.read";
import { engineStep, type EngineStep, foreignFinalizers, statusAfter } from "./engine.status";
import { abandonEffects, dropEffects, sweepEffects } from "./generation-sweep";
import { annotations, finalizers } from "./generation-names";
import { removeEffects, unlistedFailure } from "./last-look";

/** What an engine needs next. Pure: no clock, no cluster. */
export function computeEngine(seen: EngineSeen, event: Event, now: number): Plan {
  const { status } = seen.engine;
  const next = engineStep(seen, event);
  const steps = { phase: { from: status.phase, to: next.state, event: event.type, actions: next.actions } };
  const effects = next.actions.flatMap((action) => effectsOf[action](seen, event, now));
  if (event.type !== observed.type) return { steps, effects, status: null, requeueAfterMs: null };
  if (next.actions.includes("removeEverything"))
    return { steps, effects, status: leaving(seen, next, now), requeueAfterMs: 5_000, ...unlistedFailure(seen) };
  return {
    steps,
    // The sweep first: what a given-up generation left must be gone before a third could come to be. A delete that
    // fails ends the pass, so that nothing is built beside it.
    effects: [...sweepEffects(seen.owned, status, selectedGeneration(seen.service)), ...effects],
    status: statusAfter(seen, next, now),
    requeueAfterMs: requeueAfterMs(seen, next),
  };
}

/** An engine that goes writes a status only to say who keeps it. */
function leaving(seen: EngineSeen, next: EngineStep, now: number): Plan["status"] {
  return foreignFinalizers(seen.owned).length > 0 ? statusAfter(seen, next, now) : null;
}

const driftCheckMs = 30_000;
const blockedMs = 10_000;
const podsMs = 5_000;

function requeueAfterMs({ engine, settings, pods }: EngineSeen, { state, actions }: EngineStep): number | null {
  // The status that is written comes back through the watch and brings the next pass at once.
  if (state !== engine.status.phase) return null;
  if (actions.includes("holdForInstance") || actions.includes("refuseSpec")) return blockedMs;
  if (actions.includes("awaitDrain")) return settings.drainIntervalMs;
  // Why pods are missing is told by events, and nobody watches those.
  if (state === "stable" && pods.total < engine.spec.replicas) return podsMs;
  return state === "stable" || state === "stopped" ? driftCheckMs : podsMs;
}

type EffectsOf = (seen: EngineSeen, event: Event, now: number) => Effect[];

const nothing: EffectsOf = () => [];

const effectsOf: Record<EngineAction, EffectsOf> = {
  register: () => [{ type: "addFinalizer", finalizer: finalizers.engine }],
  removeEverything: (seen) => [
    ...foreignFinalizers(seen.owned).map((message): Effect => ({
      type: "emit",
      severity: "Warning",
      reason: "ExternalFinalizerOnOwnedResource",
      message,
    })),
    ...removeEffects(seen, finalizers.engine),
  ],
  holdForInstance: nothing,
  refuseSpec: nothing,
  beginGeneration: nothing,
  abandonGeneration: ({ owned, engine, service }) => abandonEffects(owned, engine.status, selectedGeneration(service)),
  ensureGeneration: (seen) => [...missingParts(seen), ...missingStatefulSet(seen), ...lostService(seen)],
  restoreParts: missingParts,
  moveService: ({ engine }) => [ensure(clusterService(engine, engine.status.currentGeneration))],
  activateGeneration: ({ engine }) => [
    {
      type: "emit",
      severity: "Normal",
      reason: "GenerationActive",
      message: `Generation ${engine.status.currentGeneration} takes the traffic`,
    },
  ],
  awaitDrain: drainTrouble,
  dropOldGeneration: ({ owned, engine }) =>
    engine.status.drainingGeneration === undefined ? [] : dropEffects(owned, engine.status.drainingGeneration),
  setReplicas: ({ engine }, event) => [patchReplicas(replicasAsked(event) ?? engine.spec.replicas)],
  setNoReplicas: () => [patchReplicas(0)],
  startAsBefore: ({ engine }) => [patchReplicas(engine.status.lastReplicas ?? 1)],
  stampRestart: (_seen, _event, now) => [stamp(annotations.restartedAt, new Date(now).toISOString())],
  waiveDrain: ({ engine }) => [stamp(annotations.skipDrainOf, String(engine.status.drainingGeneration))],
};

/**
 * The ConfigMap and headless Service of the current generation that are not there. While it has no StatefulSet both are
 * written anew: a spec that was given up half-way may have left its own under the same number.
 */
function missingParts({ engine, gate, settings, statefulSet, ...seen }: EngineSeen): Effect[] {
  const { currentGeneration } = engine.status;
  const kept = (part: KubernetesObject | null) => part !== null && statefulSet !== null;
  return [
    ...(kept(seen.configMap) || !gate.open ? [] : [ensure(engineConfigMap(engine, settings, currentGeneration, gate))]),
    ...(kept(seen.headlessService) ? [] : [ensure(headlessService(engine, currentGeneration))]),
  ];
}

function missingStatefulSet({ statefulSet, wanted }: EngineSeen): Effect[] {
  return statefulSet || !wanted ? [] : [ensure(wanted)];
}

/** While a generation is built the Service stays on the one that serves; before the first there is none. */
function lostService({ engine, service }: EngineSeen): Effect[] {
  const { activeGeneration } = engine.status;
  return service || activeGeneration < 0 ? [] : [ensure(clusterService(engine, activeGeneration))];
}

/** Said once, when the trouble begins: the condition goes on saying it. */
function drainTrouble({ engine, drain }: EngineSeen): Effect[] {
  const told = findCondition(engine.status.conditions, "Ready")?.reason === "DrainCheckFailing";
  if (!drain || drain.failures.length === 0 || told) return [];
  return [{ type: "emit", severity: "Warning", reason: "DrainCheckFailing", message: drain.failures.join("; ") }];
}

function ensure(object: Extract<Effect, { type: "ensure" }>["object"]): Effect {
  return { type: "ensure", object };
}

function patchReplicas(replicas: number): Effect {
  return { type: "patchSpec", patch: { spec: { replicas } } };
}

function stamp(annotation: string, value: string): Effect {
  return { type: "patchSpec", patch: { metadata: { annotations: { [annotation]: value } } } };
}

function replicasAsked({ replicas }: Event): number | null {
  return typeof replicas === "number" && Number.isInteger(replicas) && replicas >= 0 ? replicas : null;
}
