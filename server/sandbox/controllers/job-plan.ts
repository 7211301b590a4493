import { type Condition, timestampOf } from "@/server/sandbox/objects/meta";
import { isActive, isReady, isTerminating, type Pod } from "@/server/sandbox/objects/pod";
import { PODS_PER_PASS } from "./owned-pods";
import { type FailureRule, type Job, type JobStatus } from "@/server/sandbox/objects/workload";

export type JobSeen = { job: Job; pods: readonly Pod[]; now: number };
export type JobPlan = {
  status: JobStatus;
  create: number[];
  remove: Pod[];
  again: number | undefined;
  finished: Condition | null;
};

const BACKOFF_FIRST_MS = 10_000;
const BACKOFF_MOST_MS = 360_000;
const INDEX = "batch.kubernetes.io/job-completion-index";

/** What a job needs now: pods to create (by index where it has some) and to remove, its status, when to look again. */
export function planJob({ job, pods, now }: JobSeen): JobPlan {
  const { spec, status = {} } = job;
  const active = pods.filter(isActive);
  const succeeded = pods.filter(({ status: of }) => of?.phase === "Succeeded");
  const failed = pods.filter(
    (pod) => pod.status?.phase === "Failed" && ruleFor(spec.podFailurePolicy?.rules, pod)?.action !== "Ignore",
  );
  const started = spec.suspend ? status.startTime : (status.startTime ?? timestampOf(now));
  const ending = outcome({ job, pods, now }, { active, succeeded, failed, started });
  const done = findFinished(job) ?? ending;
  const create = done || spec.suspend ? [] : missing(job, { active, succeeded, failed, now });
  const surplus = done || spec.suspend ? active : active.slice(Math.max(0, wantedActive(job, succeeded.length)));
  const remaining = done || spec.suspend ? 0 : active.length - surplus.length;
  const indexes = spec.completionMode === "Indexed" ? [...new Set(succeeded.map(indexOf))].sort((a, b) => a - b) : null;
  const counts = {
    active: remaining,
    ready: done ? 0 : active.filter(isReady).length,
    succeeded: succeeded.length,
    failed: failed.length,
    terminating: pods.filter(isTerminating).length,
  };
  const shown = Object.fromEntries(
    Object.entries(counts).filter(
      ([name, count]) => count > 0 || ((name === "ready" || name === "terminating") && status.startTime !== undefined),
    ),
  );
  const completionTime = ending?.type === "Complete" ? timestampOf(now) : status.completionTime;
  return {
    create,
    remove: surplus,
    finished: findFinished(job) ? null : ending,
    again: soonest(job, failed, started, now),
    status: {
      ...(conditionsOf(job, ending, now) ?? {}),
      ...(started ? { startTime: started } : {}),
      ...(completionTime ? { completionTime } : {}),
      ...shown,
      ...(indexes ? { completedIndexes: indexes.join(",") } : {}),
      uncountedTerminatedPods: {},
    },
  };
}

function findFinished({ status }: Job): Condition | undefined {
  return status?.conditions?.find(
    ({ type, status: value }) => (type === "Complete" || type === "Failed") && value === "True",
  );
}

type Sorted = { active: readonly Pod[]; succeeded: readonly Pod[]; failed: readonly Pod[] };

function outcome(
  { job, pods, now }: JobSeen,
  { active, succeeded, failed, started }: Sorted & { started: string | undefined },
): Condition | null {
  const { spec } = job;
  const end = (type: string, reason: string, message: string): Condition => ({
    type,
    status: "True",
    reason,
    message,
    lastProbeTime: timestampOf(now),
    lastTransitionTime: timestampOf(now),
  });
  const fatal = pods.find(
    (pod) => pod.status?.phase === "Failed" && ruleFor(spec.podFailurePolicy?.rules, pod)?.action === "FailJob",
  );
  if (fatal) {
    const code = exitCodes(fatal).find(({ exitCode }) => exitCode !== 0);
    return end(
      "Failed",
      "PodFailurePolicy",
      `Container ${code?.name ?? ""} for pod ${fatal.metadata.namespace ?? ""}/${fatal.metadata.name} failed with exit code ${code?.exitCode ?? 0} matching FailJob rule at index 0`,
    );
  }
  const restarts =
    spec.template.spec.restartPolicy === "OnFailure"
      ? active
          .flatMap(({ status }) => status?.containerStatuses ?? [])
          .reduce((sum, { restartCount }) => sum + restartCount, 0)
      : 0;
  const limit = spec.backoffLimit ?? 6;
  if (failed.length > limit || (restarts > 0 && restarts >= limit))
    return end("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit");
  if (
    spec.activeDeadlineSeconds !== undefined &&
    started &&
    Date.parse(started) + spec.activeDeadlineSeconds * 1_000 <= now
  ) {
    return end("Failed", "DeadlineExceeded", "Job was active longer than specified deadline");
  }
  const enough =
    spec.completions === undefined
      ? succeeded.length > 0 && active.length === 0
      : completionsOf(job, succeeded) >= spec.completions;
  return enough && !spec.suspend
    ? end("Complete", "CompletionsReached", "Reached expected number of succeeded pods")
    : null;
}

function completionsOf({ spec }: Job, succeeded: readonly Pod[]): number {
  return spec.completionMode === "Indexed" ? new Set(succeeded.map(indexOf)).size : succeeded.length;
}

function wantedActive({ spec }: Job, succeeded: number): number {
  const parallelism = spec.parallelism ?? 1;
  // Without a number of completions, the first success means that no more are started.
  if (spec.completions === undefined) return succeeded > 0 ? Infinity : parallelism;
  return Math.min(parallelism, spec.completions - succeeded);
}

function missing(job: Job, { active, succeeded, failed, now }: Sorted & { now: number }): number[] {
  const { spec } = job;
  const wanted =
    spec.completions === undefined && succeeded.length > 0 ? 0 : wantedActive(job, completionsOf(job, succeeded));
  const count = Math.min(Math.max(0, wanted - active.length), PODS_PER_PASS);
  if (count === 0 || backOffIn(failed, now) > 0) return [];
  if (spec.completionMode !== "Indexed") return Array.from({ length: count }, () => -1);
  const taken = new Set([...active, ...succeeded].map(indexOf));
  const free: number[] = [];
  for (let index = 0; index < (spec.completions ?? 0) && free.length < count; index += 1)
    if (!taken.has(index)) free.push(index);
  return free;
}

/** After a failure the next pod waits: 10 s, and twice as long after each. */
function backOffIn(failed: readonly Pod[], now: number): number {
  if (failed.length === 0) return 0;
  const last = Math.max(...failed.map(finishedMs));
  return Math.max(0, last + Math.min(BACKOFF_FIRST_MS * 2 ** (failed.length - 1), BACKOFF_MOST_MS) - now);
}

function finishedMs(pod: Pod): number {
  const times = (pod.status?.containerStatuses ?? []).map(({ state }) =>
    Date.parse(state.terminated?.finishedAt ?? ""),
  );
  return Math.max(0, ...times.filter((time) => !Number.isNaN(time)));
}

function soonest(job: Job, failed: readonly Pod[], started: string | undefined, now: number): number | undefined {
  const { activeDeadlineSeconds, ttlSecondsAfterFinished } = job.spec;
  const finished = findFinished(job);
  const waits = finished
    ? [
        ttlSecondsAfterFinished === undefined
          ? 0
          : Date.parse(finished.lastTransitionTime ?? "") + ttlSecondsAfterFinished * 1_000 - now,
      ]
    : [
        backOffIn(failed, now),
        activeDeadlineSeconds === undefined || !started ? 0 : Date.parse(started) + activeDeadlineSeconds * 1_000 - now,
      ];
  const due = waits.filter((ms) => ms > 0);
  return due.length > 0 ? Math.min(...due) : undefined;
}

/** A finished job that has outlived the time it was given. */
export function isExpired(job: Job, now: number): boolean {
  const finished = findFinished(job);
  const { ttlSecondsAfterFinished: ttl } = job.spec;
  return (
    finished !== undefined && ttl !== undefined && Date.parse(finished.lastTransitionTime ?? "") + ttl * 1_000 <= now
  );
}

function conditionsOf(
  { spec, status }: Job,
  ending: Condition | null,
  now: number,
): { conditions: Condition[] } | null {
  const before = status?.conditions ?? [];
  const suspended = before.find(({ type }) => type === "Suspended");
  const others = before.filter(({ type }) => type !== "Suspended");
  const mark = (value: "True" | "False", reason: string, message: string): Condition => ({
    type: "Suspended",
    status: value,
    reason,
    message,
    lastProbeTime: timestampOf(now),
    lastTransitionTime: timestampOf(now),
  });
  const suspension = spec.suspend
    ? suspended?.status === "True"
      ? suspended
      : mark("True", "JobSuspended", "Job suspended")
    : suspended?.status === "True"
      ? mark("False", "JobResumed", "Job resumed")
      : suspended;
  const finished = others.some(({ type, status: value }) => type === ending?.type && value === "True") ? null : ending;
  const conditions = [...others, ...(suspension ? [suspension] : []), ...(finished ? [finished] : [])];
  return conditions.length > 0 ? { conditions } : null;
}

function ruleFor(rules: readonly FailureRule[] | undefined, pod: Pod): FailureRule | undefined {
  return rules?.find(({ onExitCodes, onPodConditions }) => {
    if (onExitCodes) {
      const codes = exitCodes(pod).filter(
        ({ name, exitCode }) => exitCode !== 0 && (!onExitCodes.containerName || onExitCodes.containerName === name),
      );
      return codes.some(({ exitCode }) => onExitCodes.values.includes(exitCode) === (onExitCodes.operator === "In"));
    }
    return (
      onPodConditions?.some((wanted) =>
        pod.status?.conditions?.some(
          ({ type, status }) => type === wanted.type && status === (wanted.status ?? "True"),
        ),
      ) ?? false
    );
  });
}

function exitCodes(pod: Pod): { name: string; exitCode: number }[] {
  return [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].flatMap(
    ({ name, state }) => (state.terminated ? [{ name, exitCode: state.terminated.exitCode }] : []),
  );
}

function indexOf(pod: Pod): number {
  return Number(pod.metadata.annotations?.[INDEX] ?? -1);
}
