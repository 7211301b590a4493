import { apis } from "@/server/kubernetes/apis";
import { controllerOf, type Draft, splitKey } from "@/server/sandbox/objects/meta";
import { type Pod } from "@/server/sandbox/objects/pod";
import { type Job } from "@/server/sandbox/objects/workload";
import { type Controller, type ControllerContext, watchControlled, watchItself } from "./controller";
import { isExpired, planJob } from "./job-plan";
import { podFromTemplate } from "./owned-pods";
import { messageOf } from "./stateful-set-controller";
import { canonical, randomSuffix } from "./template-hash";

/** Runs pods to completion, as many and as often as the job asks for. */
export function jobController({ shelves, clock, record }: ControllerContext): Controller {
  const jobs = shelves.of<Job>(apis.job);
  const pods = shelves.of<Pod>(apis.pod);

  async function reconcile(key: string): Promise<number | undefined> {
    const { namespace, name } = splitKey(key);
    const job = jobs.get(namespace, name);
    if (!job || job.metadata.deletionTimestamp !== undefined) return undefined;
    if (isExpired(job, clock.now())) {
      await jobs.remove(job, { propagation: "Background" });
      return undefined;
    }
    const owned = pods.ownedBy(job.metadata.uid).filter((pod) => controllerOf(pod)?.uid === job.metadata.uid);
    const plan = planJob({ job, pods: owned, now: clock.now() });
    for (const pod of plan.remove) {
      await pods.remove(pod);
      record(job, "Normal", "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
    }
    const failure = await createPods(job, plan.create);
    await writeStatus(
      job,
      failure ? plan.status : { ...plan.status, ...activeCount((plan.status.active ?? 0) + plan.create.length) },
    );
    if (plan.finished?.type === "Complete") record(job, "Normal", "Completed", "Job completed");
    else if (plan.finished) record(job, "Warning", plan.finished.reason ?? "", plan.finished.message ?? "");
    if (failure) throw failure.error;
    return plan.again;
  }

  const activeCount = (active: number) => (active > 0 ? { active } : {});

  async function createPods(job: Job, indexes: readonly number[]): Promise<{ error: unknown } | null> {
    for (const index of indexes) {
      try {
        const pod = await pods.create(podOf(job, index));
        record(job, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
      } catch (error) {
        record(job, "Warning", "FailedCreate", `Error creating: ${messageOf(error)}`);
        return { error };
      }
    }
    return null;
  }

  async function writeStatus(job: Job, status: Record<string, unknown>) {
    const fresh = jobs.get(job.metadata.namespace ?? "", job.metadata.name);
    if (fresh?.metadata.uid === job.metadata.uid && canonical(status) !== canonical(fresh.status))
      await jobs.updateStatus(fresh, status);
  }

  return { reconcile, watches: [watchItself(apis.job), watchControlled(apis.pod, "Job", jobs)] };
}

function podOf(job: Job, index: number): Draft<Pod> {
  const draft = podFromTemplate(job.spec.template, job);
  const labels = {
    ...draft.metadata.labels,
    "batch.kubernetes.io/controller-uid": job.metadata.uid,
    "batch.kubernetes.io/job-name": job.metadata.name,
    "controller-uid": job.metadata.uid,
    "job-name": job.metadata.name,
  };
  if (index < 0) return { ...draft, metadata: { ...draft.metadata, labels } };
  const key = "batch.kubernetes.io/job-completion-index";
  const containers = draft.spec.containers.map((container) => ({
    ...container,
    env: [
      ...(container.env ?? []),
      { name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${key}']` } } },
    ],
  }));
  return {
    ...draft,
    metadata: {
      ...draft.metadata,
      name: `${job.metadata.name}-${index}-${randomSuffix()}`,
      labels: { ...labels, [key]: String(index) },
      annotations: { ...draft.metadata.annotations, [key]: String(index) },
    },
    spec: { ...draft.spec, containers, hostname: `${job.metadata.name}-${index}` },
  };
}
