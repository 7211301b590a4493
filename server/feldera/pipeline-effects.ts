import type { PipelineStatus } from "@/machines/feldera/pipeline.schema";
import type { KubernetesObject } from "@/server/kubernetes/object";
import type { Effect } from "@/server/reconcile/plan";
import { claimOf, compileJobObject, configMapOf, programConfigMapOf, serviceOf, statefulSetOf } from "./owned-objects";
import { PIPELINE_PORT, pipelineNames } from "./pipeline-names";
import type { Steps } from "./pipeline-steps";
import { askedOf } from "./pipeline.known";
import { addressOf, type PipelineSeen } from "./pipeline.read";
import { wishesOf } from "./wishes";

/** What the steps bring about, in order; the status that is written after them is given for those that tell of it. */
export function effectsOf(seen: PipelineSeen, steps: Steps, status: PipelineStatus): Effect[] {
  return [
    ...steps.program.actions.flatMap((action) => program[action](seen)),
    ...steps.resources.actions.flatMap((action) => resources[action](seen, status)),
    ...steps.storage.actions.flatMap((action) => storage[action](seen)),
    ...steps.runtime.actions.flatMap((action) => runtime[action](seen)),
  ];
}

const nothing = (): Effect[] => [];
const ensured = (object: KubernetesObject) => ({ type: "ensure", object }) satisfies Effect;

const resources: Record<
  Steps["resources"]["actions"][number],
  (seen: PipelineSeen, status: PipelineStatus) => Effect[]
> = {
  // The intent is written first; the next pass makes the objects.
  beginDeployment: nothing,
  ensureCompute: (seen) => {
    const { pipeline, options, statefulSet, claim } = seen;
    // A claim that is there stays as it is: what it holds depends on how it was asked for.
    const storage = claim ? [] : [claimOf(pipeline, options)];
    const around = [...storage, configMapOf(pipeline, options), serviceOf(pipeline)].map(ensured);
    const compute = statefulSetOf(pipeline, options);
    if (pipeline.status.deployment_resources_status !== "Provisioned") return [...around, ensured(compute)];
    // What was provisioned and is lost ends the pipeline: it must not come back, not even when it goes during this pass.
    return statefulSet ? [...around, { ...ensured(compute), uid: statefulSet.metadata.uid }] : around;
  },
  dropCompute: (seen) =>
    [seen.statefulSet, seen.service, seen.configMap, ...leftPods(seen)]
      .filter((object) => object !== null)
      .map(deletionOf),
  noteProvisioned: nothing,
  endDeployment: nothing,
  failStart: (_seen, status) => errorEvent(status),
  failConfig: (_seen, status) => errorEvent(status),
  failStandby: (_seen, status) => errorEvent(status),
  failProvisioning: (_seen, status) => errorEvent(status),
  failTimeout: (_seen, status) => errorEvent(status),
  failRuntime: (_seen, status) => errorEvent(status),
  forgetError: nothing,
  askStart: nothing,
  askStop: nothing,
};

const storage: Record<Steps["storage"]["actions"][number], (seen: PipelineSeen) => Effect[]> = {
  dropClaim: ({ claim }) => (claim ? [deletionOf(claim)] : []),
  forgetCheckpoints: nothing,
  askClear: nothing,
};

const program: Record<Steps["program"]["actions"][number], (seen: PipelineSeen) => Effect[]> = {
  startSqlJob: ({ pipeline, options }) => {
    const version = pipeline.status.program_version;
    return [
      ensured(programConfigMapOf(pipeline, version, options)),
      ensured(compileJobObject(pipeline, { stage: "sql", version }, options)),
    ];
  },
  startRustJob: ({ pipeline, options }) => {
    const version = pipeline.status.program_version;
    return [ensured(compileJobObject(pipeline, { stage: "rust", version }, options))];
  },
  dropJobs: ({ pipeline }) => leftoversOf(pipeline.metadata, pipeline.status.program_version),
  keepProgramInfo: nothing,
  keepErrors: nothing,
  resetProgram: nothing,
};

const runtime: Record<Steps["runtime"]["actions"][number], (seen: PipelineSeen) => Effect[]> = {
  passOn: (seen) => {
    const address = addressOf(seen.pods);
    const heading = seen.report?.kind === "told" ? seen.report.desired : "Unavailable";
    const wishes = wishesOf(seen.pipeline);
    const request = requests[askedOf(wishes, heading)];
    if (!address || !request) return [];
    const query = request.path === "activate" ? `?initial=${(wishes.runtime ?? "Running").toLowerCase()}` : "";
    return [
      {
        type: "request",
        method: request.method,
        url: `http://${address}:${PIPELINE_PORT}/${request.path}${query}`,
        timeoutMs: REQUEST_TIMEOUT_MS,
      },
    ];
  },
  askPause: nothing,
  askResume: nothing,
  askActivate: nothing,
};

/** The API's own limit for a request to a pipeline. */
const REQUEST_TIMEOUT_MS = 10_000;

/** As the endpoints of a Feldera pipeline process are. */
const requests: Partial<Record<ReturnType<typeof askedOf>, { method: string; path: string }>> = {
  pause: { method: "GET", path: "pause" },
  resume: { method: "GET", path: "start" },
  activate: { method: "POST", path: "activate" },
  suspend: { method: "POST", path: "suspend" },
};

/** A pod goes with its StatefulSet in a moment; a collector that is behind, or an orphan, must not hold up a stop. */
const COLLECTED_MS = 5_000;

function leftPods({ pipeline, statefulSet, pods, now }: PipelineSeen): KubernetesObject[] {
  const since = Date.parse(pipeline.status.deployment_resources_status_since ?? "");
  if (statefulSet || now - since < COLLECTED_MS) return [];
  const { namespace } = pipeline.metadata;
  return pods.map(({ metadata: { name, uid } }) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name, ...(uid && { uid }) },
  }));
}

function errorEvent({ deployment_error: error }: PipelineStatus): Effect[] {
  return error ? [{ type: "emit", severity: "Warning", reason: error.error_code, message: error.message }] : [];
}

function leftoversOf({ name, namespace }: { name: string; namespace: string }, version: number): Effect[] {
  const jobs = (["sql", "rust"] as const).map((stage) => ({
    apiVersion: "batch/v1",
    kind: "Job",
    namespace,
    name: pipelineNames.job(name, stage, version),
  }));
  const sources = { apiVersion: "v1", kind: "ConfigMap", namespace, name: pipelineNames.program(name, version) };
  return [...jobs, sources].map((target) => ({ type: "delete", target, propagation: "Background" }));
}

function deletionOf({ apiVersion, kind, metadata }: KubernetesObject): Effect {
  const { namespace, name, uid } = metadata;
  return {
    type: "delete",
    target: { apiVersion, kind, name, ...(namespace && { namespace }), ...(uid && { uid }) },
    propagation: "Background",
  };
}
