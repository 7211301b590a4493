import type { Evidence } from "@/machines/facts";
import type { ResourcesFacts } from "@/machines/feldera/resources.machine";
import { isReady, type PipelineSeen, type Pod } from "./pipeline.read";

export type Compute = { state: ResourcesFacts["compute"]; evidence: Evidence };

/** How far StatefulSet, Service, ConfigMap and claim have come, taken together. */
export function computeOf(seen: PipelineSeen): Compute {
  const fatal = fatalOf(seen);
  if (fatal) return { state: "failed", evidence: { sentence: fatal } };
  const { statefulSet, service, configMap, pods, warnings } = seen;
  if (statefulSet && !statefulSet.metadata.deletionTimestamp && pods.some(isReady)) {
    return { state: "ready", evidence: { sentence: `StatefulSet ${statefulSet.metadata.name}: its pod is ready` } };
  }
  const { held_up: refusal } = seen.pipeline.status;
  if (refusal) return { state: "coming", evidence: { sentence: refusal.message, warning: true } };
  if (!statefulSet && !service && !configMap && pods.length === 0) {
    return { state: "absent", evidence: { sentence: "none of its objects exists" } };
  }
  const [trouble] = warnings;
  if (trouble) return { state: "coming", evidence: { sentence: trouble.sentence, warning: true } };
  const waiting = statefulSet
    ? `StatefulSet ${statefulSet.metadata.name}: its pod is not ready`
    : "its objects are being made";
  return { state: "coming", evidence: { sentence: waiting } };
}

/** What no waiting mends, in words; null while there is hope. A pod that is replaced or evicted is not among it. */
function fatalOf({ pipeline, statefulSet, claim, pods, warnings }: PipelineSeen): string | null {
  const { deployment_resources_status, held_up: refusal } = pipeline.status;
  const ended = pods
    .filter(({ metadata, status }) => !metadata.deletionTimestamp && !status.reason)
    .map(endOf)
    .find((end) => end !== null);
  if (deployment_resources_status === "Provisioned") {
    if (!statefulSet || statefulSet.metadata.deletionTimestamp) return "the StatefulSet was deleted";
    if (ended) return ended;
    // Made anew it would be empty, and the process would take that for the beginning.
    if (!claim) return "the PersistentVolumeClaim was deleted";
    if (claimPhase(claim) === "Lost") return "the PersistentVolumeClaim lost its volume";
  }
  if (deployment_resources_status === "Provisioning") {
    if (refusal?.for_good) return refusal.message;
    const unbound = warnings.find((warning) => warning.reason === "ProvisioningFailed");
    if (unbound) return unbound.sentence;
    if (ended) return ended;
  }
  return null;
}

function endOf(pod: Pod): string | null {
  for (const { state, lastState } of pod.status.containerStatuses) {
    const ended = state.terminated ?? lastState.terminated;
    if (!ended) continue;
    return `the pipeline process ended with exit code ${ended.exitCode}${ended.reason ? ` (${ended.reason})` : ""}`;
  }
  return null;
}

function claimPhase(claim: NonNullable<PipelineSeen["claim"]>): unknown {
  return claim.status?.phase;
}
