import { and, not, setup } from "xstate";
import type { LifecycleMeta, StateMeta } from "../lifecycle";

export type StorageFacts = {
  /** Where the resources are after this very pass: storage is taken into use together with the first of them. */
  resources: "Stopped" | "Provisioning" | "Provisioned" | "Stopping";
  startWanted: boolean;
  clearAsked: boolean;
  claim: "absent" | "present";
};

const meta: LifecycleMeta = {
  title: "Storage",
  description:
    "Whether the pipeline's storage is in use or is being cleared. It is kept over stop and start. It is not cleared while a start waits for the compiler: nobody could tell which of the two was meant.",
  settled: ["Cleared", "InUse"],
  facts: {
    resources: ["Stopped", "Provisioning", "Provisioned", "Stopping"],
    startWanted: [false, true],
    clearAsked: [false, true],
    claim: ["absent", "present"],
  },
  guards: {
    deploying: { yes: "it is being provisioned", no: "nothing is being provisioned" },
    fullyStopped: { yes: "it is stopped", no: "storage is cleared only while it is stopped" },
    startWanted: { yes: "it is wanted to run", no: "it is wanted to be stopped" },
    clearAsked: { yes: "clearing was asked for", no: "nobody asked to clear it" },
    claimAbsent: { yes: "its claim is gone", no: "its claim is still there" },
  },
  actions: {
    dropClaim: "delete the PersistentVolumeClaim",
    forgetCheckpoints: "forget the list of checkpoints",
    askClear: "ask to clear the storage",
  },
  repeats: ["dropClaim"],
  commands: {
    clear: { title: "Clear storage", summary: "Delete what the pipeline has stored, for good", destroys: true },
  },
};

/** Cleared ─▶ InUse ─▶ Clearing ─▶ Cleared. */
export const storageMachine = setup({
  // XState reads its types from values that are never looked at.
  types: { context: {} as StorageFacts, events: {} as { type: "observed" | "clear" } },
  guards: {
    deploying: ({ context }) => context.resources === "Provisioning" || context.resources === "Provisioned",
    fullyStopped: ({ context }) => context.resources === "Stopped",
    startWanted: ({ context }) => context.startWanted,
    clearAsked: ({ context }) => context.clearAsked,
    claimAbsent: ({ context }) => context.claim === "absent",
  },
  actions: { dropClaim: () => undefined, forgetCheckpoints: () => undefined, askClear: () => undefined },
}).createMachine({
  id: "feldera.pipeline.storage",
  meta,
  context: { resources: "Stopped", startWanted: false, clearAsked: false, claim: "absent" },
  initial: "Cleared",
  states: {
    Cleared: {
      meta: { tone: "idle", summary: "Nothing is stored" } satisfies StateMeta,
      on: {
        observed: [{ guard: "deploying", target: "InUse" }],
        // Nothing to clear is as good as cleared.
        clear: [{ guard: and(["fullyStopped", not("startWanted")]), actions: ["askClear"] }],
      },
    },
    InUse: {
      meta: { tone: "good", summary: "Holds the pipeline's data" } satisfies StateMeta,
      on: {
        observed: [
          {
            guard: and(["fullyStopped", "clearAsked", not("startWanted")]),
            target: "Clearing",
            actions: ["forgetCheckpoints"],
          },
        ],
        clear: [{ guard: and(["fullyStopped", not("startWanted")]), actions: ["askClear"] }],
      },
    },
    Clearing: {
      meta: { tone: "busy", summary: "Its data is being deleted" } satisfies StateMeta,
      on: {
        observed: [{ guard: "claimAbsent", target: "Cleared" }, { actions: ["dropClaim"] }],
        clear: [{ guard: and(["fullyStopped", not("startWanted")]), actions: ["askClear"] }],
      },
    },
  },
});
