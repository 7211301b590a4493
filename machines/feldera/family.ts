import { defineKind, type Desired } from "../kind";
import { combinedMachine } from "./combined.machine";
import { pipelineSchema, pipelineSpecSchema, pipelineStatusSchema } from "./pipeline.schema";
import { programMachine } from "./program.machine";
import { resourcesMachine } from "./resources.machine";
import { runtimeMachine } from "./runtime.machine";
import { storageMachine } from "./storage.machine";

const pipeline = defineKind({
  title: "Pipeline",
  titlePlural: "Pipelines",
  api: {
    group: "feldera.com",
    version: "v1alpha1",
    kind: "Pipeline",
    plural: "pipelines",
    singular: "pipeline",
    shortNames: ["pl"],
    namespaced: true,
  },
  schema: pipelineSchema,
  crd: {
    spec: pipelineSpecSchema,
    status: pipelineStatusSchema,
    columns: [
      { name: "Status", type: "string", jsonPath: ".status.deployment_status" },
      { name: "Desired", type: "string", jsonPath: ".status.deployment_desired_status" },
      { name: "Program", type: "string", jsonPath: ".status.program_status" },
      { name: "Storage", type: "string", jsonPath: ".status.storage_status" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
  },
  lifecycles: {
    combined: {
      machine: combinedMachine,
      stateOf: ({ status }) => status.deployment_status,
      sinceOf: ({ status }) => status.deployment_status_since ?? null,
      desiredOf: ({ status }) => desired(status.deployment_desired_status, status.deployment_desired_status_since),
      field: "deployment_status",
      composedOf: ["resources", "runtime"],
    },
    resources: {
      machine: resourcesMachine,
      stateOf: ({ status }) => status.deployment_resources_status,
      sinceOf: ({ status }) => status.deployment_resources_status_since ?? null,
      desiredOf: ({ status }) =>
        desired(status.deployment_resources_desired_status, status.deployment_resources_desired_status_since),
      field: "deployment_resources_status",
    },
    runtime: {
      machine: runtimeMachine,
      // The field is empty while there is no process.
      stateOf: ({ status }) => status.deployment_runtime_status ?? "Absent",
      sinceOf: ({ status }) => status.deployment_runtime_status_since ?? null,
      desiredOf: ({ status }) =>
        desired(status.deployment_runtime_desired_status, status.deployment_runtime_desired_status_since),
      field: null,
    },
    program: {
      machine: programMachine,
      stateOf: ({ status }) => status.program_status,
      sinceOf: ({ status }) => status.program_status_since ?? null,
      field: "program_status",
    },
    storage: {
      machine: storageMachine,
      stateOf: ({ status }) => status.storage_status,
      sinceOf: ({ status }) => status.storage_status_since ?? null,
      field: "storage_status",
    },
  },
});

function desired(state: string | null | undefined, since: string | null | undefined): Desired | null {
  return state ? { state, since: since ?? null } : null;
}

export const feldera = { title: "Feldera", kinds: { pipeline } };
