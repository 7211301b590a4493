import { z } from "zod";
import { feldera } from "@/machines/feldera/family";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";
import { apis } from "@/server/kubernetes/apis";
import type { Api, KubernetesObject } from "@/server/kubernetes/object";
import { latestWarning, type Warning } from "@/server/reconcile/warning-events";
import type { World } from "@/server/reconcile/world";
import { compileJobOf, type CompileJob } from "./compile-result";
import type { FelderaOptions } from "./feldera-options";
import { heldUpCompiler, isCompiling } from "./held-up-compiler";
import { labels, nameFault, PIPELINE_PORT, pipelineNames, type Stage } from "./pipeline-names";
import { askProcess, STATUS_TIMEOUT_MS, type ProcessReport } from "./process-report";
import { isWaiting, queueOf, type Queue } from "./program-queue";
import { PROGRAM_BYTES_MAX, programBytes, tooLargeSentence } from "./program-size";

export type PipelineSeen = {
  pipeline: Pipeline;
  options: FelderaOptions;
  now: number;
  claim: KubernetesObject | null;
  configMap: KubernetesObject | null;
  service: KubernetesObject | null;
  statefulSet: KubernetesObject | null;
  pods: readonly Pod[];
  /** The Job of the stage under way. */
  job: CompileJob;
  jobUid: string | undefined;
  /** Whether objects of a finished program's compilers are still there. */
  leftovers: boolean;
  /** Why the compiler that was started does not run; null while there is hope. */
  heldUp: string | null;
  queue: Queue;
  report: ProcessReport | null;
  /** Of the StatefulSet, its pods and its claim, while they do not come up. */
  warnings: readonly Warning[];
};

export const podSchema = z.object({
  metadata: z.looseObject({
    name: z.string(),
    uid: z.string().optional(),
    deletionTimestamp: z.string().optional(),
  }),
  status: z
    .object({
      /** Set by whoever ended the pod as a whole, such as an eviction; a process that ends leaves it empty. */
      reason: z.string().optional(),
      podIP: z.string().optional(),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
      containerStatuses: z
        .array(
          z.object({
            state: z.object({ terminated: endedSchema().optional() }).prefault({}),
            lastState: z.object({ terminated: endedSchema().optional() }).prefault({}),
          }),
        )
        .default([]),
    })
    .prefault({}),
});
export type Pod = z.infer<typeof podSchema>;

export async function readPipeline(pipeline: Pipeline, world: World, options: FelderaOptions): Promise<PipelineSeen> {
  const { name, namespace } = pipeline.metadata;
  const at = (api: Api, objectName: string) => owned(pipeline, world.get(api, { namespace, name: objectName }));
  const [claim, configMap, service, statefulSet, allPods, others] = await Promise.all([
    at(apis.persistentVolumeClaim, pipelineNames.claim(name)),
    at(apis.configMap, pipelineNames.config(name)),
    at(apis.service, pipelineNames.compute(name)),
    at(apis.statefulSet, pipelineNames.compute(name)),
    world.list(apis.pod, { namespace, labels: { [labels.pipeline]: name } }),
    isWaiting(pipeline) ? world.list(feldera.kinds.pipeline.api) : [],
  ]);
  const podsOf = (role: string) => allPods.filter((pod) => pod.metadata.labels?.[labels.role] === role);
  const processPods = podsOf("process");
  const pods = processPods.map((pod) => podSchema.parse(pod));
  const stage = stageOf(pipeline);
  const job = stage && (await at(apis.job, pipelineNames.job(name, stage, pipeline.status.program_version)));
  const jobUid = job?.metadata.uid;
  const ofJob = (found: readonly KubernetesObject[]) => (jobUid ? found.filter((pod) => ownedByUid(pod, jobUid)) : []);
  const compilers = ofJob(podsOf(stage ?? ""));
  const compiled = (found: readonly KubernetesObject[]) =>
    compileJobOf(job ?? null, ofJob(found), pipeline.status.compiler_job, (pod, limits) =>
      world.live.lastLine({ namespace, name: pod }, limits),
    );
  const cached = await compiled(compilers);
  // The end of the Job may be in the cache before the end of its pod, which tells the result: then the server is asked.
  const compileJob =
    cached.state === "broken"
      ? await compiled(await world.live.list(apis.pod, { namespace, labelSelector: `${labels.pipeline}=${name}` }))
      : cached;
  const suspects = isStuck(pipeline, pods) ? [claim, statefulSet, ...processPods] : [];
  const [report, warnings] = await Promise.all([
    reportFor(pipeline, pods, world),
    Promise.all(suspects.filter((object) => object !== null).map((object) => latestWarning(world, object))),
  ]);
  return {
    pipeline,
    options,
    now: world.now,
    claim,
    configMap,
    service,
    statefulSet,
    pods,
    job: unfit(pipeline) ?? compileJob,
    jobUid,
    heldUp:
      job && compileJob.state === "running" ? await heldUpCompiler(pipeline, { job, pods: compilers }, world) : null,
    leftovers: stage === null && (await leftBehind(pipeline, at)),
    queue: queueOf(pipeline, others, options.compilersMax),
    report,
    warnings: warnings.filter((warning) => warning !== null).filter((warning) => isOfThisRun(pipeline, warning)),
  };
}

/** What no compiler can be given, or not under its name: REST refuses it, kubectl does not. */
function unfit({ metadata, spec, status }: Pipeline): CompileJob | null {
  const bytes = programBytes(spec);
  const refused = isCompiling(status) && status.held_up?.for_good ? status.held_up.message : undefined;
  const reason = nameFault(metadata.name)?.message ?? (bytes > PROGRAM_BYTES_MAX ? tooLargeSentence(bytes) : refused);
  return reason === undefined ? null : { state: "broken", reason };
}

/** Its pod is to be ready, and is not. */
function isStuck({ status }: Pipeline, pods: readonly Pod[]): boolean {
  const { deployment_resources_status: resources } = status;
  return (resources === "Provisioning" || resources === "Provisioned") && !pods.some(isReady);
}

/** A claim outlives a stop, and events outlive what mended their cause: what an earlier run met is no news. */
function isOfThisRun({ status }: Pipeline, { lastSeen }: Warning): boolean {
  // An event's time has no milliseconds.
  const since = Math.floor(Date.parse(status.deployment_resources_status_since ?? "") / 1000) * 1000;
  return Number.isNaN(since) || Date.parse(lastSeen) >= since;
}

/** The process is asked while it is, or is about to be, there; an address is all that it takes. */
async function reportFor(pipeline: Pipeline, pods: readonly Pod[], world: World): Promise<ProcessReport | null> {
  if (pipeline.status.deployment_resources_status !== "Provisioned") return null;
  const address = addressOf(pods);
  if (!address) return { kind: "silent", reason: "its pod has no address", means: "perhaps coming up" };
  return askProcess(() =>
    world.live.fetch(`http://${address}:${PIPELINE_PORT}/status`, { timeoutMs: STATUS_TIMEOUT_MS }),
  );
}

export function addressOf(pods: readonly Pod[]): string | null {
  return pods.find((pod) => !pod.metadata.deletionTimestamp)?.status.podIP ?? null;
}

export function isReady(pod: Pod): boolean {
  const ready = pod.status.conditions.some(({ type, status }) => type === "Ready" && status === "True");
  return ready && !pod.metadata.deletionTimestamp;
}

async function leftBehind(
  { metadata: { name }, status: { program_version } }: Pipeline,
  at: (api: Api, name: string) => Promise<KubernetesObject | null>,
): Promise<boolean> {
  const left = await Promise.all([
    at(apis.job, pipelineNames.job(name, "sql", program_version)),
    at(apis.job, pipelineNames.job(name, "rust", program_version)),
    at(apis.configMap, pipelineNames.program(name, program_version)),
  ]);
  return left.some((object) => object && !object.metadata.deletionTimestamp);
}

/** Which compiler's Job to look for: that of the stage under way. */
function stageOf({ status }: Pipeline): Stage | null {
  const stages: Partial<Record<string, Stage>> = { CompilingSql: "sql", CompilingRust: "rust" };
  return stages[status.program_status] ?? null;
}

/** An object of an earlier pipeline of the same name is on its way out: it is not ours, and not there. */
async function owned(pipeline: Pipeline, found: Promise<KubernetesObject | null>): Promise<KubernetesObject | null> {
  const object = await found;
  return object && ownedByUid(object, pipeline.metadata.uid) ? object : null;
}

function ownedByUid(object: KubernetesObject, uid: string): boolean {
  return (object.metadata.ownerReferences ?? []).some((owner) => owner.uid === uid);
}

function endedSchema() {
  return z.object({ exitCode: z.int().default(0), reason: z.string().optional(), message: z.string().optional() });
}
