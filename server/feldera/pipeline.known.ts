import type { Evidence, Known } from "@/machines/facts";
import type { ProgramFacts } from "@/machines/feldera/program.machine";
import type { ResourcesFacts } from "@/machines/feldera/resources.machine";
import type { RuntimeFacts } from "@/machines/feldera/runtime.machine";
import type { StorageFacts } from "@/machines/feldera/storage.machine";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { computeOf, type Compute } from "./compute-state";
import { configFaults } from "./config-rules";
import { isCompiling } from "./held-up-compiler";
import { deployedRuntimeConfig } from "./deployment-config";
import type { PipelineSeen } from "./pipeline.read";
import { programErrorText } from "./program-error-text";
import { isEdited } from "./program-hash";
import { reportedOf } from "./reported-status";
import { mayBeStandby } from "./standby-rule";
import { wishesOf, type RuntimeWish, type Wishes } from "./wishes";

export type PipelineKnown = {
  resources: Known<ResourcesFacts>;
  storage: Known<StorageFacts>;
  runtime: Known<RuntimeFacts>;
  program: Known<ProgramFacts>;
  combined: Known;
};

/** The facts of the four lifecycles, with what was seen of each. */
export function knownOf(seen: PipelineSeen): PipelineKnown {
  const wishes = wishesOf(seen.pipeline);
  const resources = resourcesKnown(seen, wishes, computeOf(seen));
  const runtime = runtimeKnown(seen, wishes);
  return {
    resources,
    runtime,
    storage: storageKnown(seen, wishes),
    program: programKnown(seen),
    combined: {
      facts: { ...resources.facts, ...runtime.facts },
      evidence: { ...resources.evidence, ...runtime.evidence },
    },
  };
}

function resourcesKnown(seen: PipelineSeen, wishes: Wishes, compute: Compute): Known<ResourcesFacts> {
  const { pipeline } = seen;
  const { status } = pipeline;
  const limitMs = timeoutOf(seen);
  const faults = configFaults(pipeline.spec.runtime_config);
  return {
    facts: {
      desired: wishes.desired,
      // What was edited is not compiled, whatever its last version came to.
      program: isEdited(pipeline) ? "compiling" : programOutcome[status.program_status],
      configFits: faults.length === 0,
      clearing: status.storage_status === "Clearing" || (wishes.clear && status.storage_status === "InUse"),
      compute: compute.state,
      timedOut: provisioningMs(seen) >= limitMs,
      process: processOf(seen),
      errorKept: Boolean(status.deployment_error) && !wishes.dismiss,
      initialFits: true,
      standbyRefused: wishes.initial === "Standby" && !mayBeStandby(pipeline),
      checkpointRefused: false,
      errorHeld: false,
    },
    evidence: {
      compute: compute.evidence,
      program: { sentence: `the program is ${status.program_status}${programErrorText(status)}` },
      ...(faults[0] && { configFits: { sentence: `runtime_config.${faults[0].field}: ${faults[0].message}` } }),
      timedOut: { sentence: `provisioning may take ${limitMs / 1000} s` },
      ...(seen.report?.kind === "failed" && { process: { sentence: seen.report.error.message } }),
    },
  };
}

function runtimeKnown(seen: PipelineSeen, wishes: Wishes): Known<RuntimeFacts> {
  const { status } = seen.pipeline;
  const { report } = seen;
  const heading = report?.kind === "told" ? report.desired : "Unavailable";
  return {
    facts: { reported: reportedOf(seen, status.deployment_resources_status), heading, asked: askedOf(wishes, heading) },
    evidence: {
      ...(report?.kind === "told" && { reported: { sentence: `the process says ${report.runtime}` } }),
      ...(report?.kind === "silent" && { reported: { sentence: `the process does not answer: ${report.reason}` } }),
      ...(report?.kind === "told" && { heading: { sentence: `the process heads for ${report.desired}` } }),
    },
  };
}

function storageKnown(seen: PipelineSeen, wishes: Wishes): Known<StorageFacts> {
  const { status } = seen.pipeline;
  return {
    facts: {
      resources: status.deployment_resources_status,
      startWanted: wishes.desired === "Provisioned",
      clearAsked: wishes.clear,
      claim: seen.claim ? "present" : "absent",
    },
    evidence: {
      claim: seen.claim
        ? { sentence: `PersistentVolumeClaim ${seen.claim.metadata.name} exists`, object: refOf(seen.claim) }
        : { sentence: "there is no PersistentVolumeClaim" },
      resources: { sentence: `its resources are ${status.deployment_resources_status}` },
    },
  };
}

function programKnown(seen: PipelineSeen): Known<ProgramFacts> {
  const { pipeline, job, queue } = seen;
  return {
    facts: { edited: isEdited(pipeline), turn: queue.turn, job: job.state, leftovers: seen.leftovers },
    evidence: {
      turn: { sentence: queue.before === 0 ? "the compiler is free" : `${queue.before} programs are before it` },
      job: jobEvidence(seen),
      edited: { sentence: `version ${pipeline.status.program_version} of the program` },
    },
  };
}

function jobEvidence({ job, heldUp, pipeline: { status } }: PipelineSeen): Evidence {
  if (job.state === "broken") return { sentence: job.reason };
  const why = heldUp ?? (isCompiling(status) ? status.held_up?.message : undefined);
  return why ? { sentence: why, warning: true } : { sentence: `the compiler's Job is ${job.state}` };
}

const programOutcome: Record<PipelineSeen["pipeline"]["status"]["program_status"], ResourcesFacts["program"]> = {
  Pending: "compiling",
  CompilingSql: "compiling",
  SqlCompiled: "compiling",
  CompilingRust: "compiling",
  Success: "compiled",
  SqlError: "failed",
  RustError: "failed",
  SystemError: "failed",
};

function processOf({ report }: PipelineSeen): ResourcesFacts["process"] {
  if (report?.kind === "failed") return "failed";
  return report?.kind === "told" && report.runtime === "Suspended" ? "suspended" : "fine";
}

/** The request that brings a process from what it heads for to what is wanted; others it would refuse. */
const requests: Record<RuntimeFacts["heading"], Partial<Record<RuntimeWish, RuntimeFacts["asked"]>>> = {
  Unavailable: {},
  Standby: { Paused: "activate", Running: "activate" },
  Paused: { Running: "resume", Suspended: "suspend" },
  Running: { Paused: "pause", Suspended: "suspend" },
  Suspended: {},
};

/** The request that is still to be passed on: none when the process heads there already, or cannot. */
export function askedOf({ runtime }: Wishes, heading: RuntimeFacts["heading"]): RuntimeFacts["asked"] {
  return (runtime && requests[heading][runtime]) ?? "nothing";
}

export function timeoutOf({ pipeline, options }: PipelineSeen): number {
  const seconds = deployedRuntimeConfig(pipeline).provisioning_timeout_secs;
  return seconds ? seconds * 1000 : options.provisioningTimeoutMs;
}

function provisioningMs({ pipeline, now }: PipelineSeen): number {
  const { deployment_resources_status, deployment_resources_status_since } = pipeline.status;
  if (deployment_resources_status !== "Provisioning" || !deployment_resources_status_since) return 0;
  return now - Date.parse(deployment_resources_status_since);
}

function refOf({ apiVersion, kind, metadata }: KubernetesObject): Evidence["object"] {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    name,
    ...(namespace && { namespace }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  };
}
