import { and, not, or, setup } from "xstate";
import type { StateMeta } from "../lifecycle";
import { engineMeta } from "./engine.meta";

/** What is true of an engine now. */
export type EngineFacts = {
  deleting: boolean;
  /** The finalizer is on and the first status is written. */
  registered: boolean;
  instanceReady: boolean;
  specAdmitted: boolean;
  /** The StatefulSet of the current generation against the spec. */
  generation: "missing" | "drifted" | "matching";
  partsPresent: boolean;
  podsReady: boolean;
  service: "missing" | "elsewhere" | "onCurrent";
  oldGeneration: "none" | "serving" | "drained";
  wantsPods: boolean;
};

type EngineEvent =
  | { type: "observed" }
  | { type: "start" }
  | { type: "stop" }
  | { type: "scale"; replicas?: unknown }
  | { type: "restart" }
  | { type: "skipDrain" };

const nothing = () => undefined;

const actions = {
  register: nothing,
  removeEverything: nothing,
  holdForInstance: nothing,
  refuseSpec: nothing,
  beginGeneration: nothing,
  abandonGeneration: nothing,
  ensureGeneration: nothing,
  restoreParts: nothing,
  moveService: nothing,
  activateGeneration: nothing,
  awaitDrain: nothing,
  dropOldGeneration: nothing,
  setReplicas: nothing,
  setNoReplicas: nothing,
  startAsBefore: nothing,
  stampRestart: nothing,
  waiveDrain: nothing,
};
export type EngineAction = keyof typeof actions;

const { createMachine } = setup({
  // XState reads its types from values that are never looked at.
  types: { context: {} as EngineFacts, events: {} as EngineEvent },
  guards: {
    deleting: ({ context }) => context.deleting,
    registered: ({ context }) => context.registered,
    instanceReady: ({ context }) => context.instanceReady,
    specAdmitted: ({ context }) => context.specAdmitted,
    generationMissing: ({ context }) => context.generation === "missing",
    specDrifted: ({ context }) => context.generation === "drifted",
    partsPresent: ({ context }) => context.partsPresent,
    podsReady: ({ context }) => context.podsReady,
    serviceOnCurrent: ({ context }) => context.service === "onCurrent",
    oldGenerationLeft: ({ context }) => context.oldGeneration !== "none",
    drained: ({ context }) => context.oldGeneration === "drained",
    wantsPods: ({ context }) => context.wantsPods,
  },
  actions,
});

const remove = { guard: "deleting", actions: "removeEverything" } as const;

/** Only where a ConfigMap may be built: a lost instance must not stall a rollout that is under way. */
const gate = [
  { guard: not("registered"), actions: "register" },
  { guard: not("instanceReady"), actions: "holdForInstance" },
  { guard: not("specAdmitted"), actions: "refuseSpec" },
] as const;

/** The one place that tells stable from stopped. */
const rest = <A extends "activateGeneration" | "dropOldGeneration">(...also: A[]) =>
  [
    { guard: "wantsPods", target: "stable", actions: also },
    { target: "stopped", actions: also },
  ] as const;

const scaling = {
  stop: [{ guard: and(["wantsPods", not("deleting")]), actions: "setNoReplicas" }],
  start: [{ guard: and([not("wantsPods"), not("deleting")]), actions: "startAsBefore" }],
  scale: [{ guard: not("deleting"), actions: "setReplicas" }],
} as const;

const settled = [
  remove,
  ...gate,
  // Intent only: no object of the new generation is made in the pass that decides it.
  { guard: or(["generationMissing", "specDrifted"]), target: "creating", actions: "beginGeneration" },
  { guard: not("partsPresent"), actions: "restoreParts" },
  { guard: not("serviceOnCurrent"), actions: "moveService" },
  ...rest(),
] as const;

/**
 * creating → switching → draining → cleaning → stable | stopped → creating …
 * A first deploy goes from switching straight to rest; a spec that changes in creating stays there with a new generation.
 */
export const engineMachine = createMachine({
  id: "firebolt.engine",
  meta: engineMeta,
  context: {
    deleting: false,
    registered: true,
    instanceReady: true,
    specAdmitted: true,
    generation: "matching",
    partsPresent: true,
    podsReady: true,
    service: "onCurrent",
    oldGeneration: "none",
    wantsPods: true,
  },
  initial: "creating",
  states: {
    creating: {
      meta: { tone: "busy", summary: "Building the next generation" } satisfies StateMeta,
      on: {
        observed: [
          remove,
          ...gate,
          // Before podsReady: pods of a spec nobody wants any more must never take traffic. Counted on before anything is
          // deleted: the other way round, a crash between the two would build the new spec under the old number, beside
          // pods that have read the old one and are not gone yet.
          { guard: "specDrifted", actions: ["beginGeneration", "abandonGeneration"] },
          { guard: and([not("generationMissing"), "partsPresent", "podsReady"]), target: "switching" },
          { actions: "ensureGeneration" },
        ],
        ...scaling,
        restart: [{ guard: and(["wantsPods", not("deleting")]), actions: "stampRestart" }],
      },
    },
    switching: {
      meta: { tone: "busy", summary: "Moving traffic to the new generation" } satisfies StateMeta,
      on: {
        observed: [
          remove,
          { guard: not("serviceOnCurrent"), actions: "moveService" },
          { guard: "oldGenerationLeft", target: "draining", actions: "activateGeneration" },
          ...rest("activateGeneration"),
        ],
        ...scaling,
      },
    },
    draining: {
      meta: { tone: "busy", summary: "Letting the old generation finish its queries" } satisfies StateMeta,
      on: {
        observed: [
          remove,
          { guard: "drained", target: "cleaning" },
          { guard: "oldGenerationLeft", actions: "awaitDrain" },
          ...rest(),
        ],
        ...scaling,
        skipDrain: [{ guard: and(["oldGenerationLeft", not("drained"), not("deleting")]), actions: "waiveDrain" }],
      },
    },
    cleaning: {
      meta: { tone: "busy", summary: "Removing the old generation" } satisfies StateMeta,
      on: { observed: [remove, ...rest("dropOldGeneration")], ...scaling },
    },
    stable: {
      meta: { tone: "good", summary: "Running what the spec says" } satisfies StateMeta,
      on: {
        observed: settled,
        ...scaling,
        restart: [{ guard: and(["wantsPods", not("deleting")]), actions: "stampRestart" }],
      },
    },
    stopped: {
      meta: { tone: "idle", summary: "No pods are wanted" } satisfies StateMeta,
      on: { observed: settled, ...scaling },
    },
  },
});
