import { and, not, setup } from "xstate";
import type { LifecycleMeta, StateMeta } from "../lifecycle";

/** What is true of an engine class now. */
export type EngineClassFacts = { deleting: boolean; guarded: boolean; bound: boolean; templateAdmissible: boolean };

const both = [true, false];

const meta: LifecycleMeta = {
  title: "Engine class",
  description:
    "A pod template that engines share; an edit rolls the engines that name it, and it stays while one does.",
  settled: ["Admissible", "OperatorOwnedFieldSet"],
  facts: { deleting: both, guarded: both, bound: both, templateAdmissible: both },
  guards: {
    deleting: { yes: "the class is being deleted", no: "nobody deletes the class" },
    guarded: { yes: "the finalizer guards it", no: "no finalizer guards it yet" },
    bound: { yes: "an engine names it", no: "no engine names it" },
    templateAdmissible: { yes: "its template is acceptable", no: "its template sets a field that it may not" },
  },
  actions: { guard: "add the finalizer", release: "remove the finalizer" },
  repeats: ["guard", "release"],
  commands: {},
};

const nothing = () => undefined;

const { createMachine } = setup({
  // XState reads its types from values that are never looked at.
  types: { context: {} as EngineClassFacts, events: {} as { type: "observed" } },
  guards: {
    deleting: ({ context }) => context.deleting,
    guarded: ({ context }) => context.guarded,
    bound: ({ context }) => context.bound,
    templateAdmissible: ({ context }) => context.templateAdmissible,
  },
  actions: { guard: nothing, release: nothing },
});

const observed = [
  { guard: and(["deleting", "bound"]), target: "DeletionBlocked" },
  { guard: "deleting", actions: "release" },
  { guard: not("guarded"), actions: "guard" },
  { guard: "templateAdmissible", target: "Admissible" },
  { target: "OperatorOwnedFieldSet" },
] as const;

/** Unchecked → Admissible ⇄ OperatorOwnedFieldSet; each → DeletionBlocked while an engine names it. */
export const engineClassMachine = createMachine({
  id: "firebolt.engineClass",
  meta,
  context: { deleting: false, guarded: true, bound: false, templateAdmissible: true },
  initial: "Unchecked",
  states: {
    Unchecked: { meta: { tone: "busy", summary: "Not looked at yet" } satisfies StateMeta, on: { observed } },
    Admissible: { meta: { tone: "good", summary: "Engines may use it" } satisfies StateMeta, on: { observed } },
    OperatorOwnedFieldSet: {
      meta: { tone: "bad", summary: "Sets a field that it may not; its engines wait" } satisfies StateMeta,
      on: { observed },
    },
    DeletionBlocked: {
      meta: { tone: "warn", summary: "Kept until the last engine lets go of it" } satisfies StateMeta,
      on: { observed },
    },
  },
});
