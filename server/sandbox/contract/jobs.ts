import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { createScene, eventOf, listed, make, running, type Scene, seen } from "@/server/sandbox/contract/scene";

type Condition = { type: string; status: string; reason?: string; message?: string };
type Job = {
  metadata: { uid: string };
  status: { succeeded?: number; failed?: number; completionTime?: string; conditions?: Condition[] };
};
type Pod = { metadata: { name: string; labels: Record<string, string>; ownerReferences: Record<string, unknown>[] } };

const setUp = createScene(async (scene) => {
  const job = (name: string, script: string, spec: Record<string, unknown> = {}) =>
    make(scene, {
      kind: "Job",
      metadata: { name },
      spec: { backoffLimit: 0, template: { spec: running(script, {}, { restartPolicy: "Never" }) }, ...spec },
    });
  await job("good", "true", { completions: 2 });
  await job("bad", "exit 4");
});

const has = (type: string) => (job: Job) => conditionOf(job, type)?.status === "True";
const podsOf = (scene: Scene, job: string) => listed<Pod>(scene, "Pod", `?labelSelector=job-name=${job}`);

function conditionOf({ status }: Job, type: string): Condition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

export const jobsContract = topic(
  "Jobs",
  (promises) => {
    promises("a Job runs as many pods to their end as it wants completions, and is complete", async (target) => {
      const scene = await setUp(target);
      const job = await seen<Job>(scene, "Job", "good", has("Complete"));
      expect(job.status).toMatchObject({ succeeded: 2, completionTime: expect.any(String) });
      const pods = await podsOf(scene, "good");
      expect(pods).toHaveLength(2);
      for (const { metadata } of pods) {
        expect(metadata.name).toMatch(/^good-[a-z0-9]{5}$/);
        expect(metadata.labels["controller-uid"]).toBe(job.metadata.uid);
        expect(metadata.ownerReferences).toMatchObject([{ kind: "Job", name: "good", controller: true }]);
        await eventOf(scene, "good", "SuccessfulCreate", `Created pod: ${metadata.name}`);
      }
      await eventOf(scene, "good", "Completed", "Job completed");
    });

    promises("a Job whose pods fail as often as it allows has failed, and says why", async (target) => {
      const scene = await setUp(target);
      const job = await seen<Job>(scene, "Job", "bad", has("Failed"));
      const why = { reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" };
      expect(conditionOf(job, "Failed")).toMatchObject(why);
      expect(job.status).toMatchObject({ failed: 1 });
      expect(await podsOf(scene, "bad")).toHaveLength(1);
      expect(await eventOf(scene, "bad", why.reason, why.message)).toMatchObject({ type: "Warning" });
    });
  },
  { shareScene: true },
);
