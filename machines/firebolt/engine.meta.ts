import type { LifecycleMeta } from "../lifecycle";
import { replicasMax } from "./replicas-max";

const both = [true, false];

/** The words and the domains of the engine's lifecycle. */
export const engineMeta: LifecycleMeta = {
  title: "Engine",
  description:
    "Runs the pods of an engine generation by generation: the next one is built and ready before traffic moves, and the old one finishes its queries before it goes.",
  settled: ["stable", "stopped"],
  facts: {
    deleting: both,
    registered: both,
    instanceReady: both,
    specAdmitted: both,
    generation: ["missing", "drifted", "matching"],
    partsPresent: both,
    podsReady: both,
    service: ["missing", "elsewhere", "onCurrent"],
    oldGeneration: ["none", "serving", "drained"],
    wantsPods: both,
  },
  guards: {
    deleting: { yes: "the engine is being deleted", no: "nobody deletes the engine" },
    registered: { yes: "the engine is registered", no: "the engine has no finalizer or no status yet" },
    instanceReady: { yes: "its instance is ready", no: "its instance is not ready" },
    specAdmitted: { yes: "the spec is acceptable", no: "the spec is refused" },
    generationMissing: {
      yes: "the current generation has no StatefulSet",
      no: "the current generation has its StatefulSet",
    },
    specDrifted: { yes: "the StatefulSet differs from the spec", no: "the StatefulSet does not differ from the spec" },
    partsPresent: {
      yes: "its ConfigMap and headless Service exist",
      no: "its ConfigMap or its headless Service is missing",
    },
    podsReady: { yes: "all its pods are ready", no: "its pods are not all ready yet" },
    serviceOnCurrent: {
      yes: "the Service selects the current generation",
      no: "the Service does not select the current generation",
    },
    oldGenerationLeft: { yes: "an old generation is left", no: "there is no old generation" },
    drained: { yes: "the old generation has finished its queries", no: "the old generation has not been found idle" },
    wantsPods: { yes: "the spec wants pods", no: "the spec wants no pods" },
  },
  actions: {
    register: "add the finalizer and write the first status",
    removeEverything: "delete all objects of the engine, then let it go",
    holdForInstance: "wait for the instance",
    refuseSpec: "say why the spec is refused",
    beginGeneration: "count up to the next generation",
    abandonGeneration: "delete the unfinished generation; the next is built by the pass after this",
    ensureGeneration: "create what the new generation lacks",
    restoreParts: "rebuild the missing ConfigMap or headless Service",
    moveService: "point the Service at the current generation",
    activateGeneration: "call the current generation the active one",
    awaitDrain: "look at the old pods again after the drain interval",
    dropOldGeneration: "delete the old generation",
    setReplicas: "set the number of pods",
    setNoReplicas: "set the number of pods to 0",
    startAsBefore: "set the number of pods to the last that was not 0",
    stampRestart: "ask for a new generation of the same spec",
    waiveDrain: "no longer wait for this old generation's queries",
  },
  repeats: [
    "register",
    "holdForInstance",
    "refuseSpec",
    "ensureGeneration",
    "restoreParts",
    "moveService",
    "awaitDrain",
    "removeEverything",
  ],
  outdates: { beginGeneration: ["generation"] },
  commands: {
    start: { title: "Start", summary: "Run the number of pods it had before it was stopped" },
    stop: { title: "Stop", summary: "Scale to no pods; a start brings back as many as there were", destroys: true },
    scale: {
      title: "Scale",
      summary: "Roll to another number of pods",
      args: { replicas: { type: "integer", title: "Pods", min: 0, max: replicasMax, suggested: 1 } },
    },
    restart: { title: "Restart", summary: "Roll to a new generation of the same spec" },
    skipDrain: {
      title: "Skip drain",
      summary: "Remove the old generation without waiting for its queries, which fail",
      destroys: true,
    },
  },
};
