import { and, not, setup } from "xstate";
import type { LifecycleMeta, StateMeta } from "../lifecycle";

/** What is true of an instance now. */
export type InstanceFacts = {
  deleting: boolean;
  /** The finalizer is on, the id is set and the first status is written. */
  registered: boolean;
  /** False when no retry can help: the id was changed, or the credentials of a filled database are gone. */
  recoverable: boolean;
  specAdmitted: boolean;
  partsCurrent: boolean;
  metadataReady: boolean;
  gatewayReady: boolean;
};

const both = [true, false];

const meta: LifecycleMeta = {
  title: "Instance",
  description: "Runs the metadata service, its PostgreSQL and the gateway that the engines of an account share.",
  settled: ["Ready", "Failed"],
  facts: {
    deleting: both,
    registered: both,
    recoverable: both,
    specAdmitted: both,
    partsCurrent: both,
    metadataReady: both,
    gatewayReady: both,
  },
  guards: {
    deleting: { yes: "the instance is being deleted", no: "nobody deletes the instance" },
    registered: { yes: "the instance is registered", no: "the instance has no finalizer, no id or no status yet" },
    recoverable: { yes: "nothing is beyond repair", no: "it cannot be repaired by trying again" },
    specAdmitted: { yes: "the spec is acceptable", no: "the spec is refused" },
    partsCurrent: { yes: "all its objects are as the spec says", no: "an object is missing or out of date" },
    metadataReady: { yes: "the metadata service is ready", no: "the metadata service is not ready" },
    gatewayReady: { yes: "the gateway is ready", no: "the gateway is not ready" },
  },
  actions: {
    register: "add the finalizer, the id and the first status",
    removeEverything: "delete all objects of the instance, then let it go",
    giveUp: "say what is beyond repair",
    refuseSpec: "say why the spec is refused",
    provision: "create or update what is missing or out of date",
  },
  repeats: ["register", "refuseSpec", "provision", "removeEverything"],
  commands: {},
};

const nothing = () => undefined;

const { createMachine } = setup({
  // XState reads its types from values that are never looked at.
  types: { context: {} as InstanceFacts, events: {} as { type: "observed" } },
  guards: {
    deleting: ({ context }) => context.deleting,
    registered: ({ context }) => context.registered,
    recoverable: ({ context }) => context.recoverable,
    specAdmitted: ({ context }) => context.specAdmitted,
    partsCurrent: ({ context }) => context.partsCurrent,
    metadataReady: ({ context }) => context.metadataReady,
    gatewayReady: ({ context }) => context.gatewayReady,
  },
  actions: { register: nothing, removeEverything: nothing, giveUp: nothing, refuseSpec: nothing, provision: nothing },
});

const remove = { guard: "deleting", actions: "removeEverything" } as const;

const before = [
  remove,
  { guard: not("registered"), actions: "register" },
  { guard: not("recoverable"), target: "Failed", actions: "giveUp" },
] as const;

const provision = { guard: not("partsCurrent"), actions: "provision" } as const;

const upkeep = [{ guard: not("specAdmitted"), actions: "refuseSpec" }, provision] as const;

const ready = and(["metadataReady", "gatewayReady"]);

/** Provisioning → Ready ⇄ Degraded; each → Failed, which is for ever. */
export const instanceMachine = createMachine({
  id: "firebolt.instance",
  meta,
  context: {
    deleting: false,
    registered: true,
    recoverable: true,
    specAdmitted: true,
    partsCurrent: true,
    metadataReady: true,
    gatewayReady: true,
  },
  initial: "Provisioning",
  states: {
    Provisioning: {
      meta: { tone: "busy", summary: "Setting up its services" } satisfies StateMeta,
      on: { observed: [...before, ...upkeep, { guard: ready, target: "Ready" }] },
    },
    Ready: {
      meta: { tone: "good", summary: "Serving its engines" } satisfies StateMeta,
      on: {
        observed: [
          ...before,
          // Before the upkeep: engines must hear of a lost service even while the spec is refused.
          { guard: not(ready), target: "Degraded" },
          { guard: not("specAdmitted"), target: "Degraded", actions: "refuseSpec" },
          provision,
        ],
      },
    },
    Degraded: {
      meta: { tone: "warn", summary: "Was ready, and a service is lost or its spec is refused" } satisfies StateMeta,
      on: { observed: [...before, ...upkeep, { guard: ready, target: "Ready" }] },
    },
    Failed: {
      meta: { tone: "bad", summary: "Beyond repair; needs a person" } satisfies StateMeta,
      on: { observed: [remove] },
    },
  },
});
