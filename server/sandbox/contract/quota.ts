import { expect } from "vitest";
import { podBody } from "@/server/sandbox/contract/admission";
import { topic } from "@/server/sandbox/contract/contract-case";
import { type Target, until } from "@/server/sandbox/contract/target";
import { recordOf } from "@/server/sandbox/json";

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

/** Creates a quota and waits until its usage is known. */
async function limit(
  target: Target,
  namespace: string,
  hard: Record<string, string>,
  more: object = {},
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
  const { status } = await target.send("POST", path, {
    body: { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec: { hard, ...more } },
  });
  expect(status).toBe(201);
  await until(
    "the usage",
    async () =>
      Object.keys(recordOf((await target.send("GET", `${path}/q`)).object.status?.["used"])).length ===
      Object.keys(hard).length,
  );
  return `${path}/q`;
}

async function untilUsed(target: Target, path: string, used: Record<string, string>): Promise<void> {
  await until(`a usage of ${JSON.stringify(used)}`, async () => {
    const now = recordOf((await target.send("GET", path)).object.status?.["used"]);
    return Object.entries(used).every(([name, amount]) => now[name] === amount);
  });
}

export const quotaContract = topic("quotas", (promises) => {
  promises("a quota shows what is used, and what is deleted is free again", async (target) => {
    const namespace = await target.namespace();
    const path = await limit(target, namespace, { "count/configmaps": "5" });
    const before = Number(recordOf((await target.send("GET", path)).object.status?.["used"])["count/configmaps"]);
    await target.send("POST", `/api/v1/namespaces/${namespace}/configmaps`, { body: configMap("a") });
    await untilUsed(target, path, { "count/configmaps": String(before + 1) });
    await target.send("DELETE", `/api/v1/namespaces/${namespace}/configmaps/a`);
    await untilUsed(target, path, { "count/configmaps": String(before) });
    expect((await target.send("GET", path)).object.status?.["hard"]).toEqual({ "count/configmaps": "5" });
  });

  promises("what would exceed a quota is refused with what was requested, used and limited", async (target) => {
    const namespace = await target.namespace();
    await limit(target, namespace, { services: "1" });
    const service = (name: string) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name },
      spec: { ports: [{ port: 80 }] },
    });
    expect((await target.send("POST", `/api/v1/namespaces/${namespace}/services`, { body: service("a") })).status).toBe(
      201,
    );
    const { status, message, object } = await target.send("POST", `/api/v1/namespaces/${namespace}/services`, {
      body: service("b"),
    });
    expect({ status, message }).toEqual({
      status: 403,
      message:
        'services "b" is forbidden: exceeded quota: q, requested: services=1, used: services=1, limited: services=1',
    });
    expect(object["details"]).toMatchObject({ name: "b", kind: "services" });
  });

  promises("compute is summed over containers, and a pod that does not say how much is refused", async (target) => {
    const namespace = await target.namespace();
    await limit(target, namespace, { "requests.cpu": "1", "limits.memory": "1Gi", pods: "3" });
    const create = (name: string, resources: object) =>
      target.send("POST", `/api/v1/namespaces/${namespace}/pods`, { body: podBody(name, { resources }) });
    const silent = await create("silent", {});
    expect(silent.status).toBe(403);
    expect(silent.message).toMatch(
      /^pods "silent" is forbidden: failed quota: q: must specify (limits\.memory,requests\.cpu|limits\.memory for: main; requests\.cpu for: main)$/,
    );
    expect((await create("a", { requests: { cpu: "600m" }, limits: { memory: "512Mi" } })).status).toBe(201);
    const much = await create("b", { requests: { cpu: "500m" }, limits: { memory: "768Mi" } });
    expect(much.message).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: limits.memory=768Mi,requests.cpu=500m, used: limits.memory=512Mi,requests.cpu=600m, limited: limits.memory=1Gi,requests.cpu=1',
    );
  });

  promises("a quota with a scope counts only what is in it", async (target) => {
    const namespace = await target.namespace();
    const path = await limit(target, namespace, { pods: "1" }, { scopes: ["BestEffort"] });
    const create = (name: string, resources: object) =>
      target.send("POST", `/api/v1/namespaces/${namespace}/pods`, { body: podBody(name, { resources }) });
    expect((await create("a", { requests: { cpu: "1m" } })).status).toBe(201);
    expect((await create("b", {})).status).toBe(201);
    await untilUsed(target, path, { pods: "1" });
    expect((await create("c", {})).message).toBe(
      'pods "c" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    );
  });

  promises("storage is counted by what claims ask for", async (target) => {
    const namespace = await target.namespace();
    await limit(target, namespace, { "requests.storage": "2Gi", persistentvolumeclaims: "5" });
    const claim = (name: string, storage: string) => ({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
    });
    const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
    expect((await target.send("POST", path, { body: claim("a", "1536Mi") })).status).toBe(201);
    const { message } = await target.send("POST", path, { body: claim("b", "1Gi") });
    expect(message).toBe(
      'persistentvolumeclaims "b" is forbidden: exceeded quota: q, requested: requests.storage=1Gi, used: requests.storage=1536Mi, limited: requests.storage=2Gi',
    );
  });
});
