import { findCondition } from "../conditions";
import { defineKind } from "../kind";
import { type StateName, statesOf } from "../lifecycle";
import { engineClassMachine } from "./engine-class.machine";
import {
  type EngineClass,
  engineClassSchema,
  engineClassSpecSchema,
  engineClassStatusSchema,
} from "./engine-class.schema";
import { engineMachine } from "./engine.machine";
import { engineSchema, engineSpecSchema, engineStatusSchema } from "./engine.schema";
import { instanceMachine } from "./instance.machine";
import { instanceSchema, instanceSpecSchema, instanceStatusSchema } from "./instance.schema";

const group = { group: "compute.firebolt.io", version: "v1alpha1", namespaced: true } as const;
const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" } as const;
const readyColumn = {
  name: "Ready",
  type: "string",
  jsonPath: '.status.conditions[?(@.type=="Ready")].status',
} as const;

const atMostOneStorage = {
  rule: "[has(self.persistentVolumeClaim), has(self.emptyDir), has(self.hostPath)].filter(x, x).size() <= 1",
  message: "at most one of persistentVolumeClaim, emptyDir and hostPath may be set",
};

const engine = defineKind({
  title: "Engine",
  titlePlural: "Engines",
  api: {
    ...group,
    kind: "FireboltEngine",
    plural: "fireboltengines",
    singular: "fireboltengine",
    shortNames: ["fireng"],
  },
  schema: engineSchema,
  crd: {
    spec: engineSpecSchema,
    status: engineStatusSchema,
    columns: [
      { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      readyColumn,
      { name: "Generation", type: "integer", jsonPath: ".status.activeGeneration" },
      age,
    ],
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.readyReplicas",
      labelSelectorPath: ".status.selector",
    },
    rules: {
      "spec.instanceRef": [{ rule: "self == oldSelf", message: "instanceRef is immutable" }],
      "spec.storage": [atMostOneStorage],
    },
  },
  lifecycles: {
    phase: {
      machine: engineMachine,
      stateOf: ({ status }) => status.phase,
      sinceOf: ({ metadata, status }) => status.phaseSince ?? metadata.creationTimestamp ?? null,
    },
  },
});

const engineClass = defineKind({
  title: "Engine class",
  titlePlural: "Engine classes",
  api: {
    ...group,
    kind: "FireboltEngineClass",
    plural: "fireboltengineclasses",
    singular: "fireboltengineclass",
    shortNames: ["firengc"],
  },
  schema: engineClassSchema,
  crd: {
    spec: engineClassSpecSchema,
    status: engineClassStatusSchema,
    columns: [{ name: "Bound", type: "integer", jsonPath: ".status.boundEngines" }, readyColumn, age],
    rules: { "spec.storage": [atMostOneStorage] },
  },
  lifecycles: {
    ready: {
      machine: engineClassMachine,
      field: null,
      stateOf: engineClassState,
      sinceOf: ({ metadata, status }) =>
        findCondition(status.conditions, "Ready")?.lastTransitionTime ?? metadata.creationTimestamp ?? null,
    },
  },
});

const instance = defineKind({
  title: "Instance",
  titlePlural: "Instances",
  api: {
    ...group,
    kind: "FireboltInstance",
    plural: "fireboltinstances",
    singular: "fireboltinstance",
    shortNames: ["fire"],
  },
  schema: instanceSchema,
  crd: {
    spec: instanceSpecSchema,
    status: instanceStatusSchema,
    columns: [
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "Gateway", type: "boolean", jsonPath: ".status.gatewayReady" },
      { name: "Metadata", type: "boolean", jsonPath: ".status.metadataReady" },
      age,
    ],
    rules: {
      spec: [{ rule: "!has(oldSelf.id) || has(self.id)", message: "id cannot be taken away once set" }],
      "spec.id": [{ rule: "self == oldSelf", message: "id is immutable once set" }],
    },
  },
  lifecycles: {
    phase: {
      machine: instanceMachine,
      stateOf: ({ status }) => status.phase,
      sinceOf: ({ metadata, status }) => status.phaseSince ?? metadata.creationTimestamp ?? null,
    },
  },
});

export const firebolt = { title: "Firebolt", kinds: { instance, engine, engineClass } };

/** The reason of the Ready condition is the state; a reason of another writer is looked at afresh. */
export function engineClassState({ status }: EngineClass): StateName<typeof engineClassMachine> {
  const reason = findCondition(status.conditions, "Ready")?.reason;
  return statesOf(engineClassMachine).find((state) => state === reason) ?? "Unchecked";
}
