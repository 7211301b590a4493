import { setup } from "xstate";
import { z } from "zod";
import { type Known } from "@/machines/facts";
import { conditionsSchema, setCondition } from "@/machines/conditions";
import { defineKind } from "@/machines/kind";
import { type LifecycleMeta, step } from "@/machines/lifecycle";
import { defineReconciler } from "@/server/reconcile/reconciler";

type BenchletFacts = { copied: boolean };

const meta: LifecycleMeta = {
  title: "Benchlet",
  description: "Copies spec.value to status.value.",
  settled: ["Ready"],
  facts: { copied: [true, false] },
  guards: { copied: { yes: "the status shows the spec", no: "the status is behind the spec" } },
  actions: { copy: "copy the value into the status" },
  commands: {},
};

const benchletMachine = setup({
  // XState reads its types from values that are never looked at.
  types: { context: {} as BenchletFacts, events: {} as { type: "observed" } },
  guards: { copied: ({ context }) => context.copied },
  actions: { copy: () => undefined },
}).createMachine({
  id: "bench.benchlet",
  meta,
  context: { copied: false },
  initial: "Waiting",
  states: {
    Waiting: {
      meta: { tone: "busy", summary: "Nobody has looked at it yet" },
      on: { observed: [{ target: "Ready", actions: ["copy"] }] },
    },
    Ready: {
      meta: { tone: "good", summary: "The status shows the spec" },
      on: { observed: [{ guard: "copied" }, { actions: ["copy"] }] },
    },
  },
});

const benchletSpec = z.object({ value: z.int(), padding: z.string().optional() });
const benchletStatus = z.object({
  phase: z.enum(["Waiting", "Ready"]),
  value: z.int().optional(),
  observedGeneration: z.int().optional(),
  conditions: conditionsSchema.optional(),
});

const benchletSchema = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string(), generation: z.number() }),
  spec: benchletSpec,
  status: benchletStatus.default({ phase: "Waiting" }),
});

type Benchlet = z.infer<typeof benchletSchema>;

/** The bench's own kind, so that no kind of the product is measured with made-up objects; each run has a group of its own. */
export function createBenchlet(group: string) {
  return defineKind<Benchlet>({
    title: "Benchlet",
    titlePlural: "Benchlets",
    api: {
      group,
      version: "v1",
      kind: "Benchlet",
      plural: "benchlets",
      singular: "benchlet",
      shortNames: [],
      namespaced: true,
    },
    schema: benchletSchema,
    crd: { spec: benchletSpec, status: benchletStatus, columns: [] },
    lifecycles: {
      phase: { machine: benchletMachine, stateOf: ({ status }) => status.phase, sinceOf: () => null },
    },
  });
}

/** The whole loop as a family uses it: schema, facts with evidence, a step of the machine, conditions. */
export function createBenchletReconciler(group: string, identity = "bench") {
  return defineReconciler<Benchlet, Benchlet>({
    id: "bench.benchlet",
    kind: createBenchlet(group),
    watches: [],
    read: async (resource) => resource,
    known: (resource) => ({ phase: knownOf(resource) }),
    compute: (resource, event, now) => {
      const { status } = resource;
      const { facts } = knownOf(resource);
      const { state, actions } = step(benchletMachine, { state: status.phase, facts }, event);
      return {
        steps: { phase: { from: status.phase, to: state, event: event.type, actions } },
        effects: [],
        // Another replica's name in the status is no reason to write.
        status: facts.copied ? { ...status } : { phase: state, ...statusOf(resource, identity, now) },
        requeueAfterMs: null,
      };
    },
  });
}

function knownOf({ metadata, spec, status }: Benchlet): Known<BenchletFacts> {
  const copied = status.value === spec.value && status.observedGeneration === metadata.generation;
  const sentence = `spec.value is ${spec.value}, status.value is ${status.value ?? "not set"}`;
  return { facts: { copied }, evidence: { copied: { sentence } } };
}

/** The status of a benchlet that is done, so that a floor writes and carries the very same bytes. */
export function benchletStatusOf(generation: number, value: number, now: number) {
  const resource = { metadata: { generation }, spec: { value }, status: {} };
  return { phase: "Ready", ...statusOf(resource, "bench", now) };
}

function statusOf(
  resource: {
    metadata: { generation: number };
    spec: { value: number };
    status: Pick<Benchlet["status"], "conditions">;
  },
  identity: string,
  now: number,
) {
  const { metadata, spec, status } = resource;
  return {
    value: spec.value,
    observedGeneration: metadata.generation,
    conditions: setCondition(status.conditions ?? [], readyAt(metadata.generation, identity), now),
  };
}

/** Names the replica that wrote it. */
function readyAt(observedGeneration: number, identity: string) {
  const message = `copied by ${identity}`;
  return { type: "Ready", status: "True" as const, reason: "Copied", message, observedGeneration };
}
