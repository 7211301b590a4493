import { type Evidence, type Known, type ObjectRef } from "@/machines/facts";
import { type EngineFacts } from "@/machines/firebolt/engine.machine";
import { instanceNameOf } from "@/machines/firebolt/engine.schema";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type EngineSeen } from "./engine.read";
import { clusterServiceName, finalizers, generationNames, labels } from "./generation-names";

export function factsOfEngine(seen: EngineSeen): EngineFacts {
  const { engine, pods } = seen;
  return {
    deleting: engine.metadata.deletionTimestamp !== undefined,
    registered: engine.metadata.finalizers.includes(finalizers.engine) && engine.status.phaseSince !== undefined,
    instanceReady: seen.gate.open,
    specAdmitted: seen.verdict.admitted,
    generation: generationFact(seen),
    partsPresent: seen.configMap !== null && seen.headlessService !== null,
    podsReady: pods.total === engine.spec.replicas && pods.ready === pods.total,
    service: serviceFact(seen),
    oldGeneration: oldGenerationFact(seen),
    wantsPods: engine.spec.replicas > 0,
  };
}

/** The facts, each with the object and the sentence that it comes from. */
export function knownOfEngine(seen: EngineSeen): Known<EngineFacts> {
  const { engine, pods, gate, verdict, statefulSet, service } = seen;
  const { currentGeneration, drainingGeneration, activeGeneration } = engine.status;
  const names = generationNames(engine.metadata.name, currentGeneration);
  const parts = [
    seen.configMap ? [] : [`ConfigMap ${names.configMap}`],
    seen.headlessService ? [] : [`Service ${names.headlessService}`],
  ].flat();
  return {
    facts: factsOfEngine(seen),
    evidence: {
      instanceReady: { sentence: gate.open ? `FireboltInstance ${instanceNameOf(engine)} is ready` : gate.message },
      specAdmitted: { sentence: verdict.admitted ? "every rule is kept" : verdict.message },
      generation: about(statefulSet, generationSentence(seen)),
      partsPresent: { sentence: parts.length > 0 ? `${parts.join(" and ")} not found` : "both were found" },
      podsReady: seen.warning
        ? { ...about(statefulSet, seen.warning.sentence), warning: true }
        : about(statefulSet, `StatefulSet ${names.statefulSet}: ${pods.ready} of ${engine.spec.replicas} pods ready`),
      service: about(service, serviceSentence(seen)),
      oldGeneration: {
        sentence: seen.drain
          ? `generation ${drainingGeneration ?? activeGeneration}: ${seen.drain.sentence}`
          : `generation ${activeGeneration} serves`,
      },
      wantsPods: { sentence: `spec.replicas is ${engine.spec.replicas}` },
    },
  };
}

/** A resting engine whose newest generation is not the one that serves has none that it can rest on. */
function generationFact({ engine, statefulSet, differences }: EngineSeen): EngineFacts["generation"] {
  const { phase, currentGeneration, activeGeneration } = engine.status;
  const resting = phase === "stable" || phase === "stopped";
  if (!statefulSet || (resting && currentGeneration !== activeGeneration)) return "missing";
  return differences.length > 0 ? "drifted" : "matching";
}

function generationSentence({ engine, statefulSet, differences }: EngineSeen): string {
  const name = generationNames(engine.metadata.name, engine.status.currentGeneration).statefulSet;
  if (!statefulSet) return `StatefulSet ${name} not found`;
  return differences.length > 0
    ? `StatefulSet ${name} differs in ${differences.join(", ")}`
    : `StatefulSet ${name} is as the spec says`;
}

/** The generation that the engine's Service selects; null when it selects none, or pods that are not this engine's. */
export function selectedGeneration(service: KubernetesObject | null): string | null {
  const selector = (service?.spec?.selector ?? {}) as Record<string, string>;
  const isOwn = selector[labels.engine] === service?.metadata.labels?.[labels.engine];
  return isOwn ? (selector[labels.generation] ?? null) : null;
}

function serviceFact({ engine, service }: EngineSeen): EngineFacts["service"] {
  if (!service) return "missing";
  return selectedGeneration(service) === String(engine.status.currentGeneration) ? "onCurrent" : "elsewhere";
}

function serviceSentence({ engine, service }: EngineSeen): string {
  const name = clusterServiceName(engine.metadata.name);
  return service
    ? `Service ${name} selects generation ${selectedGeneration(service) ?? "none"}`
    : `Service ${name} not found`;
}

function oldGenerationFact({ engine, drain }: EngineSeen): EngineFacts["oldGeneration"] {
  const { activeGeneration, currentGeneration } = engine.status;
  if (drain) return drain.drained ? "drained" : "serving";
  return activeGeneration >= 0 && activeGeneration !== currentGeneration ? "serving" : "none";
}

function about(object: KubernetesObject | null, sentence: string): Evidence {
  return object ? { sentence, object: refOf(object) } : { sentence };
}

export function refOf({ apiVersion, kind, metadata }: KubernetesObject): ObjectRef {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}
