import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { created } from "@/server/sandbox/contract/samples";

export const autoscalersContract = topic("autoscalers", (promises) => {
  promises(
    "an autoscaler is the same in both versions, and the older one keeps what it has no field for",
    async (target) => {
      const ns = await target.bareNamespace();
      const collection = (version: string) => `/apis/autoscaling/${version}/namespaces/${ns}/horizontalpodautoscalers`;
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
      const metric = (name: string, averageUtilization: number) => ({
        type: "Resource",
        resource: { name, target: { type: "Utilization", averageUtilization } },
      });
      await created(target, collection("v1"), {
        metadata: { name: "web" },
        spec: { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 70 },
      });
      const read = async (version: string) => (await target.send("GET", `${collection(version)}/web`)).object;
      expect((await read("v2")).spec).toEqual({
        scaleTargetRef,
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [metric("cpu", 70)],
      });
      const more = { spec: { metrics: [metric("memory", 50), metric("cpu", 70)] } };
      await target.send("PATCH", `${collection("v2")}/web`, {
        body: more,
        contentType: "application/merge-patch+json",
      });
      const older = await read("v1");
      expect(older.spec).toEqual({
        scaleTargetRef,
        minReplicas: 1,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 70,
      });
      await target.send("PUT", `${collection("v1")}/web`, {
        body: { ...older, spec: { ...older.spec, maxReplicas: 4 } },
      });
      expect((await read("v2")).spec).toMatchObject({
        maxReplicas: 4,
        metrics: expect.arrayContaining([metric("memory", 50), metric("cpu", 70)]),
      });
    },
    { since: 23 },
  );
});
