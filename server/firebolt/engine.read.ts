import { type z } from "zod";
import { engineClassSchema, type EngineClass } from "@/machines/firebolt/engine-class.schema";
import { type Engine, instanceNameOf } from "@/machines/firebolt/engine.schema";
import { firebolt } from "@/machines/firebolt/family";
import { instanceSchema, type Instance } from "@/machines/firebolt/instance.schema";
import { apis } from "@/server/kubernetes/apis";
import { type Api, type KubernetesObject } from "@/server/kubernetes/object";
import { type Log } from "@/server/observability/log";
import { parseOnce } from "@/server/reconcile/parse-once";
import { latestWarning, type Warning } from "@/server/reconcile/warning-events";
import { type World } from "@/server/reconcile/world";
import { checkDrain, type Drain } from "./drain-check";
import { engineStatefulSet } from "./engine-objects";
import { countPods, type PodCount, podsMadeBy } from "./engine-pods";
import { engineSettings, type EngineSettings } from "./engine-settings";
import { engineVerdict, type ClassFound, type Verdict } from "./engine-verdict";
import { mayBeRefined } from "./engine.status";
import {
  annotations,
  clusterServiceName,
  generationLabels,
  generationNames,
  generationOf,
  labels,
} from "./generation-names";
import { instanceGate, type InstanceGate } from "./instance-gate";
import { type ResourceBounds } from "./resource-bounds";
import { lastLook, type LastLook } from "./last-look";
import { stsDifferences } from "./sts-matches-spec";

/** Everything that a pass over an engine looks at. */
export type EngineSeen = {
  engine: Engine;
  gate: InstanceGate;
  verdict: Verdict;
  settings: EngineSettings;
  /** What the spec asks for; null while the spec is refused. */
  wanted: KubernetesObject | null;
  statefulSet: KubernetesObject | null;
  configMap: KubernetesObject | null;
  headlessService: KubernetesObject | null;
  /** Where the StatefulSet differs from what is wanted. */
  differences: string[];
  pods: PodCount;
  activePods: PodCount;
  service: KubernetesObject | null;
  /** null: no old generation is being drained. */
  drain: Drain | null;
  /** Every object that is the engine's, claims of its pods included. */
  owned: KubernetesObject[];
  /** Of an engine that goes: why some of its objects could not be listed. */
  unlisted: string[];
  warning: Warning | null;
};

export const generationApis = [apis.statefulSet, apis.service, apis.configMap] as const;

export type EngineOptions = { bounds: ResourceBounds; log: Log };

export async function readEngine(engine: Engine, world: World, { bounds, log }: EngineOptions): Promise<EngineSeen> {
  const { name, namespace } = engine.metadata;
  const { currentGeneration, activeGeneration } = engine.status;
  const names = generationNames(name, currentGeneration);
  const at = (api: Api, objectName: string) => world.get(api, { namespace, name: objectName });
  // At once: an explanation asks the API server itself for each of them.
  const [instance, found, statefulSet, configMap, headlessService, service, podsNow, podsActive, owned] =
    await Promise.all([
      readInstance(engine, world),
      readClass(engine, world),
      at(apis.statefulSet, names.statefulSet),
      at(apis.configMap, names.configMap),
      at(apis.service, names.headlessService),
      at(apis.service, clusterServiceName(name)),
      podsOf(engine, currentGeneration, world),
      activeGeneration === currentGeneration ? null : podsOf(engine, activeGeneration, world),
      readOwned(engine, world),
    ]);
  const engineClass = found?.engineClass ?? null;
  const settings = engineSettings(engine, engineClass);
  const verdict = engineVerdict(engine, found, bounds);
  const wanted = verdict.admitted ? engineStatefulSet(engine, engineClass, settings, currentGeneration) : null;
  const pods = countPods(podsMadeBy(statefulSet, podsNow));
  const seen: EngineSeen = {
    engine,
    gate: instanceGate(instanceNameOf(engine), instance),
    verdict,
    settings,
    wanted,
    statefulSet,
    configMap,
    headlessService,
    differences: statefulSet && wanted ? stsDifferences(statefulSet, wanted) : [],
    pods,
    activePods: podsActive ? countPods(podsActive) : pods,
    service,
    drain: await readDrain(engine, settings, instance, world),
    ...owned,
    warning: null,
  };
  const isShort = statefulSet !== null && pods.total < engine.spec.replicas;
  const stuck = isShort && mayBeRefined(seen);
  const note = (message: string) => (error: unknown) => log.warn(message, { engine: `${namespace}/${name}`, error });
  for (const failure of seen.drain?.failures ?? []) note("not drained yet")(failure);
  return stuck ? { ...seen, warning: await latestWarning(world, statefulSet, note("no events")) } : seen;
}

function parsed<T>(result: z.ZodSafeParseResult<T>): T {
  if (result.success) return result.data;
  throw result.error;
}

async function readInstance(engine: Engine, world: World): Promise<Instance | null> {
  const { namespace } = engine.metadata;
  const object = await world.get(firebolt.kinds.instance.api, { namespace, name: instanceNameOf(engine) });
  return object ? parsed(parseOnce(instanceSchema, object)) : null;
}

async function readClass(engine: Engine, world: World): Promise<ClassFound> {
  const name = engine.spec.engineClassRef;
  if (name === undefined) return null;
  const object = await world.get(firebolt.kinds.engineClass.api, { namespace: engine.metadata.namespace, name });
  const engineClass: EngineClass | null = object ? parsed(parseOnce(engineClassSchema, object)) : null;
  return { name, engineClass };
}

async function podsOf(engine: Engine, generation: number, world: World): Promise<KubernetesObject[]> {
  if (generation < 0) return [];
  const { name, namespace } = engine.metadata;
  return await world.list(apis.pod, { namespace, labels: generationLabels(name, generation) });
}

const nothingLeft: Drain = { drained: true, sentence: "", failures: [] };

async function readDrain(
  engine: Engine,
  settings: EngineSettings,
  instance: Instance | null,
  world: World,
): Promise<Drain | null> {
  const { phase, drainingGeneration: old } = engine.status;
  if (old === undefined) return null;
  if (phase !== "draining") return { ...nothingLeft, sentence: `generation ${old} was found idle` };
  if (!settings.drainCheck) return { ...nothingLeft, sentence: "the drain check is switched off" };
  if (engine.metadata.annotations[annotations.skipDrainOf] === String(old)) {
    return { ...nothingLeft, sentence: `someone chose not to wait for generation ${old}` };
  }
  const { namespace, name } = engine.metadata;
  const statefulSet = await world.get(apis.statefulSet, {
    namespace,
    name: generationNames(name, old).statefulSet,
  });
  if (!statefulSet) return { ...nothingLeft, sentence: `generation ${old} has no StatefulSet any more` };
  const pods = await podsOf(engine, old, world);
  // Requests still come in where the endpoints lag behind the selector: an idle moment proves nothing until then.
  if (await leadsTo(engine, pods, world))
    return { ...nothingLeft, drained: false, sentence: "the Service still leads to it" };
  return await checkDrain(world, pods, instance?.spec.metricScrapeMode ?? "PodIP");
}

async function leadsTo(engine: Engine, pods: readonly KubernetesObject[], world: World): Promise<boolean> {
  const { name, namespace } = engine.metadata;
  const endpoints = await world.get(apis.endpoints, { namespace, name: clusterServiceName(name) });
  const subsets = (endpoints?.subsets ?? []) as { addresses?: { targetRef?: { name?: string } }[] }[];
  const targets = new Set(subsets.flatMap(({ addresses = [] }) => addresses.map(({ targetRef }) => targetRef?.name)));
  return pods.some(({ metadata }) => targets.has(metadata.name));
}

async function readOwned(engine: Engine, world: World): Promise<LastLook> {
  const { name, namespace, uid, deletionTimestamp } = engine.metadata;
  const ofGeneration = (claim: KubernetesObject) => generationOf(claim) !== null;
  if (deletionTimestamp !== undefined) {
    return await lastLook(world, { namespace, uid, labels: { [labels.engine]: name } }, generationApis);
  }
  const [claims, ...lists] = await Promise.all([
    world.list(apis.persistentVolumeClaim, { namespace, labels: { [labels.engine]: name } }),
    ...generationApis.map((api) => world.list(api, { namespace, ownerUid: uid })),
  ]);
  return { owned: [...lists.flat(), ...claims.filter(ofGeneration)], unlisted: [] };
}
