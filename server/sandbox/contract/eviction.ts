import { expect } from "vitest";
import { podBody } from "@/server/sandbox/contract/admission";
import { topic } from "@/server/sandbox/contract/contract-case";
import { type Target, until } from "@/server/sandbox/contract/target";
import { recordOf } from "@/server/sandbox/json";

/** A running pod and a budget that lets none of its kind go. */
async function guardedPod(
  target: Target,
  minAvailable: number,
): Promise<{ pod: string; evict: () => ReturnType<Target["send"]>; budget: string }> {
  const namespace = await target.namespace();
  const version = target.minor >= 21 ? "v1" : "v1beta1";
  const budgets = `/apis/policy/${version}/namespaces/${namespace}/poddisruptionbudgets`;
  const spec = { minAvailable, selector: { matchLabels: { app: "a" } } };
  await target.send("POST", budgets, {
    body: { apiVersion: `policy/${version}`, kind: "PodDisruptionBudget", metadata: { name: "b" }, spec },
  });
  const pod = `/api/v1/namespaces/${namespace}/pods/p`;
  const body = podBody("p", {}, { terminationGracePeriodSeconds: 0 });
  await target.send("POST", `/api/v1/namespaces/${namespace}/pods`, {
    body: { ...body, metadata: { name: "p", labels: { app: "a" } } },
  });
  await until(
    "a healthy pod in the budget",
    async () => recordOf((await target.send("GET", `${budgets}/b`)).object.status)["currentHealthy"] === 1,
  );
  const eviction = { apiVersion: `policy/${version}`, kind: "Eviction", metadata: { name: "p", namespace } };
  return { pod, budget: `${budgets}/b`, evict: () => target.send("POST", `${pod}/eviction`, { body: eviction }) };
}

export const evictionContract = topic("evictions", (promises) => {
  promises("a pod that its budget needs is not evicted, and the answer says what the budget needs", async (target) => {
    const { pod, evict } = await guardedPod(target, 1);
    const { status, object, message } = await evict();
    expect({ status, message }).toEqual({
      status: 429,
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
    });
    expect(object).toMatchObject({
      reason: "TooManyRequests",
      details: {
        causes: [
          { reason: "DisruptionBudget", message: "The disruption budget b needs 1 healthy pods and has 1 currently" },
        ],
      },
    });
    expect((await target.send("GET", pod)).status).toBe(200);
  });

  promises("a pod that its budget can spare is evicted", async (target) => {
    const { pod, evict, budget } = await guardedPod(target, 0);
    expect((await target.send("GET", budget)).object.status).toMatchObject({
      disruptionsAllowed: 1,
      expectedPods: 1,
      desiredHealthy: 0,
    });
    expect((await evict()).status).toBe(201);
    await until("the end of the pod", async () => (await target.send("GET", pod)).status === 404);
  });
});
